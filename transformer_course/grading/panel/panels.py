"""`Panels("01-scaled-attention")` in a notebook: a panel below each answer, and a summary."""

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import Cell, Exercise, load
from transformer_course.grading.panel.progress import Progress
from transformer_course.grading.panel.question_panel import Panel
from transformer_course.grading.panel.summary import Summary
from transformer_course.grading.panel.tracebacks import shorten_tracebacks
from transformer_course.grading.panel.unfinished import Unfinished

PLACES = [Path(__file__).parents[2] / "exercises", Path(__file__).parents[3] / "exercises"]


class Panels:
    """All panels of one exercise. What was done is kept in progress.json beside the notebook.

    The checks come from the exercise that ships with the package, else from NAME.ipynb in the
    working folder. Raises `DataError` if there is neither.
    """

    def __init__(
        self, name: str, namespace: dict[str, Any] | None = None, folder: Path | None = None
    ) -> None:
        self.folder = folder or Path.cwd()
        self.exercise = load(find(name, self.folder))
        self.unfinished = Unfinished(self.exercise, self.ran)
        shell = running_shell()
        if namespace is None and shell:
            shorten_tracebacks(shell, self.exercise)
            self.unfinished.watch(shell)
            namespace = shell.user_ns
        self.namespace = {} if namespace is None else namespace
        self.progress = Progress(self.folder / "progress.json")
        self.shown: dict[str, Panel] = {}
        self.summaries: list[Summary] = []

    def __repr__(self) -> str:
        return f"Panels of {self.exercise.name}: {', '.join(self.exercise.questions)}"

    @cached_property
    def checker(self) -> Checker:
        """The checks, ready to run."""
        return Checker(self.exercise)

    @property
    def source(self) -> Path | None:
        """The exercise's source, with solutions and all checks, if it is at hand."""
        sources = [place / "sources" / f"{self.exercise.name}.md" for place in PLACES]
        return next((source for source in sources if source.is_file()), None)

    @cached_property
    def solutions(self) -> dict[str, str]:
        """A solution of each question, if the exercise's source is at hand."""
        try:
            return dict(solutions(load(self.source))) if self.source else {}
        except (ImportError, DataError):  # without jupytext, or not an exercise
            return {}

    def show(self, question: str) -> Panel:
        """The panel of one question, for the last line of a cell."""
        if question not in self.exercise.questions:
            known = ", ".join(self.exercise.questions)
            raise DataError(
                f"there is no question {question!r} in {self.exercise.name}; it has {known}"
            )
        self.shown[question] = Panel(self, self.exercise.questions[question])
        return self.shown[question]

    def ran(self, question: str) -> None:
        """The cell of an answer has run to its end."""
        if question in self.shown:
            self.shown[question].entry.ran()
        for summary in self.summaries:
            summary.draw()

    def summary(self) -> Summary:
        """All questions with their points; progress to and from a file; grading the saved file."""
        self.summaries = [Summary(self)]
        return self.summaries[0]

    @property
    def points(self) -> float:
        """What all questions have earned so far."""
        done = self.progress.read()["done"]
        names = (f"exercises/{self.exercise.name}/{name}" for name in self.exercise.questions)
        return sum(done.get(name, {"points": 0})["points"] for name in names)

    def draw(self) -> None:
        """Have everything in sight show how it stands now."""
        for panel in self.shown.values():
            panel.draw()
        for summary in self.summaries:
            summary.draw()

    def cell(self, question: str) -> Cell:
        """The cell that a question's answer goes into, as it was given out."""
        return next(cell for cell in self.exercise.cells if cell.name == question)

    def variable(self, question: str) -> str:
        """The name that an answer of one value goes by."""
        for node in ast.parse(self.cell(question).source).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                return node.targets[0].id
        return question.replace("-", "_")


def find(name: str, folder: Path) -> Path:
    """The notebook with an exercise's checks: the package's, or one in the folder."""
    for place in [*PLACES, folder]:
        if (place / f"{name}.ipynb").is_file():
            return place / f"{name}.ipynb"
    known = sorted({path.stem for place in PLACES for path in place.glob("*.ipynb")})
    raise DataError(
        f"there is no exercise {name!r}: expected one of {', '.join(known)}, or the name of a "
        f"notebook in {folder}"
    )


def solutions(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Each question's solved cell, without the lines that mark where the solution is."""
    for cell in exercise.cells:
        if cell.role == "solution":
            lines = cell.source.split("\n")
            marks = ("### BEGIN SOLUTION", "### END SOLUTION")
            yield cell.name, "\n".join(line for line in lines if line.strip() not in marks)


def running_shell() -> Any:
    """The notebook's IPython; None outside of one."""
    try:
        from IPython import get_ipython  # noqa: PLC0415  the tests of a panel do without
    except ImportError:
        return None
    return get_ipython()
