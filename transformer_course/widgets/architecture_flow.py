"""What the carried translator's blocks make of one sentence: the pictures beside figure 1."""

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from transformer_course.carried import translator
from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.decoding import evaluating
from transformer_course.model import Transformer, record_attention
from transformer_course.widgets.sources import HERE

# Each block of the figure, in the order of the data: its words, its chapter, and the module of the
# model that holds its parameters.
TEXTS = json.loads((HERE / "architecture_map.json").read_text(encoding="utf-8"))
MODULES = {block: text["module"] for block, text in TEXTS.items()}

ENGLISH, GERMAN, END = "A musician performs.", "Ein Musiker spielt.", "(end)"
SOURCE = "An example: the course’s translator, d_model {d_model}, {num_layers} layers each side"
DIMENSIONS, CHOICES = 24, 5  # shown numbers of each vector, and likeliest next pieces
LAYER = {"encoder": 1, "decoder": -1}  # whose blocks are shown
WORD = {"encoder": 2, "decoder": 2}  # whose vector is followed: performs, Musiker
READS = {
    "encoder_self_attn": "The weights of each row add up to 1",
    "decoder_self_attn": "Right of the diagonal nothing is written yet",
    "cross_attn": "Each row reads for the word that it writes next",
}
ADDED = {"cross_attn": "source", "encoder_self_attn": "attention", "decoder_self_attn": "attention"}


@dataclass(frozen=True)
class Run:
    """What one pass of the carried translator left behind: of each block, what went in and out."""

    model: Transformer
    tokenizer: Any
    words: dict[str, list[str]]  # of each side
    ids: dict[str, list[int]]
    modules: dict[str, str]  # of each block, in the layer that is shown
    weights: dict[str, torch.Tensor]  # of attention, by module
    passed: dict[str, tuple[torch.Tensor, torch.Tensor]]
    whole: dict[str, torch.Tensor]  # what leaves a block, for every word

    def at(self, block: str) -> tuple[torch.Tensor, torch.Tensor]:
        """What the followed word's vector was before and after a block."""
        before, after = (x[WORD[_side(block)]] for x in self.passed[block])
        return before, after

    def here(self, block: str) -> str:
        """Of which layer these numbers are; the widget says of which model."""
        count = self.model.config.num_layers
        return f" Layer {LAYER[_side(block)] % count + 1} of {count}."


def _run() -> Run:
    model, tokenizer = translator()
    src, tgt = map(tokenizer.encode, (ENGLISH, GERMAN))
    english, german = map(tokenizer.pieces, (ENGLISH, GERMAN))
    ids = {"encoder": [*src, EOS_ID], "decoder": [BOS_ID, *tgt]}  # as it was trained
    words = {"encoder": [*english, END], "decoder": ["(start)", *german]}
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
            memory = model.encode(torch.tensor([ids["encoder"]]))
            states = model.decode_states(torch.tensor([ids["decoder"]]), memory)
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
    for block in ("src_embedding", "tgt_embedding"):  # what follows it is part of its block
        whole[block] = whole[block] * model.config.d_model**0.5
    return Run(
        model=model,
        tokenizer=tokenizer,
        words={side: [piece.replace("▁", "") for piece in row] for side, row in words.items()},
        ids=ids,
        modules=modules,
        weights={name: weights[0] for name, weights in attended.items()},
        passed=passed,
        whole=whole,
    )


def _one(run: Run, block: str) -> str:
    return f"The vector of “{run.words[_side(block)][WORD[_side(block)]]}”"


def _attention(run: Run, block: str) -> dict[str, Any]:
    side, weights = _side(block), run.weights[run.modules[block]]
    names, crossing = run.words[side], block == "cross_attn"
    if crossing:
        names = [f"→ {then}" for then in [*names[1:], END]]
    return {
        "title": "Who looks at whom",
        "note": f"{READS[block]} (mean of {len(weights)} heads).{run.here(block)}",
        "heads": run.words["encoder" if crossing else side],
        "rows": [
            {"name": names[n], "weights": _rounded(row)}
            for n, row in enumerate(weights.mean(dim=0))
        ],
    }


