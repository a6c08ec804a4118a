"""Softmax a tile at a time: a running maximum, a running sum, a running mixture."""

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Matrix, Table

KEYS, LIMIT = 12, 2000.0
RISING = [-3.0, -2.5, -3.5, -1.0, 0.0, -2.0, 1.5, 0.5, 1.0, 2.0, 3.0, 2.5]
VALUES = [4.0, 2.0, 3.0, -1.0, 1.0, 2.0, 0.0, -2.0, 1.0, 3.0, -1.0, 0.5]
ALL, NONE = [True] * KEYS, [False] * KEYS
PRESETS = {
    "rising maxima": (RISING, ALL),
    "the largest first": (RISING[::-1], ALL),
    "large scores, near 1000": ([x + 1000 for x in RISING], ALL),
    "first tile masked": (RISING, [False] * 3 + [True] * 9),
    "all masked": (RISING, NONE),
}
TILE_ROWS = 64  # of the tile of scores that the memory is counted for


class OnlineSoftmax(CourseWidget, source="online_softmax"):
    """Step through the tiles of one query's scores; edit or mask them, forget to shrink.

    The loop of `flash.mix_one_tile` for one query and values of one dimension. What is shown after
    a tile is the softmax mixture of the keys seen so far, never an approximation.
    """

    scores = Matrix([RISING], LIMIT).tag(sync=True)
    values = Matrix([VALUES], 100.0).tag(sync=True)
    mask = Matrix([ALL], help="True = may attend").tag(sync=True)
    tile = traitlets.Int(3, min=1, max=KEYS, help="keys in a tile").tag(sync=True)
    step = traitlets.Int(1, min=0, max=KEYS, help="tiles seen; more than there are: all").tag(
        sync=True
    )
    forget = traitlets.Bool(False, help="leave the correction out, to see what it is for").tag(
        sync=True
    )
    length = traitlets.Int(4096, min=128, max=131_072, help="tokens, for the memory").tag(sync=True)
    presets = traitlets.Dict(
        {name: {"scores": [scores], "mask": [mask]} for name, (scores, mask) in PRESETS.items()}
    ).tag(sync=True)

    def __repr__(self) -> str:
        return f"OnlineSoftmax(tile={self.tile})"

    def tables(self) -> list[Table]:
        """What comes out after each tile: the same in one go, over the keys seen so far."""
        scores, values = np.array(self.scores[0]), np.array(self.values[0])
        scores = np.where(self.mask[0], scores, -np.inf)
        ends = [min(end, KEYS) for end in range(self.tile, KEYS + self.tile, self.tile)]
        rows, before = [], -np.inf
        for end in ends:
            seen = scores[:end]
            largest = seen.max()
            exps = np.exp(seen - largest) if np.isfinite(largest) else np.zeros(end)
            shrink = np.exp(before - largest) if np.isfinite(before) else 0.0
            total, mixed = exps.sum(), exps @ values[:end]
            rows.append([largest, shrink, total, mixed, mixed / total if total else np.nan])
            before = largest
        names = [f"after tile {n}" for n in range(1, len(ends) + 1)]
        columns = ["maximum m", "correction", "sum l", "mixture o", "o / l"]
        memory = [[self.length**2, 2 * self.length + TILE_ROWS**2]]
        return [
            Table(f"Tiles of {self.tile}", names, columns, np.array(rows)),
            Table(
                "Numbers kept for one head",
                [f"{self.length} tokens"],
                ["all scores", "a tile, m and l"],
                np.array(memory, dtype=float),
            ),
        ]
