"""The two kinds of layer that the model stacks (section 3.1, the two boxes of figure 1)."""

from collections.abc import Callable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_course.model.multi_head_attention import MultiHeadAttention

# What makes the parts of a layer from (d_model, num_heads), (d_model, d_ff) and d_model.
AttentionMaker = Callable[[int, int], MultiHeadAttention]
FeedForwardMaker = Callable[[int, int], nn.Module]
NormMaker = Callable[[int], nn.Module]


class FeedForward(nn.Module):
    """Two linear maps and a ReLU, the same at every position (section 3.3, equation 2)."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Expand each position, cut at zero, contract."""
        return self.contract(self.expand(x).relu())


class EncoderLayer(nn.Module):
    """Look at the whole source, then think about each position; each time add and normalize."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        self_attn: AttentionMaker = MultiHeadAttention,
        feed_forward: FeedForwardMaker = FeedForward,
        norm: NormMaker = nn.LayerNorm,
    ):
        super().__init__()
        self.self_attn = self_attn(d_model, num_heads)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.norm1 = norm(d_model)
        self.norm2 = norm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch src_len d_model"],
        src_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch src_len d_model"]:
        """One step of every position through the left box of figure 1."""
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, src_mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    """Look at the target so far, then at the source, then think; each time add and normalize."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        self_attn: AttentionMaker = MultiHeadAttention,
        cross_attn: AttentionMaker = MultiHeadAttention,
        feed_forward: FeedForwardMaker = FeedForward,
        norm: NormMaker = nn.LayerNorm,
    ):
        super().__init__()
        self.self_attn = self_attn(d_model, num_heads)
        self.cross_attn = cross_attn(d_model, num_heads)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.norm1 = norm(d_model)
        self.norm2 = norm(d_model)
        self.norm3 = norm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch tgt_len d_model"],
        memory: Float[Tensor, "memory_batch src_len d_model"],
        tgt_mask: Bool[Tensor, "..."] | None = None,
        src_mask: Bool[Tensor, "memory_batch 1 1 src_len"] | None = None,
    ) -> Float[Tensor, "batch tgt_len d_model"]:
        """One step of every position through the right box of figure 1."""
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, tgt_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, src_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
