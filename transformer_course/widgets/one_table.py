"""One matrix for three jobs: read in two languages, score the next word; a temperature (3.4)."""

import math
from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.model import numpy_reference
from transformer_course.widgets.base import CourseWidget, Table

ENGLISH, GERMAN = "A man is playing a guitar on the street.", "Ein Mann spielt"
STEPS = ("read English", "read German", "score", "choose")
CANDIDATES = 8


@cache
def record() -> dict[str, Any]:
    """Rows of the carried translator's table, its decoder's last vector, and all its logits."""
    model, tokenizer = translator()
    src, tgt = ([*tokenizer.encode(text)] for text in (ENGLISH, GERMAN))
    with torch.inference_mode():
        memory = model.encode(torch.tensor([[*src, EOS_ID]]))
        x = model.decode_states(torch.tensor([[BOS_ID, *tgt]]), memory)[0, -1]
        logits = model.logits(x)
    best = logits.topk(CANDIDATES).indices.tolist()
    shown = list(dict.fromkeys([*src, *tgt, *best[:3]]))
    rows = model.embedding.weight.detach()[shown].double()
    return {
        "words": [tokenizer.id_to_piece(n).strip("▁") for n in shown],
        "read": [[shown.index(n) for n in ids] for ids in (src, tgt)],
        "rows": rows.numpy().round(3).tolist(),
        "x": x.double().numpy().round(3).tolist(),
        "logits": logits.double().numpy().round(2).tolist(),
        "best": [[n, tokenizer.id_to_piece(n).strip("▁")] for n in best],
    }


class OneTable(CourseWidget, source="one_table"):
    """Pick a word and see its row; score every row; turn the temperature and draw a next word.

    The table, the decoder's vector and the 6,000 logits are those of the course's translator, which
    has begun to translate a caption.
    """

    table = traitlets.Dict(help="words, rows, the decoder's vector and its logits").tag(sync=True)
    word = traitlets.Int(1, min=0, help="the row in sight").tag(sync=True)
    step = traitlets.Int(0, min=0, max=len(STEPS) - 1, help="which job").tag(sync=True)
    temperature = traitlets.Float(1.0, min=0.25, max=4, help="what the logits are divided by")
    temperature.tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.table = record()
        if self.word >= len(self.table["words"]):
            raise traitlets.TraitError(
                f"word={self.word}: expected a row from 0 to {len(self.table['words']) - 1}"
            )

    def __repr__(self) -> str:
        return f"OneTable({STEPS[self.step]}, temperature={self.temperature:g})"

    def choices(self, temperature: float) -> tuple[np.ndarray, float]:
        """The probabilities of all tokens, and how many are in play (exp of the entropy)."""
        logits = np.array(self.table["logits"])
        share = numpy_reference.softmax(logits / temperature)
        return share, math.exp(-float((share * np.log(share)).sum()))

    def tables(self) -> list[Table]:
        """The size of each row, its score; the likeliest next words at several temperatures."""
        rows, x = np.array(self.table["rows"]), np.array(self.table["x"])
        sizes = np.sqrt((rows**2).mean(axis=1))
        root = math.sqrt(rows.shape[1])
        looked = np.stack([sizes, sizes * root, rows @ x], axis=1)
        columns = ["size of an entry in the table", "times the root of the width", "logit"]
        temperatures = [0.5, 1, 2]
        found = [self.choices(t) for t in temperatures]
        best = [[100 * share[n] for n, _ in self.table["best"]] + [many] for share, many in found]
        return [
            Table("Rows of the one table", self.table["words"], columns, looked),
            Table(
                f"The word after {GERMAN!r}, percent",
                [f"T = {t:g}" for t in temperatures],
                [*(name for _, name in self.table["best"]), "words in play"],
                np.array(best),
            ),
        ]
