"""PyTorch's own `nn.Transformer`, with embeddings, sinusoids and the tied output around it."""

import math

import torch
from torch import Tensor, nn

from transformer_course.data import PAD_ID
from transformer_course.model import TransformerConfig, sinusoidal


class Peer(nn.Module):
    """Post-norm without the final norms that the paper does not have; dropout where it has it."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        self.register_buffer("table", sinusoidal(config.max_len, config.d_model))
        self.dropout = nn.Dropout(config.dropout)
        self.transformer = nn.Transformer(
            config.d_model,
            config.num_heads,
            config.num_layers,
            config.num_layers,
            config.d_ff,
            config.dropout,
            batch_first=True,
        )
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        for module in self.transformer.modules():
            if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = 0.0  # inside the feed-forward network
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0

    def embed(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * math.sqrt(self.config.d_model)
        return self.dropout(x + self.table[: ids.size(1)])

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        hidden_src, hidden_tgt = (ids == PAD_ID for ids in (src, tgt))
        length = tgt.size(1)
        future = torch.ones(length, length, dtype=torch.bool, device=tgt.device).triu(1)
        x = self.transformer(
            self.embed(src),
            self.embed(tgt),
            tgt_mask=future,
            src_key_padding_mask=hidden_src,
            tgt_key_padding_mask=hidden_tgt,
            memory_key_padding_mask=hidden_src,
            tgt_is_causal=False,  # else it looks at the mask, and waits for the device to do so
        )
        return nn.functional.linear(x, self.embedding.weight)
