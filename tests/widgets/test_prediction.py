"""Prediction: its truth is what the cell measured, and a truth off the scale is refused."""

import numpy as np
import pytest

from transformer_course.widgets import Prediction


def test_its_twin_tells_what_was_measured():
    widget = Prediction(["a", "b"], np.array([12.5, 99]), unit="%")
    [table] = widget.tables()
    assert table.rows == ["a", "b"]
    assert table.cells.ravel().tolist() == [12.5, 99]


def test_its_name_does_not_give_the_truth_away():
    assert "37" not in repr(Prediction(["a"], [37]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"labels": ["a", "b"], "truth": [1]}, "got 2 labels and 1 numbers"),
        ({"truth": [101]}, "expected a truth from 0 to 100, got 101"),
        ({"truth": [1], "low": 0, "log": True}, "a logarithmic scale begins above 0"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Prediction(**wrong)


def test_a_choice_is_kept_as_its_number_and_told_in_its_words():
    widget = Prediction(["first", "second"], ["no", "yes"], choices=["yes", "no"])
    assert widget.truth == [1, 0]
    [table] = widget.tables()
    assert table.cells.ravel().tolist() == ["no", "yes"]
    assert "yes" in widget.as_text()


def test_its_twin_says_why_where_that_is_given_and_nothing_else_there():
    because, bare = Prediction(["a"], [37], why="It is 1 / e."), Prediction(["a"], [37])
    assert because.tables()[0].title == f"{bare.tables()[0].title}. It is 1 / e."
    assert "1 / e" in because.as_text()
    assert "1 / e" not in repr(because)


def test_a_truth_that_cannot_be_chosen_is_refused():
    with pytest.raises(ValueError, match=r"expected a truth among \['a', 'b'\], got 'c'"):
        Prediction(["x"], ["c"], choices=["a", "b"])
