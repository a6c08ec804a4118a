"""OnlineSoftmax: its twin agrees with the package's tiled attention, tile by tile."""

import math

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model.flash import tiled_attention
from transformer_course.widgets import OnlineSoftmax
from transformer_course.widgets.online_softmax import KEYS, PRESETS


def packaged(widget: OnlineSoftmax, end: int) -> float:
    """The mixture of the first `end` keys by the package: one query, head_dim 1, tiles as wide."""
    key = torch.tensor(widget.scores, dtype=torch.float64).T[:end]
    value = torch.tensor(widget.values, dtype=torch.float64).T[:end]
    mask = torch.tensor(widget.mask)[:, :end]
    query = torch.ones(1, 1, dtype=torch.float64)
    return tiled_attention(query, key, value, mask, tile=widget.tile).item()


def preset(name: str) -> dict:
    scores, mask = PRESETS[name]
    return {"scores": [scores], "mask": [mask]}


@pytest.mark.parametrize("tile", range(1, KEYS + 1))
@pytest.mark.parametrize("name", PRESETS)
def test_after_each_tile_it_is_the_packages_mixture_of_the_keys_so_far(name, tile):
    widget = OnlineSoftmax(tile=tile, **preset(name))
    states, _ = widget.tables()
    ends = [min(n * tile, KEYS) for n in range(1, math.ceil(KEYS / tile) + 1)]
    assert len(states.rows) == len(ends)
    expected = torch.tensor([packaged(widget, end) for end in ends], dtype=torch.float64)
    assert_close(torch.tensor(states.cells[:, 4]), expected, equal_nan=True)


@pytest.mark.parametrize("name", ["rising maxima", "the largest first", "large scores, near 1000"])
def test_the_correction_carries_one_tiles_sums_to_the_next(name):
    widget = OnlineSoftmax(tile=3, **preset(name))
    scores, values = np.array(widget.scores[0]), np.array(widget.values[0])
    cells = widget.tables()[0].cells
    for n in range(1, 4):
        largest, shrink, total, mixed, _ = cells[n]
        exps = np.exp(scores[3 * n : 3 * n + 3] - largest)
        np.testing.assert_allclose(total, cells[n - 1][2] * shrink + exps.sum())
        np.testing.assert_allclose(
            mixed, cells[n - 1][3] * shrink + exps @ values[3 * n : 3 * n + 3]
        )


def test_memory_grows_with_n_and_not_with_its_square():
    small, large = (OnlineSoftmax(length=n).tables()[1].cells[0] for n in (1024, 4096))
    assert small.tolist() == [1024**2, 2 * 1024 + 64**2]
    assert large[0] == 16 * small[0]
    assert large[1] - small[1] == 2 * (4096 - 1024)


@pytest.mark.parametrize(
    ("traits", "message"),
    [
        ({"scores": [[0.0] * 11]}, "^scores: expected 1 lists of 12 numbers from -2000 to 2000"),
        ({"scores": [[float("inf")] * 12]}, "^scores: expected 1 lists of 12 numbers"),
        ({"mask": [[1] * 12]}, r"^mask: expected 1 lists of 12 True \(may attend\) or False"),
        ({"values": "x"}, "^values: expected 1 lists of 12 numbers from -100 to 100"),
        ({"tile": 0}, "should not be less than 1"),
        ({"tile": 13}, "should not be greater than 12"),
        ({"length": 5}, "should not be less than 128"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, message):
    with pytest.raises(traitlets.TraitError, match=message):
        OnlineSoftmax(**traits)
