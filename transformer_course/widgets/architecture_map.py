"""Figure 1 as a map: every block with its formula, its shapes and its parameters."""

import json
import re
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.data import BOS_ID
from transformer_course.decoding import evaluating
from transformer_course.model import PRESETS, Transformer, TransformerConfig, record_attention
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.sources import HERE

SIZES = ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers")
# Each block of the figure, in the order of the data: its words, its chapter, and the module of the
# model that holds its parameters.
TEXTS = json.loads((HERE / "architecture_map.json").read_text(encoding="utf-8"))
MODULES = {block: text["module"] for block, text in TEXTS.items()}


def count_parameters(config: TransformerConfig) -> dict[str, int]:
    """The parameters of each block, and of the "model", counted in the model itself."""
    with torch.device("meta"):  # shapes without numbers: the big model takes no memory
        model = Transformer(config)
    counts = {
        block: sum(p.numel() for p in model.get_submodule(module).parameters()) if module else 0
        for block, module in MODULES.items()
    }
    return {**counts, "model": model.num_parameters()}


ENGLISH, GERMAN = "A musician performs.", "Ein Musiker spielt."
DIMENSIONS = 24  # numbers of each vector that are shown
LAYER = {"encoder": 1, "decoder": -1}  # whose blocks are shown
WORD = {"encoder": 2, "decoder": 2}  # whose vector is followed: performs, Musiker
CHOICES = 5  # of the likeliest next pieces
READS = {
    "encoder_self_attn": "Each row shares out 1 among the words it reads",
    "decoder_self_attn": "Nothing right of the diagonal: it is not written yet",
    "cross_attn": "Each row reads the source for the word it writes next",
}
ADDED = {"cross_attn": "source", "encoder_self_attn": "attention", "decoder_self_attn": "attention"}


@cache
def flow() -> dict[str, Any]:
    """What the carried translator's blocks make of one sentence, and of one word of it."""
    model, tokenizer = translator()
    src = torch.tensor([tokenizer.encode(ENGLISH)])
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(GERMAN)]])
    layer = {side: n % model.config.num_layers for side, n in LAYER.items()}
    modules = {
        block: re.sub(r"(encoder|decoder)_layers\.0", lambda m: f"{m[0][:-1]}{layer[m[1]]}", name)
        for block, name in MODULES.items()
        if name and block not in ("encoder", "decoder")
    }
    seen: dict[str, list[tuple[torch.Tensor, torch.Tensor]]] = {x: [] for x in modules.values()}

    def keep(name: str) -> Any:
        return lambda _module, inputs, output: seen[name].append((inputs[0][0], output[0]))

    hooks = [model.get_submodule(name).register_forward_hook(keep(name)) for name in seen]
    try:
        with evaluating(model), record_attention(model) as attended:
            memory = model.encode(src)
            states = model.decode_states(tgt, memory)
            logits = model.logits(states)[0]
    finally:
        for hook in hooks:
            hook.remove()
    passed = {
        block: seen[name][block.startswith("tgt") and len(seen[name]) > 1]
        for block, name in modules.items()
        if seen[name]
    }
    whole = {block: output for block, (_, output) in passed.items()}
    whole |= {"encoder": memory[0], "decoder": states[0], "linear": logits}
    scale = model.config.d_model**0.5  # what follows the embedding is part of its block
    for block in ("src_embedding", "tgt_embedding"):
        whole[block] = whole[block] * scale
    words = {"encoder": tokenizer.pieces(ENGLISH), "decoder": ["<s>", *tokenizer.pieces(GERMAN)]}
    words = {side: [piece.replace("▁", "") for piece in row] for side, row in words.items()}
    made: dict[str, dict[str, Any]] = {}
    for before, block in pairwise(["", *MODULES]):
        side = _side(block)
        place, name = WORD[side], modules.get(block, "")
        one = f"The vector of “{words[side][place]}”"
        here = f" In a trained translator, layer {layer[side] + 1} of {model.config.num_layers}."
        if name in attended:
            weights = attended[name][0]
            made[block] = {
                "title": "Who looks at whom",
                "note": f"{READS[block]} (mean of {len(weights)} heads).{here}",
                "heads": words["encoder" if block == "cross_attn" else side],
                "rows": [
                    {"name": word, "weights": _rounded(row)}
                    for word, row in zip(words[side], weights.mean(dim=0), strict=True)
                ],
            }
        elif "norm" in block:
            total, output = (x[place] for x in passed[block])
            added = whole[before][place]
            before_mean, before_spread, mean, spread = (
                round(x.item(), 2)
                for row in (total, output)
                for x in (row.mean(), row.std(correction=0))
            )
            made[block] = {
                "title": one,
                "note": f"Sum: mean {_signed(before_mean)}, spread {before_spread:.2f} (band). "
                f"Normed: {_signed(mean)} and {spread:.2f}.{here}",
                "rows": [
                    _bars("x", "hue0", total - added),
                    _bars(f"+ {ADDED.get(before, 'forward')}", "hue5", added),
                    {**_bars("= sum", "hue0", total), "band": before_spread},
                    {**_bars("normed", "now", output), "band": spread},
                ],
            }
        elif "feed" in block:
            given, output = (x[place] for x in passed[block])
            block_of: Any = model.get_submodule(name)
            with evaluating(model):
                hidden = block_of.expand(given).relu()
            made[block] = {
                "title": one,
                "note": f"Inside, {int((hidden > 0).sum())} of {len(hidden)} numbers are above 0."
                f"{here}",
                "rows": [
                    _bars("x", "hue0", given),
                    {**_bars("inside", "hue3", hidden), "bars": _rounded(hidden)},
                    _bars("out", "hue5", output),
                ],
            }
        elif "positions" in block:
            given, output = (x[place] for x in passed[block])
            made[block] = {
                "title": one,
                "note": f"The first {DIMENSIONS} numbers; pale is below 0.",
                "rows": [
                    _bars("word", "hue0", given),
                    _bars(f"+ place {place}", "hue6", output - given),
                    _bars("= sum", "now", output),
                ],
            }
        elif block in ("linear", "softmax"):
            scores = logits[place]
            values = scores if block == "linear" else scores.softmax(dim=-1)
            best = scores.topk(CHOICES).indices.tolist()
            top = values.max() if block == "linear" else 1
            made[block] = {
                "title": f"What follows “{' '.join(words[side][1 : place + 1])}”",
                "note": f"The {CHOICES} highest of {len(scores):,} scores."
                if block == "linear"
                else f"The same {CHOICES}: their shares of 1.",
                "rows": [
                    {
                        "name": tokenizer.id_to_piece(n).replace("▁", ""),
                        "share": round((values[n] / top).item(), 4),
                        "told": f"{values[n]:.1f}" if block == "linear" else f"{values[n]:.2f}",
                    }
                    for n in best
                ],
            }
        else:
            ids = (src if side == "encoder" else tgt)[0].tolist()
            made[block] = {
                "title": "“" + ENGLISH + "”" if side == "encoder" else "The translation so far",
                "note": f"The first {DIMENSIONS} numbers of each vector; pale is below 0."
                if block in whole
                else "Each word's number: its place in the vocabulary.",
                "rows": [
                    _bars(word, "now", whole[block][n])
                    if block in whole
                    else {"name": word, "told": f"{ids[n]:,}"}
                    for n, word in enumerate(words[side])
                ],
            }
    return {"src": len(words["encoder"]), "tgt": len(words["decoder"]), "made": made}


