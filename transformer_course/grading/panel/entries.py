"""Answers that are entered in the panel itself: a choice, and a guess that is locked in."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import ipywidgets as W

from transformer_course.grading.panel import drawing
from transformer_course.grading.panel.saved import last_run, value_in

if TYPE_CHECKING:
    from transformer_course.grading.panel.question_panel import Panel


class Entry:
    """Nothing to enter here: code and numbers are written in the cell above."""

    first = "Write your answer in the cell above, run it with Shift-Enter, then press Check."
    missing = "write your answer in the cell above, run it, press Check."
    again = "Read the first message, change the cell, run it, and press Check again."
    solved = "All checks pass: {points}. Go on to the next question."
    tries = 2  # that fail before a solution is offered, 0: there is none
    final = False  # once True, a check is no other try

    def __init__(self, panel: Panel) -> None:
        self.panel, self.namespace = panel, panel.panels.namespace
        self.variable = panel.panels.variable(panel.question.name)
        self.parts: list[W.Widget] = []

    def put(self) -> None:
        """Before a check: have the answer in the notebook's namespace."""

    def ran(self) -> None:
        """The cell of the answer has run."""

    def after(self) -> None:
        """A check is done."""

    def draw(self) -> None:
        """Show how it stands."""

    def answer(self) -> str:
        """The answer as a text that tells it from another one; "" if that is not known."""
        return self.ran_last() or ""

    def ran_last(self) -> str | None:
        """The cell of the answer, as it ran last."""
        return last_run(self.panel.panels.cell(self.panel.question.name), self.namespace)

    def entered(self) -> Any:
        """What stands in the panel; None if nothing does."""

    def value_in(self, source: str | None) -> Any:
        """The plain value that a cell gives to the answer."""
        return value_in(source, self.variable)

    def unwritten(self, source: str | None) -> str:
        """The line that a cell of the answer still lacks, to hold what stands in the panel."""
        value = self.entered()
        if value is None or self.value_in(source) == value:
            return ""
        return f"`{self.variable} = {value!r}`".replace("'", '"')

    def reminder(self) -> str:
        """The file has to hold the answer, and a panel cannot write there."""
        if not (line := self.unwritten(self.ran_last())):
            return ""
        return (
            f"Write {line} in the cell above too, run it, and save the notebook: grading reads the "
            "file, not this panel."
        )


class Choice(Entry):
    """Radio buttons that set the answer's variable. An answer in the cell is taken over."""

    first = "Choose an answer, then press Check."
    missing = "choose an answer, then press Check."
    again = "Read the message, choose again, and press Check."

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        options = panel.question.options
        texts = [(f"{letter}) {text.replace('`', '')}", letter) for letter, text in options.items()]
        self.radio, self.note = W.RadioButtons(options=texts, value=None), W.HTML()
        self.parts = [self.radio, self.note]
        kept = panel.memory.get("answer")
        self.right = kept if panel.points >= panel.question.points else None
        if self.namespace.get(self.variable, ...) is ... and kept in options:
            self.radio.value = self.namespace[self.variable] = kept
        self.put()
        self.radio.observe(self._chosen, "value")

    def _written(self) -> str | None:
        found = self.namespace.get(self.variable)
        letter = found.strip().lower() if isinstance(found, str) else None
        return letter if letter in self.panel.question.options else None

    def _chosen(self, change: dict[str, Any]) -> None:
        if change["new"] != self._written():
            self.namespace[self.variable] = change["new"]
            self.panel.panels.unfinished.forget(self.panel.question.name)
        self.panel.remember(answer=change["new"])
        self.panel.draw()

    def put(self) -> None:
        """An answer that was run in the cell shows in the buttons; a stub changes nothing."""
        if self._written() is not None:
            self.radio.value = self._written()
        elif self.radio.value and self.namespace.get(self.variable, ...) is ...:
            self.namespace[self.variable] = self.radio.value

    def ran(self) -> None:
        """The buttons show what the cell says."""
        self.put()
        self.draw()

    def answer(self) -> str:
        """The letter."""
        return str(self.radio.value)

    def after(self) -> None:
        """Whether the letter is right is known now."""
        right = all(row.status == "pass" for row in self.panel.rows)
        self.right = self.radio.value if right else self.right

    def entered(self) -> Any:
        """The letter, once it is right: a wrong one need not be written into the cell."""
        known = self._written() or self.namespace.get(self.variable, ...) is ...
        return self.radio.value if known and self.radio.value == self.right else None

    def value_in(self, source: str | None) -> Any:
        """The letter in a cell."""
        found = super().value_in(source)
        return found.strip().lower() if isinstance(found, str) else found

    def draw(self) -> None:
        """Remind of the file once it is right, unless it stands there or its cell raised."""
        said = "" if self.panel.failed else self.reminder()
        self.note.value = drawing.paragraph(said) if said else ""


