"""One layer of the paper beside one of a later model, part by part (section 7)."""

import json
from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets
from torch import nn

from transformer_course.model import (
    DecoderLayer,
    DecoderOnly,
    EncoderLayer,
    EncoderOnly,
    TransformerConfig,
)
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.sources import HERE

PARTS = json.loads((HERE / "then_and_now.json").read_text(encoding="utf-8"))
STATES = ("kept", "changed", "new", "gone", "neither")

_MEDIUM: dict[str, Any] = {"d_model": 768, "num_heads": 12, "d_ff": 3072, "num_layers": 12}
_LARGE: dict[str, Any] = {"d_model": 4096, "num_heads": 32, "num_layers": 32, "vocab_size": 32_000}
_LARGE |= {"norm_placement": "pre", "norm": "rms", "positions": "rotary", "activation": "swiglu"}
_MEDIUM |= {"positions": "learned", "activation": "gelu"}
# As published, with the choices that the course's configuration has a name for (chapter 2 counts
# their parameters); and how far a token looks.
MODELS: dict[str, tuple[type[DecoderOnly] | type[EncoderOnly], TransformerConfig, str]] = {
    "BERT base, 2018": (EncoderOnly, TransformerConfig(vocab_size=30_522, **_MEDIUM), "both"),
    "GPT-2 small, 2019": (
        DecoderOnly,
        TransformerConfig(vocab_size=50_257, norm_placement="pre", max_len=1024, **_MEDIUM),
        "causal",
    ),
    "LLaMA 7B, 2023": (DecoderOnly, TransformerConfig(d_ff=11_008, **_LARGE), "causal"),
    "Mistral 7B, 2023": (
        DecoderOnly,
        TransformerConfig(d_ff=14_336, num_kv_heads=8, **_LARGE),
        "window",
    ),
}


def choices(config: TransformerConfig, mask: str) -> list[str]:
    """Which of the entries under "now" this model has, for each of the `PARTS`."""
    pre, rotary = config.norm_placement == "pre", config.positions == "rotary"
    wider = config.activation == "swiglu" and config.d_ff > 3 * config.d_model
    return [
        config.positions,
        config.norm if pre else "post",
        "all" if config.num_kv_heads in (None, config.num_heads) else "grouped",
        "rotary" if rotary else "plain",
        mask,
        "same",
        config.norm_placement,
        config.norm_placement,
        "none" if mask == "both" else "gone",
        config.activation + (", wider" if wider else ""),
    ]


def weights(*modules: nn.Module) -> int:
    """How many numbers these modules learn."""
    return sum(p.numel() for module in modules for p in module.parameters())


@cache
def layers(name: str) -> tuple[list[int], list[int]]:
    """Parameters of each part: in the paper's layer of this kind and width, and in this model.

    An encoder is set beside the paper's encoder layer, a decoder beside its decoder layer. Norms
    are counted where they stand: before a sub-layer, or after it.
    """
    kind, config, _ = MODELS[name]
    with torch.device("meta"):  # shapes without numbers
        paper = EncoderLayer if kind is EncoderOnly else DecoderLayer
        then: Any = paper(config.d_model, config.num_heads, 4 * config.d_model)
        model = kind(config)
    now: Any = (model.decoder_layers if isinstance(model, DecoderOnly) else model.encoder_layers)[0]
    norms = weights(now.norm1, now.norm2)
    pre = config.norm_placement == "pre"
    of_then = {
        "projections": weights(then.self_attn),
        "norm after": weights(*(part for name, part in then.named_children() if "norm" in name)),
        "feed-forward": weights(then.feed_forward),
    }
    if kind is DecoderOnly:
        of_then["cross-attention"] = weights(then.cross_attn)
    of_now = {
        "norm before": norms if pre else 0,
        "projections": weights(now.self_attn),
        "norm after": 0 if pre else norms,
        "feed-forward": weights(now.feed_forward),
    }
    names = [part["part"] for part in PARTS]
    return [of_then.get(part, 0) for part in names], [of_now.get(part, 0) for part in names]


def compared(name: str) -> dict[str, Any]:
    """All that the page shows of one model: a row for each part."""
    kind, config, mask = MODELS[name]
    stack = "encoder" if kind is EncoderOnly else "decoder"
    with torch.device("meta"):
        table = weights(kind(config).positions)
    told = zip(PARTS, choices(config, mask), *layers(name), strict=True)
    rows: list[dict[str, Any]] = [
        {**part["now"][choice], "kind": choice, "weights": [before, after]}
        for part, choice, before, after in told
    ]
    rows[0]["once"] = table  # a table of positions is no layer's
    then = [{"part": part["part"], **part.get(stack, part["then"])} for part in PARTS]
    width = config.d_model
    return {"name": name, "stack": stack, "width": width, "then": then, "rows": rows}


class ThenAndNow(CourseWidget, source="then_and_now"):
    """Step through the parts of a layer: what the paper has there, and what a later model has.

    Kept, changed, new or gone follows from the configurations by which the course builds these
    models. The parameters are counted in layers of equal width.
    """

    chosen = traitlets.Int(2, min=0, max=len(MODELS) - 1, help="which later model").tag(sync=True)
    part = traitlets.Int(0, min=0, max=len(PARTS) - 1, help="which part is told of").tag(sync=True)
    models: traitlets.List = traitlets.List(
        help="by model: the paper's part for each row, and what was made of it"
    ).tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.models = [compared(name) for name in MODELS]

    def __repr__(self) -> str:
        return f"ThenAndNow({self.models[self.chosen]['name']!r})"

    def tables(self) -> list[Table]:
        """Parameters of each part, then and now, and what became of it."""
        model = self.models[self.chosen]
        rows = model["rows"]
        names = [
            f"{before['part']}: {before['label']} | {row['state']}: {row['label']}"
            for before, row in zip(model["then"], rows, strict=True)
        ]
        millions = np.array([row["weights"] for row in rows]) / 1e6
        columns = ["then, millions of parameters", "now"]
        return [Table(model["name"], names, columns, millions)]
