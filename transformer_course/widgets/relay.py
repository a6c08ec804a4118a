"""A word that needs another: handed on step by step in a recurrent state, or looked up at once."""

from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import EOS_ID
from transformer_course.model import record_attention
from transformer_course.widgets.base import CourseWidget, Table

ENDS = ("money", "boat")
PAIR = (5, 10)  # bank, and the word that tells which
WIDTHS = [2, 4, 8, 16]
LAYER = "encoder_layers.0.self_attn"
# One draw of many. In it a word fades with its age, as it does in the mean of many draws; in
# another an older word may stand well above a newer one.
DRAW = 3595


@cache
def record(end: str) -> dict[str, Any]:
    """The grammar's translator on a sentence: its words, where each looks, and the translation.

    The weights are those of the first layer's heads and their means, in percent.
    """
    model, tokenizer = translator("grammar")
    english = f"The man walked to the bank because he needed the {end}."
    src = torch.tensor([[*tokenizer.encode(english), EOS_ID]])
    with torch.inference_mode(), record_attention(model) as recorded:
        model.encode(src)
    heads = 100 * recorded[LAYER][0]
    words = [piece.strip("▁") for piece in tokenizer.pieces(english)]
    return {
        "end": end,
        "words": [*words, "(end)"],
        "weights": heads.mean(dim=0).round().int().tolist(),
        "heads": heads.round().int().tolist(),
        "translation": decoding.translate(model, tokenizer, [english])[0],
    }


def loop(width: int, decay: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """What a step of a linear loop does to its state, and the direction a word comes in with."""
    rng = np.random.default_rng(draw)
    step = decay * np.linalg.qr(rng.normal(size=(width, width)))[0]
    return step, rng.normal(size=width) / np.sqrt(width)


def states(words: list[str], width: int, decay: float = 0.95, draw: int = DRAW) -> np.ndarray:
    """The state after each word. A word has one random number, and adds it in its direction."""
    step, column = loop(width, decay, draw)
    number = {word: np.random.default_rng([draw, *word.encode()]).normal() for word in words}
    rows = [np.zeros(width)]
    for word in words:
        rows.append(step @ rows[-1] + number[word] * column)
    return np.array(rows[1:])


def held(
    width: int, count: int, decay: float = 0.95, noise: float = 1e-2, draw: int = DRAW
) -> list[float]:
    """How much of each of `count` random numbers a linear state gives back, the newest first.

    Each is the share of its variance that the best linear reading explains; together they are less
    than `width`.
    """
    step, column = loop(width, decay, draw)
    columns = [column]
    for _ in range(count - 1):
        columns.append(step @ columns[-1])
    state = np.stack(columns, axis=1)
    noisy = state @ state.T + noise**2 * np.eye(width)
    shares = (state * np.linalg.solve(noisy, state)).sum(axis=0)
    return [float(share) for share in shares]


class Relay(CourseWidget, source="relay"):
    """Drag the word that asks: where it looks, and what a recurrent state would still hold for it.

    The weights are those of a translator that the course trained on its grammar. With a width, a
    state of so many numbers stands beside attention instead; each word counts as one number.
    """

    texts: traitlets.List = traitlets.List(help="what was recorded of each sentence").tag(sync=True)
    pair: traitlets.List = traitlets.List(list(PAIR), help="the two words in question").tag(
        sync=True
    )
    text = traitlets.Int(0, min=0, max=len(ENDS) - 1, help="which sentence").tag(sync=True)
    asks = traitlets.Int(PAIR[0], min=0, help="the word that asks").tag(sync=True)
    head = traitlets.Int(
        -1, min=-1, max=4, help="which head; 0: their mean; -1: the two that read the last words"
    ).tag(sync=True)
    width = traitlets.Int(0, help="numbers in the state; 0 shows attention alone").tag(sync=True)
    shares = traitlets.Dict(help="by width: for each count of words, what is held").tag(sync=True)
    states = traitlets.Dict(
        help="by width: for each text the state after each word, in hundredths"
    ).tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.texts = [record(end) for end in ENDS]
        if self.asks >= len(self.texts[0]["words"]):
            raise traitlets.TraitError(
                f"asks={self.asks}: expected a place from 0 to {len(self.texts[0]['words']) - 1}"
            )
        if self.width:
            counts = range(1, len(self.texts[0]["words"]) + 1)
            self.shares = {
                str(width): [[round(x, 4) for x in held(width, n)] for n in counts]
                for width in WIDTHS
            }
            self.states = {
                str(width): [
                    (100 * states(text["words"], width)).round().astype(int).tolist()
                    for text in self.texts
                ]
                for width in WIDTHS
            }

    @traitlets.validate("width")
    def _known(self, proposal: Any) -> int:
        if proposal["value"] not in (0, *WIDTHS):
            raise traitlets.TraitError(
                f"width: expected 0 or one of {WIDTHS}, got {proposal['value']}"
            )
        return proposal["value"]

    def __repr__(self) -> str:
        return f"Relay(asks={self.asks}, width={self.width})"

    def tables(self) -> list[Table]:
        """Where the two words look, or what a state of each width holds of the sentence."""
        words = self.texts[0]["words"]
        if not self.width:
            asks, last = self.pair
            heads = [
                (f"head {n + 1} (... the {text['end']})", head[asks])
                for text in self.texts
                for n, head in enumerate(text["heads"])
            ]
            means = [
                (f"mean (... the {text['end']})", text["weights"][asks]) for text in self.texts
            ]
            looks = [*heads, *means]
            title = f"Where “{words[asks]}” looks, percent"
            columns = [*words[:last], "last word", *words[last + 1 :]]
            rows = np.array([row for _, row in looks])
            return [Table(title, [name for name, _ in looks], columns, rows)]
        last = self.pair[1]
        cells = np.array([100 * np.array(rows[last])[::-1] for rows in self.shares.values()])
        names = [f"a state of {width}" for width in WIDTHS]
        title = "What a recurrent state holds of each word at the last one, percent"
        return [Table(title, names, [*words[:last], "last word"], cells)]
