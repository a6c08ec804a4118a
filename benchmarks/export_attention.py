"""Write what every head of the carried model looks at to widgets/trained_attention.json.

    python benchmarks/export_attention.py

Each head is a text of whole percents, row by row; of the decoder's own attention it holds the
lower triangle alone.
"""

from __future__ import annotations

import json
import sys
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
    "stick": "A dog carries a stick and then drops it.",
    "tired": "The animal did not cross the street because it was too tired.",
    "wide": "The animal did not cross the street because it was too wide.",
    "river": "A man sits on the bank of a river.",
    "front": "A man stands in front of a bank.",
    "guitar": "The young man who is wearing a red shirt plays a guitar.",
}
NOUNS = {  # what "it" could stand for, what a reader takes it for first
    "stick": ["▁stick", "▁dog"],
    "tired": ["▁animal", "▁street"],
    "wide": ["▁street", "▁animal"],
}
BANKS = [  # in two senses; then in one sense and other words, to compare with
    (SENTENCES["river"], SENTENCES["front"]),
    (SENTENCES["river"], "A woman sits on the bank of a lake."),
    (SENTENCES["front"], "A woman stands in front of a bank."),
    (SENTENCES["front"], "A man walks out of the bank with money."),
]
KINDS = {
    "encoder": "encoder_layers.{}.self_attn",
    "decoder": "decoder_layers.{}.self_attn",
    "cross": "decoder_layers.{}.cross_attn",
}


def main() -> int:
    """Load the model, look at every sentence, write one line for each."""
    run = Run.open(RUN)
    model = checkpoint.load(run.weights()).eval()
    lines = ['{"sentences": {']
    for name, text in SENTENCES.items():
        found = look(model, run.tokenizer, text) | {"nouns": NOUNS.get(name, [])}
        lines.append(f'"{name}": {dump(found)}{"," if name != [*SENTENCES][-1] else ""}')
    banks = dump([bank(model, run.tokenizer, *pair) for pair in BANKS])
    lines.append(f'}}, "banks": {banks}}}\n')
    TARGET.write_text("\n".join(lines), encoding="utf-8")
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
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


@torch.no_grad()
def bank(model: Transformer, tokenizer: Tokenizer, one: str, other: str) -> dict[str, Any]:
    """How alike the vectors of "bank" are in two sentences, before the encoder and by layer.

    "bank" is two pieces, "▁b" and "ank"; the vector is that of the second.
    """
    vectors = []
    for text in (one, other):
        x, at = model.embed(torch.tensor([tokenizer.encode(text)])), tokenizer.pieces(text)
        states = [x] + [x := layer(x, None) for layer in model.encoder_layers]
        vectors.append(torch.cat(states)[:, at.index("ank")])
    cosines = torch.cosine_similarity(*vectors, dim=-1)
    return {"texts": [one, other], "cosines": [round(x, 3) for x in cosines.tolist()]}


if __name__ == "__main__":
    sys.exit(main())
