"""The drawing of section 3.2: one trained head, from words to output, every number its own."""

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference
from transformer_course.widgets.base import CourseWidget, Matrix, Table

FILE = Path(__file__).with_suffix(".json")  # written by benchmarks/export_head.py
WORDS = ["The", "bank", "and", "the", "safe", "were", "old", ".", "(end)"]
LENGTH, STEPS = len(WORDS), 7


@cache
def exported() -> dict[str, Any]:
    """The words' embeddings and the head's three projections: bytes, a scale for each row."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def unpack(packed: dict[str, Any]) -> np.ndarray:
    """The matrix of a text of bytes and its scales."""
    scales = np.array(packed["scales"])
    rows = np.frombuffer(base64.b64decode(packed["bytes"]), dtype=np.int8)
    return rows.reshape(len(scales), -1) * scales[:, None]


class TrainedHead(CourseWidget):
    """Words, and the queries, keys and values that one trained head makes of them.

    The head is the first one of layer 1 of the translator that learned the course's grammar; no
    other costs as many words of two meanings when it is taken away. What goes in are the words'
    embeddings with their positions, and what is shown is exact.
    """

    words = traitlets.List(traitlets.Unicode(), WORDS, minlen=LENGTH, maxlen=LENGTH).tag(sync=True)
    row = traitlets.Int(1, min=0, max=LENGTH - 1, help="the word that asks").tag(sync=True)
    data = traitlets.Dict(help="the head").tag(sync=True)

    def __init__(self, **traits: Any):
        data = {name: each for name, each in exported().items() if name != "other"}
        super().__init__(**{"data": data, **traits})

    @traitlets.validate("words")
    def _known(self, proposal: Any) -> list[str]:
        unknown = [word for word in proposal["value"] if word not in exported()["words"]]
        if unknown:
            known = ", ".join(exported()["words"])
            raise traitlets.TraitError(f"words: expected words of {known}, got {unknown[0]}")
        return proposal["value"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(self.words)})"

    def projections(self) -> dict[str, Any]:
        """The maps that make queries, keys and values, as they were packed."""
        return self.data["projections"]

    def vectors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """X, and the head's queries, keys and values of its words."""
        table = unpack(self.data["embedding"])
        places = [self.data["words"].index(word) for word in self.words]
        d_model = table.shape[1]
        x = table[places] * np.sqrt(d_model) + numpy_reference.sinusoidal(LENGTH, d_model)
        maps = self.projections().values()
        q, k, v = (x @ unpack(each).T + np.array(each["bias"]) for each in maps)
        return x, q, k, v


class AttentionPicture(TrainedHead, source="attention_picture"):
    """Follow a word from its vector to its output; change words, entries, scores and the mask."""

    mask = Matrix([[True] * LENGTH] * LENGTH, help="row: query, column: key").tag(sync=True)
    edits = traitlets.Dict(help='changed rows under "q1", scores under "1,4"').tag(sync=True)
    step = traitlets.Int(0, min=0, max=STEPS - 1).tag(sync=True)
    column = traitlets.Int(4, min=0, max=LENGTH - 1, help="the word that it looks at").tag(
        sync=True
    )

    def tables(self) -> list[Table]:
        """Scores, weights and output of the sentence, from the NumPy reference."""
        _, q, k, v = self.vectors()
        with np.errstate(invalid="ignore"):  # a row with every key masked is NaN, and says so
            mixed, weights = numpy_reference.attention(q, k, v, np.array(self.mask))
        scaled = q @ k.T / np.sqrt(k.shape[1])
        dimensions = [str(d + 1) for d in range(v.shape[1])]
        return [
            Table("Scores: Q K^T, divided by sqrt(16)", self.words, self.words, scaled),
            Table("Weights: softmax of each row", self.words, self.words, weights),
            Table("Output: weights times V", self.words, dimensions, mixed),
        ]
