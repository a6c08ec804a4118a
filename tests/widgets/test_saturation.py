"""Saturation: its figures against torch's own gradient, its twin, and what it refuses."""

import math

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model import attention
from transformer_course.widgets import Saturation
from transformer_course.widgets.saturation import MODES, WIDTHS, keys_in_use, query_gradient


@pytest.mark.parametrize("scale", [1.0, math.sqrt(7)], ids=["not divided", "divided"])
def test_the_closed_form_is_the_gradient_that_torch_computes(scale):
    generator = torch.Generator().manual_seed(1)
    query, key, pull = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((5, 1, 7), (5, 16, 7), (5, 1, 16))
    )
    query.requires_grad_()
    # the package divides by sqrt(d_k) itself: what it is not to divide by is put in before
    weights = attention(query * math.sqrt(7) / scale, key, key)[1]
    weights.backward(pull)
    ours = query_gradient(weights.detach()[:, 0].numpy(), key.numpy(), pull[:, 0].numpy(), scale)
    assert_close(torch.from_numpy(ours), query.grad[:, 0])


def test_keys_in_use_counts_equal_shares_and_one_winner():
    rows = np.array([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0], [0.5, 0.5, 0, 0]])
    np.testing.assert_allclose(keys_in_use(rows), [4, 1, 2])


def test_scores_spread_with_the_root_of_the_width_unless_divided():
    raw, divided = (np.array(Saturation().figures[mode]["spread"]) for mode in MODES)
    np.testing.assert_allclose(raw, np.sqrt(WIDTHS), rtol=0.02)
    np.testing.assert_allclose(divided, 1, rtol=0.02)


def test_without_the_division_the_median_gradient_falls_and_the_mean_does_not():
    raw, divided = (Saturation().figures[mode] for mode in MODES)
    assert raw["median"][-1] < divided["median"][-1] / 100
    assert raw["mean"][-1] > divided["mean"][-1]
    assert raw["median"][0] == divided["median"][0]


def test_the_twin_holds_the_figures_and_the_weights_in_sight():
    widget = Saturation(d_k=256, draw=3)
    figures, weights = widget.tables()
    assert figures.cells.shape == (22, 4)
    assert figures.cells[-1, 1] == widget.figures["divided"]["keys"][-1]
    scores = torch.tensor(widget.scores[3], dtype=torch.float64)
    exact = torch.stack([(scores * 16).softmax(-1), scores.softmax(-1)])
    assert_close(torch.from_numpy(weights.cells), exact)


@pytest.mark.parametrize("draw", range(12))
def test_the_query_in_sight_sharpens_with_every_width_and_not_at_all_if_divided(draw):
    tables = [Saturation(d_k=width, draw=draw).tables()[1].cells for width in WIDTHS]
    raw, divided = np.array(tables).swapaxes(0, 1)
    used = keys_in_use(raw)
    assert all(np.diff(used) < 0)
    assert len({*raw.argmax(axis=1)}) == 1
    assert (divided == divided[0]).all()
    assert_close(used[0], keys_in_use(divided[0]))


def test_a_seed_gives_the_same_numbers_and_another_seed_others():
    one, same, other = Saturation(), Saturation(seed=0), Saturation(seed=1)
    assert one.scores == same.scores != other.scores
    assert one.figures == same.figures != other.figures


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"d_k": 48}, "d_k: expected a power of two from 1 to 1024, got 48"),
        ({"d_k": 2048}, "expected a power of two"),
        ({"shown": "loss"}, "shown: expected spread, keys or gradient, got loss"),
        ({"draw": 12}, "should not be greater than 11"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, words):
    with pytest.raises(traitlets.TraitError, match=words):
        Saturation(**traits)
