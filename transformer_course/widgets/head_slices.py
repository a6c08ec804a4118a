"""Heads as slices of d_model: the reshape that runs them at once, and what it costs."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference as reference
from transformer_course.widgets.base import CourseWidget, Table

MOST_HEADS = 32
WORDS = ["she", "sees", "her", "dog", "and", "smiles"]
# Equal numbers agree: kinds of words, who is meant, what belongs together.
MEANT = np.array([[0, 1, 2, 0, 3, 1], [0, 1, 0, 2, 3, 4], [0, 0, 1, 1, 2, 0]])
GAIN = 1.5


def rows(length: int, d_model: int) -> np.ndarray:
    """A row of q for each word, made by hand: a quarter each for place, kind, who, group.

    Each quarter is a point that goes around circles, the same for words that agree.
    """
    circle = np.arange(d_model // 8) + 1
    place = np.arange(length)[:, None] / circle
    others = 2 * np.pi * MEANT[:, :length, None] * circle / 5
    angles = np.concatenate([place[None], others])
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # (4, length, circles, 2)
    return GAIN * pairs.swapaxes(0, 1).reshape(length, d_model)


def projection(d_model: int) -> np.ndarray:
    """W^Q: no number of it is 0, so every number of a row takes from all numbers of a vector.

    The columns of a Hadamard matrix, some with their signs turned: the transpose is the inverse, so
    a word's vector is its row of `rows` times the transpose.
    """
    matrix = np.ones((1, 1))
    while len(matrix) < d_model:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix * np.where(np.sin(np.arange(d_model) ** 2 + 1) > 0, 1, -1) / np.sqrt(d_model)


def split_heads(x: np.ndarray, num_heads: int, wrong: bool = False) -> np.ndarray:
    """(len, d_model) to (num_heads, len, d_k); wrong: by a view that forgets to transpose."""
    length, d_model = x.shape
    if wrong:
        return x.reshape(num_heads, length, d_model // num_heads)
    return x.reshape(length, num_heads, -1).swapaxes(0, 1)


def costs(d_model: int, num_heads: int, length: int) -> dict[str, int]:
    """What multi-head attention over one sequence holds and computes."""
    return {
        "d_k": d_model // num_heads,
        "parameters": 4 * (d_model**2 + d_model),
        "multiply-adds": 4 * length * d_model**2 + 2 * length**2 * d_model,
        "softmaxes": num_heads * length,
        "scores": num_heads * length**2,
    }


class HeadSlices(CourseWidget, source="head_slices"):
    """Project, cut into heads, bring these to the front, let each attend, lay them side by side.

    The rows of q are made by hand, a quarter of each for where the word stands, what kind of word
    it is, who is meant and what it belongs to. The words' vectors mix these, and `projection` sorts
    them; keys and values are made by the same matrix.
    """

    d_model = traitlets.Enum([8, 16, 32, 64, 512], 16).tag(sync=True)
    num_heads = traitlets.Int(4, min=1, max=MOST_HEADS, help="divides d_model").tag(sync=True)
    length = traitlets.Int(4, min=2, max=6, help="words").tag(sync=True)
    stage = traitlets.Int(4, min=0, max=4, help="project, cut, heads, attend, concat").tag(
        sync=True
    )
    wrong = traitlets.Bool(False, help="view as (heads, length) without transpose").tag(sync=True)

    @traitlets.validate("d_model", "num_heads")
    def _divides(self, proposal: Any) -> int:
        if self.d_model % self.num_heads:
            raise traitlets.TraitError(
                f"d_model={self.d_model} is not divisible by num_heads={self.num_heads}: "
                "every head needs an equal slice, so change one of the two"
            )
        return proposal["value"]

    def __repr__(self) -> str:
        return f"HeadSlices(d_model={self.d_model}, num_heads={self.num_heads})"

    def tables(self) -> list[Table]:
        """The costs for every number of heads, and the weights of the first and last head."""
        counts = [2**n for n in range(6) if self.d_model % 2**n == 0]
        cells = [costs(self.d_model, h, self.length) for h in counts]
        slices = split_heads(rows(self.length, self.d_model), self.num_heads, self.wrong)
        weights = reference.attention(slices, slices, slices)[1]
        names = WORDS[: self.length]
        title = f"d_model {self.d_model}, {self.length} tokens: what changes with the heads"
        sizes = [f"{h} heads" for h in counts]
        return [
            Table(title, sizes, list(cells[0]), np.array([[*c.values()] for c in cells])),
            Table("Weights of head 1", names, names, weights[0]),
            Table(f"Weights of head {self.num_heads}", names, names, weights[-1]),
        ]
