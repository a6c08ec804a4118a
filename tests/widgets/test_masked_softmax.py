"""MaskedSoftmax: right where the package is right, wrong in the ways it says."""

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model import causal_mask, padding_mask
from transformer_course.widgets import MaskedSoftmax
from transformer_course.widgets.masked_softmax import VALUES


def cells(widget: MaskedSoftmax) -> list[np.ndarray]:
    return [table.cells for table in widget.tables()]


@pytest.mark.parametrize("pads", [0, 2])
@pytest.mark.parametrize("causal", [True, False])
def test_before_softmax_the_mask_is_the_packages(causal, pads):
    widget = MaskedSoftmax(causal=causal, pads=pads)
    mask = padding_mask(torch.tensor([[1] * (5 - pads) + [0] * pads]))[0, 0].expand(5, 5)
    if causal:
        mask = mask & causal_mask(5)
    scores, masked, weights, rows = map(torch.from_numpy, cells(widget))
    assert_close(torch.from_numpy(widget.allowed()), mask)
    assert_close(masked, scores.masked_fill(~mask, -torch.inf))
    assert_close(weights, masked.softmax(-1))
    assert_close(rows[:, 1], weights @ torch.from_numpy(VALUES))


def test_a_row_without_a_key_is_nan_with_infinity_and_uniform_with_a_large_number():
    padded = {"pads": 2, "side": "start"}
    assert np.isnan(cells(MaskedSoftmax(**padded))[2][:2]).all()
    uniform = cells(MaskedSoftmax(**padded, fill="-1e9"))[2]
    np.testing.assert_allclose(uniform[:2], 0.2)
    np.testing.assert_allclose(uniform[2:], cells(MaskedSoftmax(**padded))[2][2:])


def test_in_float16_a_billion_is_infinity_and_torch_refuses_it():
    half = cells(MaskedSoftmax(pads=2, side="start", fill="-1e9", half=True))
    assert np.isneginf(half[1][0]).all()
    assert np.isnan(half[2][:2]).all()
    scores, mask = torch.zeros(2, dtype=torch.float16), torch.tensor([True, False])
    with pytest.raises(RuntimeError, match="without overflow"):
        scores.masked_fill(mask, -1e9)


def test_a_score_of_zero_is_no_mask_and_its_value_leaks():
    widget = MaskedSoftmax(fill="0", token=4)
    _, masked, weights, rows = cells(widget)
    assert (masked[np.triu_indices(5, 1)] == 0).all()
    assert (weights[np.triu_indices(5, 1)] > 0.01).all()
    assert (rows[:4, 3] > rows[:4, 1]).all()


def test_masked_after_softmax_rows_do_not_sum_to_one_and_the_key_leaks():
    _, _, weights, rows = cells(MaskedSoftmax(place="after", token=4))
    assert (weights.sum(axis=1)[:4] < 0.9).all()
    assert (rows[:4, 2] < rows[:4, 1]).all()
    np.testing.assert_array_equal(rows[:4, 3], rows[:4, 1])


def test_divided_by_what_is_left_it_is_the_mask_before_softmax():
    before, after = cells(MaskedSoftmax(pads=1)), cells(MaskedSoftmax(pads=1, place="renormalized"))
    np.testing.assert_allclose(after[2], before[2], atol=1e-12)
    np.testing.assert_allclose(after[3], before[3], atol=1e-12)


@pytest.mark.parametrize("token", range(5))
def test_the_right_mask_does_not_leak(token):
    widget = MaskedSoftmax(pads=1, token=token)
    rows, hidden = cells(widget)[3], ~widget.allowed()[:, token]
    np.testing.assert_array_equal(rows[hidden, 2:], rows[hidden, 1:2].repeat(3, axis=1))


def test_the_names_tell_where_padding_stands():
    assert MaskedSoftmax(pads=2).names() == ["the", "cat", "sat", "pad", "pad"]
    assert MaskedSoftmax(pads=2, side="start").names() == ["pad", "pad", "the", "cat", "sat"]
    assert repr(MaskedSoftmax(pads=2)) == "MaskedSoftmax(causal=True, pads=2, fill=-inf)"


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"scores": [[1.0] * 5] * 4}, "scores: expected 5 lists of 5 numbers from -100 to 100"),
        ({"fill": "-1e4"}, r"any of \['-inf', '-1e9', '0'\]"),
        ({"place": "around"}, r"any of \['before', 'after', 'renormalized'\]"),
        ({"pads": 5}, "should not be greater than 4"),
        ({"change": 9.0}, "should not be greater than 5"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, words):
    with pytest.raises(traitlets.TraitError, match=words):
        MaskedSoftmax(**traits)
