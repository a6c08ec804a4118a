"""The attentions of `cache.py` for a packed model on a CPU: few operations, buffers that stay.

Where one token is added at a time, an operation that multiplies little takes as long as it takes to
call. So keys and values are written in place into buffers, by time first, so that what is kept is
one block of memory; and each attention is two products over all rows and heads at once.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_course.decoding.cache import (
    CachedCrossAttention,
    CachedDecoder,
    CachedSelfAttention,
)
from transformer_course.model import MultiHeadAttention, Transformer

ROOM = 16  # tokens by which a buffer grows


class SteadyDecoder(CachedDecoder):
    """`CachedDecoder` with the attentions below, where a layer has the paper's."""

    def __init__(
        self,
        model: Transformer,
        memory: Float[Tensor, "sentences src_len d_model"],
        src_mask: Bool[Tensor, "sentences 1 1 src_len"],
    ):
        super().__init__(model, memory, src_mask)
        for layer in self.layers:
            layer._modules["dropout"] = nn.Identity()

    def extend(self, ids: Int[Tensor, "rows new"]) -> Float[Tensor, "rows vocab_size"]:
        """Add several tokens to every row, one after another."""
        for column in range(ids.size(1) - 1):
            super().extend(ids[:, column : column + 1])
        return super().extend(ids[:, -1:])

    def self_attention(self, attend: MultiHeadAttention) -> CachedSelfAttention:
        """One with buffers that stay, unless a variant computes its scores otherwise."""
        plain = type(attend) is MultiHeadAttention
        return SteadySelfAttention(attend) if plain else super().self_attention(attend)

    def cross_attention(self, attend: MultiHeadAttention) -> CachedCrossAttention:
        """The same for the attention to the source."""
        plain = type(attend) is MultiHeadAttention
        return (
            SteadyCrossAttention(attend, self.memory) if plain else super().cross_attention(attend)
        )


class SteadySelfAttention(CachedSelfAttention):
    """`CachedSelfAttention` for one token a row at a time."""

    def __init__(self, attend: MultiHeadAttention):
        super().__init__(attend)
        self.length = 0
        self.kept: list[Tensor] = []  # keys, then values: (room, rows, 1, width)
        self.spare: list[Tensor] = []

    def forward(
        self,
        query: Float[Tensor, "rows new d_model"],
        key: Float[Tensor, "rows new d_model"],
        value: Float[Tensor, "rows new d_model"],
        mask: Bool[Tensor, "..."] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """As `CachedSelfAttention.forward`; all that is kept may be looked at."""
        attend, place = self.attend, self.length
        q = attend.query_proj(query)
        new = attend.key_proj(key), attend.value_proj(value)
        if place % ROOM == 0:
            self.grow(new)
        self.length = place + 1
        for buffer, token in zip(self.kept, new, strict=True):
            buffer[place].copy_(token)
        groups = q.size(0) * attend.num_kv_heads
        keys, values = (buffer[: self.length].view(self.length, groups, -1) for buffer in self.kept)
        q = q.reshape(groups, -1, attend.head_dim)
        mixed = mix(q, keys.permute(1, 2, 0), values.transpose(0, 1))
        return attend.out_proj(mixed.view(*query.shape[:2], -1))

    def grow(
        self, new: tuple[Float[Tensor, "rows 1 width"], Float[Tensor, "rows 1 value_width"]]
    ) -> None:
        """Make room for more tokens, and keep those that are here."""
        rooms = [each.new_empty(self.length + ROOM, *each.shape) for each in new]
        for room, kept in zip(rooms, self.kept, strict=False):  # none is kept at the start
            room[: self.length] = kept
        self.kept = rooms
        self.spare = []

    def select(self, rows: Int[Tensor, "kept"]) -> None:
        """Go on with what is kept of these rows, in this order."""
        if not self.length:
            return
        if not self.spare or self.spare[0].size(1) != len(rows):
            self.spare = [
                buffer.new_empty(buffer.size(0), len(rows), *buffer.shape[2:])
                for buffer in self.kept
            ]
        for buffer, spare in zip(self.kept, self.spare, strict=True):
            torch.index_select(buffer[: self.length], 1, rows, out=spare[: self.length])
        self.kept, self.spare = self.spare, self.kept


class SteadyCrossAttention(CachedCrossAttention):
    """`CachedCrossAttention` for one token a row at a time."""

    def __init__(
        self, attend: MultiHeadAttention, memory: Float[Tensor, "sentences src_len d_model"]
    ):
        super().__init__(attend, memory)
        self.keys, self.values = self.keys.contiguous(), self.values.contiguous()
        self.mask: Tensor | None = None
        self.bias: Tensor | None = None

    def forward(
        self,
        query: Float[Tensor, "rows new d_model"],
        key: Float[Tensor, "sentences src_len d_model"],
        value: Float[Tensor, "sentences src_len d_model"],
        mask: Bool[Tensor, "sentences 1 1 src_len"] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """As `CachedCrossAttention.forward`."""
        attend = self.attend
        if mask is not self.mask:
            self.mask, self.bias = mask, self.to_bias(mask)
        sentences, heads = self.keys.shape[:2]
        rows, shared = len(query) // sentences, attend.num_heads // heads
        q = attend.query_proj(query).view(sentences, rows, heads, shared, -1)
        q = q.transpose(1, 2).reshape(sentences * heads, rows * shared, -1)
        mixed = mix(
            q, self.keys.flatten(0, 1).transpose(1, 2), self.values.flatten(0, 1), self.bias
        )
        mixed = mixed.view(sentences, heads, rows, shared, -1).transpose(1, 2)
        return attend.out_proj(mixed.reshape(*query.shape[:2], -1))

    def to_bias(
        self, mask: Bool[Tensor, "sentences 1 1 src_len"] | None
    ) -> Float[Tensor, "groups 1 src_len"] | None:
        """What to add to the scores of every head: nothing, or minus infinity on padding."""
        if mask is None or mask.all():
            return None
        bias = torch.zeros(mask.shape).masked_fill_(~mask, float("-inf"))
        return bias.expand(-1, self.keys.size(1), -1, -1).flatten(0, 1)


def mix(
    q: Float[Tensor, "groups q_len head_dim"],
    keys: Float[Tensor, "groups head_dim k_len"],
    values: Float[Tensor, "groups k_len value_dim"],
    bias: Float[Tensor, "groups 1 k_len"] | None = None,
) -> Float[Tensor, "groups q_len value_dim"]:
    """Equation 1; for so few queries it is faster than the fused kernel."""
    scale = q.size(-1) ** -0.5
    if bias is None:
        scores = torch.baddbmm(q.new_empty(1), q, keys, beta=0, alpha=scale)
    else:
        scores = torch.baddbmm(bias, q, keys, alpha=scale)
    return torch.bmm(scores.softmax(-1), values)