def _norm(run: Run, block: str) -> dict[str, Any]:
    before = next(old for old, new in pairwise(MODULES) if new == block)
    total, output = run.at(block)
    added = run.whole[before][WORD[_side(block)]]
    old_mean, old_spread, mean, spread = (
        round(x.item(), 2) for row in (total, output) for x in (row.mean(), row.std(correction=0))
    )
    return {
        "title": _one(run, block),
        "note": f"Sum: mean {_signed(old_mean)}, spread {old_spread:.2f} (band). "
        f"Normed: {_signed(mean)} and {spread:.2f}.{run.here(block)}",
        "rows": [
            _bars("x", "hue0", total - added),
            _bars(f"+ {ADDED.get(before, 'forward')}", "hue5", added),
            {**_bars("= sum", "hue0", total), "band": old_spread},
            {**_bars("normed", "now", output), "band": spread},
        ],
    }


def _feed_forward(run: Run, block: str) -> dict[str, Any]:
    given, output = run.at(block)
    inner: Any = run.model.get_submodule(run.modules[block])
    with evaluating(run.model):
        hidden = inner.expand(given).relu()
    alive = f"{int((hidden > 0).sum())} of {len(hidden)} numbers are above 0"
    return {
        "title": _one(run, block),
        "note": f"Here d_ff is {len(hidden)}; {alive}.{run.here(block)}",
        "rows": [
            _bars("x", "hue0", given),
            {**_bars("inside", "hue3", hidden), "bars": _rounded(hidden)},
            _bars("out", "hue5", output),
        ],
    }


def _positions(run: Run, block: str) -> dict[str, Any]:
    given, output = run.at(block)
    return {
        "title": _one(run, block),
        "note": f"The first {DIMENSIONS} numbers; pale is below 0.",
        "rows": [
            _bars("word", "hue0", given),
            _bars(f"+ place {WORD[_side(block)]}", "hue6", output - given),
            _bars("= sum", "now", output),
        ],
    }


def _choices(run: Run, block: str) -> dict[str, Any]:
    place, linear = WORD["decoder"], block == "linear"
    scores = run.whole["linear"][place]
    values = scores if linear else scores.softmax(dim=-1)
    top = values.max() if linear else 1
    first = f"The {CHOICES} {'highest' if linear else 'likeliest'} of {len(scores):,} "
    return {
        "title": f"What follows “{' '.join(run.words['decoder'][1 : place + 1])}”",
        "note": first + ("scores." if linear else "pieces. All probabilities add up to 1."),
        "rows": [
            {
                "name": run.tokenizer.id_to_piece(n).replace("▁", ""),
                "share": round((values[n] / top).item(), 4),
                "told": f"{values[n]:.1f}" if linear else f"{values[n]:.2f}",
            }
            for n in scores.topk(CHOICES).indices.tolist()
        ],
    }


def _sentence(run: Run, block: str) -> dict[str, Any]:
    side = _side(block)
    if block in run.whole:
        note = f"The first {DIMENSIONS} numbers of each vector; pale is below 0."
        pairs = zip(run.words[side], run.whole[block], strict=True)
        rows = [_bars(word, "now", vector) for word, vector in pairs]
    else:
        note = "Each piece becomes its number in the vocabulary."
        rows = [
            {"name": word, "told": f"→ {n:,}"}
            for word, n in zip(run.words[side], run.ids[side], strict=True)
        ]
    return {"title": f"“{ENGLISH if side == 'encoder' else GERMAN}”", "note": note, "rows": rows}


# What is shown of a block, by what its name holds; the first that fits.
KINDS = {
    "attn": _attention,
    "norm": _norm,
    "feed": _feed_forward,
    "positions": _positions,
    "linear": _choices,
    "softmax": _choices,
    "": _sentence,
}


@cache
def flow() -> dict[str, Any]:
    """What the carried translator's blocks make of one sentence, and of one word of it."""
    run = _run()
    made = {
        block: next(show for part, show in KINDS.items() if part in block)(run, block)
        for block in MODULES
    }
    src, tgt = map(len, run.words.values())  # the encoder's, the decoder's
    return {"src": src, "tgt": tgt, "source": SOURCE.format(**vars(run.model.config)), "made": made}


def _bars(name: str, hue: str, numbers: torch.Tensor) -> dict[str, Any]:
    return {"name": name, "hue": hue, "bars": _rounded(numbers[:DIMENSIONS])}


def _signed(x: float) -> str:
    return f"{x + 0.0:.2f}".replace("-", "−")


def _side(block: str) -> str:
    return "encoder" if block.startswith(("src", "encoder")) else "decoder"


def _rounded(numbers: torch.Tensor) -> Any:
    return np.round(numbers.double().numpy(), 2).tolist()
