"""The forward pass once more, in NumPy alone: slow, without layers, independent of torch.

`forward` takes the weights of a `Transformer` as a dictionary of arrays (`state_dict` names), so
that the two can be compared to the last digits. Shapes are those of the modules of the same name.
"""

import math
from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray as Array

Weights = Mapping[str, Array]


def softmax(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Turn each row of scores into weights that sum to one; its maximum is taken off first."""
    exp = np.exp(x - x.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def attention(
    query: Float[Array, "*batch q_len head_dim"],
    key: Float[Array, "*batch k_len head_dim"],
    value: Float[Array, "*batch k_len value_dim"],
    mask: Bool[Array, "..."] | None = None,
) -> tuple[Float[Array, "*batch q_len value_dim"], Float[Array, "*batch q_len k_len"]]:
    """Equation 1: softmax(Q K^T / sqrt(d_k)) V, and the weights."""
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ value, weights


def linear(
    x: Float[Array, "*shape width_in"], weights: Weights, name: str
) -> Float[Array, "*shape width_out"]:
    """x W^T + b, as torch stores its linear maps."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def layer_norm(
    x: Float[Array, "*shape d_model"], weights: Weights, name: str, eps: float = 1e-5
) -> Float[Array, "*shape d_model"]:
    """Ba et al. 2016: center each position, divide by sqrt(variance + eps), scale and shift."""
    centered = x - x.mean(axis=-1, keepdims=True)
    normalized = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    return normalized * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def multi_head_attention(
    query: Float[Array, "batch q_len d_model"],
    key: Float[Array, "batch k_len d_model"],
    value: Float[Array, "batch k_len d_model"],
    mask: Bool[Array, "#batch #q_len k_len"] | None,
    weights: Weights,
    name: str,
    num_heads: int,
) -> Float[Array, "batch q_len d_model"]:
    """Section 3.2.2, one head at a time: slice, attend, lay side by side, project."""
    q = linear(query, weights, f"{name}.query_proj")
    k = linear(key, weights, f"{name}.key_proj")
    v = linear(value, weights, f"{name}.value_proj")
    slices = [np.split(x, num_heads, axis=-1) for x in (q, k, v)]
    heads = [attention(q, k, v, mask)[0] for q, k, v in zip(*slices, strict=True)]
    return linear(np.concatenate(heads, axis=-1), weights, f"{name}.out_proj")


def feed_forward(
    x: Float[Array, "*shape d_model"], weights: Weights, name: str
) -> Float[Array, "*shape d_model"]:
    """Equation 2: max(0, x W1 + b1) W2 + b2."""
    hidden = np.maximum(0, linear(x, weights, f"{name}.expand"))
    return linear(hidden, weights, f"{name}.contract")


def sinusoidal(max_len: int, d_model: int) -> Float[Array, "max_len d_model"]:
    """Section 3.5, entry by entry as it is printed."""
    table = np.zeros((max_len, d_model))
    for pos in range(max_len):
        for i in range(d_model // 2):
            angle = pos / 10_000 ** (2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def forward(
    weights: Weights,
    src: Int[Array, "batch src_len"],
    tgt: Int[Array, "batch tgt_len"],
    *,
    num_heads: int,
    num_layers: int,
    pad_id: int = 0,
) -> Float[Array, "batch tgt_len vocab_size"]:
    """The logits of the whole model, without dropout (figure 1)."""
    table = weights["embedding.weight"]
    d_model = table.shape[1]

    def attend(query: Array, memory: Array, mask: Array, name: str) -> Array:
        return multi_head_attention(query, memory, memory, mask, weights, name, num_heads)

    def embed(ids: Array) -> Array:
        return table[ids] * math.sqrt(d_model) + sinusoidal(ids.shape[1], d_model)

    src_mask = (src != pad_id)[
        :, None, :
    ]  # (batch, 1, src_len): one head at a time, so no head axis
    tgt_mask = (tgt != pad_id)[:, None, :] & np.tri(tgt.shape[1], dtype=bool)
    memory = embed(src)
    for name in (f"encoder_layers.{n}" for n in range(num_layers)):
        mixed = attend(memory, memory, src_mask, f"{name}.self_attn")
        memory = layer_norm(memory + mixed, weights, f"{name}.norm1")
        thought = feed_forward(memory, weights, f"{name}.feed_forward")
        memory = layer_norm(memory + thought, weights, f"{name}.norm2")
    x = embed(tgt)
    for name in (f"decoder_layers.{n}" for n in range(num_layers)):
        mixed = attend(x, x, tgt_mask, f"{name}.self_attn")
        x = layer_norm(x + mixed, weights, f"{name}.norm1")
        mixed = attend(x, memory, src_mask, f"{name}.cross_attn")
        x = layer_norm(x + mixed, weights, f"{name}.norm2")
        thought = feed_forward(x, weights, f"{name}.feed_forward")
        x = layer_norm(x + thought, weights, f"{name}.norm3")
    return x @ table.T
