"""A model that writes trees: its brackets match and its words are the sentence's (section 6.3)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_course.data import EOS_ID, Tree, TreeTokens, by_length, pad
from transformer_course.decoding.beam import Beam
from transformer_course.decoding.constrained import Constrained
from transformer_course.decoding.search import Search, evaluating, start, write
from transformer_course.errors import DataError
from transformer_course.model import Transformer

OPENS_IN_A_ROW = 6  # constituents that begin at one word; no tree of the Penn sample has more


class Parse(NamedTuple):
    """What a search found: a tree, or None if its tokens are none; and how it was scored."""

    tree: Tree | None
    score: float  # log-probability over length penalty


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
            opening = as_slice(self.tokens.opening)
            shown[opening] = logits[opening]
        if self.stack and self.words:
            leaves = as_slice(self.tokens.leaves)
            if self.tokens.leaf == "word":
                shown[self.words[0]] = logits[leaves].logsumexp(-1)
            else:
                shown[leaves] = logits[leaves]
        if self.stack and not self.opens and (len(self.stack) > 1 or not self.words):
            fitting = self.tokens.closing[self.stack[-1]]
            shown[fitting] = logits[fitting]
        # Only a beginning that a beam has given up can be stuck; its scores do not matter.
        return shown if shown.isfinite().any() else logits

    def after(self, token: int) -> "TreeRule":
        """One token further; a beginning that is no tree's stays where it is."""
        opening, closing = self.tokens.opening, self.tokens.closing
        shorter = replace(self, room=self.room - 1, opens=0)
        if token in opening:
            stack = (*self.stack, token - opening.start)
            return replace(shorter, stack=stack, opens=self.opens + 1, begun=True)
        if token in closing and self.stack:
            return replace(shorter, stack=self.stack[:-1])
        return replace(shorter, words=self.words[1:]) if token != EOS_ID else self


def as_slice(ids: range) -> slice:
    """The same places of a row of scores."""
    return slice(ids.start, ids.stop)


def parse(
    model: Transformer,
    tokens: TreeTokens,
    sentences: Sequence[Sequence[str]],
    *,
    beam: int = 4,
    alpha: float = 0.3,
    max_extra: int = 300,
    constrained: bool = True,
    max_tokens: int = 1500,
) -> list[Parse]:
    """Parse sentences, each a list of words, about equally long ones together.

    The paper searches with a beam of 21 and alpha 0.3, and lets a tree be 300 tokens longer than
    its sentence. A beam of 1 is greedy search. Without the constraint a parse may be no tree.

    Raises:
        DataError: if a sentence has no word, or its tree no room in the model's max_len.
    """
    sources = [[*tokens.encode_words(words), EOS_ID] for words in sentences]
    for number, ids in enumerate(sources, start=1):
        if len(ids) == 1:
            raise DataError(f"sentence {number} is empty: expected at least one word")
        if len(ids) + 2 > model.config.max_len:
            raise DataError(
                f"sentence {number} has {len(ids) - 1} words: with brackets, more than the model's "
                f"max_len={model.config.max_len}; split it"
            )
    device = model.embedding.weight.device
    found = [Parse(None, -math.inf)] * len(sources)
    for places in by_length(sources, max_tokens):
        src = pad([sources[place] for place in places]).to(device)
        with evaluating(model):
            decoder, limits = start(model, src, max_extra)
            best = Beam(src, limits, beam, alpha)
            search: Search = best
            if constrained:
                rules = [
                    TreeRule(tokens, tuple(sources[place][:-1]), limit)
                    for place, limit in zip(places, limits, strict=True)
                ]
                search = Constrained(best, [rule for rule in rules for _ in range(beam)])
            write(search, decoder, best.tokens[:, 0])
        for place, hypotheses in zip(places, best.finished, strict=True):
            score, ids = max(hypotheses)
            found[place] = Parse(_tree(tokens, ids, sentences[place]), score)
    return found


def _tree(tokens: TreeTokens, ids: Sequence[int], words: Sequence[str]) -> Tree | None:
    try:
        return tokens.decode(ids, words)
    except DataError:
        return None
