"""A translator in the page: the course's own model, every head in sight, no kernel needed."""

import html
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from torch import Tensor

from transformer_course.carried import FOLDERS, translator
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer, make_batch, pad
from transformer_course.decoding import beam_search, evaluating
from transformer_course.model import Transformer, record_attention
from transformer_course.widgets.base import CourseWidget, Table

NAME = "everyday"  # of the carried model
FOLDER = FOLDERS[NAME]
FILES = {
    "tokenizer": "tokenizer.json",
    "weights": "averaged/model.safetensors",
    "words": "words.txt",  # every English word that it learned from
}
SENTENCES = (
    "I love you.",
    "He is not eating.",
    "Two dogs are playing in the snow.",
    "Attention is all you need.",
)
SIDES = ("source", "output")
CANDIDATES = 5  # that are told of every step
ALIGNING = (4, 0)  # the layer and the head (0: all) whose weights tell best which word is which
UNSURE = 0.47  # 19 of 20 unseen sentences have more
WEIGHTS = {"cross": "cross_attn", "encoder": "self_attn", "decoder": "self_attn"}


class Translator(CourseWidget, source="translator"):
    """Type an English sentence, read German, and see which words looked at which.

    The page computes everything itself. It fetches the model when the reader first asks for a
    translation of their own; the examples were translated here, by beam search of four.
    """

    look = traitlets.Enum(list(WEIGHTS), "cross", help="who looks at whom").tag(sync=True)
    layer = traitlets.Int(ALIGNING[0], min=1, max=4).tag(sync=True)
    head = traitlets.Int(ALIGNING[1], min=0, max=4, help="0: all, their mean").tag(sync=True)
    token = traitlets.Int(-1, min=-1, help="the chosen word of those that look; -1: none").tag(
        sync=True
    )
    beam = traitlets.Enum([1, 4], 4, help="1 is greedy search").tag(sync=True)
    limit = traitlets.Int(120, min=1, help="pieces of a text at most").tag(sync=True)
    unsure = traitlets.Float(UNSURE, help="mean share of its own pieces, below which it says so")
    unsure.tag(sync=True)
    small = traitlets.Bool(False, help="without controls to look inside").tag(sync=True)
    examples = traitlets.List(traitlets.Dict(), help="in hundredths; see look_inside").tag(
        sync=True
    )
    files = traitlets.Dict(help="what the page has to fetch, to the byte").tag(sync=True)

    def __init__(self, sentences: Sequence[str] = SENTENCES, **traits: Any):
        """`sentences` are examples, translated here; at least one."""
        super().__init__(**traits)
        self.examples = [look_inside(*translator(NAME), text) for text in sentences]
        self.files = {key: promise(FOLDER / name) for key, name in FILES.items()}

    @anywidget.experimental.command
    def read(self, message: object, buffers: list[bytes]) -> tuple[object, list[bytes]]:
        """Hand the files to the page where there is a kernel; they never stand in the notebook."""
        return list(FILES), [(FOLDER / name).read_bytes() for name in FILES.values()]

    def tables(self) -> list[Table]:
        """Each example with its translation, and what the chosen head of the decoder looked at."""
        tables = []
        for example in self.examples:
            source, output = ([piece.replace("▁", "") for piece in example[side]] for side in SIDES)
            heads = [numbers(cells) for cells in example["weights"]["cross"][self.layer - 1]]
            cells = heads[self.head - 1] if self.head else np.mean(heads, axis=0)
            which = f"head {self.head}" if self.head else "mean of its heads"
            title = (
                f"{example['text']} → {example['translation']} "
                f"(cross-attention, layer {self.layer}, {which})"
            )
            tables.append(Table(title, output, source, cells.reshape(len(output), len(source))))
        return tables

    def as_text(self) -> str:
        """The static twin in plain characters; of the small form no more than the translations."""
        lines = [f"{one['text']} → {one['translation']}" for one in self.examples]
        return "\n".join([repr(self), *lines]) if self.small else super().as_text()

    def as_html(self) -> str:
        """The static twin in HTML, likewise."""
        if not self.small:
            return super().as_html()
        rows = "".join(
            f"<li>{html.escape(one['text'])} → "
            f"<b lang='de'>{html.escape(one['translation'])}</b></li>"
            for one in self.examples
        )
        return f'<div class="course-static"><ul>{rows}</ul></div>'


def promise(path: Path) -> dict[str, Any]:
    """What the page holds a file to before it uses it."""
    content = path.read_bytes()
    return {"name": path.name, "bytes": len(content), "crc32": zlib.crc32(content)}


@lru_cache
def look_inside(model: Transformer, tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """A translation and all that led to it: the names and the order of `trace` in transformer.js.

    Weights and cosines are texts of whole hundredths, row after row. Row t of the decoder is the
    step that wrote token t of the output.
    """
    src = [*tokenizer.encode(text), EOS_ID]
    [tgt] = beam_search(model, pad([src]))
    batch = make_batch([(src[:-1], tgt)])
    with evaluating(model), record_attention(model) as recorded:
        logits = model(batch.src, batch.tgt_in)[0]
        logits[:, [PAD_ID, BOS_ID]] = float("-inf")
        shares = logits.softmax(-1)
    written = shares.gather(1, batch.tgt_out.T)
    best, ids = shares.topk(CANDIDATES)
    weights = {
        look: [
            [hundredths(head) for head in recorded[f"{stack}_layers.{layer}.{name}"][0]]
            for layer in range(model.config.num_layers)
        ]
        for look, name in WEIGHTS.items()
        for stack in ["encoder" if look == "encoder" else "decoder"]
    }
    return {
        "text": text,
        "beam": 4,
        "source": [tokenizer.id_to_piece(i) for i in src],
        "output": [tokenizer.id_to_piece(i) for i in [*tgt, EOS_ID]],
        "translation": tokenizer.decode(tgt),
        "unknown": [tokenizer.id_to_piece(i) for i in src if i == UNK_ID],
        "strangers": [],
        "rare": [],
        "sure": round(float(written.log().mean().exp()), 2),
        "weights": weights,
        "candidates": [
            [[tokenizer.id_to_piece(i), round(x, 4)] for i, x in zip(*row, strict=True)]
            for row in zip(ids.tolist(), best.tolist(), strict=True)
        ],
    }


def hundredths(numbers: Tensor) -> str:
    """Numbers as whole hundredths in one text: small to carry, and all that is displayed."""
    return " ".join(map(str, (100 * numbers.double()).round().int().flatten().tolist()))


def numbers(hundredths: str) -> np.ndarray:
    """The numbers again, row after row."""
    return np.array(hundredths.split(), dtype=float) / 100
