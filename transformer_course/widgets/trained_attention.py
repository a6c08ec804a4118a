"""What the heads of a trained translator look at, on captions that it gets right (3.2.2)."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table

FILE = Path(__file__).with_suffix(".json")  # written by benchmarks/export_attention.py
KINDS = {
    "encoder": ("src", "src", "Encoder self-attention"),
    "decoder": ("tgt", "tgt", "Decoder self-attention"),
    "cross": ("tgt", "src", "Cross-attention"),
}


@cache
def exported() -> dict[str, Any]:
    """The sentences with all their weights."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def whole_words(pieces: list[str]) -> list[list[int]]:
    """The pieces of each word: one with ▁ starts it, and so does a sign that is no apostrophe."""
    words: list[list[int]] = []
    for n, piece in enumerate(pieces):
        goes_on = bool(re.fullmatch(r"[\w'’-]+", piece)) and not piece.startswith("▁")
        if n and goes_on and not pieces[n - 1].startswith("<"):
            words[-1].append(n)
        else:
            words.append([n])
    return words


class TrainedAttention(CourseWidget, source="trained_attention"):
    """Choose a sentence, a kind of attention, one of 16 heads and a word; see where it looks.

    The model is the small translator that the course carries, trained on Multi30k English to
    German: 4 + 4 layers of 4 heads. Its weights are shown in whole percents.
    """

    data = traitlets.Dict(help="the sentences on this page").tag(sync=True)
    sentence = traitlets.Unicode(help="its name in data").tag(sync=True)
    kind = traitlets.Enum([*KINDS], "encoder", help="which attention").tag(sync=True)
    layer = traitlets.Int(3, min=1, max=4).tag(sync=True)
    head = traitlets.Int(3, min=1, max=4).tag(sync=True)
    word = traitlets.Int(11, min=0, max=30, help="a piece of the word that looks").tag(sync=True)

    def __init__(self, sentences: Sequence[str] | None = None, **traits: Any):
        known = exported()["sentences"]
        names = [*known] if sentences is None else [*sentences]
        if not names or not set(names) <= set(known):
            raise ValueError(f"sentences: expected some of {', '.join(known)}, got {names}")
        chosen = traits.pop("sentence", names[0])
        if chosen not in names:
            raise ValueError(f"sentence: expected one of {', '.join(names)}, got {chosen}")
        super().__init__(**traits)
        self.data = {name: known[name] for name in names}
        self.sentence = chosen

    def __repr__(self) -> str:
        return f"TrainedAttention({', '.join(self.data)})"

    def weights(self, name: str, kind: str, layer: int, head: int) -> np.ndarray:
        """One head's rows of percents; queries down, keys across."""
        one = self.data[name]
        queries, keys = (len(one[side]) for side in KINDS[kind][:2])
        flat = one[kind][layer - 1][head - 1]
        rows = np.zeros((queries, keys))
        places = np.tri(queries, dtype=bool) if kind == "decoder" else rows == 0
        rows[places] = [int(x) for x in flat.split()]
        return rows

    def words(self, name: str, side: str) -> list[str]:
        """A sentence's words, whole."""
        pieces = self.data[name][side]
        return ["".join(pieces[n] for n in at).replace("▁", "") for at in whole_words(pieces)]

    def between_words(self, name: str, kind: str, layer: int, head: int) -> np.ndarray:
        """One head's percents: of a word's pieces the mean as queries, the sum as keys."""
        rows = self.weights(name, kind, layer, head)
        queries, keys = (whole_words(self.data[name][side]) for side in KINDS[kind][:2])
        return np.array([[rows[np.ix_(i, j)].sum() / len(i) for j in keys] for i in queries])

    def tables(self) -> list[Table]:
        """The head in sight."""
        one = self.data[self.sentence]
        queries, keys, title = KINDS[self.kind]
        return [
            Table(
                f"{one['text']} {title}, layer {self.layer}, head {self.head}, percent",
                self.words(self.sentence, queries),
                self.words(self.sentence, keys),
                self.between_words(self.sentence, self.kind, self.layer, self.head),
            )
        ]
