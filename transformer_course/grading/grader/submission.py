"""A submission on its way to a result: a file, then somebody's, then read, then cells in order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from transformer_course.grading.exercises.exercise import Cell


@dataclass(frozen=True, kw_only=True)
class Step:
    """One cell of code, as it was handed in or as it is to be run.

    A cell of a submission has an `index`, counted from 1 among all cells of the notebook, and what
    its file says of it. What it is follows once the exercise is known; the exercise's own cells
    come between.
    """

    source: str
    name: str = ""  # its grade_id; for an answer that of its question
    id: str = ""  # nbformat's, which is the grade_id where a cell was handed out with one
    count: int | None = None  # when it was run, as the notebook shows it
    index: int | None = None
    code: bool = True  # or an answer's cell that was turned into one of text
    kind: Literal["setup", "answer", "extra", "check"] = "extra"
    check: Cell | None = None


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What was handed in. What is not known yet is empty, and `dataclasses.replace` adds it."""

    path: str = ""
    inside: str = ""  # the path below what was named
    read: Callable[[], bytes] = bytes
    # once it is known whose it is
    student: str = ""
    name: str = ""  # of the student, where the layout tells it
    late: bool = False
    # once it was read: what the notebook says of itself, and its cells of code
    sha256: str = ""
    exercise: str = ""
    version: str = ""
    python: str = ""  # of the kernel that saved it
    cells: list[Step] = field(default_factory=list)
