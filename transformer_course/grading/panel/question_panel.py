"""The panel of one question, made of core ipywidgets alone (7.7 and 8)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import ipywidgets as W

from transformer_course.grading.exercises.checking import Row, telling_first
from transformer_course.grading.exercises.exercise import Question
from transformer_course.grading.panel import drawing
from transformer_course.grading.panel.attempt import attempt
from transformer_course.grading.panel.entries import ENTRIES, Entry
from transformer_course.grading.panel.progress import Data, today

if TYPE_CHECKING:
    from transformer_course.grading.panel.panels import Panels


class Panel(W.VBox):
    """Check, hints and a solution for one question; `rows` and `points` say how it stands."""

    def __init__(self, panels: Panels, question: Question) -> None:
        self.panels, self.question = panels, question
        self.key = f"exercises/{panels.exercise.name}/{question.name}"
        self.rows: list[Row] = []
        name = question.title
        self.check = button("Check", f"Check the answer to {name}", self.run, "primary")
        self.hint = button("Hint", f"The next hint for {name}", self._hint)
        self.solution = button("Solution", f"Show a solution of {name}", self._ask)
        self.sure = button("Show it", f"Show the solution of {name}", self._reveal, "warning")
        self.keep = button("Keep trying", "Leave the solution hidden", self._close)
        self.head, self.said, self.table = W.HTML(), W.HTML(), W.HTML()
        self.hints, self.solved, self.printed = W.HTMLMath(), W.HTML(), W.HTML()
        self.asked = W.HBox(
            [W.HTML("After this the question earns nothing more."), self.sure, self.keep]
        )
        buttons = W.HBox([self.check, self.hint, self.solution])
        for box in (buttons, self.asked):
            box.add_class("tc-buttons")
        self._close()
        super().__init__()
        self.entry = ENTRIES.get(question.kind, Entry)(self)
        shown = [self.said, self.table, self.printed, self.hints, self.solved]
        self.children = [self.head, *self.entry.parts, buttons, self.asked, *shown]
        self.add_class("tc-panel")
        self.draw()
        if self.entry.final:
            self.run()  # what was measured is there again

    def __repr__(self) -> str:
        return f"{self.question.title}: {self.points:g} of {self.question.points:g} points"

    @property
    def memory(self) -> dict[str, Any]:
        """What the panel remembers: tries, hints, shown (the solution), answer."""
        return {
            "tries": 0,
            "hints": 0,
            "shown": False,
            **self._progress()["panels"].get(self.key, {}),
        }

    @property
    def points(self) -> float:
        """The best result so far."""
        return self._progress()["done"].get(self.key, {}).get("points", 0)

    @property
    def failed(self) -> bool:
        """Whether the cell of the answer raised, or lost its name, when it ran last."""
        return self.question.name in self.panels.unfinished.said

    def _progress(self) -> Data:
        return self.panels.progress.read()

    def remember(self, points: float = 0, **news: Any) -> None:
        """Keep something new; numbers are added to what is there."""

        def edit(progress: Data) -> None:
            mine = progress["panels"].setdefault(self.key, {})
            for name, value in news.items():
                adds = isinstance(value, int) and not isinstance(value, bool)
                mine[name] = mine.get(name, 0) + value if adds else value
            best = progress["done"].get(self.key, {"points": 0})["points"]
            earned = best if mine.get("shown") else max(best, int(points))
            if earned or mine.get("shown"):
                tries = mine.get("tries", 0)
                progress["done"][self.key] = {"points": earned, "tries": tries, "when": today()}

        self.panels.progress.change(edit)
        for summary in self.panels.summaries:
            summary.draw()

    def run(self, *_: Any) -> None:
        """Run the checks; count the try and keep the points."""
        self.check.disabled = True
        self.said.value = drawing.status("Checking ...")
        try:
            self.entry.put()
            rows, printed = self._rows()
        except Exception as error:  # not the learner's: a set-up cell, or the exercise itself
            said = f"The checks could not run: {type(error).__name__}: {error}"
            self.said.value = drawing.status(said)
            return
        finally:
            self.check.disabled = False
        self.rows = telling_first(rows)
        self.printed.value = drawing.block("Your code printed", printed)
        self.entry.after()
        if any(row.status != "not_attempted" for row in self.rows):
            self._count()
        self.draw()

    def _rows(self) -> tuple[list[Row], str]:
        """What the checks say, and what the answer printed. What the cell lost is not judged."""
        if self.question.name in self.panels.unfinished.stale:
            said, checks = "Not attempted yet.", self.question.checks
            return [Row(check=each, status="not_attempted", message=said) for each in checks], ""
        return attempt(self.panels.checker, self.question, self.panels.namespace)

    def _count(self) -> None:
        """Keep the points. A try is an answer that was not checked just before, and that ran."""
        name, finished = self.question.name, self.points >= self.question.points
        answer = self.entry.answer()
        checked = hashlib.sha256(answer.encode()).hexdigest()[:12] if answer else ""
        again = bool(checked) and checked == self.memory.get("checked")
        if finished or self.entry.final or again or name in self.panels.unfinished.said:
            self.remember(sum(row.points for row in self.rows))
        else:
            self.remember(sum(row.points for row in self.rows), tries=1, checked=checked)

    def _hint(self, *_: Any) -> None:
        self.remember(hints=1)
        self.draw()

    def _ask(self, *_: Any) -> None:
        if self.points >= self.question.points or self.memory["shown"]:
            self._reveal()
        else:
            self.asked.layout.display = ""

    def _close(self, *_: Any) -> None:
        self.asked.layout.display = "none"

    def _reveal(self, *_: Any) -> None:
        if self.points < self.question.points:
            self.remember(shown=True)
        self._close()
        text = self.panels.solutions[self.question.name]
        self.solved.value = drawing.block("A solution", text)
        self.draw()

    def draw(self) -> None:
        """Show how it stands now."""
        self.entry.draw()
        memory, hints = self.memory, self.question.hints
        shown = min(memory["hints"], len(hints))
        self.head.value = drawing.head(self.question, self.points, memory["tries"])
        self.table.value = drawing.rows(self.rows)
        self.hints.value = drawing.hints(hints[:shown], len(hints))
        self.hint.disabled = shown == len(hints)
        self.hint.description = (
            f"Hint {shown + 1} of {len(hints)}" if shown < len(hints) else "Hint"
        )
        done = self.points >= self.question.points
        earned = (
            memory["tries"] >= self.entry.tries or shown == len(hints) or done or memory["shown"]
        )
        there = bool(self.entry.tries) and self.question.name in self.panels.solutions
        self.solution.layout.display = "" if earned and there else "none"
        note = self.panels.progress.note
        self.said.value = drawing.status(self.advice()) + drawing.status(note)

    def advice(self) -> str:
        """A sentence or two on what to do next."""
        raised = self.panels.unfinished.said.get(self.question.name) if self.rows else None
        if not raised:
            return self.verdict()
        judged = any(row.status != "not_attempted" for row in self.rows)
        before = "What is judged here was made before that. " if judged else ""
        return f"{raised}{before}{self.verdict()}"

    def verdict(self) -> str:
        """What came of the checks."""
        most, memory = self.question.points, self.memory
        passed = sum(row.status == "pass" for row in self.rows)
        if self.rows and passed == len(self.rows):
            if memory["shown"] and self.points < most:
                return "All checks pass. The solution was shown, so it earns nothing more. Go on."
            return self.entry.solved.format(points=drawing.count(most, "point"))
        if not self.rows:
            if self.points >= most:
                return "You have solved this. Check runs the checks again."
            return self.entry.first
        if all(row.status == "not_attempted" for row in self.rows):
            return f"Nothing is checked yet: {self.entry.missing}"
        if any(row.status == "timeout" for row in self.rows):
            return (
                "Find what never ends, change the cell, run it, and press Check again. If nothing "
                "is wrong with it, the machine may be busy: to check the same answer is no try."
            )
        said = f"{passed} of {drawing.count(len(self.rows), 'check')} passed. "
        if self.points > sum(row.points for row in self.rows):
            best = drawing.count(self.points, "point")
            said += f"Your best so far, {best}, is kept here; grading reads the cell. "
        if memory["shown"] and self.points < most:
            said += "The solution was shown: this question earns nothing more here. "
        return said + self.entry.again


def button(text: str, tooltip: str, run: Any, style: str = "") -> W.Button:
    """A button that says what it does."""
    made = W.Button(description=text, tooltip=tooltip, button_style=style)
    made.on_click(run)
    return made
