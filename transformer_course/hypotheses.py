"""How the sentences of a beam compete, and when none that still grows can win (section 6.1)."""

from typing import NamedTuple


class Hypothesis(NamedTuple):
    """A whole sentence of a beam: log-probability over length penalty, and the target ids."""

    score: float
    ids: list[int]


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
