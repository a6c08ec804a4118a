"""What an author writes into an exercise's metadata: what is wrong with it is said in one line."""

import copy

import pytest
from small_exercise import notebook

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import parse

ASKED, CHECK = 1, 5  # places among the cells of the small exercise


def refusal(change) -> str:
    made = copy.deepcopy(notebook())
    change(made)
    with pytest.raises(DataError) as caught:
        parse(made, "small.md")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def course(place: int, **more):
    return lambda made: made["cells"][place]["metadata"]["course"].update(more)


def without(place: int, *names: str):
    def change(made):
        for name in names:
            del made["cells"][place]["metadata"]["course"][name]

    return change


def whole(**more):
    return lambda made: made["metadata"]["course"].update(more)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without(ASKED, "minutes", "hints"), "question double: its course metadata lack hints, m"),
        (course(ASKED, kind="essay"), "kind 'essay' is not code, number, choice, prediction"),
        (course(ASKED, hints=3), "question double, course metadata: expected `array`, got `int`"),
        (course(ASKED, minutes="long"), "expected `int`, got `str` - at `$.minutes`"),
        (course(ASKED, limit_seconds="x"), "expected `float | null`, got `str`"),
        (course(ASKED, forbid="torch.add"), "got `str` - at `$.forbid`"),
        (course(ASKED, options=["a", "b"]), "question double, options: expected `object`, got"),
        (course(2, role="panels"), "cell 3: role 'panels' is not checks, panel or widget"),
        (without(CHECK, "title"), "check double-one needs course metadata: question and title"),
        (course(CHECK, question="none"), "double-one belongs to question none, but there is none"),
        (lambda made: made["cells"][0].update(metadata={}), "cell 1: a code cell needs nbgrader"),
        (lambda made: made["cells"].append(made["cells"][0]), "grade_id setup is there 2 times"),
        (lambda made: made["cells"].append(3), "cells: expected `object`, got `int` - at `$[8]`"),
        (lambda made: made.pop("cells"), "small.md, cells: expected `array`, got `null`"),
        (whole(exercise=3), "expected the notebook's metadata to name its exercise, such as"),
        (whole(provides="torch"), "small.md, course metadata: expected `array`, got `str` - at"),
        (
            lambda made: made["cells"][CHECK]["metadata"]["nbgrader"].update(points="many"),
            "expected `float`, got `str` - at `$[5].metadata.nbgrader.points`",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, said):
    assert said in refusal(change)


def test_numbers_in_words_and_words_in_numbers_are_understood():
    made = notebook()
    made["metadata"]["course"].update(title=2017, section=3.1)
    made["cells"][ASKED]["metadata"]["course"].update(difficulty="2", options={"a": 8})
    exercise = parse(made, "small.md")
    assert (exercise.title, exercise.section) == ("2017", "3.1")
    question = exercise.questions["double"]
    assert (question.difficulty, question.options) == (2, {"a": "8"})
