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
