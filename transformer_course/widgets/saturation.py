"""Why the scores are divided by sqrt(d_k): their spread, the softmax, the gradient (3.2.1)."""

from functools import cache
from typing import Any

import numpy as np
import traitlets

from transformer_course.model import numpy_reference
from transformer_course.widgets.base import CourseWidget, Table

WIDTHS = [2**n for n in range(11)]
NUM_KEYS, NUM_DRAWS, NUM_SHOWN, AT_ONCE = 16, 1000, 12, 100
MODES = ("not divided", "divided")


class Saturation(CourseWidget, source="saturation"):
    """Widen the keys, with and without the scale; see weights, keys in use and gradients.

    Queries and keys are standard normal, 16 keys to a query, and width w takes the first w of 1024
    numbers. The gradient is what reaches the query when a standard normal one arrives at the 16
    weights. The query in sight keeps its divided scores of width 1024 at every width, times the
    root of the width where nothing is divided: what is seen to change is the spread alone.
    """

    d_k = traitlets.Int(64, help="a power of two up to 1024").tag(sync=True)
    divided = traitlets.Bool(False, help="by the square root of d_k").tag(sync=True)
    draw = traitlets.Int(0, min=0, max=NUM_SHOWN - 1, help="the query in sight").tag(sync=True)
    shown = traitlets.Unicode("keys", help="spread, keys or gradient").tag(sync=True)
    scores: traitlets.List = traitlets.List(help="of the first draws at width 1024, divided").tag(
        sync=True
    )
    figures = traitlets.Dict(help="over all draws, by mode and width").tag(sync=True)

    def __init__(self, seed: int = 0, **traits: Any):
        super().__init__(**traits)
        self.scores, self.figures = measure(seed)

    @traitlets.validate("d_k")
    def _power_of_two(self, proposal: Any) -> int:
        if proposal["value"] not in WIDTHS:
            raise traitlets.TraitError(
                f"d_k: expected a power of two from 1 to 1024, got {proposal['value']}"
            )
        return proposal["value"]

    @traitlets.validate("shown")
    def _known(self, proposal: Any) -> str:
        if proposal["value"] not in ("spread", "keys", "gradient"):
            raise traitlets.TraitError(
                f"shown: expected spread, keys or gradient, got {proposal['value']}"
            )
        return proposal["value"]

    def __repr__(self) -> str:
        return f"Saturation(d_k={self.d_k})"

    def tables(self) -> list[Table]:
        """All figures by width, and the weights of the query in sight in both modes."""
        columns = ["spread", "keys in use", "gradient: log10 of median", "gradient: mean"]
        rows = [
            [of["spread"][n], of["keys"][n], np.log10(of["median"][n]), of["mean"][n]]
            for n in range(len(WIDTHS))
            for of in (self.figures[mode] for mode in MODES)
        ]
        scores = np.array(self.scores[self.draw])
        weights = np.stack(
            [numpy_reference.softmax(scores * np.sqrt(self.d_k)), numpy_reference.softmax(scores)]
        )
        return [
            Table(
                f"Over {NUM_DRAWS} queries",
                [f"d_k = {width}, {mode}" for width in WIDTHS for mode in MODES],
                columns,
                np.array(rows),
            ),
            Table(
                f"Weights of one query at d_k = {self.d_k}",
                list(MODES),
                [f"key {n + 1}" for n in range(NUM_KEYS)],
                weights,
            ),
        ]


def keys_in_use(weights: np.ndarray) -> np.ndarray:
    """The exponential of a row's entropy: 1 for one key alone, 16 for sixteen in equal shares."""
    logs = np.log(np.where(weights > 0, weights, 1))
    return np.exp(-(weights * logs).sum(axis=-1))


def query_gradient(
    weights: np.ndarray, key: np.ndarray, pull: np.ndarray, scale: float
) -> np.ndarray:
    """What of the gradient `pull` at the weights reaches the query, through softmax and scores."""
    at_scores = weights * (pull - (weights * pull).sum(axis=-1, keepdims=True))
    return np.einsum("nk,nkd->nd", at_scores, key) / scale


@cache
def measure(seed: int) -> tuple[list, dict[str, dict[str, list[float]]]]:
    """Divided scores of the first draws at the last width, and the figures over all draws."""
    rng = np.random.default_rng(seed)
    raw = np.empty((len(WIDTHS), NUM_DRAWS, NUM_KEYS))
    sizes = np.empty((len(MODES), len(WIDTHS), NUM_DRAWS))
    for start in range(0, NUM_DRAWS, AT_ONCE):  # in parts: all keys at once are 130 MB
        part = slice(start, start + AT_ONCE)
        query = rng.standard_normal((AT_ONCE, 1, WIDTHS[-1]))
        key = rng.standard_normal((AT_ONCE, NUM_KEYS, WIDTHS[-1]))
        pull = rng.standard_normal((AT_ONCE, NUM_KEYS))
        for n, width in enumerate(WIDTHS):
            raw[n, part] = np.einsum("nqd,nkd->nk", query[..., :width], key[..., :width])
            for m, scale in enumerate((1.0, np.sqrt(width))):
                weights = numpy_reference.softmax(raw[n, part] / scale)
                gradient = query_gradient(weights, key[..., :width], pull, scale)
                sizes[m, n, part] = np.linalg.norm(gradient, axis=-1)
    root = np.sqrt(WIDTHS)[:, None, None]
    figures = {}
    for mode, size, scores in zip(MODES, sizes, (raw, raw / root), strict=True):
        found = {
            "spread": scores.std(axis=(1, 2)),
            "keys": keys_in_use(numpy_reference.softmax(scores)).mean(axis=1),
            "median": np.median(size, axis=1),
            "mean": size.mean(axis=1),
        }
        figures[mode] = {name: [float(f"{x:.4g}") for x in row] for name, row in found.items()}
    return (raw[-1] / root[-1])[:NUM_SHOWN].round(4).tolist(), figures
