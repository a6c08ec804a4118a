"""One word asks: attention as a table that fills from left to right, a row for each word."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference
from transformer_course.widgets.attention_picture import TrainedHead, exported
from transformer_course.widgets.base import Table

STEPS = 6


class OneQuery(TrainedHead, source="one_query"):
    """What one word reads, in columns: keys, scores, weights, values. It opens at its end.

    Two heads of the first layer can be asked: the one that AttentionPicture draws, and the fourth.
    """

    head = traitlets.Enum([1, 4], 1, help="of the first layer").tag(sync=True)
    other = traitlets.Dict(help="the fourth head").tag(sync=True)
    step = traitlets.Int(STEPS - 1, min=0, max=STEPS - 1).tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**{"other": exported()["other"], **traits})

    def projections(self) -> dict[str, Any]:
        """The maps of the head that is asked."""
        return self.other if self.head == 4 else super().projections()

    def tables(self) -> list[Table]:
        """Score and weight of each word for the one that asks, from the NumPy reference."""
        _, q, k, v = self.vectors()
        asks = slice(self.row, self.row + 1)
        _, weights = numpy_reference.attention(q[asks], k, v)
        cells = np.stack([(q[asks] @ k.T)[0], weights[0]], axis=1)
        title = f"“{self.words[self.row]}” asks"
        return [Table(title, self.words, ["score", "weight"], cells)]
