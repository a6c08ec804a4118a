import pytest
import torch
from torch.testing import assert_close

from transformer_course.decoding import beam_search, choose_layouts, describe, greedy, lay_out
from transformer_course.decoding import layouts as module
from transformer_course.decoding.layouts import LAYOUTS, LaidOut
from transformer_course.model import Transformer, TransformerConfig

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, max_len=67
)
SHAPES = {(36, 12), (12, 12), (20, 12), (12, 20), (23, 12)}


class Kernels:
    """Layouts that take as long as `costs` says, by a clock of their own."""

    def __init__(self, monkeypatch, costs):
        self.now, self.runs = 0.0, 0
        made = {name: self.maker(cost) for name, cost in costs.items()}
        monkeypatch.setattr(module, "LAYOUTS", made)

    def maker(self, cost):
        def run(x):
            self.now += cost(len(x))
            self.runs += 1

        return lambda weight, bias: run

    def clock(self):
        return self.now


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bias", [None, torch.randn(13)])
def test_every_layout_is_the_same_linear_map(layout, bias):
    weight = torch.randn(13, 19)
    with torch.inference_mode():
        for x in (torch.randn(1, 1, 19), torch.randn(2, 5, 19)):
            expected = torch.nn.functional.linear(x, weight, bias)
            assert_close(LaidOut(weight, bias, layout, layout)(x), expected)


def test_one_row_and_several_may_have_layouts_of_their_own():
    linear = LaidOut(torch.randn(13, 19), None, "columns", "rows")
    assert list(linear.kernels) == []
    linear(torch.randn(1, 1, 19))
    assert list(linear.kernels) == ["columns"]
    linear(torch.randn(1, 2, 19))
    assert list(linear.kernels) == ["columns", "rows"]


def test_the_layout_that_takes_least_time_is_chosen_for_each_number_of_rows(monkeypatch):
    costs = {"rows": lambda rows: 0.01 * rows, "columns": lambda rows: 0.02}
    kernels = Kernels(monkeypatch, costs)
    found = choose_layouts(Transformer(CONFIG), 4, clock=kernels.clock)
    assert found == dict.fromkeys(SHAPES, ("rows", "columns"))


def test_measuring_ends_with_the_round_in_which_its_time_is_over(monkeypatch):
    kernels = Kernels(monkeypatch, {"rows": lambda rows: 0.01, "columns": lambda rows: 0.02})
    choose_layouts(Transformer(CONFIG), 4, seconds=1.5, clock=kernels.clock)
    a_round = 0.03 * 2 * 9  # two sizes; nine maps
    assert 0 <= kernels.now - 1.5 < a_round
    kernels.runs = 0
    choose_layouts(Transformer(CONFIG), 4, seconds=60.0, clock=kernels.clock)
    assert kernels.runs == (1 + module.ROUNDS) * 2 * 2 * 9  # it is known well enough
    slow = Kernels(monkeypatch, {"rows": lambda rows: 1.0})
    choose_layouts(Transformer(CONFIG), 4, seconds=0.5, clock=slow.clock)
    assert slow.runs == 2 * 2 * 9  # one to lay out, one that counts; two sizes; the maps


def test_a_slow_first_round_does_not_count(monkeypatch):
    first = [True] * 18
    kernels = Kernels(
        monkeypatch,
        {"rows": lambda rows: 9.0 if first and first.pop() else 0.01, "columns": lambda rows: 0.02},
    )
    found = choose_layouts(Transformer(CONFIG), 4, clock=kernels.clock)
    assert set(found.values()) == {("rows", "rows")}


def test_a_model_translates_alike_in_every_layout():
    torch.manual_seed(1)
    model = Transformer(CONFIG)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    model.eval()
    src = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0]])
    for layouts in (*LAYOUTS, choose_layouts(model, 4, seconds=0.01)):
        laid_out = lay_out(model, layouts)
        assert laid_out is not model
        assert greedy(laid_out, src) == greedy(model, src)
        assert beam_search(laid_out, src) == beam_search(model, src)


def test_a_model_that_cannot_be_packed_is_not_measured():
    double = Transformer(CONFIG).double()
    assert choose_layouts(double, 4) == {}
    assert lay_out(double, {}) is double


def test_what_was_chosen_is_told_in_one_line():
    found = {(3, 5): ("columns", "packed"), (5, 3): ("rows", "packed")}
    assert describe(found) == (
        "weights in memory, shapes by layout: one row rows 1, columns 1; several rows packed 2"
    )
    assert describe({}) == "weights as they were trained"
