"""A prediction: bars, a curve or choices that the reader locks in, then the truth over them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table


class Prediction(CourseWidget, source="prediction"):
    """Drag each bar (or draw the curve), lock the guess in, and see what was measured over it.

    `truth` comes from the cell that makes the widget, one number for each label, between `low` and
    `high`; `log` makes the scale logarithmic. With `choices` each label is a question, its truth
    one of the choices, and nothing is chosen at first. `why` is shown with the truth, never before.
    """

    question = traitlets.Unicode("How large is the share?", help="in words").tag(sync=True)
    labels: traitlets.List = traitlets.List(traitlets.Unicode(), ["share"]).tag(sync=True)
    truth: traitlets.List = traitlets.List(traitlets.Float(), [50.0]).tag(sync=True)
    low = traitlets.Float(0.0, help="the left end of the scale").tag(sync=True)
    high = traitlets.Float(100.0, help="the right end").tag(sync=True)
    step = traitlets.Float(1.0, help="what a guess is rounded to").tag(sync=True)
    unit = traitlets.Unicode("", help="behind each number").tag(sync=True)
    near = traitlets.Float(0.1, help="the share of the scale within which a guess is close").tag(
        sync=True
    )
    log = traitlets.Bool(False, help="a logarithmic scale").tag(sync=True)
    curve = traitlets.Bool(False, help="columns joined by a line, in place of bars").tag(sync=True)
    across = traitlets.Unicode("", help="what a curve's columns are").tag(sync=True)
    choices: traitlets.List = traitlets.List(
        traitlets.Unicode(), help="what can be chosen, in place of a scale"
    ).tag(sync=True)
    why = traitlets.Unicode("", help="in one sentence, why it is so, shown with the truth").tag(
        sync=True
    )
    guess: traitlets.List = traitlets.List(help="the reader's").tag(sync=True)
    locked = traitlets.Bool(False, help="whether the guess is locked in").tag(sync=True)

    def __init__(
        self,
        labels: Sequence[str] = ("share",),
        truth: Sequence[float | str] = (50.0,),
        **traits: Any,
    ):
        """Raises: ValueError where labels and truth differ in number, or one cannot be guessed."""
        if choices := traits.get("choices"):
            if strange := [x for x in truth if x not in choices]:
                raise ValueError(f"expected a truth among {choices}, got {strange[0]!r}")
            traits |= {"low": 0, "high": len(choices) - 1}
            truth = [choices.index(str(x)) for x in truth]
        values = [float(f"{float(x):.4g}") for x in truth]
        super().__init__(labels=list(labels), truth=values, **traits)
        if len(self.labels) != len(values):
            raise ValueError(
                f"expected one number for each label, got {len(self.labels)} labels "
                f"and {len(values)} numbers"
            )
        if self.log and self.low <= 0:
            raise ValueError(f"low={self.low:g}: a logarithmic scale begins above 0")
        outside = [x for x in values if not self.low <= x <= self.high]
        if outside:
            raise ValueError(
                f"expected a truth from {self.low:g} to {self.high:g}, got {outside[0]:g}"
            )

    def __repr__(self) -> str:
        return f"Prediction({', '.join(self.labels)})"

    def tables(self) -> list[Table]:
        """What was measured, and why, for readers who cannot set a guess."""
        cells = np.array(self.truth)[:, None]
        if self.choices:
            cells = np.array(self.choices)[cells.astype(int)]
        title = f"{self.question} Measured{f', {self.unit}' if self.unit else ''}"
        because = f". {self.why}" if self.why else ""
        return [Table(title + because, self.labels, ["measured"], cells)]
