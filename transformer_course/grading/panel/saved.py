"""The saved notebook: where it is, whether it holds what was run, what the grader says of it."""

import ast
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import Cell, Exercise, source_of
from transformer_course.grading.exercises.magics import to_python
from transformer_course.grading.grader.result import Result

SECONDS = 300  # for the grader, all in all


def notebook_file(name: str, folder: Path, namespace: dict[str, Any]) -> Path | None:
    """The file of the notebook that runs: what Jupyter or VS Code says, else NAME.ipynb here."""
    said = [os.environ.get("JPY_SESSION_NAME"), namespace.get("__vsc_ipynb_file__")]
    for place in [*filter(None, said), folder / f"{name}.ipynb"]:
        path = folder / place
        if path.suffix == ".ipynb" and path.is_file():
            return path
    return None


def answers_in(path: Path) -> dict[str | None, str]:
    """The cells of answers in a file, by question; none if it is no notebook."""
    try:
        return {
            raw["metadata"].get("nbgrader", {}).get("grade_id"): as_run(source_of(raw)).strip()
            for raw in reversed(json.loads(path.read_text(encoding="utf-8"))["cells"])
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def unsaved(
    exercise: Exercise, answers: dict[str | None, str], namespace: dict[str, Any]
) -> list[str]:
    """Titles of the questions whose answer was run in another form than the file holds."""
    titles = []
    for cell in exercise.cells:
        if cell.role == "solution" and cell.name in answers:
            ran = last_run(cell, namespace)
            if ran is not None and ran != answers[cell.name]:
                titles.append(exercise.questions[cell.name].title)
    return titles


def last_run(cell: Cell, namespace: dict[str, Any]) -> str | None:
    """What ran last of all that makes one of the names of this cell."""
    names = bound(cell.source)
    history = (source.strip() for source in reversed(namespace.get("In", [])))
    return next((source for source in history if names & bound(source)), None)


def value_in(source: str | None, name: str) -> Any:
    """The plain value that a cell gives to a name; None for any other."""
    try:
        body = ast.parse(to_python(source or "")).body
    except (SyntaxError, ValueError):
        return None
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            plain = [each.id for each in targets(node) if isinstance(each, ast.Name)]
            if name in plain:
                with suppress(ValueError):
                    return ast.literal_eval(node.value)
    return None


def as_run(source: str) -> str:
    """A cell as the notebook's history has it, which is what IPython makes of it."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager  # noqa: PLC0415  if there
    except ImportError:
        return source
    return str(TransformerManager().transform_cell(source))


def bound(source: str) -> set[str]:
    """The functions, classes and variables that a cell makes."""
    try:
        body = ast.parse(to_python(source)).body
    except (SyntaxError, ValueError):
        return set()
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            parts = (part for target in targets(node) for part in ast.walk(target))
            names |= {
                part.id
                for part in parts
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
    return names


def targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """What stands to the left of an assignment, with a type behind it or not."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def graded(path: Path, source: Path | None) -> Result:
    """The result of the isolated grader on the saved file, in a process of its own.

    Without the exercise's source the grader looks for the exercise among those it knows.

    Raises:
        DataError: it gave none; the message is its own.
    """
    command = [sys.executable, "-m", "transformer_course", "grade", "--self", str(path), "--json"]
    command += ["--exercise", str(source)] if source else []
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise DataError(f"the grader gave no result within {SECONDS} seconds") from None
    for line in run.stdout.splitlines():
        try:
            result = json.loads(line)
        except ValueError:
            continue
        if isinstance(result, dict) and "tests" in result:
            return cast(Result, result)
    said = (run.stderr.strip() or run.stdout.strip() or "nothing").splitlines()[-1]
    raise DataError(f"the grader gave no result; it said: {said}")
