"""Errors at a check: the line they are said to be in, whose they are, and asserts left out."""

import subprocess
import sys
from pathlib import Path

import pytest
import small_exercise as small
from IPython.core.compilerop import CachingCompiler

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.border.failures import Place, StudentError
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import Exercise, parse
from transformer_course.grading.exercises.local import LocalStudent

SETUP = "import math\n\n\ndef halved(x):\n    if x > 1:\n        raise ValueError('too large')\n"
ANSWER = "def double(x):\n    y = x + 2\n    return 4 * halved(y)\n"
OWN = "def double(x):\n    return x / 0\n"


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    cells = [small.code(SETUP, {"grade_id": "setup"}), *small.CELLS[1:]]
    return parse(small.notebook(cells=cells), "small")


def said(exercise: Exercise, student: LocalStudent) -> str:
    return Checker(exercise).run(exercise.checks[0], student).message


@pytest.mark.parametrize(("answer", "line"), [(ANSWER, 3), (OWN, 2)])
def test_the_line_is_the_learner_s_own_in_one_process(exercise, answer, line):
    student = LocalStudent()
    student.execute(SETUP, "setup")
    student.execute(answer, "double")
    assert said(exercise, student).endswith(f"(line {line} of your answer)")


@pytest.mark.parametrize(("answer", "line"), [(ANSWER, 3), (OWN, 2)])
def test_the_line_is_the_learner_s_own_in_a_notebook(exercise, answer, line):
    namespace = {"__name__": "__main__"}
    compiler = CachingCompiler()
    for number, cell in enumerate((SETUP, answer)):
        exec(compile(cell, compiler.cache(cell, number), "exec"), namespace)
    assert said(exercise, LocalStudent(namespace)).endswith(f"(line {line} of your answer)")


@pytest.mark.parametrize(("answer", "line"), [(ANSWER, 3), (OWN, 2)])
def test_the_line_is_the_learner_s_own_in_an_isolated_process(warm, answer, line):
    with warm().student(Limits(seconds=5)) as student:
        student.execute(SETUP, "setup")
        student.execute(answer, "cell 3")
        with pytest.raises(StudentError) as caught:
            student.values(["double"])["double"](1)
    assert caught.value.line == line


HELPER = "def halves(x):\n    y = x\n    return y / 0\n"
CALLER = "def double(x):\n    # a helper of my own\n    return [halves(each) for each in [x]]\n"
ELSEWHERE = " (in `halves`, line 3 of its cell, called from line 3 of your answer)"


def test_a_line_of_another_cell_is_not_said_to_be_of_this_one(exercise, warm):
    alone = LocalStudent()
    alone.execute(HELPER, "cell 2")
    alone.execute(CALLER, "cell 3")
    notebook, compiler = {"__name__": "__main__"}, CachingCompiler()
    for number, cell in enumerate((HELPER, CALLER)):
        exec(compile(cell, compiler.cache(cell, number), "exec"), notebook)
    with warm().student(Limits(seconds=5)) as student:
        student.execute(HELPER, "cell 2")
        student.execute(CALLER, "cell 3")
        for each in (alone, LocalStudent(notebook), student):
            assert said(exercise, each).endswith(ELSEWHERE)


def test_a_function_of_another_cell_may_have_no_name(exercise):
    student = LocalStudent()
    student.execute("halves = lambda x: x / 0", "cell 2")
    student.execute(CALLER, "cell 3")
    where = "(line 1 of another cell, called from line 3 of your answer)"
    assert said(exercise, student).endswith(where)


def test_a_line_of_the_answer_to_another_question_is_not_said_to_be_of_this_one(warm):
    """A check calls what another question asked for, such as a model that is searched."""
    later = small.question(
        "later", "def later():\n    ### BEGIN SOLUTION\n    ...\n    ### END SOLUTION"
    )
    asked = small.check("later-one", "later", "assert double(later())")
    cells = [*small.CELLS[:3], later, small.CELLS[4], asked]
    checker = Checker(parse(small.notebook(cells=cells), "small"))
    alone = LocalStudent()
    with warm().student(Limits(seconds=5)) as isolated:
        for student in (alone, isolated):
            student.execute(OWN, "cell 2")
            student.execute("def later():\n    return 3", "cell 3")
            message = checker.run(checker.exercise.checks[0], student).message
            assert message.endswith("(line 2 of your answer to question 1)")


def test_an_error_within_the_answer_s_own_cell_is_as_before(exercise):
    student = LocalStudent()
    student.execute(HELPER + CALLER, "cell 3")
    assert said(exercise, student).endswith(" (line 3 of your answer)")


@pytest.mark.parametrize(
    "found",
    [
        *(None, 3, [], [1, "a", "", "f"], [True, "a", "", "f", None], ["1", "a", "", "f", None]),
        [1, "a", "", "f", "2"],
        [1, "a", "", "f", "2", "g"],
    ],
)
def test_a_place_of_another_form_is_none(found):
    assert Place.read(found) is None


def test_a_place_has_bounds_and_a_plain_name():
    place = Place.read([1, "x" * 1000, "", "<b>`f`</b>", 2])
    assert (len(place.source), place.function, place.caller) == (300, "", 2)
    place = Place.read([1, "x", "self", "Heads.forward", 2])
    assert Place.read(place.sent()) == place
    for asked, kept in (("Model.forward", "Model.forward"), ("<b>", ""), (3, "")):
        place = Place.read([1, "x", "self", "Heads.forward", 2, asked])
        assert (place.asked, Place.read(place.sent())) == (kept, place)


@pytest.mark.slow
def test_a_python_without_asserts_refuses_to_grade():
    source = Path(__file__).parents[2] / "exercises" / "01-scaled-attention.ipynb"
    command = [sys.executable, "-O", "-m", "transformer_course", "grade", "--self", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "checks are asserts, and this Python leaves them out: start it without -O" in done.stderr


def test_an_exception_of_the_learner_s_may_have_any_name(exercise):
    student = LocalStudent()
    student.execute("class Gone(Exception): pass\ndef double(x): raise Gone('away')", "cell 1")
    assert said(exercise, student) == "Your code raised Gone: away (line 2 of your answer)"


def test_the_grader_sees_the_line_that_failed_as_the_panel_does(exercise, warm):
    answer = "def double(x):\n    one, two = torch.zeros(3, 2, 1).shape\n"
    alone = LocalStudent()
    with warm().student(Limits(seconds=5)) as isolated:
        for student in (alone, isolated):
            student.execute("import torch", "setup")
            student.execute(answer, "cell 3")
            assert "A shape has one number for each axis" in said(exercise, student)
