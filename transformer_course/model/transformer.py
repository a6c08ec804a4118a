"""The whole model of figure 1: embeddings, encoder stack, decoder stack, logits (section 3)."""

import math

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_course.model import parts
from transformer_course.model.config import TransformerConfig
from transformer_course.model.masks import causal_mask, padding_mask


class TokenModel(nn.Module):
    """What all models here share: tokens become vectors below the stacks, scores above them."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = parts.positions(config)
        self.dropout = nn.Dropout(config.dropout)

    def embed(
        self, ids: Int[Tensor, "batch length"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """Look the tokens up, scale them to the size of the sinusoids, add those (section 3.4)."""
        return self.dropout(
            self.positions(self.embedding(ids) * math.sqrt(self.config.d_model), start)
        )

    def logits(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Compare x with the embedding of every token: all three uses share it (section 3.4)."""
        return nn.functional.linear(x, self.embedding.weight)

    def initialize(self) -> None:
        """Start from Glorot's uniform weights, and tables of unit variance once scaled."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        for table in (self.embedding.weight, *self.positions.parameters()):
            if table.dim() > 1:
                nn.init.normal_(table, std=self.config.d_model**-0.5)

    def num_parameters(self) -> int:
        """Count the numbers that training sets, a shared matrix once."""
        return sum(parameter.numel() for parameter in self.parameters())


class Transformer(TokenModel):
    """Read a source sentence, and predict each token of the target from those before it."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        depth = range(config.num_layers)
        self.encoder_layers = nn.ModuleList(parts.encoder_layer(config) for _ in depth)
        self.decoder_layers = nn.ModuleList(parts.decoder_layer(config) for _ in depth)
        self.encoder_norm = parts.final_norm(config)
        self.decoder_norm = parts.final_norm(config)
        self.initialize()

    def forward(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score, at every position of the target, each possible next token."""
        return self.logits(self.states(src, tgt))

    def states(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len d_model"]:
        """What the decoder makes of both sentences, before it is compared with every token."""
        src_mask = padding_mask(src)
        return self.decode_states(tgt, self.encode(src, src_mask), src_mask)

    def encode(
        self,
        src: Int[Tensor, "batch src_len"],
        src_mask: Bool[Tensor, "batch 1 1 src_len"] | None = None,
    ) -> Float[Tensor, "batch src_len d_model"]:
        """Turn the source into the memory that the decoder looks at."""
        x = self.embed(src)
        for layer in self.encoder_layers:
            x = layer(x, src_mask)
        return self.encoder_norm(x)

    def decode(
        self,
        tgt: Int[Tensor, "batch tgt_len"],
        memory: Float[Tensor, "batch src_len d_model"],
        src_mask: Bool[Tensor, "batch 1 1 src_len"] | None = None,
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score, at every position of the target, each possible next token."""
        return self.logits(self.decode_states(tgt, memory, src_mask))

    def decode_states(
        self,
        tgt: Int[Tensor, "batch tgt_len"],
        memory: Float[Tensor, "batch src_len d_model"],
        src_mask: Bool[Tensor, "batch 1 1 src_len"] | None = None,
    ) -> Float[Tensor, "batch tgt_len d_model"]:
        """Run the decoder's stack over the target so far, with the memory beside it."""
        tgt_mask = causal_mask(tgt.size(1), tgt.device) & padding_mask(tgt)
        x = self.embed(tgt)
        for layer in self.decoder_layers:
            x = layer(x, memory, tgt_mask, src_mask)
        return self.decoder_norm(x)
