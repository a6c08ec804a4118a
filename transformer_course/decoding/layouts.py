"""How the weights of a linear map lie in memory, and which layout is fastest here.

The product is the same; how fast it is depends on the processor, on the shape, and on whether one
row is multiplied or several. One row reads every weight once, in the order in which the layout has
them; several rows use a weight again while it is near. So a map may have one layout for each.
"""

import time
from collections.abc import Callable, Mapping
from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer_course.decoding.packed import (
    PackedLinear,
    has_onednn,
    has_plain_weights,
    replace_linear_maps,
)
from transformer_course.model import Transformer

Kernel = Callable[[Tensor], Tensor]
# By shape of the weights: the layout for a single row, and that for several.
Layouts = Mapping[tuple[int, int], tuple[str, str]]
FEW = 2  # maps of a shape that are measured
TALL = 8192  # outputs of a map that are measured: the vocabulary has many more, all alike
ROUNDS = 5  # that count, at most
MANY = 32  # rows that are measured at most: more are multiplied as these are


def in_rows(
    weight: Float[Tensor, "width_out width_in"], bias: Float[Tensor, "width_out"] | None
) -> Kernel:
    """As it is trained: an output's weights side by side."""
    return lambda x: F.linear(x, weight, bias)


def in_columns(
    weight: Float[Tensor, "width_out width_in"], bias: Float[Tensor, "width_out"] | None
) -> Kernel:
    """Turned round: an input's weights side by side."""
    turned = weight.t().contiguous().t()
    return lambda x: F.linear(x, turned, bias)


LAYOUTS: dict[str, Callable[[Tensor, Tensor | None], Kernel]] = {
    "rows": in_rows,
    "columns": in_columns,
    "packed": PackedLinear,
}


class LaidOut(nn.Module):
    """`nn.Linear` for inference, in one layout for a single row and in one for several."""

    def __init__(
        self,
        weight: Float[Tensor, "width_out width_in"],
        bias: Float[Tensor, "width_out"] | None,
        one: str,
        several: str,
    ):
        super().__init__()
        self.weight, self.bias = weight, None if bias is None else bias.detach()
        self.chosen = one, several
        self.kernels: dict[str, Kernel] = {}

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        """The product by the layout for so many rows, and the bias."""
        layout = self.chosen[x.numel() > x.size(-1)]
        if layout not in self.kernels:  # laid out when it is first asked for
            self.kernels[layout] = LAYOUTS[layout](self.weight, self.bias)
        return self.kernels[layout](x)


def lay_out(model: Transformer, layouts: Layouts | str) -> Transformer:
    """A copy for inference on a CPU with these layouts, or with one for all; see `pack`.

    What it computes is the same up to the order of additions. A shape that is not named stays as it
    is trained, and so does a model that cannot be packed.
    """
    if not has_plain_weights(model):
        return model
    named = {} if isinstance(layouts, str) else layouts
    others = (layouts, layouts) if isinstance(layouts, str) else ("rows", "rows")

    def make(weight: Tensor, bias: Tensor | None) -> LaidOut:
        return LaidOut(weight, bias, *named.get((weight.size(0), weight.size(1)), others))

    return replace_linear_maps(model, make)


def choose_layouts(
    model: Transformer,
    rows: int,
    *,
    seconds: float = 0.5,
    clock: Callable[[], float] = time.thread_time,
) -> Layouts:
    """The fastest layout of every shape here, where `rows` rows are decoded at a time.

    A few maps of each shape run in every layout, all in turns, so that none finds its weights in
    the processor's cache; one round to lay them out, then rounds until `seconds` are over. The
    shortest times of a shape's maps are added up, and the lowest sum wins. The clock is that of
    this thread: what others do on the machine must not choose.
    """
    if not has_plain_weights(model):
        return {}
    begun = clock()
    shapes: dict[tuple[int, int], list[Tensor]] = {}

    def note(weight: Tensor, bias: Tensor | None) -> nn.Module:
        shapes.setdefault((weight.size(0), weight.size(1)), []).append(weight)
        return nn.Identity()

    replace_linear_maps(model, note)
    layouts = [name for name in LAYOUTS if name != "packed" or has_onednn()]
    sizes = 1, max(2, min(rows, MANY))
    maps = {
        (shape, place, layout): LAYOUTS[layout](weight[:TALL], None)
        for layout in layouts
        for shape, weights in shapes.items()
        for place, weight in enumerate(weights[-FEW:])
    }
    shortest = dict.fromkeys(product(maps, sizes), float("inf"))
    rounds = 0
    with torch.inference_mode():
        while rounds < 2 or (rounds <= ROUNDS and clock() - begun < seconds):
            for (key, size), best in shortest.items():
                x = torch.ones(size, key[0][1])
                start = clock()
                maps[key](x)
                if rounds:
                    shortest[key, size] = min(best, clock() - start)
            rounds += 1

    def fastest(shape: tuple[int, int], size: int) -> str:
        def taken(layout: str) -> float:
            parts = ((place, layout) for place in range(len(shapes[shape][-FEW:])))
            return sum(shortest[(shape, *part), size] for part in parts)

        return min(layouts, key=taken)

    return {shape: (fastest(shape, 1), fastest(shape, sizes[1])) for shape in shapes}


def describe(layouts: Layouts) -> str:
    """What was chosen, in one line."""
    if not layouts:
        return "weights as they were trained"
    told = []
    for which, name in enumerate(("one row", "several rows")):
        chosen = [pair[which] for pair in layouts.values()]
        counts = [f"{each} {chosen.count(each)}" for each in LAYOUTS if each in chosen]
        told.append(f"{name} {', '.join(counts)}")
    return f"weights in memory, shapes by layout: {'; '.join(told)}"
