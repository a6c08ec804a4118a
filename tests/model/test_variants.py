import math

import pytest
import torch
from model.test_layers import copy_attention, copy_layer, shake
from torch import nn
from torch.testing import assert_close

from transformer_course.model import (
    MultiHeadAttention,
    PreNormEncoderLayer,
    RotaryAttention,
    Transformer,
    TransformerConfig,
    causal_mask,
    padding_mask,
)
from transformer_course.model.variants import (
    GatedFeedForward,
    GELUFeedForward,
    PreNormDecoderLayer,
    RMSNorm,
)

SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 3], [4, 5, 6, 7, 0, 0, 0]])
TGT = torch.tensor([[1, 10, 11, 12, 13], [1, 17, 18, 0, 0]])
TORCH = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}


def test_a_pre_norm_encoder_layer_agrees_with_torch():
    mine = shake(PreNormEncoderLayer(12, 3, 20, dropout=0.0, feed_forward=GELUFeedForward))
    theirs = nn.TransformerEncoderLayer(12, 3, 20, norm_first=True, activation="gelu", **TORCH)
    copy_layer(mine, theirs)
    x = torch.randn(2, 7, 12).double()
    assert_close(mine(x, padding_mask(SRC)), theirs(x, src_key_padding_mask=SRC == 0))


def test_a_pre_norm_decoder_layer_agrees_with_torch():
    mine = shake(PreNormDecoderLayer(12, 3, 20, dropout=0.0))
    theirs = nn.TransformerDecoderLayer(12, 3, 20, norm_first=True, **TORCH)
    copy_layer(mine, theirs)
    x, memory = torch.randn(2, 5, 12).double(), torch.randn(2, 7, 12).double()
    expected = theirs(x, memory, tgt_mask=~causal_mask(5), memory_key_padding_mask=SRC == 0)
    assert_close(mine(x, memory, causal_mask(5), padding_mask(SRC)), expected)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_a_pre_norm_model_agrees_with_torch_norms_at_the_end_of_its_stacks_included():
    config = TransformerConfig(
        vocab_size=23,
        d_model=12,
        num_heads=3,
        d_ff=20,
        num_layers=2,
        dropout=0.0,
        norm_placement="pre",
        positions="none",
    )
    mine, theirs = (
        shake(Transformer(config)),
        nn.Transformer(12, 3, 2, 2, 20, norm_first=True, **TORCH),
    )
    pairs = zip(mine.encoder_layers, theirs.encoder.layers, strict=True)
    for ours, other in [*pairs, *zip(mine.decoder_layers, theirs.decoder.layers, strict=True)]:
        copy_layer(ours, other)
    theirs.encoder.norm.load_state_dict(mine.encoder_norm.state_dict())
    theirs.decoder.norm.load_state_dict(mine.decoder_norm.state_dict())
    hidden = theirs(
        mine.embed(SRC),
        mine.embed(TGT),
        tgt_mask=~causal_mask(5),
        src_key_padding_mask=SRC == 0,
        tgt_key_padding_mask=TGT == 0,
        memory_key_padding_mask=SRC == 0,
    )
    assert_close(mine(SRC, TGT), hidden @ mine.embedding.weight.T)


@pytest.mark.parametrize("kind", [PreNormEncoderLayer, PreNormDecoderLayer])
def test_with_everything_dropped_a_pre_norm_layer_changes_nothing(kind):
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    args = (x, memory, causal_mask(5)) if kind is PreNormDecoderLayer else (x,)
    assert_close(kind(12, 3, 20, dropout=1.0)(*args), x)


def test_rms_norm_agrees_with_torch():
    mine, theirs = shake(RMSNorm(12)), nn.RMSNorm(12, eps=1e-5, dtype=torch.float64)
    theirs.load_state_dict(mine.state_dict())
    for scale in (1e-3, 1.0, 1e3):
        x = torch.randn(2, 5, 12).double() * scale
        assert_close(mine(x), theirs(x))


def test_rms_norm_sees_a_shift_that_layer_norm_does_not():
    x = torch.randn(2, 5, 12)
    assert_close(nn.LayerNorm(12)(x + 3), nn.LayerNorm(12)(x), rtol=0, atol=1e-5)
    assert (RMSNorm(12)(x + 3) - RMSNorm(12)(x)).abs().max() > 0.1


