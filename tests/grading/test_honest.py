"""Honest work gets what it earned: a few of the causes in honest/, which has a command for all.

Panel and grader say the same of every visible check, also where answers are wrong.
"""

from collections import Counter

import pytest
from honest import panel
from honest.causes import CAUSES
from honest.grading import BRIEF, graded, notebooks
from honest.run import row
from honest.work import NAMES, Work

FEW = {  # of each kind of cause
    *("awaits", "captured-cell", "last-value", "line-magics", "writes-a-file-and-imports-it"),
    *("standard-output-is-a-file", "numpy-raises", "warnings-are-errors", "numbers-of-numpy"),
    *("doubles-by-default", "no-gradients-by-default", "tensors-without-values-by-default"),
    *("negative-strides", "works-in-place", "all-metadata-cleared", "ids-and-all-metadata-gone"),
    *("split-in-halves", "copied-and-the-second-one-right", "answered-above-the-stub"),
    *("set-up-panels-and-answers-in-one-cell", "import-added-to-the-set-up", "set-up-at-the-end"),
    *("helper-below-its-use", "helper-below-its-use-and-run-before", "one-question-left-out"),
}
pytestmark = pytest.mark.slow


def test_there_are_enough_causes_and_every_exercise_has_its_turn():
    assert len({cause.name for cause in CAUSES}) == len(CAUSES) >= 40
    assert {cause.name for cause in CAUSES} > FEW
    tried = Counter(name for place, cause in enumerate(CAUSES) for name in cause.exercises(place))
    assert set(tried) == set(NAMES)
    assert tried.total() >= 150


@pytest.fixture(scope="module")
def wanted():
    first = {cause.name: (cause, work) for cause, work in reversed(list(notebooks()))}
    return [each for name, each in first.items() if name in FEW]


def test_what_is_given_is_what_was_earned(wanted):
    rows = [
        row(cause.name, work, result)
        for (cause, work), result in zip(wanted, graded(wanted), strict=True)
    ]
    assert len(rows) == len(FEW)
    assert [each for each in rows if each["given"] != each["earned"]] == []


def test_slow_experiments_cost_nothing():
    wanted = [each for each in notebooks(seconds=True) if each[0].name == "slow-experiments"][:1]
    (result,) = graded(wanted, BRIEF)
    assert result["score"] == result["max_score"]
    assert result["flags"] == ["without_slow_cells"]


def test_panel_and_grader_say_the_same_of_every_visible_check(wanted):
    results = graded(wanted, panel.exercises())
    assert sum(len(each["tests"]) for each in results) > 200
    assert panel.differences([work for _, work in wanted], results) == []


def test_a_panel_that_says_something_else_is_seen():
    work = Work("01-scaled-attention")
    (result,) = graded([(CAUSES[0], work)], panel.exercises())
    work.cell("mix")["source"] = "def mix(scores, value):\n    return scores, value"
    assert len(panel.differences([work], [result])) == 3
