"""The cache of keys and values: what it saves at each step, and what it costs in memory."""

from typing import Any

import numpy as np
import traitlets

from transformer_course.carried import translator
from transformer_course.model import BASE, BIG, TransformerConfig, head_sizes
from transformer_course.widgets.base import CourseWidget, Table

LLAMA = [80, 64, 8, 128]  # Llama 2 70B, from its public configuration (Touvron et al. 2023)
STEPS = 16  # tokens that the picture has room for


def shape(config: TransformerConfig) -> list[int]:
    """Layers, heads, heads of keys and values, and head_dim of one of this course's models."""
    head_dim, _, num_kv_heads = head_sizes(config.d_model, config.num_heads)
    return [config.num_layers, config.num_heads, num_kv_heads, head_dim]


def multiply_adds(tokens: int, heads: int, kv_heads: int, head_dim: int) -> np.ndarray:
    """Of one self-attention layer for each of the steps 1 to `tokens`: with a cache, and without.

    Projections of queries, keys, values and outputs, then scores and mixtures. Without a cache all
    tokens so far go through again, as whole matrix products: masked scores are computed too.
    """
    width = heads * head_dim
    step = np.arange(1, tokens + 1, dtype=np.float64)
    project = 2 * width * width + 2 * width * kv_heads * head_dim
    return np.stack([project + 2 * width * step, project * step + 2 * width * step**2])


class KVCache(CourseWidget, source="kv_cache"):
    """Watch the cache grow and save work; change its sizes, and see how many texts a GPU holds.

    The shape at the start is that of Llama 2 70B. Counted are the decoder's self-attention layers;
    cross-attention keeps its keys and values too, computed once for each source.
    """

    layers = traitlets.Int(LLAMA[0], min=1, max=128).tag(sync=True)
    heads = traitlets.Int(LLAMA[1], min=1, max=128, help="of queries").tag(sync=True)
    kv_heads = traitlets.Int(LLAMA[2], min=1, max=128, help="divides heads").tag(sync=True)
    head_dim = traitlets.Int(LLAMA[3], min=8, max=256).tag(sync=True)
    context = traitlets.Int(4096, min=16, max=131_072, help="tokens").tag(sync=True)
    batch = traitlets.Int(1, min=1, max=256, help="sequences at once").tag(sync=True)
    number_bytes = traitlets.CaselessStrEnum(["4", "2", "1"], "2", help="of one number")
    number_bytes.tag(sync=True)
    cached = traitlets.Bool(True, help="the picture: with a cache, or without").tag(sync=True)
    step = traitlets.Int(6, min=1, max=STEPS, help="tokens so far, in the picture").tag(sync=True)
    figure = traitlets.Enum(["work", "memory"], "work", help="which of the two is in sight")
    figure.tag(sync=True)
    presets = traitlets.Dict(help="names of shapes to choose from").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        head_sizes(self.heads, self.heads, num_kv_heads=self.kv_heads)  # do they divide?
        self.presets = {
            "Llama 2 70B (Touvron et al. 2023)": LLAMA,
            "the paper's base model": shape(BASE),
            "the paper's big model": shape(BIG),
            "this course's translator": shape(translator()[0].config),
        }

    def __repr__(self) -> str:
        sizes = ("layers", "heads", "kv_heads", "head_dim", "context")
        return f"KVCache({', '.join(f'{name}={getattr(self, name)}' for name in sizes)})"

    def num_bytes(self, kv_heads: int, tokens: int) -> int:
        """Of keys and values together, in all layers, for `tokens` tokens of every sequence."""
        numbers = 2 * self.layers * self.batch * kv_heads * self.head_dim * tokens
        return numbers * int(self.number_bytes)

    def tables(self) -> list[Table]:
        """Bytes by the number of heads kept, and multiply-adds with a cache and without."""
        kept = [self.heads, self.kv_heads, 1]
        names = [
            f"{name}, {n} kept" for name, n in zip(("MHA", "chosen", "MQA"), kept, strict=True)
        ]
        bytes_ = [
            [self.num_bytes(n, 1) / 2**10, self.num_bytes(n, self.context) / 2**20] for n in kept
        ]
        steps = multiply_adds(self.context, self.heads, self.kv_heads, self.head_dim)
        steps = steps * self.layers * self.batch / 1e9
        shown, whole = steps[:, self.step - 1], steps.sum(axis=1)
        columns = [f"step {self.step}", f"steps 1 to {self.step}", f"steps 1 to {self.context}"]
        counts = np.stack([shown, steps[:, : self.step].sum(axis=1), whole], axis=1)
        return [
            Table(f"{self.context} tokens", names, ["KiB a token", "MiB in all"], np.array(bytes_)),
            Table(
                "Multiply-adds of self-attention, in billions",
                ["with a cache", "without a cache"],
                columns,
                counts,
            ),
        ]
