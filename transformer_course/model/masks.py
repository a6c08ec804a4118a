"""Who may attend to whom. Every mask is made here, and `True` always means "may attend".

`torch.nn.functional.scaled_dot_product_attention` reads a boolean mask the same way;
`torch.nn.MultiheadAttention` and `torch.nn.Transformer` read it the other way round.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def causal_mask(length: int, device: torch.device | None = None) -> Bool[Tensor, "length length"]:
    """Let position i attend to the positions up to i, never to a later one (section 3.2.3)."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(
    ids: Int[Tensor, "batch k_len"], pad_id: int = 0
) -> Bool[Tensor, "batch 1 1 k_len"]:
    """Hide the padding that fills up a batch of unequal lengths from every head and query."""
    return (ids != pad_id)[:, None, None, :]
