"""A name or a key that an answer lacks: which cell makes it, and which keys there are."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise

ELSEWHERE = (
    "Is `{}` from a cell for trials, or for a picture? No check runs those: make it in your answer."
)
SETUP = "The set-up makes `{}`: run the first cell of this notebook again, and then your answer."
ANSWER = "`{}` is your answer to question {}: its cell has to run first."
MISSED = re.compile(r"^name '(\w+)' is not defined")
MAKES = re.compile(r"^(?:def|class) +(\w+)|^(\w+) *=(?!=)", re.MULTILINE)
MANY = 12  # keys, of which none is told if there are more


def numbered(exercise: Exercise) -> dict[str, tuple[str, int]]:
    """The question, and its number, of each name that an answer makes."""
    sources = {cell.name: cell.source for cell in exercise.cells if cell.role == "solution"}
    return {
        name: (question, number)
        for number, question in enumerate(exercise.questions, 1)
        for pair in MAKES.findall(sources[question].partition("### BEGIN SOLUTION")[0])
        for name in filter(None, pair)
    }


def others(answers: Mapping[str, tuple[str, int]], question: str) -> dict[str, int]:
    """The number of its question for each name that an answer to another question makes."""
    return {name: number for name, (other, number) in answers.items() if other != question}


def advice(
    text: str,
    setup: Collection[str],
    elsewhere: Collection[str] = (),
    answers: Mapping[str, int] | None = None,
    first: str = SETUP,
) -> str:
    """What to do about an error with this text, where a cell makes the name that it misses.

    `answers`: the number of its question for each name that an answer makes.
    """
    gone = MISSED.search(text)
    for names, said in ((setup, first), (elsewhere, ELSEWHERE), (answers or {}, ANSWER)):
        if gone and gone[1] in names:
            return said.format(gone[1], (answers or {}).get(gone[1]))
    return ""


def keys(text: str, source: str, setup: Mapping[str, Any]) -> str:
    """Which keys there are, if a line asks a dictionary of the set-up for one that it lacks."""
    for name in re.findall(r"\b(\w+)\[", source):
        held = setup.get(name)
        known = [repr(each) for each in held] if isinstance(held, dict) else []
        if 0 < len(known) <= MANY and text not in known:
            return f"In the set-up `{name}` has the keys {', '.join(known)}."
    return ""
