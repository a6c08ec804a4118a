"""Write what every head of the carried model looks at to widgets/trained_attention.json.

    python benchmarks/export_attention.py

Each head is a text of whole percents, row by row; of the decoder's own attention it holds the
lower triangle alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer_course.data import BOS_ID, Tokenizer
from transformer_course.decoding import beam_search
from transformer_course.model import Transformer, record_attention
from transformer_course.training import Run, checkpoint

PACKAGE = Path(__file__).parents[1] / "transformer_course"
RUN = PACKAGE / "carried" / "multi30k-en-de"
TARGET = PACKAGE / "widgets" / "trained_attention.json"

SENTENCES = {
    "dog": "A dog is running through the water with a stick in its mouth.",
    "guitar": "The young man who is wearing a red shirt plays a guitar.",
    "children": "Two children in yellow jackets are playing in the snow.",
    "bench": "A man is sitting on a bench and is reading a newspaper.",
}
KINDS = {
    "encoder": "encoder_layers.{}.self_attn",
    "decoder": "decoder_layers.{}.self_attn",
    "cross": "decoder_layers.{}.cross_attn",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Load the model, look at every sentence, write one line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, default=TARGET, help="default: the widget's own file")
    target = parser.parse_args(argv).out
    run = Run.open(RUN)
    model = checkpoint.load(run.weights()).eval()
    lines = ['{"sentences": {']
    for name, text in SENTENCES.items():
        found = look(model, run.tokenizer, text)
        lines.append(f'"{name}": {dump(found)}{"," if name != [*SENTENCES][-1] else ""}')
    lines.append("}}\n")
    target.write_text("\n".join(lines), encoding="utf-8")
    print(f"{target}: {target.stat().st_size:,} bytes")
    return 0


def dump(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@torch.no_grad()
def look(model: Transformer, tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """Pieces of a sentence and of its translation (beam 4), and the weights of all heads."""
    src = torch.tensor([tokenizer.encode(text)])
    ids = beam_search(model, src, beam=4)[0]
    with record_attention(model) as weights:
        model(src, torch.tensor([[BOS_ID, *ids]]))
    found: dict[str, Any] = {
        "text": text,
        "translation": tokenizer.decode(ids),
        "src": tokenizer.pieces(text),
        "tgt": [tokenizer.id_to_piece(piece) for piece in [BOS_ID, *ids]],
    }
    for kind, name in KINDS.items():
        layers = [weights[name.format(n)][0] for n in range(model.config.num_layers)]
        found[kind] = [[percents(head, kind == "decoder") for head in layer] for layer in layers]
    return found


def percents(head: Tensor, causal: bool) -> str:
    """One head's weights row by row, as whole percents."""
    rows = (100 * head).round().int().tolist()
    return " ".join(str(x) for i, row in enumerate(rows) for x in row[: i + 1 if causal else None])


if __name__ == "__main__":
    sys.exit(main())
