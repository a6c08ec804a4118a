"""Beam search: keep the likeliest beginnings at every step (section 6.1).

A beginning is what one row of the decoder has written so far; a sentence has `beam` of them.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.errors import DataError


class Hypothesis(NamedTuple):
    """A whole sentence of a beam: log-probability over length penalty, and the target ids."""

    score: float
    ids: list[int]


class Beam:
    """The `beam` likeliest beginnings of every sentence, and the sentences that are whole.

    Raises:
        DataError: if the beam is below 1, or alpha below 0.
    """

    def __init__(
        self, src: Int[Tensor, "batch src_len"], limits: list[int], beam: int, alpha: float
    ):
        if beam < 1:
            raise DataError(f"beam={beam}: a search needs at least one beginning, use 1 or more")
        if not 0 <= alpha < float("inf"):
            raise DataError(f"alpha={alpha}: expected a number from 0 on")
        self.limits, self.beam, self.alpha = limits, beam, alpha
        self.finished: list[list[Hypothesis]] = [[] for _ in src]
        self.alive = list(range(len(src)))
        self.scores = torch.full((len(src), beam), float("-inf"), device=src.device)
        self.scores[:, 0] = 0  # all rows of a sentence are still the same, so only one may grow
        self.tokens = src.new_full((len(src) * beam, 1), BOS_ID)

    def choose(
        self, logits: Float[Tensor, "rows vocab_size"]
    ) -> tuple[Int[Tensor, "kept"], Int[Tensor, "kept"], Int[Tensor, "sentences"] | None]:
        """Add the best tokens, take out whole sentences, and drop those that are done."""
        beam, alive = self.beam, self.alive
        place = logits if logits.device.type == "cpu" else None  # the table is large
        log_probs = torch.log_softmax(logits, -1, out=place).view(len(alive), beam, -1)
        length = self.tokens.size(1)  # of the outputs after this step, their end mark included
        for row, sentence in enumerate(alive):
            if length > self.limits[sentence]:  # out of room: only the end may follow
                log_probs[row, :, :EOS_ID] = log_probs[row, :, EOS_ID + 1 :] = float("-inf")
        # Twice the beam, since at most half of the best continuations can be endings.
        best, following = likeliest(log_probs, 2 * beam)
        totals, picks = (best + self.scores[..., None]).flatten(1).topk(2 * beam)
        parents, following = picks // best.size(-1), following.flatten(1).gather(1, picks)
        ends = following == EOS_ID
        for row, rank in (ends[:, :beam] & totals[:, :beam].isfinite()).nonzero().tolist():
            ids = self.tokens[row * beam + int(parents[row, rank]), 1:].tolist()
            score = totals[row, rank].item() / length_penalty(length, self.alpha)
            self.finished[alive[row]].append(Hypothesis(score, ids))
        scores, order = totals.masked_fill(ends, float("-inf")).topk(beam)
        parents, following = parents.gather(1, order), following.gather(1, order)
        going = [
            row
            for row, (sentence, best_alive) in enumerate(
                zip(alive, scores[:, 0].tolist(), strict=True)
            )
            if not is_done(
                self.finished[sentence], best_alive, self.limits[sentence], beam, self.alpha
            )
        ]
        kept = torch.tensor(going, dtype=torch.long, device=logits.device)
        rows = (kept[:, None] * beam + parents[kept]).flatten()
        chosen = following[kept].flatten()
        self.tokens = torch.cat([self.tokens[rows], chosen[:, None]], dim=1)
        self.scores, self.alive = scores[kept], [alive[row] for row in going]
        return chosen, rows, kept if len(going) < len(alive) else None


def length_penalty(length: int, alpha: float) -> float:
    """Divide a log-probability by this, or short outputs are favored (GNMT, Wu 2016)."""
    return ((5 + length) / 6) ** alpha


def is_done(
    finished: list[Hypothesis], best_alive: float, limit: int, beam: int, alpha: float
) -> bool:
    """Whether nothing that still grows can get among the `beam` best finished sentences."""
    if best_alive == float("-inf"):
        return True
    if len(finished) < beam:
        return False
    worst = sorted(finished, reverse=True)[beam - 1].score
    # Log-probabilities only fall, and the longest output has the kindest penalty.
    return worst >= best_alive / length_penalty(limit + 1, alpha)


def likeliest(
    scores: Float[Tensor, "*batch vocab_size"], count: int
) -> tuple[Float[Tensor, "*batch count"], Int[Tensor, "*batch count"]]:
    """The `count` highest scores, best first, and their tokens; all, if there are fewer.

    As `topk` finds them, and faster.

    The highest score of a block of tokens is found much faster than the best few of a long row.
    And the best `count` tokens lie in the `count` blocks with the highest such scores.
    """
    width = math.gcd(scores.size(-1), 100)  # of a block: any divisor is right, large ones are fast
    blocks = scores.unflatten(-1, (-1, width))
    best = blocks.amax(-1).topk(min(count, blocks.size(-2))).indices
    found = blocks.gather(-2, best[..., None].expand(*best.shape, width)).flatten(-2)
    values, places = found.topk(min(count, found.size(-1)))
    return values, best.gather(-1, places // width) * width + places % width
