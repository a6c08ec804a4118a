"""Table 1 as a calculator: what a layer costs, how many steps it takes, how far signals travel."""

from typing import NamedTuple

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table

LONGEST = 128_000
NAMES = {
    "attention": "self-attention",
    "recurrent": "recurrent",
    "contiguous": "convolution",
    "dilated": "dilated convolution",
    "restricted": "restricted attention",
}


class Cost(NamedTuple):
    """A row of Table 1, counted instead of estimated."""

    operations: int  # multiply-adds of one layer
    sequential: int  # sequential operations
    path: int  # layers or steps between the first position and the last


def layers_to_span(n: int, window: int, growth: int = 1) -> int:
    """How many layers join n positions, if each reaches back over `window`, itself included.

    With `growth` above 1 the gaps of a window grow by that factor from layer to layer.
    """
    layers, reach, step = 1, window, 1
    while reach < n:
        step *= growth
        reach += (window - 1) * step
        layers += 1
    return layers


def costs(n: int, d: int, k: int, r: int, projections: bool = False) -> dict[str, Cost]:
    """Table 1 for n positions of width d, kernel k, neighborhood r.

    The multiply-adds of the plainest layer of each kind, one bias, softmax and activation aside:
    attention Q K^T and weights times V; recurrent W x + U h; convolution one d-by-d matrix for each
    of k places. A restricted position attends to r others. Places before the first position
    count as padding does. Like Table 1, attention leaves out its four projections unless asked.
    """
    own = 4 * n * d * d if projections else 0
    window = min(r, n)
    return {
        "attention": Cost(2 * n * n * d + own, 1, 1),
        "recurrent": Cost(2 * n * d * d, n, n),
        "contiguous": Cost(k * n * d * d, 1, layers_to_span(n, k)),
        "dilated": Cost(k * n * d * d, 1, layers_to_span(n, k, growth=k)),
        "restricted": Cost(2 * window * n * d + own, 1, layers_to_span(n, r)),
    }


class Complexity(CourseWidget, source="complexity"):
    """Move length, width, kernel and neighborhood; see which layer is cheapest, and by how much."""

    n = traitlets.Int(100, min=1, max=LONGEST, help="positions").tag(sync=True)
    d = traitlets.Int(512, min=64, max=4096, help="width of each").tag(sync=True)
    k = traitlets.Int(3, min=2, max=15, help="kernel of the convolution").tag(sync=True)
    r = traitlets.Int(32, min=2, max=4096, help="neighborhood of restricted attention")
    r.tag(sync=True)
    projections = traitlets.Bool(False, help="count attention's projections too").tag(sync=True)

    def __repr__(self) -> str:
        return f"Complexity(n={self.n}, d={self.d}, k={self.k}, r={self.r})"

    def tables(self) -> list[Table]:
        """Table 1 with numbers, and the size of one head's weights."""
        rows = costs(self.n, self.d, self.k, self.r, self.projections)
        cells = np.array([[cost[0] / 1e6, *cost[1:]] for cost in rows.values()])
        columns = ["million multiply-adds", "sequential steps", "longest path"]
        title = f"One layer, n = {self.n:,}, d = {self.d:,}, k = {self.k}, r = {self.r:,}"
        entries = self.n**2
        memory = np.array([[entries / 1e6, 4 * entries / 1e6]])
        names = ["million entries", "megabytes in float32"]
        return [
            Table(title, [NAMES[name] for name in rows], columns, cells),
            Table("Weights of one head", ["n by n"], names, memory),
        ]
