"""A Transformer that learns in the page: choose what to change, guess, press Train, and watch."""

import re
from base64 import b64decode
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course.model import Transformer, TransformerConfig
from transformer_course.widgets.base import CourseWidget, Table

TASKS = ["reverse", "copy", "sort", "phrases"]
VOCABULARY = {"letters": 24, "phrases": 153}  # marks included
POSITIONS = ["sinusoidal", "learned", "rotary", "none"]
# The prepared experiments, as laboratory_experiments.js names them: each question is worth a point.
EXPERIMENTS = [
    "The paper's model, tiny",
    "No positions",
    "No positions, but sorting",
    "No mask in the decoder",
    "One head",
    "No warm-up",
    "Six layers",
    "Six layers, norm before",
    "A rate ten times too high",
    "No label smoothing",
    "A phrasebook",
]
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


def question_ids() -> list[str]:
    """Under which names the browser keeps what the reader has foreseen."""
    return [f"laboratory/{re.sub('[^a-z]+', '-', name.lower())}" for name in EXPERIMENTS]


class Laboratory(CourseWidget, source="laboratory"):
    """Train the course's encoder-decoder in the browser: rows of letters, or a small phrasebook.

    d_model 32, d_ff 64, 256 letters or 32 sentences a batch. After a run `losses` holds the loss of
    each step, in nats a token, `share` the part of 100 new rows, or sentences, that came out
    without a mistake, and `transformer()` is the model that learned.
    """

    experiment = traitlets.Int(
        0, min=0, max=len(EXPERIMENTS) - 1, help="which of the prepared ones"
    ).tag(sync=True)
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
    sentence = traitlets.Unicode(
        "today the small king can not see a good bird.", help="in the phrasebook's words"
    ).tag(sync=True)
    losses: traitlets.List = traitlets.List(traitlets.Float(), help="of the last run").tag(
        sync=True
    )
    share = traitlets.Float(0.0, help="of new rows right, at the end of it").tag(sync=True)
    shapes: traitlets.List = traitlets.List(
        traitlets.List(), help="name, rows and width of each parameter of the last run's model"
    ).tag(sync=True)
    weights = traitlets.Unicode("", help="its numbers: float32, little end first, base64").tag(
        sync=True
    )

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
            vocab_size=VOCABULARY["phrases" if self.task == "phrases" else "letters"],
            d_model=32,
            num_heads=self.heads,
            d_ff=64,
            num_layers=self.layers,
            max_len=14,
            dropout=0.0,
            positions=self.positions,
            norm_placement=self.norm,
        )

    def transformer(self) -> Transformer:
        """The model that learned in the page, in float32 on the CPU: it can go on in PyTorch.

        Raises:
            ValueError: if no run has ended, or the settings have been changed since.
        """
        if not self.weights:
            raise ValueError("expected a run that has ended, found none: press Train, and wait")
        model = Transformer(self.config())
        numbers = torch.from_numpy(np.frombuffer(b64decode(self.weights), dtype="<f4").copy())
        sizes = [rows * width for _, rows, width in self.shapes]
        parts = dict(zip((name for name, *_ in self.shapes), numbers.split(sizes), strict=True))
        wanted = dict(model.named_parameters())
        if {name: each.numel() for name, each in parts.items()} != {
            name: each.numel() for name, each in wanted.items()
        }:
            raise ValueError(
                "the settings are no longer those of the run that has ended: press Train again"
            )
        with torch.no_grad():
            for name, parameter in wanted.items():
                parameter.copy_(parts[name].view_as(parameter))
        return model

    def tables(self) -> list[Table]:
        """The model that would be trained."""
        config = self.config()
        names = ["vocab_size", "d_model", "num_heads", "d_ff", "num_layers"]
        sizes = [str(getattr(config, name)) for name in names]
        sizes.append(f"{Transformer(config).num_parameters():,}")
        return [Table("What is trained", ["size"], [*names, "parameters"], np.array([sizes]))]
