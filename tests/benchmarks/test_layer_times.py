"""The layers that are timed do what they are called, and the timing gives every number."""

import layer_times
import pytest
import torch
from torch.testing import assert_close

from transformer_course.model import MultiHeadAttention


@pytest.mark.parametrize("length", [1, 63, 64, 65, 200])
def test_attention_in_blocks_equals_attention_under_a_band(length):
    torch.manual_seed(0)
    near = layer_times.Restricted(14, num_heads=2)
    plain = MultiHeadAttention(14, num_heads=2)
    plain.load_state_dict(near.state_dict())
    x = torch.randn(2, length, 14)
    back = torch.arange(length)[:, None] - torch.arange(length)
    band = (back >= 0) & (back < layer_times.WINDOW)
    assert_close(near(x, x, x), plain(x, x, x, band))


def test_a_convolution_as_a_product_equals_torchs():
    torch.manual_seed(0)
    product, convolve = layer_times.MatrixConvolution(5), torch.nn.Conv1d(5, 5, 3, padding=1)
    with torch.no_grad():
        product.proj.weight.copy_(convolve.weight.transpose(1, 2).flatten(1))
        product.proj.bias.copy_(convolve.bias)
    x = torch.randn(2, 7, 5)
    assert_close(product(x), convolve(x.transpose(1, 2)).transpose(1, 2))


def test_every_layer_keeps_the_shape():
    x = torch.randn(2, 7, 64)
    assert {
        name: layer(x).shape for name, layer in layer_times.layers(64).items()
    } == dict.fromkeys(
        ("attention", "restricted", "recurrent", "gru", "convolution", "conv1d"), x.shape
    )


def test_attention_is_its_own_unit_in_every_round():
    row = layer_times.measure(1, 5, 64, rounds=2)
    assert [row["batch"], row["n"], row["d"]] == [1, 5, 64]
    unit = row["layers"]["attention"]
    assert unit["times_attention"] == unit["lowest"] == unit["highest"] == 1
    for each in row["layers"].values():
        assert 0 < each["lowest"] <= each["times_attention"] <= each["highest"]
        assert each["microseconds"] > 0