def test_gelu_weighs_each_number_by_the_normal_distribution_below_it():
    feed_forward, x = shake(GELUFeedForward(6, 22)), torch.randn(2, 5, 6).double()
    hidden = feed_forward.expand(x)
    below = torch.distributions.Normal(0.0, 1.0).cdf(hidden)
    assert_close(feed_forward(x), feed_forward.contract(hidden * below))


@pytest.mark.parametrize(
    ("activation", "by_hand"),
    [
        (nn.functional.silu, lambda z: z / (1 + math.exp(-z))),
        (nn.functional.gelu, lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2),
    ],
    ids=["SwiGLU", "GeGLU"],
)
def test_a_gate_multiplies_what_passes(activation, by_hand):
    """Shazeer 2020, equation 6, one number at a time: (Swish(x W) * x V) W2, without biases."""
    feed_forward, x = shake(GatedFeedForward(3, 5, activation)), torch.randn(3).double()
    gate, expand, contract = (w.tolist() for w in feed_forward.state_dict().values())
    dot = lambda a, b: sum(p * q for p, q in zip(a, b, strict=True))  # noqa: E731
    hidden = [
        by_hand(dot(g, x.tolist())) * dot(e, x.tolist()) for g, e in zip(gate, expand, strict=True)
    ]
    assert_close(feed_forward(x).tolist(), [dot(row, hidden) for row in contract])
    assert list(feed_forward.state_dict()) == ["gate.weight", "expand.weight", "contract.weight"]


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3])
def test_shared_heads_are_full_heads_whose_keys_and_values_are_repeated(num_kv_heads):
    """The oracle is torch's own attention with as many key heads as queries, copied in runs."""
    mine = shake(MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads))
    full = MultiHeadAttention(12, 6).double()
    state = mine.state_dict()
    for name in ("key_proj", "value_proj"):
        for what in ("weight", "bias"):
            heads = state[f"{name}.{what}"].unflatten(0, (num_kv_heads, 2))
            runs = [heads[head * num_kv_heads // 6] for head in range(6)]
            state[f"{name}.{what}"] = torch.cat(runs)
    full.load_state_dict(state)
    theirs = nn.MultiheadAttention(12, 6, batch_first=True, dtype=torch.float64)
    copy_attention(full, theirs)
    x = torch.randn(2, 7, 12).double()
    for mask in (None, padding_mask(SRC), causal_mask(7)):
        hidden = {} if mask is None else {"attn_mask": ~mask.expand(2, 6, 7, 7).flatten(0, 1)}
        mixed, weights = theirs(x, x, x, average_attn_weights=False, **hidden)
        assert_close(mine(x, x, x, mask), mixed)
        assert_close(mine.weights(x, x, x, mask), weights)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
def test_shared_heads_agree_with_torchs_kernel(num_kv_heads):
    mine = shake(MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads))
    x = torch.randn(2, 7, 12).double()
    q, k, v = mine.project(x, x, x)
    fused = nn.functional.scaled_dot_product_attention(q, k, v, causal_mask(7), enable_gqa=True)
    assert_close(mine.mix(q, k, v, causal_mask(7)), fused)


def test_heads_that_cannot_be_shared_evenly_are_refused():
    with pytest.raises(ValueError, match="num_heads=6 is not divisible by num_kv_heads=4"):
        MultiHeadAttention(12, 6, num_kv_heads=4)


def test_head_widths_of_their_own_need_no_division():
    attend, x = MultiHeadAttention(10, 4, head_dim=3, value_dim=5), torch.randn(2, 7, 10)
    assert attend(x, x, x).shape == (2, 7, 10)
    with pytest.raises(ValueError, match="d_model=10 is not divisible by num_heads=4"):
        MultiHeadAttention(10, 4, head_dim=3)


def test_a_layer_is_built_from_the_parts_that_it_is_given():
    layer = PreNormDecoderLayer(
        12, 3, 20, self_attn=RotaryAttention, feed_forward=GatedFeedForward, norm=RMSNorm
    )
    kinds = [type(part) for part in (layer.self_attn, layer.cross_attn, layer.feed_forward)]
    assert kinds == [RotaryAttention, MultiHeadAttention, GatedFeedForward]
    assert all(isinstance(norm, RMSNorm) for norm in (layer.norm1, layer.norm2, layer.norm3))
