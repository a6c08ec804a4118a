"""A translator in the page: the course's own model, every head in sight, no kernel needed."""

import zlib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from torch import Tensor, nn

from transformer_course.carried import FOLDER, translator
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer, make_batch, pad
from transformer_course.decoding import beam_search, evaluating
from transformer_course.model import Transformer, record_attention
from transformer_course.widgets.base import CourseWidget, Table

FILES = {"tokenizer": "tokenizer.json", "weights": "averaged/model.safetensors"}
SENTENCES = (
    "Two men are sitting on a bench by the river.",
    "A man is smiling while he is holding a baby.",
    "A man is standing by the river bank.",
    "Attention is all you need.",
)
SIDES = ("source", "output")
WEIGHTS = {"cross": "cross_attn", "encoder": "self_attn", "decoder": "self_attn"}


class Translator(CourseWidget, source="translator"):
    """Type an English sentence, read German, and look inside: heads, layers, vectors.

    The page computes everything itself. It fetches the weights when the reader first asks for a
    translation of their own; the examples were translated here, by beam search of four.
    """

    look = traitlets.Enum(
        ["cross", "encoder", "decoder", "source", "output"], "cross", help="what to look at"
    ).tag(sync=True)
    layer = traitlets.Int(4, min=0, max=4, help="0: before the first, of vectors only").tag(
        sync=True
    )
    head = traitlets.Int(1, min=1, max=4).tag(sync=True)
    token = traitlets.Int(4, min=0, help="the token in question, counted from 0").tag(sync=True)
    beam = traitlets.Enum([1, 4], 4, help="1 is greedy search").tag(sync=True)
    limit = traitlets.Int(120, min=1, help="pieces of a text at most").tag(sync=True)
    examples = traitlets.List(traitlets.Dict(), help="in hundredths; see look_inside").tag(
        sync=True
    )
    files = traitlets.Dict(help="what the page has to fetch, to the byte").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.examples = [look_inside(*translator(), sentence) for sentence in SENTENCES]
        self.files = {key: promise(FOLDER / name) for key, name in FILES.items()}

    @anywidget.experimental.command
    def read(self, message: object, buffers: list[bytes]) -> tuple[object, list[bytes]]:
        """Hand the files to the page where there is a kernel; they never stand in the notebook."""
        return list(FILES), [(FOLDER / name).read_bytes() for name in FILES.values()]

    def tables(self) -> list[Table]:
        """Each example with its translation, and what the chosen head of the decoder looked at."""
        layer, head = max(self.layer, 1), self.head
        tables = []
        for example in self.examples:
            source, output = ([piece.replace("▁", "") for piece in example[side]] for side in SIDES)
            cells = numbers(example["weights"]["cross"][layer - 1][head - 1])
            title = (
                f"{example['text']} → {example['translation']} "
                f"(cross-attention, layer {layer}, head {head})"
            )
            tables.append(Table(title, output, source, cells.reshape(len(output), len(source))))
        return tables


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
    states: dict[str, list[Tensor]] = {side: [] for side in SIDES}
    hooks = [
        hook
        for side, layers in zip(SIDES, (model.encoder_layers, model.decoder_layers), strict=True)
        for hook in collect(layers, states[side])
    ]
    with evaluating(model), record_attention(model) as recorded:
        logits = model(batch.src, batch.tgt_in)[0]
        logits[:, [PAD_ID, BOS_ID]] = float("-inf")
        shares, ids = logits.softmax(-1).topk(3)
    for hook in hooks:
        hook.remove()
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
        "weights": weights,
        "alike": {
            side: [hundredths(cosines(x, x)) for x in found] for side, found in states.items()
        },
        "turned": {
            side: [
                hundredths(cosines(after, before).diagonal()) for before, after in pairwise(found)
            ]
            for side, found in states.items()
        },
        "candidates": [
            [[tokenizer.id_to_piece(i), round(x, 2)] for i, x in zip(*row, strict=True)]
            for row in zip(ids.tolist(), shares.tolist(), strict=True)
        ],
    }


def collect(layers: nn.ModuleList, states: list[Tensor]) -> list[Any]:
    """Hooks that keep the vectors before the first layer and after each."""

    def before(module: nn.Module, args: tuple[Tensor, ...]) -> None:
        states.append(args[0][0])

    def after(module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        states.append(output[0])

    return [
        layers[0].register_forward_pre_hook(before),
        *(layer.register_forward_hook(after) for layer in layers),
    ]


def cosines(a: Tensor, b: Tensor) -> Tensor:
    """How far each row of one points the way of each row of the other, from -1 to 1."""
    return nn.functional.normalize(a, dim=-1) @ nn.functional.normalize(b, dim=-1).T


def hundredths(numbers: Tensor) -> str:
    """Numbers as whole hundredths in one text: small to carry, and all that is displayed."""
    return " ".join(map(str, (100 * numbers.double()).round().int().flatten().tolist()))


def numbers(hundredths: str) -> np.ndarray:
    """The numbers again, row after row."""
    return np.array(hundredths.split(), dtype=float) / 100
