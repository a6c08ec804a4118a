"""A small exercise and its submissions, for the tests of grading."""

import copy
import json
from pathlib import Path
from typing import Any

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.exercise import Exercise, parse, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.grader.catalog import Catalog
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.run import Grader
from transformer_course.grading.processes.warm_process import Zygote

DOUBLE = "def double(x):\n    return 2 * x"
ANSWER = "answer = 42"
HELPERS = """\
from transformer_course.grading.exercises import checks

def check_double(f, n):
    assert f(n) == 2 * n, f"not twice {n}"
"""


def code(source: str, nbgrader: dict | None = None, course: dict | None = None) -> dict:
    metadata: dict[str, Any] = {}
    if nbgrader:
        locked = not nbgrader.get("solution", False)
        base = {"schema_version": 3, "grade": False, "solution": False, "task": False}
        metadata["nbgrader"] = base | {"locked": locked} | nbgrader
    if course:
        metadata["course"] = course
    return {"cell_type": "code", "source": source, "metadata": metadata}


def question(name: str, source: str, kind: str = "code", **more: Any) -> dict:
    about = {"question": name, "kind": kind, "title": name, "difficulty": 1, "minutes": 1}
    return code(source, {"grade_id": name, "solution": True}, about | {"hints": ["a"] * 3} | more)


def check(name: str, asked: str, source: str, points: int = 1) -> dict:
    about = {"question": asked, "title": f"{name}, as it should be"}
    return code(source, {"grade_id": name, "grade": True, "points": points}, about)


def solved(text: str, stub: str = "") -> str:
    return f"{stub}### BEGIN SOLUTION\n{text}\n### END SOLUTION"


CELLS = [
    code("import math\nimport random\nimport torch", {"grade_id": "setup"}),
    question(
        "double",
        "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        forbid=["torch.add", "torch.Tensor.add"],
        limit_seconds=0.4,
    ),
    code('panels.show("double")', course={"role": "panel"}),
    question("answer", solved(ANSWER, "answer = ...\n"), "number"),
    code(HELPERS, course={"role": "checks"}),
    check("double-one", "double", "check_double(double, 1)"),
    check(
        "double-more",
        "double",
        "check_double(double, 3)\n### BEGIN HIDDEN TESTS\n"
        "secret = 1234567\ncheck_double(double, secret)\n### END HIDDEN TESTS",
        2,
    ),
    check("answer-right", "answer", "checks.number(answer, 42)"),
]


def notebook(name: str = "small", cells: list[dict] | None = None) -> dict:
    """The source of the exercise, as a notebook."""
    about = {"exercise": name, "title": "Small", "section": "0", "chapter": "none"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": copy.deepcopy(CELLS if cells is None else cells),
        "metadata": {"course": about | {"provides": []}, "kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def exercise(name: str = "small") -> Exercise:
    """The exercise: 4 points, of which double-more gives 2."""
    return parse(notebook(name), name)


def submission(answers: dict[str, str] | None = None, name: str = "small") -> dict:
    """The released notebook with these answers; the right ones if none are given."""
    made = released(exercise(name))
    for raw in made["cells"]:
        if answers is None or raw["id"] in answers:
            raw["source"] = (answers or {"double": DOUBLE, "answer": ANSWER}).get(
                raw["id"], source_of(raw)
            )
    return made


def saved(path: Path, made: Any) -> Path:
    """The notebook in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(made if isinstance(made, str) else json.dumps(made), encoding="utf-8")
    return path


def grade_one(
    exercise: Exercise | Grader, path: Path, zygote: Zygote, limits: Limits | None = None
) -> Result:
    """The result of one notebook file."""
    (found,) = collect([path])
    result = Catalog([exercise]).grade(found, zygote, limits or Limits())
    assert result is not None
    return result