class Prediction(Entry):
    """A number that is locked in before the result is shown; a restart does not unlock it."""

    first = (
        "Guess before you know: type a number into the field and lock it in. A guess earns the "
        "points, right or wrong. Then you see what was measured, and the guess stays as it is."
    )
    again = "Nothing is locked in yet: read the message, and enter another number."
    solved = "Your guess is locked in: {points}. See what was measured, and why, and go on."
    tries = 0  # its check says what was measured

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        tip = f"Lock in the guess for {panel.question.title}"
        self.field = W.Text(
            placeholder="a number", description="Guess", style={"description_width": "auto"}
        )
        self.lock = W.Button(description="Lock in", tooltip=tip, button_style="primary")
        self.lock.on_click(self._lock)
        self.note = W.HTML()
        line = W.HBox([self.field, self.lock])
        line.add_class("tc-buttons")
        self.parts = [line, self.note]
        self.guess: float | int | None = None
        self.take()

    def take(self) -> None:
        """A number that was run in the cell stands in the field, until one is locked in."""
        written = self.namespace.get(self.variable)
        if self.locked is None and isinstance(written, int | float):
            self.field.value = f"{written}"

    def ran(self) -> None:
        """Take over the number in the cell; once one is locked in, say whether they agree."""
        self.take()
        self.draw()

    def _lock(self, *_: Any) -> None:
        if not self.field.value.strip():
            self.take()
        try:
            self.guess = parsed(self.field.value)
        except ValueError as error:
            self.note.value = drawing.status(str(error))
            return
        self.note.value = ""
        self.panel.panels.unfinished.forget(self.panel.question.name)
        self.panel.run()

    @property
    def locked(self) -> str | None:
        """The guess that was locked in, if it can be read."""
        kept: str = self.panel.memory.get("answer", "")
        with suppress(ValueError):
            parsed(kept)
            return kept
        return None

    def entered(self) -> Any:
        """The number, once it is locked in."""
        return None if self.locked is None else parsed(self.locked)

    def put(self) -> None:
        """The guess that was locked in counts, whatever the cell says by now."""
        if self.locked is not None:
            self.guess = parsed(self.locked)
        if self.guess is not None:
            self.namespace[self.variable] = self.guess

    def after(self) -> None:
        """Once the check takes it, the guess is locked in.

        One that an older version of the exercise took, and this one cannot take, is unlocked.
        """
        if self.locked is not None and any(row.status == "fail" for row in self.panel.rows):
            self.guess, self.note.value = None, ""
            self.panel.remember(answer="")
        if self.guess is not None and all(row.status == "pass" for row in self.panel.rows):
            self.panel.remember(answer=repr(self.guess))

    def draw(self) -> None:
        """Once locked in, there is nothing more to enter."""
        locked = self.locked
        self.panel.check.layout.display = "none"
        self.field.disabled = self.lock.disabled = self.final = locked is not None
        if locked is not None:
            self.field.value = locked
            self.note.value = drawing.paragraph(f"{locked} is locked in. {self.reminder()}".strip())


def parsed(text: str) -> float | int:
    """The number that was entered. Raises ValueError with words for the learner."""
    if not text.strip():
        raise ValueError("Type your guess into the field first. Nothing is locked.")
    number = math.nan
    with suppress(ValueError):
        number = float(text)
    if not math.isfinite(number):
        raise ValueError(
            f"Expected a number such as 12 or 0.5, got {text[:40]!r}. Nothing is locked."
        )
    return int(number) if number == int(number) and "." not in text else number


ENTRIES: dict[str, type[Entry]] = {"choice": Choice, "prediction": Prediction}
