"""What later papers changed inside a layer; each piece stands where the paper's own does.

`EncoderLayer(12, 3, 20, norm=RMSNorm, feed_forward=GatedFeedForward)` builds a layer from them.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_course.model.layers import DecoderLayer, EncoderLayer, FeedForward


class PreNormEncoderLayer(EncoderLayer):
    """Normalize what goes into a sub-layer, not the sum that comes out (Xiong et al. 2020).

    The residual path is left free, so a stack of these ends with a norm of its own.
    """

    def forward(
        self,
        x: Float[Tensor, "batch src_len d_model"],
        src_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch src_len d_model"]:
        """As `EncoderLayer.forward`, each norm before its sub-layer."""
        y = self.norm1(x)
        x = x + self.dropout(self.self_attn(y, y, y, src_mask))
        return x + self.dropout(self.feed_forward(self.norm2(x)))


class PreNormDecoderLayer(DecoderLayer):
    """The same in the decoder; the memory comes normalized from the end of the encoder."""

    def forward(
        self,
        x: Float[Tensor, "batch tgt_len d_model"],
        memory: Float[Tensor, "memory_batch src_len d_model"],
        tgt_mask: Bool[Tensor, "..."] | None = None,
        src_mask: Bool[Tensor, "memory_batch 1 1 src_len"] | None = None,
    ) -> Float[Tensor, "batch tgt_len d_model"]:
        """As `DecoderLayer.forward`, each norm before its sub-layer."""
        y = self.norm1(x)
        x = x + self.dropout(self.self_attn(y, y, y, tgt_mask))
        x = x + self.dropout(self.cross_attn(self.norm2(x), memory, memory, src_mask))
        return x + self.dropout(self.feed_forward(self.norm3(x)))


class RMSNorm(nn.Module):
    """Divide by the root of the mean square; nothing is centered (Zhang & Sennrich 2019)."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Each position at a root mean square of about one, times a learned weight."""
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


class GELUFeedForward(FeedForward):
    """A smooth bend in place of the ReLU's corner (Hendrycks & Gimpel 2016), as in BERT and GPT."""

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Expand each position, bend, contract."""
        return self.contract(F.gelu(self.expand(x)))


class GatedFeedForward(nn.Module):
    """One half opens and closes the other: SwiGLU, or GeGLU with `F.gelu` (Shazeer 2020).

    Three matrices and no biases; two thirds of the usual `d_ff` keep the number of parameters.
    """

    def __init__(self, d_model: int, d_ff: int, activation: Callable[[Tensor], Tensor] = F.silu):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.expand = nn.Linear(d_model, d_ff, bias=False)
        self.contract = nn.Linear(d_ff, d_model, bias=False)
        self.activation = activation

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Expand each position, let the gate through, contract."""
        return self.contract(self.activation(self.gate(x)) * self.expand(x))
