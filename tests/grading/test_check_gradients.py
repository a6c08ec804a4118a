"""Helpers of checks: gradients of a learner's parameters, numbers, and predictions."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from transformer_course.grading.exercises import checks, telling


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.last = nn.Linear(3, 5, bias=False)
        self.idle = nn.Parameter(torch.ones(2))

    def forward(self, ids):
        return self.last(self.embedding(ids))


def test_gradients_come_by_the_name_of_each_parameter():
    module, ids = Table(), torch.tensor([1, 1, 4])
    found = checks.parameter_gradients(module, ids, weight=2.0)
    assert found.keys() == {"embedding.weight", "last.weight", "idle"}
    assert found["idle"] is None
    sums = 2 * module.embedding.weight[ids].detach().sum(dim=0).expand(5, 3)
    assert_close(found["last.weight"], sums)


def test_a_module_that_returns_more_than_its_output_is_told_so():
    class Both(Table):
        def forward(self, ids):
            return super().forward(ids), ids

    with pytest.raises(AssertionError, match="The result should be a tensor or an array, and is"):
        checks.parameter_gradients(Both(), torch.tensor([1]))


def test_a_shared_parameter_is_there_once_with_both_gradients():
    module, ids = Table(), torch.tensor([2])
    apart = checks.parameter_gradients(module, ids)
    with torch.no_grad():
        module.last.weight.copy_(module.embedding.weight)
    both = checks.parameter_gradients(module, ids)
    module.last.weight = module.embedding.weight
    tied = checks.parameter_gradients(module, ids)
    assert apart.keys() - tied.keys() == {"last.weight"}
    assert_close(tied["embedding.weight"], both["embedding.weight"] + both["last.weight"])


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        (6.0, "Your guess is right."),
        (6.2, "Your guess is close enough."),
        (9, "9 is too large."),
        (3, "Half of it."),
    ],
)
def test_every_prediction_counts_and_hears_what_was_measured(guess, said):
    with telling.listening() as told:
        checks.predicted(guess, 6.0, "Because.", tol=0.1, mistakes={"Half of it": 3})
    assert told == [f"{said} Measured: 6. Because."]


@pytest.mark.parametrize("guess", [-1, 101, float("inf")])
def test_a_prediction_that_cannot_be_true_does_not_count_and_hears_nothing(guess):
    with pytest.raises(AssertionError, match=r"^A guess from 0 to 100 is expected, and this is"):
        checks.predicted(guess, 6.0, "Because.", tol=0.1, least=0, most=100)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"least": 1}, "A guess of 1 or more is expected, as a finite number, and this is inf."),
        ({"most": 1}, "A guess of 1 or less is expected, as a finite number, and this is inf."),
        ({}, "A guess is expected, as a finite number, and this is inf."),
    ],
)
def test_infinity_is_no_prediction_and_no_limit_that_is_named(limits, said):
    with pytest.raises(AssertionError) as caught:
        checks.predicted(math.inf, 6.0, "Because.", tol=0.1, **limits)
    assert str(caught.value) == said


def test_what_a_check_tells_is_printed_where_nobody_listens(capsys):
    checks.predicted(6, 6.0, "Because.", tol=0.1)
    assert capsys.readouterr().out == "Your guess is right. Measured: 6. Because.\n"


def test_a_mask_and_an_idle_input_have_no_gradient():
    x, mask = torch.ones(2), torch.tensor([True, False])
    found = checks.gradients(lambda x, idle, mask: 3 * x * mask, x, x, mask)
    assert_close(found[0], torch.tensor([3.0, 0.0]))
    assert found[1:] == [None, None]


@pytest.mark.parametrize(
    "found",
    [Fraction(1, 3), Decimal("0.3333"), np.float32(1 / 3), np.array([1 / 3]), torch.tensor(1 / 3)],
    ids=lambda found: type(found).__name__,
)
def test_a_number_of_any_kind_is_a_number(found):
    checks.number(found, 1 / 3, tol=1e-3)
    with pytest.raises(AssertionError, match="is too small"):
        checks.number(found, 0.5, tol=1e-3)


@pytest.mark.parametrize("found", [0.2754, 0.275, 0.28])
def test_a_known_mistake_is_named_as_it_was_rounded(found):
    with pytest.raises(AssertionError, match="Without the 5"):
        checks.number(found, 0.4495, tol=0.01, mistakes={"Without the 5": 0.2754})


@pytest.mark.parametrize("found", [0.3, 0.29, 3])
def test_what_is_far_from_a_mistake_or_of_one_figure_is_not_taken_for_it(found):
    with pytest.raises(AssertionError, match="is too"):
        checks.number(found, 0.4495, tol=0.01, mistakes={"Without the 5": 0.2754})


def test_a_number_of_the_other_sign_is_told_so():
    with pytest.raises(AssertionError, match="The size is right, and the sign is not"):
        checks.number(-7, 7)
    checks.number(0.0, 0)


def test_a_whole_number_of_numpy_is_a_number():
    checks.number(np.int64(70), 70)
    with pytest.raises(AssertionError, match="70 is too large"):
        checks.number(np.int64(70), 60)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((656, 640), "of type tuple. A comma makes several numbers of it: write 1000 or 1_000"),
        ("512 MiB", "of type str. Write it without quotes, and without a unit."),
        ([512], "of type list$"),
    ],
)
def test_a_number_in_another_form_is_told_how_to_write_it(found, said):
    with pytest.raises(AssertionError, match=said):
        checks.number(found, 656_640)


@pytest.mark.parametrize("found", ["6", True, None, float("nan")])
def test_what_is_no_number_is_not_told_the_measurement(found):
    with pytest.raises(AssertionError) as raised:
        checks.predicted(found, 6.0, "Because.", tol=0.1)
    assert "Measured" not in str(raised.value)
