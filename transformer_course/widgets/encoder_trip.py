"""One sentence on its way through one encoder layer, with every shape and every number."""

import json
import math
from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference as reference
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.sources import HERE

# Written by benchmarks/encoder_trip.py: a model of 8 numbers a word that puts each word of a
# five-word English sentence into German. Only by looking at its noun can an article be right.
TRAINED = json.loads((HERE / "encoder_trip.json").read_text(encoding="utf-8"))
WEIGHTS = {name: np.array(x) for name, x in TRAINED["weights"].items()}
SLOTS = TRAINED["slots"]
D_MODEL, NUM_HEADS = 8, 2


def trip(sentence: list[str]) -> dict[str, np.ndarray]:
    """Every matrix on the way, by name, from the NumPy reference."""
    ids = [TRAINED["english"].index(word) for word in sentence]
    run = {"embedded": WEIGHTS["embedding.weight"][ids] * math.sqrt(D_MODEL)}
    x = run["x"] = run["embedded"] + reference.sinusoidal(len(ids), D_MODEL)
    for name in ("query", "key", "value"):
        rows = reference.linear(x, WEIGHTS, f"layer.self_attn.{name}_proj")
        for n, part in enumerate(np.split(rows, NUM_HEADS, axis=-1), start=1):
            run[f"{name}{n}"] = part
    for n in range(1, NUM_HEADS + 1):
        q, k, v = (run[f"{name}{n}"] for name in ("query", "key", "value"))
        run[f"scores{n}"] = q @ k.T / math.sqrt(D_MODEL // NUM_HEADS)
        run[f"mixed{n}"], run[f"weights{n}"] = reference.attention(q, k, v)
    run["concat"] = np.hstack([run[f"mixed{n}"] for n in range(1, NUM_HEADS + 1)])
    run["attended"] = reference.linear(run["concat"], WEIGHTS, "layer.self_attn.out_proj")
    run["sum1"] = x + run["attended"]
    y = run["norm1"] = reference.layer_norm(run["sum1"], WEIGHTS, "layer.norm1")
    run["hidden"] = np.maximum(0, reference.linear(y, WEIGHTS, "layer.feed_forward.expand"))
    run["thought"] = reference.linear(run["hidden"], WEIGHTS, "layer.feed_forward.contract")
    run["sum2"] = y + run["thought"]
    run["norm2"] = reference.layer_norm(run["sum2"], WEIGHTS, "layer.norm2")
    return run


def read_out(sentence: list[str]) -> list[str]:
    """The German word that the model finds for each word."""
    logits = reference.linear(trip(sentence)["norm2"], WEIGHTS, "readout")
    return [TRAINED["german"][n] for n in logits.argmax(axis=-1)]


class EncoderTrip(CourseWidget, source="encoder_trip"):
    """Step through the layer, choose the words, and ask any number where it comes from."""

    sentence = traitlets.List(
        traitlets.Unicode(),
        ["the", "cat", "sees", "a", "dog"],
        help="article noun verb article noun",
    ).tag(sync=True)
    step = traitlets.Int(0, min=0, max=15, help="from the embedding to the second norm").tag(
        sync=True
    )
    head = traitlets.Int(1, min=1, max=2, help="which head is shown").tag(sync=True)
    trained = traitlets.Dict(TRAINED, help="words and weights").tag(sync=True)

    @traitlets.validate("sentence")
    def _known(self, proposal: Any) -> list[str]:
        words = proposal["value"]
        if len(words) != 5 or any(w not in slot for w, slot in zip(words, SLOTS, strict=True)):
            wanted = "; ".join(", ".join(slot) for slot in SLOTS[:3])
            raise traitlets.TraitError(
                f"sentence: expected article, noun, verb, article, noun ({wanted}), got {words}"
            )
        return words

    def __repr__(self) -> str:
        return f"EncoderTrip({' '.join(self.sentence)!r})"

    def tables(self) -> list[Table]:
        """Every matrix on the way, in order."""
        tables = []
        for name, rows in trip(self.sentence).items():
            dimensions = [str(d) for d in range(rows.shape[1])]
            columns = self.sentence if name[:-1] in ("scores", "weights") else dimensions
            tables.append(Table(f"{name} {rows.shape}", self.sentence, columns, rows))
        return tables
