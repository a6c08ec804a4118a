"""A Transformer that learns in the page: choose what to change, guess, press Train, and watch."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.model import Transformer, TransformerConfig
from transformer_course.widgets.base import CourseWidget, Table

TASKS = ["reverse", "copy", "sort"]
POSITIONS = ["sinusoidal", "learned", "rotary", "none"]
DEFAULTS: dict[str, Any] = {
    "task": "reverse",
    "positions": "sinusoidal",
    "norm": "post",
    "heads": 2,
    "layers": 1,
    "mask": True,
    "rate": 1.0,
    "warmup": 100,
    "smoothing": 0.1,
    "steps": 1200,
}


class Laboratory(CourseWidget, source="laboratory"):
    """Train the course's encoder-decoder on rows of letters, in the browser and nowhere else.

    d_model 32, d_ff 64, 256 tokens a batch. After a run `losses` holds the loss of each step, in
    nats a token, and `share` the part of 100 new rows that was written without a mistake.
    """

    experiment = traitlets.Int(0, min=0, max=9, help="which of the prepared ones").tag(sync=True)
    small = traitlets.Bool(False, help="the first experiment alone, without settings").tag(
        sync=True
    )
    task = traitlets.Enum(TASKS, DEFAULTS["task"]).tag(sync=True)
    positions = traitlets.Enum(POSITIONS, DEFAULTS["positions"]).tag(sync=True)
    norm = traitlets.Enum(["post", "pre"], DEFAULTS["norm"]).tag(sync=True)
    heads = traitlets.Enum([1, 2, 4], DEFAULTS["heads"]).tag(sync=True)
    layers = traitlets.Int(DEFAULTS["layers"], min=1, max=6).tag(sync=True)
    mask = traitlets.Bool(DEFAULTS["mask"], help="the decoder's").tag(sync=True)
    rate = traitlets.Float(DEFAULTS["rate"], min=0.1, max=10, help="times equation 3's").tag(
        sync=True
    )
    warmup = traitlets.Int(DEFAULTS["warmup"], min=0, max=500, help="steps; 0: none").tag(sync=True)
    smoothing = traitlets.Float(DEFAULTS["smoothing"], min=0, max=0.5).tag(sync=True)
    steps = traitlets.Int(DEFAULTS["steps"], min=100, max=3000).tag(sync=True)
    seed = traitlets.Int(0, min=0, max=999).tag(sync=True)
    row = traitlets.Unicode("transformer", help="letters a to t").tag(sync=True)
    losses: traitlets.List = traitlets.List(traitlets.Float(), help="of the last run").tag(
        sync=True
    )
    share = traitlets.Float(0.0, help="of new rows right, at the end of it").tag(sync=True)

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, usual in DEFAULTS.items()
            if getattr(self, name) != usual
        ]
        return f"Laboratory({', '.join(changed)})"

    def config(self) -> TransformerConfig:
        """The model that these settings build, in the package's names."""
        return TransformerConfig(
            vocab_size=24,
            d_model=32,
            num_heads=self.heads,
            d_ff=64,
            num_layers=self.layers,
            max_len=14,
            dropout=0.0,
            positions=self.positions,
            norm_placement=self.norm,
        )

    def tables(self) -> list[Table]:
        """The model that would be trained."""
        config = self.config()
        names = ["vocab_size", "d_model", "num_heads", "d_ff", "num_layers"]
        sizes = [str(getattr(config, name)) for name in names]
        sizes.append(f"{Transformer(config).num_parameters():,}")
        return [Table("What is trained", ["size"], [*names, "parameters"], np.array([sizes]))]
