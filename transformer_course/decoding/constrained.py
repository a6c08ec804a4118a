"""Searches that may only write what a rule allows, such as brackets that match.

`Constrained` stands between the loop, `write`, and any search: it changes the scores that the
search is shown, and follows what it chose. Neither loop nor search need know.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.decoding.search import Search


@runtime_checkable
class Rule(Protocol):
    """What may follow one beginning."""

    def restrict(self, logits: Float[Tensor, "vocab_size"]) -> Float[Tensor, "vocab_size"]:
        """The scores, with minus infinity for what may not follow."""

    def after(self, token: int) -> "Rule":
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
