"""x-transformers: post-norm, fused attention; it has no biases in attention."""

from torch import Tensor, nn
from x_transformers import XTransformer

from transformer_course.data import PAD_ID
from transformer_course.model import TransformerConfig


class Peer(nn.Module):
    """`XTransformer` of the given sizes, all three uses of the embeddings tied."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        side = {
            "num_tokens": config.vocab_size,
            "max_seq_len": config.max_len,
            "depth": config.num_layers,
            "heads": config.num_heads,
            "emb_dropout": config.dropout,
            "scaled_sinu_pos_emb": True,
            "pre_norm": False,
            "attn_flash": True,
            "attn_dim_head": config.d_model // config.num_heads,
            "attn_sublayer_dropout": config.dropout,
            "ff_mult": config.d_ff / config.d_model,
            "ff_custom_activation": nn.ReLU(),
            "ff_sublayer_dropout": config.dropout,
        }
        both = {f"{name}_{key}": value for name in ("enc", "dec") for key, value in side.items()}
        self.model = XTransformer(dim=config.d_model, tie_token_emb=True, **both)
        shared = self.model.encoder.token_emb.emb.weight
        nn.init.normal_(shared, std=config.d_model**-0.5)
        self.model.decoder.net.to_logits.weight = shared

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        seen = src != PAD_ID
        memory = self.model.encoder(src, mask=seen, return_embeddings=True)
        return self.model.decoder.net(tgt, context=memory, context_mask=seen)
