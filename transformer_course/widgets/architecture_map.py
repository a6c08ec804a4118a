"""Figure 1 as a map: every block with its formula, its shapes and its parameters."""

from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course.model import PRESETS, Transformer, TransformerConfig
from transformer_course.widgets.architecture_flow import MODULES, TEXTS, flow
from transformer_course.widgets.base import CourseWidget, Table

SIZES = ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers")


def count_parameters(config: TransformerConfig) -> dict[str, int]:
    """The parameters of each block, and of the "model", counted in the model itself."""
    with torch.device("meta"):  # shapes without numbers: the big model takes no memory
        model = Transformer(config)
    counts = {
        block: sum(p.numel() for p in model.get_submodule(module).parameters()) if module else 0
        for block, module in MODULES.items()
    }
    return {**counts, "model": model.num_parameters()}


class ArchitectureMap(CourseWidget, source="architecture_map"):
    """Let a sentence run through figure 1; press a block, or walk the wires with the arrow keys.

    What a block makes of the sentence was computed by the carried translator. `block` is the one
    that is open: a chapter shows with it where in the model it stands. With `asks` it opens with a
    question of the page, else with what the sentence goes on with.
    """

    block = traitlets.Enum(list(MODULES), "src_tokens").tag(sync=True)
    preset = traitlets.Enum(list(PRESETS), "base").tag(sync=True)
    batch = traitlets.Int(32, min=1, max=64, help="sentence pairs").tag(sync=True)
    src_len = traitlets.Int(10, min=1, max=128, help="tokens of the source").tag(sync=True)
    tgt_len = traitlets.Int(12, min=1, max=128, help="tokens of the target").tag(sync=True)
    sizes = traitlets.Dict(help="of each preset").tag(sync=True)
    flow = traitlets.Dict(help="what each block makes of one sentence").tag(sync=True)
    asks = traitlets.Unicode(help="the question it opens with, without its mark").tag(sync=True)
    texts = traitlets.Dict(TEXTS, help="name, formula, role and chapter of each block").tag(
        sync=True
    )

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.flow = flow()
        self.asks = self.asks or self.flow["made"]["softmax"]["title"]
        self.sizes = {
            name: {size: getattr(config, size) for size in SIZES}
            for name, config in PRESETS.items()
        }

    def __repr__(self) -> str:
        return f"ArchitectureMap(block={self.block!r}, preset={self.preset!r})"

    def tables(self) -> list[Table]:
        """The parameters of each block, in thousands, and its share of the model."""
        counts = count_parameters(PRESETS[self.preset])
        cells = np.array([[n / 1000, 100 * n / counts["model"]] for n in counts.values()])
        title = f"Blocks of figure 1, sizes of {self.preset} (the embeddings and linear are one)"
        return [Table(title, list(counts), ["thousand parameters", "% of the model"], cells)]
