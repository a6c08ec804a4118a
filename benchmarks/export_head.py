"""Write two heads of the grammar's translator to widgets/attention_picture.json.

    python benchmarks/export_head.py

The carried weights are bytes with a scale for each row; they go out as they are.
"""

import base64
import sys
from typing import Any

import torch
from export_attention import PACKAGE, dump
from torch import Tensor

from transformer_course import carried
from transformer_course.commands.record import no_options
from transformer_course.data import EOS_ID, Tokenizer
from transformer_course.decoding import translate
from transformer_course.model import MultiHeadAttention

TARGET = PACKAGE / "widgets" / "attention_picture.json"
LAYER, HEAD = 0, 0  # no other costs as many words of two meanings: results/figures.json
OTHER = 3  # it reads what the first head does not: of a bank, the words of water
SENTENCE = "The bank and the {} were old."
NOUNS = ["safe", "stream", "money", "boat", "river", "lake", "fish"]
NOUNS += ["street", "cave", "man", "queen", "key"]
END = "(end)"  # how the drawing calls the end mark
OTHERS = ["The", "bank", "and", "the", "were", "old", "tired", ".", END]


def main() -> int:
    """Pack embeddings and projections; have the model translate the sentence with each noun."""
    model, tokenizer = carried.load("grammar")
    attend = model.encoder_layers[LAYER].self_attn
    words = OTHERS + NOUNS
    german = translate(model, tokenizer, [SENTENCE.format(noun) for noun in NOUNS])
    found = {
        "words": words,
        "embedding": packed(model.embedding.weight[[token(tokenizer, word) for word in words]]),
        "projections": projections(attend, HEAD),
        "other": projections(attend, OTHER),
        "german": dict(zip(NOUNS, german, strict=True)),
    }
    TARGET.write_text(dump(found) + "\n", encoding="utf-8")
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
    return 0


def projections(attend: MultiHeadAttention, head: int) -> dict[str, Any]:
    """A head's slices of the maps that make queries, keys and values."""
    rows = slice(head * attend.head_dim, (head + 1) * attend.head_dim)
    maps = (attend.query_proj, attend.key_proj, attend.value_proj)
    return {
        name: packed(each.weight[rows]) | {"bias": each.bias[rows].tolist()}
        for name, each in zip("qkv", maps, strict=True)
    }


def token(tokenizer: Tokenizer, word: str) -> int:
    """The one id of a word, or of the end mark."""
    if word == END:
        return EOS_ID
    ids = tokenizer.encode(f"cow{word}")[-1:] if word == "." else tokenizer.encode(word)
    assert len(ids) == 1, word
    return ids[0]


def packed(matrix: Tensor) -> dict[str, Any]:
    """Rows as bytes, each with the scale that gives the carried numbers back."""
    scales = matrix.detach().abs().amax(dim=1) / 127
    whole = (matrix.detach() / scales[:, None]).round().to(torch.int8)
    torch.testing.assert_close(whole * scales[:, None], matrix.detach(), rtol=0, atol=1e-6)
    text = base64.b64encode(whole.numpy().tobytes()).decode()
    return {"bytes": text, "scales": scales.tolist()}


if __name__ == "__main__":
    no_options(__doc__)
    sys.exit(main())