def _bars(name: str, hue: str, numbers: torch.Tensor) -> dict[str, Any]:
    return {"name": name, "hue": hue, "bars": _rounded(numbers[:DIMENSIONS])}


def _signed(x: float) -> str:
    return f"{x + 0.0:.2f}".replace("-", "−")


def _side(block: str) -> str:
    return "encoder" if block.startswith(("src", "encoder")) else "decoder"


def _rounded(numbers: torch.Tensor) -> Any:
    return np.round(numbers.double().numpy(), 2).tolist()


class ArchitectureMap(CourseWidget, source="architecture_map"):
    """Let a sentence run through figure 1; press a block, or walk the wires with the arrow keys.

    What a block makes of the sentence was computed by the carried translator. `block` is the one
    that is open: a chapter shows with it where in the model it stands.
    """

    block = traitlets.Enum(list(MODULES), "encoder_self_attn").tag(sync=True)
    preset = traitlets.Enum(list(PRESETS), "base").tag(sync=True)
    batch = traitlets.Int(32, min=1, max=64, help="sentence pairs").tag(sync=True)
    src_len = traitlets.Int(10, min=1, max=128, help="tokens of the source").tag(sync=True)
    tgt_len = traitlets.Int(12, min=1, max=128, help="tokens of the target").tag(sync=True)
    sizes = traitlets.Dict(help="of each preset").tag(sync=True)
    flow = traitlets.Dict(help="what each block makes of one sentence").tag(sync=True)
    texts = traitlets.Dict(TEXTS, help="name, formula, role and chapter of each block").tag(
        sync=True
    )

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.flow = flow()
        self.sizes = {
            name: {size: getattr(config, size) for size in SIZES}
            for name, config in PRESETS.items()
        }

    def __repr__(self) -> str:
        return f"ArchitectureMap(block={self.block!r}, preset={self.preset!r})"

    def tables(self) -> list[Table]:
        """The parameters of each block, in thousands, and its share of the model."""
        counts = count_parameters(PRESETS[self.preset])
        cells = np.array([[n / 1000, 100 * n / counts["model"]] for n in counts.values()])
        title = f"Blocks of figure 1, sizes of {self.preset} (the embeddings and linear are one)"
        return [Table(title, list(counts), ["thousand parameters", "% of the model"], cells)]
