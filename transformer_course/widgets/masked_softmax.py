"""A mask before the softmax, and the ways to get it wrong: a 5 by 5 example (section 3.2.3)."""

import numpy as np
import traitlets

from transformer_course.model import numpy_reference
from transformer_course.widgets.base import CourseWidget, Matrix, Table

TOKENS = ["the", "cat", "sat", "on", "mats"]
FILLS = ["-inf", "-1e9", "0"]
PLACES = ["before", "after", "renormalized"]
VALUES = np.arange(1.0, 6)  # what each token passes on: one number
LIMIT = 100.0


class MaskedSoftmax(CourseWidget, source="masked_softmax"):
    """Switch causal and padding masks, choose what a masked score becomes; look for leaks.

    Token n passes on the value n. A token's change leaks where it moves the output of a row that
    may not see it. Masked scores are replaced, not added to; softmax itself runs in full precision.
    """

    scores = Matrix(
        [
            [1.2, 0.4, -0.6, 2.1, 0.3],
            [0.8, 1.5, 0.2, -0.4, 1.9],
            [-0.3, 2.2, 0.6, 1.1, -1.0],
            [0.5, -0.8, 1.7, 0.9, 1.4],
            [1.0, 0.3, 1.8, -0.5, 0.7],
        ],
        LIMIT,
    ).tag(sync=True)
    causal = traitlets.Bool(True).tag(sync=True)
    pads = traitlets.Int(0, min=0, max=4, help="padding tokens").tag(sync=True)
    side = traitlets.Enum(["end", "start"], "end", help="where padding stands").tag(sync=True)
    place = traitlets.Enum(PLACES, "before", help="of the mask, around softmax").tag(sync=True)
    fill = traitlets.Enum(FILLS, "-inf", help="what a masked score becomes").tag(sync=True)
    half = traitlets.Bool(False, help="scores are stored in float16").tag(sync=True)
    token = traitlets.Int(3, min=0, max=4, help="the token that is changed").tag(sync=True)
    change = traitlets.Float(2.0, min=-5, max=5, help="of every score with it").tag(sync=True)

    def __repr__(self) -> str:
        return f"MaskedSoftmax(causal={self.causal}, pads={self.pads}, fill={self.fill})"

    def names(self) -> list[str]:
        """The tokens, some of them padding."""
        words, pads = TOKENS[: 5 - self.pads], ["pad"] * self.pads
        return words + pads if self.side == "end" else pads + words

    def allowed(self) -> np.ndarray:
        """True = may attend; queries down, keys across."""
        real = np.array([name != "pad" for name in self.names()])
        return np.tri(5, dtype=bool) & real if self.causal else np.tile(real, (5, 1))

    def masked(self, scores: np.ndarray) -> np.ndarray:
        """The scores that enter softmax."""
        with np.errstate(over="ignore"):  # -1e9 in float16 is -inf
            fill = (np.float16 if self.half else np.float32)(float(self.fill))
        return scores if self.place != "before" else np.where(self.allowed(), scores, fill)

    def weights(self, scores: np.ndarray) -> np.ndarray:
        """Softmax with the mask where `place` says."""
        with np.errstate(invalid="ignore"):  # a row with every key masked is NaN
            weights = numpy_reference.softmax(self.masked(scores))
            if self.place != "before":
                weights = weights * self.allowed()
            if self.place == "renormalized":
                weights = weights / weights.sum(axis=-1, keepdims=True)
        return weights

    def tables(self) -> list[Table]:
        """Scores, masked scores, weights; by row the sum and the output, and after a change."""
        scores, at = np.array(self.scores), np.arange(5) == self.token
        weights, names = self.weights(scores), self.names()
        rows = [weights.sum(axis=-1), weights @ VALUES]
        moved = self.weights(scores + self.change * at)
        rows += [moved @ VALUES, weights @ (VALUES + at), moved @ (VALUES + at)]
        columns = ["sum", "output", "new key", "new value", "both"]
        return [
            Table("Scores", names, names, scores),
            Table("Masked scores", names, names, self.masked(scores)),
            Table("Weights", names, names, weights),
            Table(
                f"Rows, and when token {self.token + 1} changes", names, columns, np.array(rows).T
            ),
        ]
