"""Cells of answers that raised, or no longer make an answer: what they made before still stands."""

import re
from collections.abc import Callable
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.messages import plain
from transformer_course.grading.panel.entries import ENTRIES
from transformer_course.grading.panel.saved import bound

MADE = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)


class Unfinished:
    """Listens to the notebook; `said` has, by question, why its answer is not that of its cell.

    What is entered in the panel needs no cell: nothing is said of one that is as it was handed out.
    """

    def __init__(self, exercise: Exercise, ran: Callable[[str], None] = lambda question: None):
        self.said: dict[str, str] = {}
        self.ran = ran  # told of each question whose cell has run to its end
        answers = [cell for cell in exercise.cells if cell.role == "solution"]
        self.names = {cell.name: bound(cell.source) for cell in answers}
        self.stubs = {cell.name: cell.source.strip() for cell in answers}
        self.letters = {each.name: each.options for each in exercise.questions.values()}
        self.entered = {each.name for each in exercise.questions.values() if each.kind in ENTRIES}

    def watch(self, shell: Any) -> None:
        """Hear of every cell that IPython has run."""
        shell.events.register("post_run_cell", self.after)

    def after(self, result: Any) -> None:
        """A cell has run: which answers does it make, and did it come to its end?"""
        error = result.error_before_exec or result.error_in_exec
        cell = result.info.raw_cell
        made = {name for pair in MADE.findall(cell) for name in pair}  # in any text
        for question, names in self.names.items():
            missing = sorted(names - made - bound(cell))
            own = getattr(result.info, "cell_id", None) == question  # as handed out
            if names & made and error is None and not (own and missing):
                self.said.pop(question, None)
                self.ran(question)
            elif question in self.entered and (error is None or stub(error)):
                continue
            elif error is None and own and missing:
                gone = ", ".join(f"`{name}`" for name in missing)
                self.said[question] = f"Your cell no longer makes {gone}: keep the name as it was. "
            elif error is not None and (names & made or own):
                self.said[question] = self.why(question, cell, error)

    def forget(self, question: str) -> None:
        """What was entered in the panel since then is the answer now."""
        self.said.pop(question, None)

    def why(self, question: str, cell: str, error: BaseException) -> str:
        """Why a cell that raised is no answer, or not yet."""
        if stub(error):
            if cell.strip() == self.stubs[question]:
                return "This is not answered yet: the cell is as it was handed out. "
            return "Your cell still raises NotImplementedError: delete that line and run it again. "
        text = plain(str(getattr(error, "msg", error))).rstrip(".")  # msg: without a file's name
        raised = f"{type(error).__name__}: {text}".removesuffix(": ")
        letter = error.name if isinstance(error, NameError) else None
        bare = letter in self.letters.get(question, ())
        quotes = f'Write the letter in quotes: `"{letter}"`. ' if bare else ""
        return f"The cell of your answer did not finish: it raised {raised}. {quotes}"


def stub(error: BaseException) -> bool:
    """Whether that is what the cell raises as it was handed out."""
    return isinstance(error, NotImplementedError) and not error.args
