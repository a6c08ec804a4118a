"""HeadSlices: its reshape is the package's, its counts those of a real attention."""

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from transformer_course.model import MultiHeadAttention, attention
from transformer_course.widgets import HeadSlices
from transformer_course.widgets.head_slices import WORDS, costs, projection, rows, split_heads


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8])
def test_slices_and_weights_are_those_of_the_packages_heads(num_heads):
    x = torch.from_numpy(rows(5, 16))
    slices = MultiHeadAttention(16, num_heads).split_heads(x[None])[0]
    assert_close(torch.from_numpy(split_heads(x.numpy(), num_heads)), slices)
    first, last = HeadSlices(num_heads=num_heads, length=5).tables()[1:]
    _, weights = attention(slices, slices, slices)
    assert_close(torch.from_numpy(np.stack([first.cells, last.cells])), weights[[0, -1]],
                 rtol=0, atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("d_model", [8, 16, 512])
def test_no_column_of_the_projection_leaves_a_number_out(d_model):
    matrix, q = projection(d_model), rows(6, d_model)
    np.testing.assert_allclose(np.abs(matrix), 1 / np.sqrt(d_model))
    np.testing.assert_allclose(q @ matrix.T @ matrix, q, atol=1e-9)


@pytest.mark.parametrize("d_model", [8, 16, 64, 512])
def test_each_of_four_heads_goes_by_something_else(d_model):
    """Beside itself and "sees", its neighbor: she looks most at ..."""
    quarters = split_heads(rows(6, d_model), 4)
    weights = attention(*[torch.from_numpy(quarters)] * 3)[1].numpy()
    alike = [{WORDS[n] for n in np.flatnonzero(row >= row[0] - 1e-9)} for row in weights[1:, 0]]
    assert alike == [{"she", "dog"}, {"she", "her"}, {"she", "sees", "smiles"}]
    assert WORDS[int(weights[0, 0, 1:].argmax()) + 1] == "sees"


def test_the_wrong_view_has_the_right_shape_and_hides_the_first_token_from_the_last():
    def last_row(x: torch.Tensor, wrong: bool) -> torch.Tensor:
        heads = torch.from_numpy(split_heads(x.numpy(), 4, wrong))
        assert heads.shape == (4, 5, 4)
        mixed = attention(heads, heads, heads)[0]
        return (mixed.reshape(5, 16) if wrong else mixed.transpose(0, 1).flatten(1))[-1]

    x = torch.randn(5, 16, dtype=torch.float64)
    changed = torch.cat([torch.randn(1, 16, dtype=torch.float64), x[1:]])
    assert_close(last_row(x, True), last_row(changed, True))
    assert (last_row(x, False) - last_row(changed, False)).abs().max() > 1e-3


@pytest.mark.parametrize("num_heads", [1, 4, 16])
def test_parameters_and_multiply_adds_do_not_change_with_the_heads(num_heads):
    counted, length = costs(64, num_heads, 6), 6
    layer, x = MultiHeadAttention(64, num_heads), torch.randn(1, 6, 64)
    assert counted["parameters"] == sum(p.numel() for p in layer.parameters())
    with FlopCounterMode(display=False) as flops:  # the written-out attention: all is counted
        q, k, v = layer.project(x, x, x)
        layer.out_proj(layer.merge_heads(attention(q, k, v)[0]))
    assert counted["multiply-adds"] == flops.get_total_flops() / 2
    assert counted["softmaxes"] == num_heads * length
    assert counted["scores"] == layer.weights(x, x, x).numel()


def test_the_static_twin_has_a_row_for_every_number_of_heads():
    table = HeadSlices(d_model=8, num_heads=2).tables()[0]
    assert table.rows == ["1 heads", "2 heads", "4 heads", "8 heads"]
    assert table.columns == ["d_k", "parameters", "multiply-adds", "softmaxes", "scores"]
    np.testing.assert_array_equal(table.cells[:, 0] * [1, 2, 4, 8], 8)


@pytest.mark.parametrize("traits", [{"num_heads": 3}, {"d_model": 8, "num_heads": 16}], ids=str)
def test_heads_must_divide_the_width(traits):
    with pytest.raises(traitlets.TraitError, match=r"^d_model=\d+ is not divisible by num_heads="):
        HeadSlices(**traits)


@pytest.mark.parametrize(
    ("name", "bad"), [("d_model", 128), ("num_heads", 0), ("length", 7), ("stage", 5)]
)
def test_what_cannot_be_drawn_is_refused_with_what_was_expected(name, bad):
    with pytest.raises(traitlets.TraitError, match="expected any of|should not be"):
        HeadSlices(**{name: bad})
