"""The three uses of attention in one translator: whose queries, whose keys, which mask."""

import functools
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import BOS_ID, PAD_ID
from transformer_course.decoding import encode_sources
from transformer_course.model import causal_mask, padding_mask, record_attention
from transformer_course.widgets.base import CourseWidget, Table

# Each use: the module in a layer, where queries come from, where keys and values come from.
USES = {
    "encoder": ("encoder_layers.{}.self_attn", "src", "src"),
    "decoder": ("decoder_layers.{}.self_attn", "tgt", "tgt"),
    "cross": ("decoder_layers.{}.cross_attn", "tgt", "src"),
}
SENTENCE = "A brown dog runs through the snow."
MOST_TOKENS, PADDED = 12, {"src": 2, "tgt": 1}


@functools.cache
def record(sentence: str) -> dict[str, Any]:
    """The carried translator reads a sentence, as if beside a longer one, and its translation.

    The weights are in thousandths, by use, layer and head: one row for each real token, one
    column for each token, padding included. The masks are the model's own.
    """
    model, tokenizer = translator()
    [src_ids] = encode_sources([sentence], tokenizer, model.config.max_len)
    with decoding.evaluating(model):
        [found] = decoding.greedy(model, torch.tensor([src_ids]))
        ids = {"src": src_ids, "tgt": [BOS_ID, *found]}
        if max(map(len, ids.values())) > MOST_TOKENS:
            raise traitlets.TraitError(
                f"sentence: expected at most {MOST_TOKENS} tokens in each language, got "
                f"{len(src_ids)} and {len(found) + 1}: take a shorter sentence"
            )
        padded = {side: torch.tensor([[*x, *[PAD_ID] * PADDED[side]]]) for side, x in ids.items()}
        with record_attention(model) as weights:
            model(padded["src"], padded["tgt"])
    pieces = {
        side: [tokenizer.id_to_piece(int(n)).replace("▁", "") for n in x[0]]
        for side, x in padded.items()
    }
    hidden = {side: padding_mask(x)[0, 0] for side, x in padded.items()}
    causal = causal_mask(len(pieces["tgt"]))
    masks = {
        "encoder": hidden["src"].expand(len(pieces["src"]), -1),
        "decoder": causal & hidden["tgt"],
        "cross": hidden["src"].expand(len(pieces["tgt"]), -1),
    }
    recorded = {
        use: [
            [
                (head[: len(ids[query])].double() * 1000).round().int().tolist()
                for head in weights[module.format(layer)][0]
            ]
            for layer in range(model.config.num_layers)
        ]
        for use, (module, query, _) in USES.items()
    }
    return {
        "pieces": pieces,
        "masks": {use: mask[: len(ids[USES[use][1]])].tolist() for use, mask in masks.items()},
        "weights": recorded,
        "sizes": {"d_model": model.config.d_model, "num_heads": model.config.num_heads},
    }


class ThreeUses(CourseWidget, source="three_uses"):
    """Choose a use, a layer, a head and a word: see where it looks, and what it may not see.

    The model is the small translator of the course; `sentence` is English, the German its own.
    """

    use = traitlets.Enum([*USES], "cross", help="which attention").tag(sync=True)
    layer = traitlets.Int(4, min=1, max=4).tag(sync=True)
    head = traitlets.Int(3, min=1, max=4).tag(sync=True)
    word = traitlets.Int(2, min=0, max=MOST_TOKENS - 1, help="the token that looks").tag(sync=True)
    data = traitlets.Dict(help="tokens, masks and weights").tag(sync=True)

    def __init__(self, sentence: str = SENTENCE, **traits: Any):
        self.sentence = sentence
        super().__init__(data=record(sentence), **traits)

    def __repr__(self) -> str:
        return f"ThreeUses({self.sentence!r})"

    def tables(self) -> list[Table]:
        """The weights of one head for each use; what a mask hides has weight 0."""
        tables = []
        for use, (_, query, key) in USES.items():
            weights = np.array(self.data["weights"][use][self.layer - 1][self.head - 1]) / 1000
            rows = self.data["pieces"][query][: len(weights)]
            title = f"{use}: layer {self.layer}, head {self.head}"
            tables.append(Table(title, rows, self.data["pieces"][key], weights))
        return tables
