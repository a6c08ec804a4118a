"""Does a row differ from base, as the paper says? By the rules of benchmarks/CRITERIA.md."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Seeds = Sequence[float]  # what one row measured, one number for each seed


@dataclass(frozen=True)
class Verdict:
    """How far a row is from base, how far it must be to differ, and what that says."""

    difference: float
    bound: float
    says: str


def pooled_deviation(groups: Sequence[Seeds]) -> tuple[float, int]:
    """The standard deviation within groups, about their own means, and its degrees of freedom.

    Raises:
        ValueError: if no group has two numbers.
    """
    freedom = sum(len(group) - 1 for group in groups)
    if freedom < 1:
        raise ValueError("no row has two seeds: how far seeds differ cannot be told from one")
    squares = sum(float(np.square(np.asarray(group) - np.mean(group)).sum()) for group in groups)
    return (squares / freedom) ** 0.5, freedom


def t_quantile(alpha: float, freedom: int) -> float:
    """What |t| exceeds with probability `alpha`, for Student's t with `freedom` degrees of freedom.

    With t = sqrt(freedom) tan(a), the density is proportional to cos(a)^(freedom - 1).
    """
    angles = np.linspace(0, np.pi / 2, 200_001)
    heights = np.cos(angles) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    return float(freedom**0.5 * np.tan(np.interp(1 - alpha, below / below[-1], angles)))


def verdict(
    row: Seeds,
    base: Seeds,
    deviation: tuple[float, int],
    *,
    claim: float,
    comparisons: int,
    margin: float = 0.0,
) -> Verdict:
    """Whether the row agrees with a claim about its difference from base.

    `claim` is the paper's difference, of which the sign alone counts; 0 claims that there is none,
    and then `margin` says how much is still none.
    """
    spread, freedom = deviation
    difference = float(np.mean(row) - np.mean(base))
    bound = t_quantile(0.05 / comparisons, freedom) * spread
    bound *= (1 / len(row) + 1 / len(base)) ** 0.5
    differs = abs(difference) > bound
    if claim:
        agrees = differs and difference * claim > 0
        opposite = differs and difference * claim < 0
    else:
        agrees = abs(difference) + bound < margin
        opposite = differs and abs(difference) > margin
    says = "agrees" if agrees else "opposite" if opposite else "cannot tell"
    return Verdict(difference, bound, says)


def ranks(values: Seeds) -> np.ndarray:
    """The place of each in order, from 1 on; equals share the mean of their places."""
    array = np.asarray(values, dtype=float)
    less = (array[None, :] < array[:, None]).sum(axis=1)
    equal = (array[None, :] == array[:, None]).sum(axis=1)
    return less + (equal + 1) / 2


def spearman(one: Seeds, other: Seeds) -> float:
    """How alike two orders are: 1 if they are the same, -1 if reversed (rank correlation)."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def spearman_interval(
    paper: Seeds, groups: Sequence[Seeds], samples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Where 95 % of the correlations lie, if each row's seeds are drawn again from its own."""
    generator = np.random.default_rng(seed)
    drawn = np.stack(
        [generator.choice(group, (samples, len(group))).mean(axis=1) for group in groups], axis=1
    )
    found = [spearman(paper, means) for means in drawn]
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
