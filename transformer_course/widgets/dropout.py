"""Dropout: where it acts in a layer, and what it does to a vector (section 5.4)."""

import json
from typing import Any

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.sources import HERE

SIZE, DRAWS = 16, 100
SHIFTS = (0, 4, 34)  # each place draws its own masks: of the same list, but from here on
PLACES = ("embedding + position", "self-attention", "feed-forward")


class Dropout(CourseWidget, source="dropout"):
    """Step through the places, move p, draw masks: a layer's word gets holes, what passes it by has
    none, and the mean of many masks comes near the whole vector.

    The numbers are the first 16 of a word's 128, in the first encoder layer of the course's
    translator (`dropout.json`). An entry is dropped where its number of luck is below `p`, so that
    a larger `p` drops what a smaller one did, and more.
    """

    place = traitlets.Int(0, min=0, max=len(PLACES) - 1, help="where dropout is shown")
    place.tag(sync=True)
    p = traitlets.Float(0.3, min=0, max=0.5, help="share that is dropped").tag(sync=True)
    draw = traitlets.Int(0, min=0, max=DRAWS - 1, help="which mask").tag(sync=True)
    average = traitlets.Bool(False, help="the mean of the masks up to this one").tag(sync=True)
    training = traitlets.Bool(True, help="or evaluation").tag(sync=True)
    vectors: traitlets.List = traitlets.List(help="two for each place, to be added").tag(sync=True)
    luck: traitlets.List = traitlets.List(help="of each mask and entry, from 0 to 1").tag(sync=True)

    def __init__(self, seed: int = 3, **traits: Any):
        luck = np.random.default_rng(seed).random((DRAWS, SIZE)).round(3).tolist()
        vectors = json.loads((HERE / "dropout.json").read_text(encoding="utf-8"))
        super().__init__(**{"luck": luck, "vectors": vectors, **traits})

    def __repr__(self) -> str:
        mode = "training" if self.training else "evaluation"
        return f"Dropout({PLACES[self.place]}, p={self.p:g}, {mode})"

    def drop(self, vector: np.ndarray, draw: int) -> np.ndarray:
        """What a mask leaves of a vector: zeros, and the others divided by 1 - p."""
        if not self.training:
            return vector
        return np.where(self.mask(draw) < self.p, 0, vector / (1 - self.p))

    def mask(self, draw: int) -> np.ndarray:
        """The luck of each entry, at this place and draw."""
        return np.array(self.luck[(draw + SHIFTS[self.place]) % len(self.luck)])

    def left(self, vector: np.ndarray) -> np.ndarray:
        """What the mask of now leaves of a vector, or on average all masks up to it."""
        masks = range(self.draw + 1) if self.average else [self.draw]
        return np.mean([self.drop(vector, draw) for draw in masks], axis=0)

    def tables(self) -> list[Table]:
        """Entry by entry: both vectors, what dropout leaves, and their sum."""
        first, second = np.array(self.vectors[self.place])
        if self.place:
            names = ["came in", "sub-layer", "sub-layer, dropped", "sum"]
            dropped = self.left(second)
            rows = [first, second, dropped, first + dropped]
        else:
            names = ["embedding", "position", "sum", "sum, dropped"]
            rows = [first, second, first + second, self.left(first + second)]
        entries = [str(n + 1) for n in range(SIZE)]
        return [Table(f"Dropout at: {PLACES[self.place]}", names, entries, np.stack(rows))]
