"""Scaled dot-product attention and its many heads (section 3.2)."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn


def attention(
    query: Float[Tensor, "*batch q_len head_dim"],
    key: Float[Tensor, "*batch k_len head_dim"],
    value: Float[Tensor, "*batch k_len value_dim"],
    mask: Bool[Tensor, "*#batch #q_len k_len"] | None = None,
) -> tuple[Float[Tensor, "*batch q_len value_dim"], Float[Tensor, "*batch q_len k_len"]]:
    """Mix the values, each weighted by how well its key matches the query (equation 1).

    Returns the mixture and the weights. A query whose keys are all masked has no answer: NaN.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def fused_attention(
    query: Float[Tensor, "*batch q_len head_dim"],
    key: Float[Tensor, "*batch k_len head_dim"],
    value: Float[Tensor, "*batch k_len head_dim"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch q_len head_dim"]:
    """The mixture of `attention`, by torch's fused kernel, which never stores the weights.

    A query whose keys are all masked gets zeros here, not NaN.
    """
    if query.device.type == "cpu" and query.dtype == torch.bfloat16:
        # torch's CPU kernel is many times slower backward in bfloat16 than in float32.
        with torch.autocast("cpu", enabled=False):
            mixed = fused_attention(query.float(), key.float(), value.float(), mask)
        return mixed.to(query.dtype)
    return F.scaled_dot_product_attention(query, key, value, mask)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own slice of d_model (section 3.2.2)."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(
                f"d_model={d_model} is not divisible by num_heads={num_heads}: "
                "every head needs an equal slice, so change one of the two"
            )
        self.num_heads = num_heads
        self.query_proj = nn.Linear(d_model, d_model)
        self.key_proj = nn.Linear(d_model, d_model)
        self.value_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"],
        value: Float[Tensor, "batch k_len d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch q_len d_model"]:
        q = self.split_heads(self.query_proj(query))
        k = self.split_heads(self.key_proj(key))
        v = self.split_heads(self.value_proj(value))
        return self.out_proj(self.merge_heads(fused_attention(q, k, v, mask)))

    def split_heads(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch num_heads length head_dim"]:
        """Cut d_model into one slice per head and bring the heads to the front."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def merge_heads(
        self, x: Float[Tensor, "batch num_heads length head_dim"]
    ) -> Float[Tensor, "batch length d_model"]:
        """Undo `split_heads`: lay the heads side by side again."""
        return x.transpose(1, 2).flatten(2)

    def weights(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"],
        value: Float[Tensor, "batch k_len d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch num_heads q_len k_len"]:
        """What every head looks at: the weights that `forward` uses and does not keep."""
        q = self.split_heads(self.query_proj(query))
        k = self.split_heads(self.key_proj(key))
        return attention(q, k, k, mask)[1]


@contextmanager
def record_attention(
    model: nn.Module,
) -> Iterator[dict[str, Float[Tensor, "batch num_heads q_len k_len"]]]:
    """Collect, by module name, the weights of every attention that runs in the `with` block.

    >>> with record_attention(model) as weights:  # doctest: +SKIP
    ...     model(src, tgt)
    >>> weights["decoder_layers.0.cross_attn"].shape  # doctest: +SKIP
    """
    recorded: dict[str, Tensor] = {}

    def recorder(name: str):
        def record(module: MultiHeadAttention, args: tuple[Tensor, ...], output: Tensor) -> None:
            recorded[name] = module.weights(*args).detach()

        return record

    hooks = [
        module.register_forward_hook(recorder(name))
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    try:
        yield recorded
    finally:
        for hook in hooks:
            hook.remove()
