import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from transformer_course.model import (
    MultiHeadAttention,
    attention,
    causal_mask,
    fused_attention,
    numpy_reference,
    padding_mask,
    record_attention,
)


def small():
    return MultiHeadAttention(12, num_heads=3), torch.randn(2, 5, 12)


def torch_twin(mine: MultiHeadAttention, d_model: int) -> nn.MultiheadAttention:
    """torch's own attention with the same weights; it packs the three projections into one."""
    twin = nn.MultiheadAttention(d_model, mine.num_heads, batch_first=True, dtype=torch.float64)
    parts = [mine.query_proj, mine.key_proj, mine.value_proj]
    twin.in_proj_weight.data = torch.cat([part.weight for part in parts]).data
    twin.in_proj_bias.data = torch.cat([part.bias for part in parts]).data
    twin.out_proj.load_state_dict(mine.out_proj.state_dict())
    return twin


def test_the_worked_example_of_the_book():
    query = torch.tensor([[1.0, 0.0]])
    key = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    value = torch.tensor([[10.0, 0.0], [0.0, 10.0]])
    mixed, weights = attention(query, key, value)
    first = 1 / (1 + math.exp(-1 / math.sqrt(2)))
    assert_close(weights, torch.tensor([[first, 1 - first]]))
    assert_close(mixed, torch.tensor([[10 * first, 10 - 10 * first]]))


def test_every_row_of_weights_sums_to_one():
    query, key, value = torch.randn(3, 2, 5, 7).unbind()
    _, weights = attention(query, key, value, causal_mask(5))
    assert_close(weights.sum(-1), torch.ones(2, 5))


def test_scores_keep_unit_variance_whatever_the_width():
    query, key = torch.randn(2, 200, 256).unbind()
    scores = attention(query, key, key)[1].log()
    spread = (scores - scores.mean(-1, keepdim=True)).std()
    assert 0.9 < spread < 1.1


def test_the_output_is_a_convex_combination_of_the_values():
    query, key, value = torch.randn(3, 2, 5, 7).unbind()
    mixed, _ = attention(query, key, value)
    assert (mixed <= value.amax(-2, keepdim=True) + 1e-6).all()
    assert (mixed >= value.amin(-2, keepdim=True) - 1e-6).all()


def test_attention_agrees_with_torch_and_with_numpy():
    query, key, value = torch.randn(3, 2, 5, 7, dtype=torch.float64).unbind()
    mixed, weights = attention(query, key, value, causal_mask(5))
    fused = nn.functional.scaled_dot_product_attention(query, key, value, causal_mask(5))
    by_hand = numpy_reference.attention(
        query.numpy(), key.numpy(), value.numpy(), causal_mask(5).numpy()
    )
    assert_close(mixed, fused)
    np.testing.assert_allclose(mixed, by_hand[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(weights, by_hand[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_fused_kernel_gives_the_same_mixture(dtype):
    query, key, value = torch.randn(3, 2, 5, 7, dtype=torch.float64).unbind()
    exact, _ = attention(query, key, value, causal_mask(5))
    fused = fused_attention(query.to(dtype), key.to(dtype), value.to(dtype), causal_mask(5))
    assert fused.dtype == dtype
    tolerance = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 3e-2}[dtype]
    assert_close(fused.double(), exact, rtol=0, atol=tolerance)


def test_a_row_with_every_key_masked_is_nan():
    query = torch.randn(1, 3, 4)
    mask = torch.tensor([[True, True, True], [False, False, False], [True, False, False]])
    mixed, _ = attention(query, query, query, mask)
    assert mixed[0, 1].isnan().all()
    assert mixed[0, [0, 2]].isfinite().all()


def test_the_future_cannot_change_the_past():
    attend, x = small()
    changed = torch.cat([x[:, :3], torch.randn(2, 2, 12)], dim=1)
    assert_close(
        attend(x, x, x, causal_mask(5))[:, :3],
        attend(changed, changed, changed, causal_mask(5))[:, :3],
    )


def test_the_past_does_change_the_future():
    attend, x = small()
    changed = torch.cat([torch.randn(2, 1, 12), x[:, 1:]], dim=1)
    before, after = (attend(each, each, each, causal_mask(5)) for each in (x, changed))
    assert ((before - after)[:, 1:].abs().amax(-1) > 1e-4).all()


def test_padding_is_invisible():
    attend, x = small()
    mask = padding_mask(torch.tensor([[5, 6, 7, 0, 0], [8, 9, 4, 0, 0]]))
    changed = torch.cat([x[:, :3], torch.randn(2, 2, 12)], dim=1)
    assert_close(attend(x, x, x, mask)[:, :3], attend(x, changed, changed, mask)[:, :3])
    short = x[:, :3]
    assert_close(attend(x, x, x, mask)[:, :3], attend(short, short, short))


def test_without_a_mask_order_does_not_matter():
    attend, x = small()
    order = torch.tensor([3, 0, 4, 1, 2])
    moved = x[:, order]
    assert_close(attend(x, x, x)[:, order], attend(moved, moved, moved))


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_agrees_with_torch(masked):
    mine, _ = small()
    mine.double()
    x, (key, value) = torch.randn(2, 5, 12).double(), torch.randn(2, 2, 7, 12).double()
    mask = padding_mask(torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0]]))
    # torch's key_padding_mask is the inverse of ours: there, True hides.
    hidden = ~mask[:, 0, 0] if masked else None
    theirs, weights = torch_twin(mine, 12)(
        x, key, value, key_padding_mask=hidden, average_attn_weights=False
    )
    args = (x, key, value, mask if masked else None)
    assert_close(mine(*args), theirs)
    assert_close(mine.weights(*args), weights)


