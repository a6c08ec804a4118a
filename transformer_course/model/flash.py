"""Attention a tile at a time: the algorithm of FlashAttention, written to be read.

The exact mixture, not an approximation, and no score matrix: of q_len x k_len scores only one tile
exists at any moment. The fast version runs the same loop in a GPU's on-chip memory.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer_course.model.sizes import check_pairs


def tiled_attention(
    query: Float[Tensor, "*batch q_len head_dim"],
    key: Float[Tensor, "*batch k_len head_dim"],
    value: Float[Tensor, "*batch k_len value_dim"],
    mask: Bool[Tensor, "*#batch #q_len k_len"] | None = None,
    *,
    tile: int = 64,
) -> Float[Tensor, "*batch q_len value_dim"]:
    """The mixture of `attention` (Dao et al. 2022, algorithm 1; Milakov & Gimelshein 2018).

    As there, a query whose keys are all masked has no answer: NaN.

    Raises:
        DataError: if there are not as many keys as values.
    """
    check_pairs(key.size(-2), value.size(-2))
    q_len, k_len = query.size(-2), key.size(-2)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    mask = mask.expand(*mask.shape[:-2], q_len, k_len)
    mixed = [
        mix_one_tile(
            query[..., row : row + tile, :], key, value, mask[..., row : row + tile, :], tile
        )
        for row in range(0, max(q_len, 1), tile)
    ]
    return torch.cat(mixed, dim=-2)


def mix_one_tile(
    query: Float[Tensor, "*batch rows head_dim"],
    key: Float[Tensor, "*batch k_len head_dim"],
    value: Float[Tensor, "*batch k_len value_dim"],
    mask: Bool[Tensor, "*#batch rows k_len"],
    tile: int,
) -> Float[Tensor, "*batch rows value_dim"]:
    """Go through the keys once, and keep of all that was seen a maximum, a sum and a mixture."""
    highest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(highest)
    mixed = query.new_zeros(*query.shape[:-1], value.size(-1))
    for start in range(0, key.size(-2), tile):
        keys, values = key[..., start : start + tile, :], value[..., start : start + tile, :]
        scores = query @ keys.transpose(-2, -1) / math.sqrt(query.size(-1))
        scores = scores.masked_fill(~mask[..., start : start + tile], float("-inf"))
        # It only keeps exp from overflowing, and cancels in the end: no gradient through it.
        higher = torch.maximum(highest, scores.detach().amax(-1, keepdim=True))
        reference = higher.masked_fill(higher == float("-inf"), 0.0)  # nothing seen yet
        exp = (scores - reference).exp()
        shrink = (highest - reference).exp()  # what was summed under the old maximum, under the new
        total = total * shrink + exp.sum(-1, keepdim=True)
        mixed = mixed * shrink + exp @ values
        highest = higher
    return mixed / total
