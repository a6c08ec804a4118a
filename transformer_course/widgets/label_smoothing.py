"""Label smoothing: the target as a distribution, and what it asks of a model (section 5.4)."""

import math

import numpy as np
import traitlets

from transformer_course.widgets.base import CourseWidget, Table

WORDS = ["mat", "chair", "floor", "table", "bed", "roof", "wall", "moon"]
SIZES = [2, 5, 8, 1000, 37_000]  # the last is about the paper's vocabulary, section 5.1


class LabelSmoothing(CourseWidget, source="label_smoothing"):
    """Move the smoothing and the model's confidence; see where the loss is smallest.

    "The cat sat on the ...", and the right word is "mat". The target keeps `epsilon` for all words
    alike, the right one included, as the package's loss does. The model gives its other words equal
    scores; `lead` is how far the right word's score is above theirs. It opens with a model more
    certain than the target wants, so that the gradient pushes the right word *down*.
    """

    epsilon = traitlets.Float(0.1, min=0, max=0.5, help="share kept for all words").tag(sync=True)
    lead = traitlets.Float(5.5, min=-2, max=16, help="score of the right word above the others'")
    lead.tag(sync=True)
    size = traitlets.Enum(SIZES, 5, help="words in the vocabulary").tag(sync=True)
    words = traitlets.List(traitlets.Unicode(), WORDS, minlen=8, maxlen=8).tag(sync=True)

    def __repr__(self) -> str:
        return f"LabelSmoothing(epsilon={self.epsilon:g}, lead={self.lead:g}, size={self.size})"

    def distributions(self) -> tuple[np.ndarray, np.ndarray]:
        """The target and the model's answer over the whole vocabulary, the right word first."""
        target = np.full(self.size, self.epsilon / self.size)
        target[0] += 1 - self.epsilon
        scores = np.zeros(self.size)
        scores[0] = self.lead
        exps = np.exp(scores - scores.max())
        return target, exps / exps.sum()

    def tables(self) -> list[Table]:
        """The distributions by word, in percent, and what follows from them."""
        target, model = self.distributions()
        shown = min(self.size, len(self.words))
        rows = 100 * np.stack([target, model, model - target], axis=1)[:shown]
        loss = float(-(target * np.log(model)).sum())
        floor = float(-(target * np.log(np.maximum(target, 1e-300))).sum())
        numbers = [loss, -math.log(model[0]), floor, 100 * target[0], 1 / target[0]]
        names = ["cross-entropy with the smoothed target", "the same with the hard target"]
        names += ["smallest smoothed loss", "reached at a confidence of, in percent"]
        names += ["perplexity there, counted without smoothing"]
        return [
            Table("In percent", self.words[:shown], ["target", "model", "gradient"], rows),
            Table("Loss and floor", names, [f"epsilon {self.epsilon:g}"], np.array([numbers]).T),
        ]
