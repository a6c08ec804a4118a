"""Scaled dot-product attention: as equation 1 is printed, and by a fast kernel (section 3.2.1)."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from transformer_course.model.sizes import check_pairs


def attention(
    query: Float[Tensor, "*batch q_len head_dim"],
    key: Float[Tensor, "*batch k_len head_dim"],
    value: Float[Tensor, "*batch k_len value_dim"],
    mask: Bool[Tensor, "*#batch #q_len k_len"] | None = None,
    bias: Float[Tensor, "*#batch q_len k_len"] | None = None,
) -> tuple[Float[Tensor, "*batch q_len value_dim"], Float[Tensor, "*batch q_len k_len"]]:
    """Mix the values, each weighted by how well its key matches the query (equation 1).

    Returns the mixture and the weights. A query whose keys are all masked has no answer: NaN.
    `bias` is added to the scores; the paper has none, see `relative.AlibiAttention`.

    Raises:
        DataError: if there are not as many keys as values.
    """
    check_pairs(key.size(-2), value.size(-2))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if bias is not None:
        scores = scores + bias.to(scores.dtype)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def fused_attention(
    query: Float[Tensor, "*batch q_len head_dim"],
    key: Float[Tensor, "*kv_batch k_len head_dim"],
    value: Float[Tensor, "*kv_batch k_len value_dim"],
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "*#batch q_len k_len"] | None = None,
) -> Float[Tensor, "*batch q_len value_dim"]:
    """The mixture of `attention`, by torch's fused kernel, which never stores the weights.

    A query whose keys are all masked gets zeros here, not NaN. Fewer heads of keys than of queries
    are shared in runs: with 6 and 2, queries 0 to 2 ask the first (Ainslie et al. 2023).

    Raises:
        DataError: if there are not as many keys as values.
    """
    check_pairs(key.size(-2), value.size(-2))
    if query.device.type == "cpu" and query.dtype == torch.bfloat16:
        # torch's CPU kernel is many times slower backward in bfloat16 than in float32.
        with torch.autocast("cpu", enabled=False):
            mixed = fused_attention(query.float(), key.float(), value.float(), mask, bias)
        return mixed.to(query.dtype)
    if bias is not None:
        bias = bias.to(query.dtype)
        mask = bias if mask is None else bias.masked_fill(~mask, float("-inf"))
    shared = query.shape[:-2] != key.shape[:-2]
    return F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=shared)
