"""A verdict says no more than the seeds do."""

import math

import numpy as np
import pytest

from transformer_course.pages.verdicts import (
    pooled_deviation,
    ranks,
    spearman,
    spearman_interval,
    t_quantile,
    verdict,
)

NEAR_ONE = [0.99, 1.0, 1.01]
SPREAD = pooled_deviation([NEAR_ONE] * 6)  # 0.01, and 12 degrees of freedom


def judge(row, claim, margin=0.0):
    return verdict(row, NEAR_ONE, SPREAD, claim=claim, comparisons=19, margin=margin).says


def test_the_deviation_is_about_each_rows_own_mean():
    deviation, freedom = pooled_deviation([[1.0, 3.0], [101.0, 103.0, 105.0], [7.0]])
    assert deviation == pytest.approx(math.sqrt((2 + 8) / 3))
    assert freedom == 3


def test_one_seed_a_row_tells_nothing_of_their_spread():
    with pytest.raises(ValueError, match="no row has two seeds"):
        pooled_deviation([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("alpha", "freedom", "table"),
    [(0.05, 1, 12.706), (0.05, 10, 2.228), (0.01, 30, 2.750), (0.05, 2, 4.303)],
)
def test_quantiles_are_those_of_every_printed_table(alpha, freedom, table):
    assert t_quantile(alpha, freedom) == pytest.approx(table, abs=6e-4)


def test_by_hand_three_seeds_beside_three():
    found = verdict([1.04, 1.05, 1.06], NEAR_ONE, SPREAD, claim=1, comparisons=19)
    assert found.difference == pytest.approx(0.05)
    assert found.bound == pytest.approx(t_quantile(0.05 / 19, 12) * 0.01 * math.sqrt(2 / 3))
    assert found.says == "agrees"


def test_what_differs_agrees_or_is_opposite_by_the_sign_of_the_claim():
    row = [1.05, 1.06, 1.07]
    assert (judge(row, 0.3), judge(row, -0.3)) == ("agrees", "opposite")


def test_what_lies_within_the_bound_cannot_tell():
    assert judge([1.0, 1.01, 1.02], 1) == judge([0.99, 1.0, 1.02], -1) == "cannot tell"


def test_no_difference_has_to_be_shown_and_not_merely_unseen():
    assert judge(NEAR_ONE, 0, margin=0.05) == "agrees"
    assert judge(NEAR_ONE, 0, margin=0.02) == "cannot tell"
    assert judge([1.08, 1.09, 1.1], 0, margin=0.05) == "opposite"
    assert judge([1.035, 1.04, 1.045], 0, margin=0.05) == "cannot tell"


def test_equal_values_share_their_ranks():
    np.testing.assert_array_equal(ranks([4.9, 5.0, 4.9, 4.8]), [2.5, 4, 2.5, 1])


def test_the_same_order_correlates_to_one_and_a_reversed_one_to_minus_one():
    assert spearman([1, 2, 9], [0, 5, 6]) == pytest.approx(1)
    assert spearman([1, 2, 9], [6, 5, 0]) == pytest.approx(-1)


def test_seeds_that_are_far_apart_widen_the_interval():
    paper = [1.0, 2.0, 3.0, 4.0]
    sure = spearman_interval(paper, [[10, 11], [20, 21], [30, 31], [40, 41]], samples=200)
    unsure = spearman_interval(paper, [[10, 45], [20, 34], [31, 23], [40, 12]], samples=200)
    assert sure == (pytest.approx(1), pytest.approx(1))
    assert unsure[0] < 0 < unsure[1]
