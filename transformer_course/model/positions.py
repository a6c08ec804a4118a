"""Where a token stands: a vector of its position added to its embedding (section 3.5)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer_course.errors import DataError
from transformer_course.model.sizes import check_even


def sinusoidal(max_len: int, d_model: int) -> Float[Tensor, "max_len d_model"]:
    """Give each position a row of sines and cosines, from fast waves to slow ones (section 3.5).

    Dimension 2i holds sin(pos / 10000^(2i / d_model)), dimension 2i + 1 the cosine of the same
    angle; wavelengths, in positions, run from 2 pi to 10000 * 2 pi.
    """
    check_even("d_model", d_model)
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    wave = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position / 10_000 ** (wave / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(torch.get_default_dtype())


class SinusoidalPositions(nn.Module):
    """Add to every embedding the sinusoids of its position."""

    table: Tensor

    def __init__(self, max_len: int, d_model: int):
        super().__init__()
        self.register_buffer("table", sinusoidal(max_len, d_model), persistent=False)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """`start` is the position of x's first token: 0, unless a decoder goes on from there."""
        return x + rows(self.table, start, x.size(1))


class LearnedPositions(nn.Module):
    """Add to every embedding a vector of its position that is learned (table 3, row E)."""

    def __init__(self, max_len: int, d_model: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model) * d_model**-0.5)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """`start` is as in `SinusoidalPositions`."""
        return x + rows(self.table, start, x.size(1))


class NoPositions(nn.Module):
    """Leave the embeddings as they are: the attention knows about positions, or nothing does."""

    def forward(
        self, x: Float[Tensor, "batch length d_model"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """x, wherever it stands."""
        return x


def rows(
    table: Float[Tensor, "max_len width"], start: int, length: int
) -> Float[Tensor, "{length} width"]:
    """The rows of `length` positions from `start` on.

    Raises:
        DataError: if the table ends before them.
    """
    stop, max_len = start + length, table.size(0)
    if stop > max_len:
        raise DataError(
            f"a sequence of {stop} tokens is longer than max_len={max_len}: "
            "shorten it, or build the model with a larger max_len"
        )
    return table[start:stop]
