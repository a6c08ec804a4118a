"""Scaled dot-product attention and its many heads (section 3.2)."""

from collections.abc import Iterator
from contextlib import contextmanager

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_course.model.scaled_dot_product import attention, fused_attention
from transformer_course.model.sizes import head_sizes


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own slice of d_model (section 3.2.2).

    Table 3 (B) sets `head_dim` and `value_dim` apart from d_model / num_heads. Fewer `num_kv_heads`
    than heads make it grouped-query (Ainslie et al. 2023), one multi-query (Shazeer 2019).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        head_dim: int | None = None,
        value_dim: int | None = None,
        num_kv_heads: int | None = None,
    ):
        super().__init__()
        sizes = head_sizes(d_model, num_heads, head_dim, value_dim, num_kv_heads)
        self.num_heads = num_heads
        self.head_dim, self.value_dim, self.num_kv_heads = sizes
        self.query_proj = nn.Linear(d_model, num_heads * self.head_dim)
        self.key_proj = nn.Linear(d_model, self.num_kv_heads * self.head_dim)
        self.value_proj = nn.Linear(d_model, self.num_kv_heads * self.value_dim)
        self.out_proj = nn.Linear(num_heads * self.value_dim, d_model)

    def forward(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"],
        value: Float[Tensor, "batch k_len d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch q_len d_model"]:
        """Let every head of every query mix what it finds, and bring the mixtures together."""
        q, k, v = self.project(query, key, value)
        return self.out_proj(self.merge_heads(self.mix(q, k, v, mask)))

    def project(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"],
        value: Float[Tensor, "batch k_len d_model"],
        start: int = 0,
    ) -> tuple[
        Float[Tensor, "batch num_heads q_len head_dim"],
        Float[Tensor, "batch num_kv_heads k_len head_dim"],
        Float[Tensor, "batch num_kv_heads k_len value_dim"],
    ]:
        """Each head's queries, keys and values; `start`, where they stand, matters to RoPE only."""
        q = self.split_heads(self.query_proj(query))
        k = self.split_heads(self.key_proj(key), self.num_kv_heads)
        v = self.split_heads(self.value_proj(value), self.num_kv_heads)
        return q, k, v

    def mix(
        self,
        q: Float[Tensor, "batch num_heads q_len head_dim"],
        k: Float[Tensor, "batch num_kv_heads k_len head_dim"],
        v: Float[Tensor, "batch num_kv_heads k_len value_dim"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch num_heads q_len value_dim"]:
        """Every head's mixture of values."""
        return fused_attention(q, k, v, mask, self.bias(q.size(2), k.size(2)))

    def bias(self, q_len: int, k_len: int) -> Float[Tensor, "num_heads q_len k_len"] | None:
        """What is added to the scores: nothing in the paper."""
        return None

    def split_heads(
        self, x: Float[Tensor, "batch length width"], num_heads: int | None = None
    ) -> Float[Tensor, "batch heads length head_width"]:
        """Cut the width into one slice per head and bring the heads to the front."""
        return x.unflatten(-1, (num_heads or self.num_heads, -1)).transpose(1, 2)

    def merge_heads(
        self, x: Float[Tensor, "batch heads length head_width"]
    ) -> Float[Tensor, "batch length width"]:
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
        q, k, _ = self.project(query, key, value)
        k = k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        return attention(q, k, k, mask, self.bias(q.size(2), k.size(2)))[1]


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
        def record(module: MultiHeadAttention, args: tuple, named: dict, output: Tensor) -> None:
            recorded[name] = module.weights(*args, **named).detach()

        return record

    hooks = [
        module.register_forward_hook(recorder(name), with_kwargs=True)
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    try:
        yield recorded
    finally:
        for hook in hooks:
            hook.remove()
