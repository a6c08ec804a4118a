"""The sinusoids of section 3.5: a heat map, clock hands, dot products, a shift as a rotation."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table


class PositionalEncoding(CourseWidget, source="positional_encoding"):
    """See every position as a row of clock hands; choose widths, lengths, bases and shifts.

    Four views of one table: all its numbers, one row as hands on dials, the dot products of that
    row with the others, and how a shift by k turns each hand by the same angle everywhere.
    """

    view = traitlets.Int(1, min=0, max=3, help="map, hands, dot products, shift").tag(sync=True)
    d_model = traitlets.Int(32, min=4, max=512, help="even").tag(sync=True)
    length = traitlets.Int(64, min=2, max=200, help="positions in the map").tag(sync=True)
    base = traitlets.Float(10_000.0, min=2, max=1e6, help="10000 in the paper").tag(sync=True)
    position = traitlets.Int(20, min=0, max=199, help="below length").tag(sync=True)
    held = traitlets.Int(-1, min=-1, max=199, help="whose hands stay dashed; -1: none").tag(
        sync=True
    )
    shift = traitlets.Int(5, min=-100, max=100, help="k of PE(pos + k)").tag(sync=True)
    pair = traitlets.Int(2, min=0, max=255, help="i: dimensions 2i and 2i + 1").tag(sync=True)

    @traitlets.validate("d_model")
    def _even(self, proposal: Any) -> int:
        if proposal["value"] % 2:
            raise traitlets.TraitError(
                f"d_model: expected an even number, got {proposal['value']}: each sine needs its "
                "cosine"
            )
        return proposal["value"]

    def __repr__(self) -> str:
        return f"PositionalEncoding(d_model={self.d_model}, base={self.base:g})"

    def angles(self, position: float) -> np.ndarray:
        """How far each hand has turned, in radians: one per pair of dimensions."""
        return position / self.base ** (np.arange(0, self.d_model, 2) / self.d_model)

    def encode(self, position: float) -> np.ndarray:
        """The row of one position: sine and cosine of each hand, side by side."""
        turned = self.angles(position)
        return np.stack([np.sin(turned), np.cos(turned)], axis=-1).reshape(-1)

    def tables(self) -> list[Table]:
        """The first rows and columns, the dot products by distance, one hand before and after."""
        pos, pair = min(self.position, self.length - 1), min(self.pair, self.d_model // 2 - 1)
        rows = [*range(min(8, self.length))]
        dims = [*range(min(8, self.d_model))]
        steps = [0, 1, 2, 3, 5, 10, 20, 50]
        here, there = self.encode(pos), self.encode(pos + self.shift)
        products = np.array([[here @ self.encode(pos + k) for k in steps]])
        turn = self.shift * self.angles(1)[pair]
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        two = slice(2 * pair, 2 * pair + 2)
        hands = np.stack([here[two], rotation @ here[two], there[two]], axis=-1)
        return [
            Table(
                f"PE(pos, dimension), the first of {self.d_model} dimensions",
                [f"pos {pos}" for pos in rows],
                [str(d) for d in dims],
                np.array([self.encode(pos)[: len(dims)] for pos in rows]),
            ),
            Table(f"PE({pos}) · PE({pos} + k)", ["product"], [f"k = {k}" for k in steps], products),
            Table(
                f"Pair {pair}: shifted by k = {self.shift}, computed in two ways",
                ["sine", "cosine"],
                [f"PE({pos})", "rotated", f"PE({pos + self.shift})"],
                hands,
            ),
        ]
