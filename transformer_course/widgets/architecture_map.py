"""Figure 1 as a map: every block with its formula, its shapes and its parameters."""

import json
from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.data import BOS_ID
from transformer_course.decoding import evaluating
from transformer_course.model import PRESETS, Transformer, TransformerConfig
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


@cache
def flow() -> dict[str, Any]:
    """What the carried translator's blocks give for one sentence: the start of every vector.

    Of a block that stands once in each layer, what the first layer's gives.
    """
    model, tokenizer = translator()
    src = torch.tensor([tokenizer.encode(ENGLISH)])
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(GERMAN)]])
    names = {name for name in MODULES.values() if name} - {"encoder_layers", "decoder_layers"}
    found: dict[str, list[torch.Tensor]] = {name: [] for name in names}

    def keep(name: str) -> Any:
        return lambda _module, _inputs, output: found[name].append(output)

    hooks = [model.get_submodule(name).register_forward_hook(keep(name)) for name in names]
    try:
        with evaluating(model):
            memory = model.encode(src)
            states = model.decode_states(tgt, memory)
            logits = model.logits(states)
    finally:
        for hook in hooks:
            hook.remove()
    whole = {"encoder": memory, "decoder": states, "linear": logits}
    whole = {block: output[0, :, :DIMENSIONS] for block, output in whole.items()}
    for block, name in MODULES.items():
        if name in names and block not in whole:
            whole[block] = found[name][block.startswith("tgt") and len(found[name]) > 1][0]
    scale = model.config.d_model**0.5  # what follows the embedding is part of its block
    for block in ("src_embedding", "tgt_embedding"):
        whole[block] = whole[block] * scale
    chances, pieces = logits.softmax(dim=-1)[0].max(dim=-1)
    return {
        "english": ENGLISH,
        "src": tokenizer.pieces(ENGLISH),
        "tgt": ["<s>", *tokenizer.pieces(GERMAN)],
        "values": {
            block: [[round(x, 2) for x in row[:DIMENSIONS]] for row in output.tolist()]
            for block, output in whole.items()
        },
        "next": [
            [tokenizer.id_to_piece(int(piece)), round(chance.item(), 4)]
            for chance, piece in zip(chances, pieces, strict=True)
        ],
    }


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
