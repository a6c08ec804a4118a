"""What to draw the next token from: the model's distribution, sharper, or without its tail."""

import random

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import PAD_ID
from transformer_course.errors import DataError

COLDEST, HOTTEST = 1e-6, 1e6  # beyond them the arithmetic of 32 bits ends


def shares(
    logits: Float[Tensor, "rows vocab_size"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> Float[Tensor, "rows vocab_size"]:
    """The probability of every token to be drawn; those of a row sum to one.

    A temperature below 1 sharpens the model's distribution, one above flattens it (Ackley et al.
    1985). Then only the `top_k` likeliest tokens stay (Fan et al. 2018, section 5.2), and of these
    the nucleus: the fewest whose probabilities sum to `top_p` (Holtzman et al. 2020, section 3.1).
    """
    logits = (logits - logits.amax(-1, keepdim=True)) / temperature  # at most 0: no overflow
    if top_k is not None:
        best = logits.topk(min(top_k, logits.size(-1)))
        logits = torch.full_like(logits, float("-inf")).scatter(-1, best.indices, best.values)
    weights = logits.softmax(-1)
    if top_p < 1:
        ranked, order = weights.sort(dim=-1, descending=True)
        likelier = ranked.cumsum(-1) - ranked  # the sum of all that stand before a token
        weights = torch.zeros_like(weights).scatter(-1, order, ranked * (likelier < top_p))
        weights = weights / weights.sum(-1, keepdim=True)
    return weights


def check_tail(top_k: int | None, top_p: float) -> None:
    """Refuse what would leave nothing to draw from."""
    if top_k is not None and top_k < 1:
        raise DataError(f"top_k={top_k}: expected a whole number from 1 on, or None for all")
    if not 0 < top_p <= 1:
        raise DataError(f"top_p={top_p}: expected a share above 0, at most 1 for all")


class Sampler:
    """Draws the next token of every sentence, by random numbers of the sentence's own.

    They come from the seed and the source's ids, so what else is in a batch changes no draw.

    Raises:
        DataError: if temperature, top_k or top_p leave nothing to draw from.
    """

    def __init__(
        self,
        src: Int[Tensor, "batch src_len"],
        temperature: float,
        top_k: int | None,
        top_p: float,
        seed: int,
    ):
        if not COLDEST <= temperature <= HOTTEST:
            raise DataError(
                f"temperature={temperature}: expected a number from {COLDEST:.0e} to "
                f"{HOTTEST:.0e}; to take the likeliest token always, use greedy search"
            )
        check_tail(top_k, top_p)
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self.numbers = [random.Random(f"{seed} {row[row != PAD_ID].tolist()}") for row in src]

    def __call__(
        self, logits: Float[Tensor, "rows vocab_size"], sentences: list[int]
    ) -> Int[Tensor, "rows"]:
        """A token for each row, by the next number of the row's sentence."""
        numbers = [self.numbers[sentence].random() for sentence in sentences]
        weights = shares(logits, self.temperature, self.top_k, self.top_p)
        return draw(weights, torch.tensor(numbers, dtype=weights.dtype, device=weights.device))


def draw(
    weights: Float[Tensor, "rows vocab_size"], numbers: Float[Tensor, "rows"]
) -> Int[Tensor, "rows"]:
    """The token at which a row's running sum comes to its number, a share from 0 to 1.

    Numbers that are spread evenly draw each token as often as its weight says; one of weight 0
    never.
    """
    sums = weights.cumsum(-1)
    goals = (1 - numbers[:, None]) * sums[:, -1:]
    goals = goals.clamp(min=torch.finfo(sums.dtype).tiny)  # a number may be rounded to 1
    return torch.searchsorted(sums, goals)[:, 0]
