"""Two hundred hostile and broken submissions: each gets what it has earned, and nothing else.

All are handed in at the highest level. At the others are those that want to get out of a student's
process, or more of the machine than is its share: how they end hangs on the level. A notebook that
is none, a value that lies, a message that is forged and a rule that is broken are judged on the
checker's side of the border, by the same code at each level.
"""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hostile import run, suite

from transformer_course.grading.processes.isolation import IsolationError, probe

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is Linux's")
AS_USER = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="that is how all of this runs here"
)


def getting_out(submission):
    return submission.kind in suite.GETTING_OUT


def graded(level, ordinary, only):
    try:
        probe(level)
    except IsolationError as error:
        pytest.skip(str(error))
    found = run.run(level, ordinary, only)
    found.least = 200 if only is bool else 100
    return found


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((3, False, bool), marks=pytest.mark.slow),
        pytest.param((3, True, getting_out), marks=[pytest.mark.slow, AS_USER]),
        pytest.param((2, False, getting_out), marks=pytest.mark.slow),
        pytest.param((2, True, getting_out), marks=[pytest.mark.slow, AS_USER]),
    ],
    ids=["level 3", "level 3 for an ordinary user", "level 2", "level 2 for an ordinary user"],
)
def outcome(request):
    return graded(*request.param)


def test_each_submission_is_given_what_it_has_earned(outcome):
    rows = list(outcome.rows())
    assert len(rows) > outcome.least
    wrong = [row for row in rows if not row["right"]]
    assert not wrong, "\n".join(map(str, wrong)) + outcome.said[-2000:]


def test_each_submission_has_one_line(outcome):
    assert outcome.results.keys() == outcome.expected.keys()


def test_honest_work_between_them_gets_all_points(outcome):
    honest = [row["given"] for row in outcome.rows() if row["name"].startswith("honest-after")]
    assert honest == [10] * len(honest)
    assert len(honest) > 20


def test_nothing_is_reached(outcome):
    assert outcome.breaches() == []


def test_nothing_is_written_connected_or_left_running(outcome):
    assert outcome.left == [], outcome.said


def test_the_terminal_is_told_nothing_that_it_would_obey(outcome):
    assert outcome.code == 2  # some need a person's look
    assert all(c.isprintable() or c == "\n" for c in outcome.said)


@pytest.mark.slow
def test_an_attack_that_succeeds_is_seen():
    """At level 1 the network and the instructor's files are there for everyone."""
    found = run.run(1, only=lambda each: each.name in {"connects", "reads-the-source"})
    assert any("reached: (" in each for each in found.left)
    assert any("a listener" in each for each in found.breaches())
    assert any("the exercise's source" in each for each in found.breaches())


@pytest.mark.slow
def test_a_child_whose_first_thread_has_ended_is_ended_with_its_student():
    """At the other levels it cannot leave its process group, and is ended with that."""
    found = run.run(1, only=lambda each: each.name == "leaves-its-threads")
    assert [(row["right"], row["given"]) for row in found.rows()] == [(True, 7)]
    assert found.left == []


@pytest.mark.slow
def test_what_is_left_is_seen():
    with ExitStack() as stack:
        around = run.Surroundings(stack)
        assert around.left() == []
        (around.outside / "gradebook.db").write_text("ten points")
        (around.folder / f"{run.MARK}.txt").touch()
        running = stack.enter_context(subprocess.Popen(["sleep", "60"]))
        stack.callback(running.kill)
        said = around.left()
    assert [each.split(":")[0] for each in said] == ["changed", "written", "running"]


def test_the_texts_say_what_each_submission_does():
    for kind in suite.KINDS:
        for part in suite.HEAD.split((Path(suite.HERE) / f"{kind}.md").read_text())[4::4]:
            assert "```python" in part or part.strip(), kind
