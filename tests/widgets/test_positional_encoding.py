"""PositionalEncoding: its numbers are the package's sinusoids, and what it refuses."""

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model import sinusoidal
from transformer_course.widgets import PositionalEncoding


@pytest.mark.parametrize("d_model", [4, 32, 54])
def test_its_rows_are_the_packages_sinusoids(d_model, monkeypatch):
    monkeypatch.setattr(torch, "get_default_dtype", lambda: torch.float64)
    widget = PositionalEncoding(d_model=d_model)
    rows = np.array([widget.encode(pos) for pos in range(64)])
    assert_close(torch.from_numpy(rows), sinusoidal(64, d_model), rtol=0, atol=1e-12)


def test_the_twin_holds_the_first_rows_the_products_and_one_hand_computed_in_two_ways():
    widget = PositionalEncoding(d_model=16, position=7, shift=-3, pair=3)
    rows, products, hands = (table.cells for table in widget.tables())
    table = sinusoidal(64, 16).double().numpy()
    np.testing.assert_allclose(rows, table[:8, :8], atol=1e-6)
    np.testing.assert_allclose(products[0, :4], table[7:11] @ table[7], atol=1e-5)
    np.testing.assert_allclose(hands[:, 0], table[7, 6:8], atol=1e-6)
    np.testing.assert_allclose(hands[:, 2], table[4, 6:8], atol=1e-6)
    np.testing.assert_allclose(hands[:, 1], hands[:, 2], atol=1e-14)


def test_another_base_gives_other_wavelengths():
    slow, fast = PositionalEncoding(base=10_000), PositionalEncoding(base=10)
    np.testing.assert_allclose(slow.encode(9)[:2], fast.encode(9)[:2])
    assert fast.angles(1)[-1] == pytest.approx(10 ** (-30 / 32))


def test_a_position_beyond_the_length_and_a_pair_beyond_the_width_are_the_last_ones():
    widget = PositionalEncoding(d_model=4, length=10, position=150, pair=9)
    assert "PE(9)" in widget.as_text()
    assert "Pair 1" in widget.as_text()


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"d_model": 7}, "d_model: expected an even number, got 7: each sine needs its cosine"),
        ({"d_model": 2}, "should not be less than 4"),
        ({"length": 500}, "should not be greater than 200"),
        ({"base": 1.0}, "should not be less than 2"),
        ({"view": 4}, "should not be greater than 3"),
        ({"shift": "2"}, "expected an int"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, words):
    with pytest.raises(traitlets.TraitError, match=words):
        PositionalEncoding(**traits)
