"""Cells of answers that raised, or no longer make an answer: what they made before still stands."""

import ast
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.magics import defined
from transformer_course.grading.exercises.messages import plain
from transformer_course.grading.exercises.missing import advice, numbered
from transformer_course.grading.exercises.places import in_notebook
from transformer_course.grading.panel.entries import ENTRIES
from transformer_course.grading.panel.saved import bound

MADE = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)
ALIKE = 0.85  # of two names, one of which may be the other misspelled
SETUP = "`{}` comes from the set-up: run the cells at the top first, and then this one."


class Unfinished:
    """Listens to the notebook; `said` has, by question, why its answer is not that of its cell.

    What is entered in the panel needs no cell: nothing is said of one that is as it was handed out.
    """

    def __init__(self, exercise: Exercise, ran: Callable[[str], None] = lambda question: None):
        self.said: dict[str, str] = {}
        self.stale: set[str] = set()  # questions of which an older answer is in the kernel
        self.values: Any = {}  # the notebook's names
        self.makers: dict[str, str | None] = {}  # the id of the cell that last made a name
        self.ran = ran  # told of each question whose cell has run to its end
        setups = [cell.source for cell in exercise.cells if cell.role == "setup"]
        self.setup = set().union(*(defined(source) or set() for source in setups))
        self.numbers, self.own = numbered(exercise), {cell.name for cell in exercise.cells}
        answers = [cell for cell in exercise.cells if cell.role == "solution"]
        self.names = {cell.name: bound(cell.source) for cell in answers}
        self.stubs = {cell.name: cell.source.strip() for cell in answers}
        self.letters = {each.name: each.options for each in exercise.questions.values()}
        self.entered = {each.name for each in exercise.questions.values() if each.kind in ENTRIES}

    def watch(self, shell: Any) -> None:
        """Hear of every cell that IPython has run."""
        self.values = shell.user_ns
        shell.events.register("post_run_cell", self.after)

    def after(self, result: Any) -> None:
        """A cell has run: which answers does it make, and did it come to its end?"""
        error = result.error_before_exec or result.error_in_exec
        cell, name = result.info.raw_cell, getattr(result.info, "cell_id", None)
        made = {name for pair in MADE.findall(cell) for name in pair}  # in any text
        known = defined(cell)
        for question, names in self.names.items():
            lost = names - made - known if known is not None else set()
            own = name == question or self.meant(question, lost, cell, name)
            missing = sorted(each for each in lost if self.makers.get(each, name) == name)
            if names & (made | (known or set())) and error is None and not (own and missing):
                self.forget(question)
                self.makers |= dict.fromkeys(names - lost, name)
                self.ran(question)
            elif question in self.entered and (error is None or stub(error)):
                continue
            elif error is None and own and missing:
                self.lose(question, missing)
            elif error is not None and (names & made or own):
                self.forget(question)
                self.said[question] = self.why(question, cell, error)

    def meant(self, question: str, lost: set[str], cell: str, name: str | None) -> bool:
        """Whether a cell that bears another id, or none, is a question's that lost its names.

        It has replaced the cell that made them, and has its docstring or nearly one of its names.
        """
        if name in self.own or not lost or any(self.makers.get(n, self) != name for n in lost):
            return False
        others = set(self.numbers) | self.setup
        made = (defined(cell) or set()) - others
        near = (SequenceMatcher(None, one, two).ratio() for one in made for two in lost)
        said = docstrings(self.stubs[question])
        return bool(said & docstrings(cell)) or (len(made) == 1 and max(near, default=0) >= ALIKE)

    def lose(self, question: str, missing: list[str]) -> None:
        """The cell of an answer makes some of its names no longer."""
        gone = " and ".join(f"`{name}`" for name in missing)
        old = any(name in self.values for name in missing)
        self.forget(question)
        if old:
            self.stale.add(question)
        no = "no longer defines" if old else "does not define"
        older = ": an older value is still in the kernel" if old else ""
        self.said[question] = f"The cell above {no} {gone}{older}. Is the name misspelled? "

    def forget(self, question: str) -> None:
        """What was entered in the panel since then is the answer now."""
        self.said.pop(question, None)
        self.stale.discard(question)

    def why(self, question: str, cell: str, error: BaseException) -> str:
        """Why a cell that raised is no answer, or not yet."""
        if stub(error):
            if cell.strip() == self.stubs[question]:
                return "This is not answered yet: the cell is as it was handed out. "
            return "Your cell still raises NotImplementedError: delete that line and run it again. "
        kind, place = type(error).__name__, in_notebook(error, {})
        text = str(getattr(error, "msg", error))  # msg: without a file's name
        other = {name: n for name, (asked, n) in self.numbers.items() if asked != question}
        said = advice(text, self.setup, answers=other, first=SETUP)
        text = plain(text, kind, place).rstrip(".")
        raised = f"{kind}: {text}".removesuffix(": ")
        letter = error.name if isinstance(error, NameError) else None
        bare = letter in self.letters.get(question, ())
        said = f'Write the letter in quotes: `"{letter}"`.' if bare else said
        return f"The cell of your answer did not finish: it raised {raised}. {said}".rstrip() + " "


def stub(error: BaseException) -> bool:
    """Whether that is what the cell raises as it was handed out."""
    return isinstance(error, NotImplementedError) and not error.args


def docstrings(source: str) -> set[str]:
    """What functions and classes of a cell say of themselves."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return set()
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {ast.get_docstring(node) or "" for node in body if isinstance(node, kinds)} - {""}
