"""Complexity: its counts against torch's counter and a search through the graph of layers."""

from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import traitlets
from torch.utils.flop_counter import FlopCounterMode

from transformer_course.widgets import Complexity
from transformer_course.widgets.complexity import costs

SIZES = [(7, 5, 3, 4), (3, 11, 2, 5), (13, 2, 5, 2), (1, 3, 3, 2)]


def run(kind: str, n: int, d: int, k: int, r: int) -> None:
    """The plainest layer of a kind, on random numbers."""
    x, state = torch.randn(n, d), torch.zeros(1, d)
    if kind == "attention":
        _ = (x @ x.T).softmax(-1) @ x
    elif kind == "recurrent":
        for position in x:
            state = torch.tanh(position[None] @ torch.randn(d, d) + state @ torch.randn(d, d))
    elif kind == "restricted":
        window = min(r, n)
        near = F.pad(x.T, (window - 1, 0)).unfold(1, window, 1).transpose(0, 1)  # n, d, window
        weights = (x[:, None] @ near).softmax(-1)
        _ = weights @ near.mT
    else:
        gap = k if kind == "dilated" else 1
        F.conv1d(F.pad(x.T, ((k - 1) * gap, 0)), torch.randn(d, d, k), dilation=gap)


@pytest.mark.parametrize("kind", ["attention", "recurrent", "contiguous", "dilated", "restricted"])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_multiply_adds_are_those_that_torch_counts(kind, sizes):
    with FlopCounterMode(display=False) as counter:
        run(kind, *sizes)
    assert counter.get_total_flops() == 2 * costs(*sizes)[kind].operations


@pytest.mark.parametrize("kind", ["attention", "restricted"])
def test_the_projections_are_four_matrices_more(kind):
    n, d, k, r = 7, 5, 3, 4
    with FlopCounterMode(display=False) as counter:
        for _ in range(4):
            torch.randn(n, d) @ torch.randn(d, d)
    more = costs(n, d, k, r, projections=True)[kind].operations - costs(n, d, k, r)[kind].operations
    assert counter.get_total_flops() == 2 * more


def searched(n: int, window: int, growth: int) -> int:
    """Layers until the last position hears from the first, by walking the connections."""
    heard, layers, gap = {n - 1}, 0, 1
    while layers == 0 or 0 not in heard:
        heard = {place - gap * back for place in heard for back in range(window)} & set(range(n))
        layers, gap = layers + 1, gap * growth
    return layers


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 10, 27, 28, 100])
@pytest.mark.parametrize("window", [2, 3, 5])
def test_the_longest_path_is_the_one_found_by_search(n, window):
    found = costs(n, 64, window, window)
    assert found["contiguous"].path == found["restricted"].path == searched(n, window, 1)
    assert found["dilated"].path == searched(n, window, window)
    assert found["attention"].path == searched(n, max(n, 1), 1)


def test_dilated_convolutions_need_the_logarithm_of_the_length():
    paths = [costs(3**power, 64, 3, 2)["dilated"].path for power in range(1, 9)]
    assert paths == [*range(1, 9)]


def test_attention_and_recurrence_cost_the_same_where_length_equals_width():
    for n, cheaper in ((511, True), (513, False)):
        found = costs(n, 512, 3, 32)
        assert (found["attention"].operations < found["recurrent"].operations) is cheaper
    same = costs(512, 512, 3, 32)
    assert same["attention"].operations == same["recurrent"].operations


def test_costs_grow_as_table_1_says():
    def growth(kind: str, **change: int) -> float:
        base = {"n": 1000, "d": 512, "k": 3, "r": 32}
        more = {name: base[name] * factor for name, factor in change.items()}
        before, after = (costs(**sizes)[kind].operations for sizes in (base, base | more))
        return after / before

    assert growth("attention", n=2) == growth("recurrent", d=2) == 4
    assert growth("attention", d=2) == growth("recurrent", n=2) == 2
    assert growth("contiguous", n=2, d=2, k=2) == 16
    assert growth("restricted", n=2, d=2, r=2) == 8


def test_the_static_twin_holds_the_counts_and_the_size_of_the_weights():
    widget = Complexity(n=128_000, projections=True)
    table, weights = widget.tables()
    expected = costs(128_000, 512, 3, 32, projections=True).values()
    np.testing.assert_allclose(table.cells[:, 0] * 1e6, [cost.operations for cost in expected])
    assert table.cells[:, 1].tolist() == [1, 128_000, 1, 1, 1]
    assert weights.cells[0] == pytest.approx([16_384, 65_536])
    assert Complexity(n=1000).tables()[1].cells[0, 0] == 1
    assert repr(Complexity()) == "Complexity(n=100, d=512, k=3, r=32)"
    paths = [Complexity(k=k).tables()[0].cells[2, 2] for k in (2, 3, 9)]
    assert all(far > near for far, near in pairwise(paths))


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("n", 0, "should not be less than 1"),
        ("n", 128_001, "should not be greater than 128000"),
        ("d", 63, "should not be less than 64"),
        ("k", 1, "should not be less than 2"),
        ("r", 4097, "should not be greater than 4096"),
        ("n", 1.5, "expected an int, not the float 1.5"),
    ],
)
def test_what_does_not_fit_is_refused(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        Complexity(**{name: bad})
