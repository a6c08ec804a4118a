"""An encoder alone, as in BERT (Devlin et al. 2019): guess hidden words from both sides."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_course.model import parts
from transformer_course.model.config import TransformerConfig
from transformer_course.model.masks import padding_mask
from transformer_course.model.transformer import TokenModel


class EncoderOnly(TokenModel):
    """Read a whole sentence, and say at every position which token stood there."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        depth = range(config.num_layers)
        self.encoder_layers = nn.ModuleList(parts.encoder_layer(config) for _ in depth)
        self.encoder_norm = parts.final_norm(config)
        self.initialize()

    def forward(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocab_size"]:
        """Score, at every position, each token that may stand there."""
        return self.logits(self.encode(ids))

    def encode(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length d_model"]:
        """What the model makes of each token in its sentence, for a task of your own."""
        mask = padding_mask(ids)
        x = self.embed(ids)
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return self.encoder_norm(x)


def mask_tokens(
    ids: Int[Tensor, "batch length"],
    *,
    mask_id: int,
    vocab_size: int,
    special_ids: Sequence[int] = (0, 1, 2, 3),
    share: float = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "batch length"], Bool[Tensor, "batch length"]]:
    """Choose tokens to guess, and hide most of them (Devlin et al. 2019, section 3.1).

    Of the chosen ones 80 % become `mask_id`, 10 % a random token, 10 % stay, so that the model
    cannot trust what it sees. Returns the ids to read and which were chosen; special ids never are.
    """

    def draw() -> Tensor:
        return torch.rand(ids.shape, generator=generator, device=ids.device)

    chosen = (draw() < share) & ~torch.isin(ids, ids.new_tensor(special_ids))
    fate = draw()
    ordinary = [token for token in range(vocab_size) if token not in {*special_ids, mask_id}]
    pick = (draw() * len(ordinary)).long().clamp(max=len(ordinary) - 1)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask_id)
    swapped = chosen & (fate >= 0.8) & (fate < 0.9)
    return torch.where(swapped, ids.new_tensor(ordinary)[pick], masked), chosen


def masked_token_loss(
    logits: Float[Tensor, "batch length vocab_size"],
    ids: Int[Tensor, "batch length"],
    chosen: Bool[Tensor, "batch length"],
) -> Float[Tensor, ""]:
    """Cross-entropy of the true ids where they were chosen, and nowhere else; 0 without any."""
    total = nn.functional.cross_entropy(logits[chosen].float(), ids[chosen], reduction="sum")
    return total / chosen.sum().clamp(min=1)
