"""Score, scale, normalize, aggregate: equation 1 on three tokens, every number in sight."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference
from transformer_course.widgets.base import CourseWidget, Matrix, Table

LIMIT = 100.0


class AttentionSteps(CourseWidget, source="attention_steps"):
    """Step through softmax(Q K^T / sqrt(4)) V; edit the numbers, paint the mask, ask any result.

    The example is set by hand, not learned. Read dimension 0 as "noun", 1 as "article", 2 as
    "verb": a key says what its token is, a query what its token looks for. So `sat` finds its
    subject, `cat` its article, `the` its noun, and every product is one to do in the head. The
    output of `sat` comes near the value of `cat`; without the scale it would all but copy it.
    """

    tokens = traitlets.List(traitlets.Unicode(), ["the", "cat", "sat"], minlen=3, maxlen=3).tag(
        sync=True
    )
    query = Matrix([[1.5, 0, 0, -1], [0, 1, 0.5, 1], [2, 0, 0.5, 1]], LIMIT).tag(sync=True)
    key = Matrix([[0, 2, 0, 1], [2, 0, 0, 1], [0, 0, 2, -1]], LIMIT).tag(sync=True)
    value = Matrix([[1, 0, 0, 1], [0, 2, 1, -1], [1, 0, 2, 0]], LIMIT).tag(sync=True)
    mask = Matrix([[True] * 3] * 3, help="row: query, column: key; True = may attend").tag(
        sync=True
    )
    step = traitlets.Int(0, min=0, max=3, help="score, scale, normalize, aggregate").tag(sync=True)
    start = traitlets.Dict(help="what the reset button returns to").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.start = {name: getattr(self, name) for name in ("query", "key", "value", "mask")}

    def __repr__(self) -> str:
        return f"AttentionSteps(tokens={self.tokens})"

    def tables(self) -> list[Table]:
        """The results of the four steps, from the NumPy reference."""
        query, key, value, mask = map(np.array, (self.query, self.key, self.value, self.mask))
        with np.errstate(invalid="ignore"):  # a row with every key masked is NaN, and says so
            mixed, weights = numpy_reference.attention(query, key, value, mask)
        scores = query @ key.T
        sums = np.hstack([weights, weights.sum(axis=-1, keepdims=True)])
        dimensions = [str(d) for d in range(value.shape[1])]
        return [
            Table("1 Score: Q K^T", self.tokens, self.tokens, scores),
            Table("2 Scale: divided by sqrt(4)", self.tokens, self.tokens, scores / 2),
            Table("3 Normalize: softmax of each row", self.tokens, [*self.tokens, "sum"], sums),
            Table("4 Aggregate: weights times V", self.tokens, dimensions, mixed),
        ]
