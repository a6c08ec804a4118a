"""Teacher forcing: what the decoder reads, may see and must say at each position (section 5)."""

import json
import math
from pathlib import Path

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table

LESSON = Path(__file__).with_suffix(".json")
BUGS = ["none", "shift", "mask"]


class TeacherForcing(CourseWidget, source="teacher_forcing"):
    """Step through one target: its shift, its causal mask, and what two common bugs let through.

    The probabilities are the carried translator's, and those of two copies of it that trained on
    with a bug: see benchmarks/teacher_forcing.py, which wrote teacher_forcing.json.
    """

    lesson = traitlets.Dict(help="pieces, and what each model makes of them").tag(sync=True)
    position = traitlets.Int(2, min=0, max=11, help="which row is looked at").tag(sync=True)
    bug = traitlets.Enum(BUGS, "none", help="the shift or the mask left out").tag(sync=True)
    mode = traitlets.Enum(["training", "generating"], "training").tag(sync=True)

    @traitlets.default("lesson")
    def _lesson(self) -> dict:
        return json.loads(LESSON.read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return f"TeacherForcing(mode={self.mode!r}, bug={self.bug!r}, position={self.position})"

    def reads(self) -> list[str]:
        """The decoder's input: the target shifted right, unless the shift was forgotten."""
        target = self.lesson["target"]
        return target if self.bug == "shift" else ["<s>", *target[:-1]]

    def mask(self) -> np.ndarray:
        """Row: position, column: input; True = may see."""
        full = np.ones((len(self.lesson["target"]),) * 2, dtype=bool)
        return full if self.bug == "mask" else np.tril(full)

    def tables(self) -> list[Table]:
        """The lesson of the correct code, and the loss of the sentence under each bug."""
        models, target = self.lesson["models"], self.lesson["target"]
        rows = [f"{i} reads {a}, must say {b}" for i, (a, b) in enumerate(self.pairs())]
        shares = np.array([[models[bug]["right"][i] for bug in BUGS] for i in range(len(target))])
        losses = [[np.mean([-math.log(p) for p in models[bug]["right"]]) for bug in BUGS]]
        names = ["correct code", "forgot the shift", "forgot the mask"]
        return [
            Table(f"{self.lesson['english']} Probability of the right piece", rows, names, shares),
            Table("Mean loss of the sentence", ["loss"], names, np.array(losses)),
        ]

    def pairs(self) -> list[tuple[str, str]]:
        """What is read and what must be said at each position."""
        return list(zip(self.reads(), self.lesson["target"], strict=True))
