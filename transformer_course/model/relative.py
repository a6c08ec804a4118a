"""Attention that knows how far apart two tokens are: rotary positions and linear biases.

Both leave the embeddings alone, belong in self-attention, and stand wherever a
`MultiHeadAttention` does. Query i of the last q_len positions meets keys 0 to k_len - 1.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_course.model.multi_head_attention import MultiHeadAttention
from transformer_course.model.positions import rows, sinusoidal
from transformer_course.model.sizes import check_even


class RotaryAttention(MultiHeadAttention):
    """RoPE: turn queries and keys by angles that grow with the position (Su et al. 2021).

    The angles are those of the paper's sinusoids. Two turned vectors match by their distance
    alone; values are not turned.
    """

    table: Tensor

    def __init__(
        self, d_model: int, num_heads: int, *, max_len: int = 512, **sizes: int | None
    ) -> None:
        super().__init__(d_model, num_heads, **sizes)
        check_even("head_dim", self.head_dim)
        self.register_buffer("table", sinusoidal(max_len, self.head_dim), persistent=False)

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
        """The same, each query and key turned by its position; `start` is that of the first."""
        q, k, v = super().project(query, key, value)
        angles = rows(self.table, start, q.size(2))
        return rotate(q, angles), rotate(k, angles), v


def rotate(
    x: Float[Tensor, "*batch length head_dim"], angles: Float[Tensor, "length head_dim"]
) -> Float[Tensor, "*batch length head_dim"]:
    """Turn each pair of numbers (2i, 2i + 1) by the angle whose sine and cosine stand there.

    A pair is a complex number, and to turn it is one product.
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    sine, cosine = angles.to(wide).unflatten(-1, (-1, 2)).unbind(-1)
    pairs = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)))
    turned = torch.view_as_real(pairs * torch.complex(cosine, sine))
    return turned.flatten(-2).type_as(x)


class AlibiAttention(MultiHeadAttention):
    """ALiBi: the farther a key, the lower its score, by a slope for each head (Press et al. 2022).

    That paper is about decoders. In our encoders a key ahead counts as twice as far as one behind:
    were both alike, no layer could tell a sentence from its mirror image.
    """

    slopes: Tensor

    def __init__(self, d_model: int, num_heads: int, **sizes: int | None) -> None:
        super().__init__(d_model, num_heads, **sizes)
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)

    def bias(self, q_len: int, k_len: int) -> Float[Tensor, "num_heads q_len k_len"]:
        """What each head adds to a score: minus its slope times the distance, twice that ahead."""
        positions = torch.arange(k_len, device=self.slopes.device)
        back = positions[k_len - q_len :, None] - positions
        return -self.slopes[:, None, None] * torch.maximum(back, -2 * back)


def alibi_slopes(num_heads: int) -> Float[Tensor, "num_heads"]:
    """From steep to flat, a geometric sequence: 1/2, 1/4, ... 1/256 for eight heads."""
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
