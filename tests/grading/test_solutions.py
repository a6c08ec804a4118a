"""Every right answer, by the process that grades a class: all points, and nothing for a person.

Hidden checks ask each file something else. `make machines` has 20 files of each exercise graded,
and right answers in another style; otherwise it is one of each exercise that forbids something.
"""

import os
import sys
import tomllib

import pytest
from honest.work import NAMES, SOURCES, Work, exercise

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.grader.catalog import Catalog
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.processes.warm_process import Zygote

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the levels are Linux's"),
]
FILES = int(os.environ.get("COURSE_FILES", "1"))
LIMITS = Limits(seconds=60, total_seconds=600)
FORBIDDING = [
    name for name in NAMES if any(each.forbid for each in exercise(name).questions.values())
]
CATALOG = Catalog([SOURCES / f"{name}.md" for name in NAMES])


@pytest.fixture(scope="module")
def zygote():
    with Zygote() as zygote:
        yield zygote


def notebooks(name):
    """The solution in files that differ in a number, then each right answer of another style."""
    for number in range(FILES):
        work = Work(name)
        work.notebook["metadata"]["number"] = number
        yield f"solution {number}", work
    if FILES == 1:
        return
    known = tomllib.loads((SOURCES / f"{name}.toml").read_text())
    for answer in known.get("right", []):
        work = Work(name)
        work.cell(answer["question"])["source"] = answer["answer"]
        yield answer["name"], work


def lost(zygote, tmp_path, named):
    """What did not get all of its points, or was flagged."""
    found = []
    for what, work in named:
        path = tmp_path / f"{work.name}.ipynb"
        path.write_bytes(work.bytes())
        (submission,) = collect([path])
        result = CATALOG.grade(submission, zygote, LIMITS)
        below = [row for row in result["tests"] if row["points"] < row["max"]]
        if below or result["flags"] or result["score"] != work.earned:
            found.append((what, result["score"], result["flags"], below))
    return found


@pytest.mark.parametrize("name", FORBIDDING if FILES == 1 else NAMES)
def test_right_answers_earn_every_point_and_no_flag(zygote, tmp_path, name):
    assert lost(zygote, tmp_path, notebooks(name)) == []


def test_an_answer_that_calls_what_is_forbidden_is_seen(zygote, tmp_path):
    work = Work("01-scaled-attention")
    source = "def mix(scores, value):\n    return torch.softmax(scores, -1) @ value"
    work.cell("mix")["source"] = source
    ((_, score, flags, _),) = lost(zygote, tmp_path, [("forbidden", work)])
    assert score < work.earned
    assert "forbidden:torch.softmax" in flags
