"""Searches that may only write what a rule allows, such as brackets that match.

`Constrained` stands between the loop of `search` and any search: it changes the scores that the
search is shown, and follows what it chose. The search itself need not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import EOS_ID, TreeTokens
from transformer_course.decoding.search import Search

OPENS_IN_A_ROW = 6  # constituents that begin at one word; the Penn sample has two trees with more


class Rule(Protocol):
    """What may follow one beginning."""

    def restrict(self, logits: Float[Tensor, "vocab_size"]) -> Float[Tensor, "vocab_size"]:
        """The scores, with minus infinity for what may not follow."""

    def after(self, token: int) -> Rule:
        """The rule for the beginning that is longer by this token."""


class Constrained:
    """A search whose every row has a rule of its own."""

    def __init__(self, search: Search, rules: Sequence[Rule]):
        self.search, self.rules = search, list(rules)

    def choose(
        self, logits: Float[Tensor, "rows vocab_size"]
    ) -> tuple[Int[Tensor, "kept"], Int[Tensor, "kept"] | None, Int[Tensor, "sentences"] | None]:
        """As the search chooses among what the rules allow."""
        allowed = [rule.restrict(row) for rule, row in zip(self.rules, logits, strict=True)]
        ids, rows, sentences = self.search.choose(torch.stack(allowed))
        kept = range(len(self.rules)) if rows is None else rows.tolist()
        self.rules = [
            self.rules[row].after(token) for row, token in zip(kept, ids.tolist(), strict=True)
        ]
        return ids, rows, sentences


@dataclass(frozen=True)
class TreeRule:
    """The beginning of a tree's line: which words are still to come, which brackets are open.

    What it allows always leads to one whole tree over just these words, within `room` tokens.
    """

    tokens: TreeTokens
    words: tuple[int, ...]  # ids of those still to come
    room: int  # tokens that may still be written, the end mark not counted
    stack: tuple[int, ...] = ()  # labels of the open brackets, as places in `tokens.opening`
    opens: int = 0  # in a row, up to here
    begun: bool = False

    def restrict(self, logits: Float[Tensor, "vocab_size"]) -> Float[Tensor, "vocab_size"]:
        """Opening brackets, a leaf, the closing bracket that fits, or the end.

        "The next word" is scored by all words together, and the true word takes that score: which
        word comes next is known, and how sure the model is of it must not count.
        """
        shown = torch.full_like(logits, -math.inf)
        if not self.stack and self.begun:
            shown[EOS_ID] = logits[EOS_ID]
            return shown
        needed = len(self.words) + len(self.stack)
        if self.words and self.opens < OPENS_IN_A_ROW and self.room >= needed + 2:
            which = _slice(self.tokens.opening)
            shown[which] = logits[which]
        if self.stack and self.words:
            leaves = _slice(self.tokens.leaves)
            if self.tokens.leaf == "word":
                shown[self.words[0]] = logits[leaves].logsumexp(-1)
            else:
                shown[leaves] = logits[leaves]
        if self.stack and not self.opens and (len(self.stack) > 1 or not self.words):
            fitting = self.tokens.closing[self.stack[-1]]
            shown[fitting] = logits[fitting]
        # Only a beginning that a beam has given up can be stuck; its scores do not matter.
        return shown if shown.isfinite().any() else logits

    def after(self, token: int) -> TreeRule:
        """One token further; a beginning that is no tree's stays where it is."""
        opening, closing = self.tokens.opening, self.tokens.closing
        shorter = replace(self, room=self.room - 1, opens=0)
        if token in opening:
            stack = (*self.stack, token - opening.start)
            return replace(shorter, stack=stack, opens=self.opens + 1, begun=True)
        if token in closing and self.stack:
            return replace(shorter, stack=self.stack[:-1])
        return replace(shorter, words=self.words[1:]) if token != EOS_ID else self


def _slice(ids: range) -> slice:
    return slice(ids.start, ids.stop)