def test_each_head_sees_only_its_own_slice():
    mine, x = small()
    with torch.no_grad():
        mine.out_proj.weight.copy_(torch.eye(12))
        mine.out_proj.bias.zero_()
        before = mine(x, x, x)
        mine.query_proj.weight[4:8] += 1.0  # the second of three heads
    changed = (mine(x, x, x) - before).abs().amax((0, 1)) > 1e-5
    assert changed.tolist() == [False] * 4 + [True] * 4 + [False] * 4


def test_recorded_weights_are_those_the_module_used():
    attend, x = small()
    with record_attention(nn.ModuleDict({"layer": attend})) as weights:
        output = attend(x, x, x, causal_mask(5))
    values = attend.split_heads(attend.value_proj(x))
    mixed = attend.out_proj(attend.merge_heads(weights["layer"] @ values))
    assert_close(mixed, output)
    assert not attend._forward_hooks


def test_what_is_given_by_name_is_recorded_as_it_was_used():
    attend, x = small()
    mask = causal_mask(5)
    calls = [((x, x, x), {"mask": mask}), ((), {"query": x, "key": x, "value": x, "mask": mask})]
    for args, named in calls:
        with record_attention(nn.ModuleDict({"layer": attend})) as weights:
            attend(*args, **named)
        assert_close(weights["layer"], attend.weights(x, x, x, mask).detach())
        assert_close(weights["layer"][:, :, 0, 0], torch.ones(2, 3))


def test_a_bias_is_added_in_half_precision_too():
    q, bias = torch.randn(2, 3, 5, 4, dtype=torch.bfloat16), torch.randn(3, 5, 5)
    mixed, weights = attention(q, q, q, None, bias)
    assert mixed.dtype == weights.dtype == torch.bfloat16
    exact = attention(q.float(), q.float(), q.float(), None, bias)[0]
    assert_close(mixed.float(), exact, rtol=0, atol=0.1)


def test_every_parameter_gets_a_gradient():
    attend, x = small()
    attend(x, x, x, causal_mask(5)).square().sum().backward()
    for name, parameter in attend.named_parameters():
        # A constant added to every key moves all scores of a query alike: softmax cannot see it.
        assert (parameter.grad.abs().max() > 1e-5) == (name != "key_proj.bias"), name


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="d_model=10 is not divisible by num_heads=4"):
        MultiHeadAttention(10, num_heads=4)
