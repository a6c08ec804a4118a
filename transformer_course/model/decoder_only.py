"""A decoder without a source, as in GPT (Radford et al. 2018): predict every next token."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_course.model import parts
from transformer_course.model.config import TransformerConfig
from transformer_course.model.masks import causal_mask, padding_mask
from transformer_course.model.transformer import TokenModel


class DecoderOnly(TokenModel):
    """The encoder's layers under the decoder's mask: each token sees those before it."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        depth = range(config.num_layers)
        self.decoder_layers = nn.ModuleList(parts.encoder_layer(config) for _ in depth)
        self.decoder_norm = parts.final_norm(config)
        self.initialize()

    def forward(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocab_size"]:
        """Score, at every position, each possible next token."""
        mask = causal_mask(ids.size(1), ids.device) & padding_mask(ids)
        x = self.embed(ids)
        for layer in self.decoder_layers:
            x = layer(x, mask)
        return self.logits(self.decoder_norm(x))
