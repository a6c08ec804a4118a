"""Marian in Hugging Face transformers: post-norm, fused attention, dropout where we have it."""

from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from transformer_course.data import PAD_ID
from transformer_course.model import TransformerConfig


class Peer(nn.Module):
    """`MarianMTModel` of the given sizes, embeddings scaled, all three uses of them tied."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        sizes = {
            f"{side}_{name}": value
            for side in ("encoder", "decoder")
            for name, value in [
                ("layers", config.num_layers),
                ("ffn_dim", config.d_ff),
                ("attention_heads", config.num_heads),
            ]
        }
        self.marian = MarianMTModel(
            MarianConfig(
                vocab_size=config.vocab_size,
                d_model=config.d_model,
                max_position_embeddings=config.max_len,
                activation_function="relu",
                dropout=config.dropout,
                scale_embedding=True,
                init_std=config.d_model**-0.5,
                pad_token_id=PAD_ID,
                eos_token_id=2,
                forced_eos_token_id=2,
                decoder_start_token_id=1,
                attn_implementation="sdpa",
                **sizes,
            )
        )

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.marian(
            input_ids=src,
            attention_mask=src != PAD_ID,
            decoder_input_ids=tgt,
            decoder_attention_mask=tgt != PAD_ID,
            use_cache=False,
        ).logits
