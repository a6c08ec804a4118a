"""The paper's Figures 3 to 5 on sentences whose truth is known: lines from words to words."""

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table

FILE = Path(__file__).with_suffix(".json")  # written by benchmarks/export_figures.py


@cache
def exported() -> dict[str, Any]:
    """Layers, heads, and the sentences of each figure with all their weights."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def percents(one: dict[str, Any], layer: int, head: int) -> np.ndarray:
    """One head's percents in a sentence; words that look down, words looked at across."""
    count = len(one["words"])
    flat = one["weights"][layer - 1][head - 1].split()
    return np.array([int(x) for x in flat], dtype=float).reshape(count, count)


def fullest(sentences: dict[str, Any]) -> dict[str, Any]:
    """The sentence, the layer and the head with the most pairs found; the first of equals."""
    layers, heads = exported()["shape"]
    views = product(sentences, range(1, layers + 1), range(1, heads + 1))

    def found(view: tuple[str, int, int]) -> int:
        rows = percents(sentences[view[0]], *view[1:])
        return sum(int(rows[a].argmax()) == b for a, b, _ in sentences[view[0]]["truth"])

    name, layer, head = max(views, key=found)
    return {"sentence": name, "layer": layer, "heads": [head]}


class AttentionFigures(CourseWidget, source="attention_figures"):
    """Choose a sentence, a layer, some of its heads and a word; see where they look.

    The model is the translator that the course trained on sentences of its grammar. Lines are as
    strong as the weights, each head has its color, and what is true can be marked.
    """

    title = traitlets.Unicode(help="what the figure is about").tag(sync=True)
    data = traitlets.Dict(help="the sentences of one figure").tag(sync=True)
    shape: traitlets.List = traitlets.List(help="numbers of layers and of heads").tag(sync=True)
    sentence = traitlets.Unicode(help="its name in data").tag(sync=True)
    layer = traitlets.Int(1, min=1).tag(sync=True)
    heads: traitlets.List = traitlets.List(traitlets.Int(min=1), help="those seen").tag(sync=True)
    word = traitlets.Int(-1, min=-1, help="the word that looks; -1 is all of them").tag(sync=True)
    truth = traitlets.Bool(True, help="whether the right answer is marked").tag(sync=True)

    def __init__(self, figure: str = "4", **traits: Any):
        known = exported()["figures"]
        if figure not in known:
            raise ValueError(f"figure: expected one of {', '.join(known)}, got {figure}")
        stored = known[figure]
        sentences = stored["sentences"]
        start = stored["start"] | traits
        if stored["start"]["word"] < 0 and not traits:  # all words: where there is most to see
            start |= fullest(sentences)
        if start["sentence"] not in sentences:
            raise ValueError(
                f"sentence: expected one of {', '.join(sentences)}, got {start['sentence']}"
            )
        layers, heads = exported()["shape"]
        if start["layer"] > layers or any(head > heads for head in start["heads"]):
            raise ValueError(
                f"expected layers up to {layers} and heads up to {heads}, "
                f"got layer {start['layer']} and heads {start['heads']}"
            )
        self.figure = figure
        super().__init__(title=stored["title"], data=sentences, shape=[layers, heads], **start)

    def __repr__(self) -> str:
        return f"AttentionFigures({self.figure!r}, {self.sentence}, layer={self.layer})"

    def weights(self, name: str, layer: int, head: int) -> np.ndarray:
        """One head's percents; words that look down, words looked at across."""
        return percents(self.data[name], layer, head)

    def tables(self) -> list[Table]:
        """For each word that the truth asks about: where every head of this layer looks."""
        one = self.data[self.sentence]
        words = one["words"]
        asks = [self.word] if self.word >= 0 else list(dict.fromkeys(a for a, *_ in one["truth"]))
        heads = range(1, self.shape[1] + 1)
        rows, cells = [], []
        for at in asks:
            answers = ", ".join(words[b] for a, b, _ in one["truth"] if a == at) or "nothing known"
            for head in heads:
                rows.append(f"{words[at]} (truth: {answers}), head {head}")
                cells.append(self.weights(self.sentence, self.layer, head)[at])
        title = f"{one['text']} {one['translation']} Layer {self.layer}, percent"
        return [Table(title, rows, words, np.array(cells))]
