"""How good a parse is: its labeled brackets beside those of the treebank (section 6.3).

As EVALB counts with COLLINS.prm, the convention of every figure in table 4 (Sekine and Collins
1997): the outermost TOP does not count, punctuation is taken out first, ADVP and PRT are one label,
and tags do not count at all. A bracket is right if label, first and last word are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from transformer_course.data import TOP, Tree
from transformer_course.errors import DataError

PUNCTUATION = {",", ":", "``", "''", "."}
SAME = {"PRT": "ADVP"}

Bracket = tuple[str, int, int]  # label, words before it, words up to its end


class Matches(NamedTuple):
    """Brackets of a sentence: in both trees, in the parse, in the treebank's tree."""

    both: int
    found: int
    gold: int


def brackets(tree: Tree, counted: Sequence[bool] | None = None) -> Counter[Bracket]:
    """The constituents that count, with their places among the words that count.

    Which words count is said by the tree's own tags, or by `counted`. What holds none of them does
    not count either.
    """
    tags = list(tree.tags())
    if counted is None:
        counted = [tag.label not in PUNCTUATION for tag in tags]
    before = [0, *np.cumsum(counted).tolist()]  # words that count, before each place
    found: Counter[Bracket] = Counter()

    def walk(part: Tree, start: int) -> int:
        if part.is_tag:
            return start + 1
        end = start
        for child in part.children:
            end = walk(child, end)
        if part.label != TOP and before[start] < before[end]:
            found[SAME.get(part.label, part.label), before[start], before[end]] += 1
        return end

    walk(tree, 0)
    return found


def match(found: Tree | None, gold: Tree) -> Matches:
    """Compare a parse with the treebank's tree; none at all has no bracket.

    What is punctuation, the treebank's tags say for both: a parse need not have any.

    Raises:
        DataError: if the two are not of one sentence.
    """
    counted = [tag.label not in PUNCTUATION for tag in gold.tags()]
    right = brackets(gold, counted)
    if found is None:
        return Matches(0, 0, right.total())
    if found.words() != gold.words():
        raise DataError(
            f"expected a parse of {' '.join(gold.words())!r}, got one of "
            f"{' '.join(found.words())!r}: compare trees of one sentence"
        )
    ours = brackets(found, counted)
    return Matches((ours & right).total(), ours.total(), right.total())


def f1(matches: Iterable[Matches]) -> float:
    """The harmonic mean of precision and recall over all sentences together, in percent."""
    both, found, gold = (sum(each) for each in zip(*matches, strict=True))
    return 200 * both / (found + gold) if both else 0.0


def score_trees(found: Sequence[Tree | None], gold: Sequence[Tree]) -> dict[str, float]:
    """Labeled precision, recall and F1 in percent, the share of faultless trees, valid ones."""
    matches = [match(*pair) for pair in zip(found, gold, strict=True)]
    both, ours, right = (sum(each) for each in zip(*matches, strict=True))
    return {
        "f1": round(f1(matches), 2),
        "precision": round(100 * both / ours, 2) if ours else 0.0,
        "recall": round(100 * both / right, 2) if right else 0.0,
        "exact": round(100 * sum(len(set(each)) == 1 for each in matches) / len(matches), 2),
        "valid": round(100 * sum(tree is not None for tree in found) / len(found), 2),
        "sentences": len(matches),
    }


def paired_bootstrap(
    ours: Sequence[Matches], theirs: Sequence[Matches], draws: int = 10_000, seed: int = 0
) -> tuple[float, float, float]:
    """By how much our F1 is above theirs: 2.5 and 97.5 % of the draws, and the share above zero.

    Each draw takes as many sentences as there are, with replacement, the same ones of both (Efron
    and Tibshirani 1993; Berg-Kirkpatrick et al. 2012).

    Raises:
        DataError: if the two are not about the same sentences.
    """
    one, other = (np.array(each, dtype=np.int64).reshape(-1, 3) for each in (ours, theirs))
    if len(one) != len(other) or (one[:, 2] != other[:, 2]).any():
        raise DataError(
            f"expected matches of the same sentences, got {len(one)} and {len(other)} that differ "
            "in their treebank's brackets"
        )
    rng = np.random.default_rng(seed)
    picks = rng.integers(len(one), size=(draws, len(one)))
    differences = _drawn(one, picks) - _drawn(other, picks)
    low, high = np.quantile(differences, [0.025, 0.975])
    return float(low), float(high), float((differences > 0).mean())


def _drawn(matches: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """F1 in percent of each draw of sentences."""
    both, found, gold = (matches[:, column][picks].sum(axis=1) for column in range(3))
    return 200 * both / np.maximum(found + gold, 1)
