"""The decoder of 2014: at each word it writes, which words of the source it looks back at."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import EOS_ID, make_batch
from transformer_course.model import record_attention
from transformer_course.widgets.base import CourseWidget, Table

MOST = 16  # rows
ENGLISH = "The man walked to the bank because he needed the boat."


class Writing(NamedTuple):
    """What was read, what was written, where each written word looked; and without looking."""

    read: Sequence[str]
    wrote: Sequence[str]
    weights: Sequence[Sequence[float]]
    without: Sequence[str] = ()


@cache
def carried_writing() -> Writing:
    """A sentence through the grammar's translator: the last layer's cross-attention, all heads."""
    model, tokenizer = translator("grammar")
    source = tokenizer.encode(ENGLISH)
    [written] = decoding.greedy(model, torch.tensor([[*source, EOS_ID]]))
    batch = make_batch([(source, written)])
    with torch.inference_mode(), record_attention(model) as recorded:
        model(batch.src, batch.tgt_in)
    weights = recorded[f"decoder_layers.{model.config.num_layers - 1}.cross_attn"][0].mean(dim=0)
    names = [[tokenizer.id_to_piece(n).strip("▁") for n in ids] for ids in (source, written)]
    return Writing([*names[0], "(end)"], [*names[1], "(end)"], weights.tolist())


class LookingBack(CourseWidget, source="looking_back"):
    """Write word by word, and see which words of the source the writer looks back at.

    A writing can also hold what a writer wrote that had one vector for all; then both stand around
    what was read. Unless `step` says where, it opens when three quarters are written, and with two
    writers at its question, with the first letter.
    """

    writings: traitlets.List = traitlets.List(help="read, wrote, percents, without").tag(sync=True)
    which = traitlets.Int(0, min=0, help="which of the writings").tag(sync=True)
    step = traitlets.Int(0, min=0, help="the word being written").tag(sync=True)

    def __init__(self, writings: Sequence[Writing] = (), **traits: Any):
        super().__init__(**traits)
        self.writings = [self.checked(each) for each in writings or [carried_writing()]]
        if "step" not in traits:
            one = self.writings[self.which]
            self.step = 0 if one["without"] else 3 * len(one["wrote"]) // 4

    @staticmethod
    def checked(writing: Writing) -> dict[str, Any]:
        """A writing as plain data, with weights in percent."""
        weights = np.array(writing.weights, dtype=float)
        if weights.shape != (len(writing.wrote), len(writing.read)):
            raise ValueError(
                f"weights: expected {len(writing.wrote)} rows of {len(writing.read)}, "
                f"got shape {weights.shape}"
            )
        if max(weights.shape) > MOST:
            raise ValueError(f"expected at most {MOST} words, got {max(weights.shape)}")
        if writing.without and len(writing.without) != len(writing.wrote):
            raise ValueError(
                f"without: expected {len(writing.wrote)} words, got {len(writing.without)}"
            )
        return {
            "read": list(writing.read),
            "wrote": list(writing.wrote),
            "without": list(writing.without),
            "weights": (100 * weights).round().astype(int).tolist(),
        }

    def __repr__(self) -> str:
        return f"LookingBack({' '.join(self.writings[self.which]['read'])!r})"

    def tables(self) -> list[Table]:
        """For each writing where each written word looked, in percent."""
        return [
            Table(
                f"Read across, written down, percent"
                f"{'; with one vector: ' + ' '.join(one['without']) if one['without'] else ''}",
                one["wrote"],
                one["read"],
                np.array(one["weights"]),
            )
            for one in self.writings
        ]
