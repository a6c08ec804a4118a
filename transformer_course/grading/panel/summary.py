"""All questions of a notebook at a glance; progress to and from a file; grading what is saved."""

from __future__ import annotations

import base64
import html
from datetime import datetime
from typing import TYPE_CHECKING, Any

import ipywidgets as W

from transformer_course.errors import DataError
from transformer_course.grading.exercises.checking import Row
from transformer_course.grading.grader.result import Result
from transformer_course.grading.panel import drawing
from transformer_course.grading.panel.progress import merge, readable, text_of, today
from transformer_course.grading.panel.saved import answers_in, graded, notebook_file, unsaved

if TYPE_CHECKING:
    from transformer_course.grading.panel.panels import Panels
    from transformer_course.grading.panel.question_panel import Panel


class Summary(W.VBox):
    """Points of every question, and buttons: grade this notebook, bring progress back."""

    def __init__(self, panels: Panels) -> None:
        self.panels = panels
        self.grade = W.Button(
            description="Grade this notebook",
            tooltip="Run the grader on the saved file, as for a class",
            button_style="primary",
        )
        self.grade.on_click(self._grade)
        self.upload = W.FileUpload(
            accept=".json", multiple=False, description="Read progress from a file"
        )
        self.upload.observe(self._read, "value")
        self.table, self.link, self.said, self.result = W.HTML(), W.HTML(), W.HTML(), W.HTML()
        buttons = W.HBox([self.grade, self.upload, self.link])
        buttons.add_class("tc-buttons")
        super().__init__([self.table, buttons, self.said, self.result])
        self.add_class("tc-panel")
        self.draw()

    def __repr__(self) -> str:
        return f"Summary of {self.panels.exercise.name}"

    def draw(self) -> None:
        """Show how it stands now."""
        progress = self.panels.progress.read()
        exercise = self.panels.exercise
        prefix = f"exercises/{exercise.name}/"
        points = {
            name: progress["done"].get(prefix + name, {}).get("points", 0)
            for name in exercise.questions
        }
        tries = {
            name: progress["panels"].get(prefix + name, {}).get("tries", 0)
            for name in exercise.questions
        }
        lines = [panel.entry.unwritten(panel.entry.ran_last()) for panel in self.shown]
        self.table.value = drawing.summary(exercise, points, tries) + drawing.paragraph(
            f"Grading reads the cells of the saved file. They still lack {listed(lines)}."
        ) * any(lines)
        encoded = base64.b64encode(text_of(progress).encode()).decode()
        self.link.value = (
            f'<a download="transformer-course-{today()}.json" '
            f'href="data:application/json;base64,{encoded}">Save progress to a file</a>'
        )

    @property
    def shown(self) -> list[Panel]:
        """The panels in sight, in the order of the questions."""
        shown = self.panels.shown
        return [shown[name] for name in self.panels.exercise.questions if name in shown]

    def say(self, text: str) -> None:
        """A sentence below the buttons."""
        self.said.value = drawing.status(text)

    def _read(self, change: dict[str, Any]) -> None:
        """Take over what a file holds: of each question the better result."""
        found = change["new"]
        if not found:
            return
        (first,) = found.values() if isinstance(found, dict) else found  # ipywidgets 7 and 8
        progress, problem = readable(bytes(first["content"]).decode("utf-8", "replace"))
        if progress is None:
            self.say(f"The file was not read: {problem}. Nothing has changed.")
            return
        before = self.panels.points
        self.panels.progress.change(lambda mine: merge(mine, progress))
        self.panels.draw()
        more = drawing.count(self.panels.points - before, "point")
        entries = drawing.count(len(progress["done"]), "question")
        self.say(f"The file holds {entries} of the course, and adds {more} here. {problem}".strip())

    def _grade(self, *_: Any) -> None:
        exercise, namespace = self.panels.exercise, self.panels.namespace
        path = notebook_file(exercise.name, self.panels.folder, namespace)
        self.result.value = ""
        if path is None:
            self.say(
                "The notebook's file is not to be found from here (in Colab there is none). "
                "Download the notebook and run `transformer-course grade --self FILE` on it."
            )
            return
        self.grade.disabled = True
        self.say(f"Grading {path.name} ...")
        try:
            result = graded(path, self.panels.source)
        except DataError as error:
            self.say(f"{path.name} was not graded: {error}.")
            return
        finally:
            self.grade.disabled = False
        when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%H:%M:%S")
        answers = answers_in(path)
        other = unsaved(exercise, answers, namespace)
        lines = [
            panel.entry.unwritten(answers[panel.question.name])
            for panel in self.shown
            if panel.question.name in answers and panel.question.title not in other
        ]
        warning = (
            f" The file holds another answer than you ran for: {', '.join(other)}. Run that cell, "
            "or save the notebook, and grade again."
            if other
            else ""
        )
        if any(lines):
            warning += (
                " What stands in a panel alone is not graded. Write it in the cell of its answer, "
                f"save the notebook, and grade again: {listed(lines)}."
            )
        if told := self.told(result):
            warning += (
                f" The solution was shown for: {', '.join(told)}. The grader sees the file alone "
                "and counts that; the panel does not."
            )
        most = result.get("max_score", exercise.points)
        score = f"{result.get('score', 0):g} of {drawing.count(most, 'point')}"
        self.say(f"{score} for {path.name} as saved at {when}.{warning}")
        self.result.value = drawing.graded(exercise, rows(self.panels, result))

    def told(self, result: Result) -> list[str]:
        """Titles of questions that earn more in grading, which knows of no solution shown."""
        found = rows(self.panels, result)
        return [
            panel.question.title
            for panel in self.shown
            if panel.memory["shown"]
            and panel.points
            < sum(row.points for row in found if row.check.question == panel.question.name)
        ]


def listed(lines: list[str]) -> str:
    """Lines to write, in a sentence."""
    return ", ".join(filter(None, lines))


def rows(panels: Panels, result: Result) -> list[Row]:
    """A result's tests as rows of this exercise's checks."""
    checks = {check.name: check for check in panels.exercise.checks}
    return [
        Row(check=checks[test["id"]], status=test["status"], message=html.unescape(test["message"]))
        for test in result["tests"]
        if test["id"] in checks
    ]
