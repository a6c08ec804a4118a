"""Which cell is which, in what order they run, and other ways to run them."""

import copy
import json

import pytest
from small_exercise import (
    ANSWER,
    CELLS,
    DOUBLE,
    check,
    code,
    exercise,
    grade_one,
    notebook,
    question,
    saved,
    submission,
)

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.exercise import parse as parse_exercise
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.grader.reading import parse
from transformer_course.grading.grader.run import Grader

LIMITS = Limits(seconds=2.0, total_seconds=20.0)


@pytest.fixture(scope="module")
def grader():
    return Grader(exercise())


@pytest.fixture
def grade(warm, grader, tmp_path):
    def graded(made, limits=LIMITS):
        return grade_one(grader, saved(tmp_path / "ada.ipynb", made), warm(1), limits)

    return graded


def cell(made: dict, name: str) -> dict:
    return next(raw for raw in made["cells"] if raw["id"] == name)


def put(made: dict, source: str, place: int, **about) -> dict:
    made["cells"].insert(place, {**code(source), "id": f"own-{place}", **about})
    return made


def test_an_id_is_trusted_before_metadata_and_metadata_before_text(grader):
    made = submission()
    cell(made, "double")["metadata"]["nbgrader"]["grade_id"] = "answer"
    cell(made, "setup")["metadata"] = {}
    steps = grader.planner.plan(parsed(made))[0]
    assert [step.name for step in steps if step.kind == "answer"] == ["double", "answer"]
    for raw in made["cells"]:
        raw["id"] = f"new-{raw['id']}"
    steps = grader.planner.plan(parsed(made))[0]
    assert [step.name for step in steps if step.kind == "answer"] == ["answer", "answer"]
    assert [step.name for step in steps if step.kind == "setup"] == ["setup"]


def parsed(made: dict):
    return parse(json.dumps(made).encode())


def test_without_ids_and_metadata_an_answer_is_known_by_what_it_defines(grader):
    made = submission()
    for number, raw in enumerate(made["cells"]):
        raw |= {"id": f"x{number}", "metadata": {}}
    steps, flags = grader.planner.plan(parsed(made))
    assert [(step.kind, step.name) for step in steps] == [
        ("setup", "setup"),
        ("answer", "double"),
        ("answer", "answer"),
        *(("check", each.name) for each in grader.exercise.checks),
    ]
    assert flags == []


def test_halves_of_a_cell_run_one_after_the_other_without_a_flag(grade):
    made = submission({"double": "two = 2", "answer": ANSWER})
    half = copy.deepcopy(cell(made, "double"))
    half |= {"source": "def double(x):\n    return two * x", "id": "half"}
    made["cells"].insert(made["cells"].index(cell(made, "double")) + 1, half)
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, [])


def test_a_stub_that_was_left_replaces_no_answer(grade):
    for place in (1, 2, -1):
        assert grade(put(submission({"answer": ANSWER}), DOUBLE, place))["score"] == 4


def test_a_stub_finds_the_set_up_that_stands_between_the_questions(warm, tmp_path):
    """As a class of which the answer is to be a kind; it is not attempted, not broken."""
    base = code("class Base:\n    pass", {"grade_id": "base"})
    body = "        ### BEGIN SOLUTION\n        return 1\n        ### END SOLUTION"
    later = question("child", f"class Child(Base):\n    def value(self):\n{body}")
    asked = check("child-value", "child", "assert Child().value() == 1")
    cells = [*CELLS[:3], base, later, *CELLS[3:], asked]
    between = parse_exercise(notebook(cells=cells), "small")
    handed_out = released(between)
    for answers in ({}, {"double": DOUBLE}):
        for raw in handed_out["cells"]:
            raw["source"] = answers.get(raw["id"], raw["source"])
        result = grade_one(between, saved(tmp_path / "ada.ipynb", handed_out), warm(1), LIMITS)
        told = {test["id"]: test["message"] for test in result["tests"]}
        assert told["child-value"] == "Not attempted yet."
        assert result["cells"] == []


def test_an_edited_set_up_runs_behind_the_exercise_s_own(grade):
    made = submission({"double": "def double(x):\n    return two * x", "answer": ANSWER})
    cell(made, "setup")["source"] += "\ntwo = 2"
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, ["edited:setup"])
    cell(made, "setup")["source"] = "two = 2"
    cell(made, "answer")["source"] = "answer = 40 + int(math.sqrt(4))"
    assert grade(made)["score"] == 4


def test_a_helper_below_its_use_is_there_the_second_time(grade):
    made = submission({"double": f"twice = second\n{DOUBLE}", "answer": ANSWER})
    result = grade(put(made, "second = 2", len(made["cells"])))
    assert (result["score"], result["flags"]) == (4, ["failed_cells_last"])


def test_the_order_in_which_cells_were_run_is_tried_where_one_fails(grade):
    made = submission({"double": f"del wrong\n{DOUBLE}", "answer": ANSWER})
    put(made, "del wrong", len(made["cells"]), execution_count=9)
    put(made, "wrong = 1", len(made["cells"]), execution_count=1)
    cell(made, "double")["execution_count"] = 2
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, ["in_order_of_execution"])


def test_where_time_runs_out_slow_cells_that_are_no_answers_are_left_out(grade):
    made = submission()
    for _ in range(9):
        put(made, "import time\ntime.sleep(0.3)", 2)
    result = grade(made, Limits(seconds=1.0, total_seconds=2.0))
    assert (result["score"], result["flags"]) == (4, ["without_slow_cells"])


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_in_a_cell_that_became_text_counts_unless_there_is_another(grade, kind):
    made = submission()
    cell(made, "double")["cell_type"] = kind
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, ["not_code:double"])
    put(made, "def double(x):\n    return 3 * x", 1)
    assert (grade(made)["score"], grade(made)["flags"]) == (1, [])
    made = submission({"answer": ANSWER})
    cell(made, "double")["cell_type"] = kind
    assert (grade(made)["score"], grade(made)["flags"]) == (1, [])


def test_a_python_that_is_newer_than_this_one_is_told(grade):
    made = submission({"double": "def double(x: return 2 * x", "answer": ANSWER})
    made["metadata"]["language_info"] = {"name": "python", "version": "3.99.1"}
    assert grade(made)["flags"] == ["newer_python:3.99.1"]
    made["metadata"]["language_info"]["version"] = "3.9.1"
    assert grade(made)["flags"] == []


def test_a_question_that_was_stopped_is_named(grade):
    made = submission({"double": "def double(x):\n    while True: pass", "answer": ANSWER})
    assert grade(made)["flags"] == ["timeout:double"]
