"""The learning rate over the steps (equation 3), beside the curve of the paper's base model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from transformer_course.training import noam_rate
from transformer_course.widgets.base import CourseWidget, Table

PAPER = (512, 4000)  # d_model and warm-up of the base model, sections 3.1 and 5.3
LAST_STEP = 100_000  # how long the base model trains, section 5.2
WIDTHS, WARMUPS = [32, 64, 256, 512, 1024], [100, 400, 1000, 4000, 16_000]  # that were measured
MEASURED = Path(__file__).with_suffix(".json")  # written by benchmarks/rate_curves.py


class LearningRate(CourseWidget, source="learning_rate"):
    """Drag the peak of the rate; below it, the loss of a small model that learned under it.

    It opens at the small model's own width, 32, with a quarter of the paper's warm-up. The losses
    were measured beforehand, at a few widths and warm-ups of the formula, by
    benchmarks/rate_curves.py; only these can be set. At width 32 a warm-up of 100 fails.
    """

    d_model = traitlets.Enum(WIDTHS, 32, help="width of the model").tag(sync=True)
    warmup = traitlets.Enum(WARMUPS, 1000, help="steps that the rate climbs").tag(sync=True)
    measured = traitlets.Dict(help="the loss curves of learning_rate.json").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**{"measured": json.loads(MEASURED.read_text(encoding="utf-8"))} | traits)

    def __repr__(self) -> str:
        return f"LearningRate(d_model={self.d_model}, warmup={self.warmup})"

    def tables(self) -> list[Table]:
        """The rate of both curves at both peaks, further on, and at the end."""
        steps = sorted({self.warmup, PAPER[1], 20_000, LAST_STEP})
        curves = ((self.d_model, self.warmup), PAPER)
        rates = np.array([[noam_rate(step, *curve) * 1e4 for curve in curves] for step in steps])
        return [
            Table(
                "Learning rate, in units of 0.0001",
                [f"step {step:,}" for step in steps],
                [f"d_model {width}, warm-up {warmup:,}" for width, warmup in curves],
                rates,
            ),
            Table(
                "Measured loss of a small model after its last steps, by warm-up",
                [f"rates of d_model {width}" for width in self._distinct("width")],
                [f"{warmup:,}" for warmup in self._distinct("warmup")],
                np.array([curve["loss"][-1] for curve in self.measured["curves"]]).reshape(
                    len(self._distinct("width")), -1
                ),
            ),
        ]

    def _distinct(self, name: str) -> list[int]:
        return sorted({curve[name] for curve in self.measured["curves"]})
