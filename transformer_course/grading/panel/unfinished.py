"""Cells of answers that raised when they ran last: what they made before still stands there."""

import re
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.panel.saved import bound

MADE = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)


class Unfinished:
    """Listens to the notebook; `said` has, by question, what its answer's cell raised."""

    def __init__(self, exercise: Exercise) -> None:
        self.said: dict[str, str] = {}
        answers = [cell for cell in exercise.cells if cell.role == "solution"]
        self.names = {cell.name: bound(cell.source) for cell in answers}

    def watch(self, shell: Any) -> None:
        """Hear of every cell that IPython has run."""
        shell.events.register("post_run_cell", self.after)

    def after(self, result: Any) -> None:
        """A cell has run: which answers does it make, and did it come to its end?"""
        error = result.error_before_exec or result.error_in_exec
        made = {name for pair in MADE.findall(result.info.raw_cell) for name in pair}  # in any text
        for question, names in self.names.items():
            if names & made and error is None:
                self.said.pop(question, None)
            elif names & made:
                text = str(getattr(error, "msg", error)).rstrip(".")  # msg: without a file's name
                self.said[question] = f"{type(error).__name__}: {text}".removesuffix(": ")
