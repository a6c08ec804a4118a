"""Exercise notebooks as pages: what a reader sees where Jupyter would show a panel.

The notebooks carry no outputs. Before MyST-NB reads one, the cell of each panel becomes a box with
what the question asks for and its hints, and the section of checks is folded. A choice or a number
is answered in the page (answered_in_page.py); without scripts its box stands there. The overview
lists whatever notebooks are there; nothing of it is typed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import answered_in_page
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import (
    Exercise,
    Question,
    load,
    parse,
    source_of,
)

FOLDER = "exercises/"
LIST = "<!-- every exercise -->"  # where the overview wants its table
SHOWN = re.compile(r"""panels\.show\(\s*["']([\w-]+)["']\s*\)""")
KINDS = {
    "code": "code",
    "number": "a number",
    "choice": "a choice",
    "prediction": "a prediction, locked in before the result",
}
LOCKED = (
    "The notebook locks your guess in, and tells what was measured. Here, note it down before you "
    "read on."
)
WITHOUT_SCRIPTS = """\
<noscript>
<p class="course-needs-python">With scripts on, this is answered here. What it asks:</p>
<div class="course-static">

{box}

</div>
</noscript>"""
SUMMARY = """\
::::{admonition} In Jupyter
:class: course-exercise

The points of every question, your progress to a file and back, and the grader on your own notebook.
::::"""


def rewrite(app: Sphinx, docname: str, source: list[str]) -> None:
    """Called by Sphinx with a page's source, to be changed in place."""
    if not docname.startswith(FOLDER):
        return
    folder = Path(app.srcdir) / "exercises"
    try:
        if docname == f"{FOLDER}index":
            found = [load(path) for path in sorted(folder.glob("[0-9]*.ipynb"))]
            for exercise in found:
                app.env.note_dependency(str(folder / f"{exercise.name}.ipynb"))
            source[0] = source[0].replace(LIST, overview(found, Path(app.srcdir)))
        else:
            notebook = json.loads(source[0])
            source[0] = json.dumps(page(notebook, parse(notebook, docname)))
    except (ValueError, DataError) as error:
        raise ExtensionError(f"{docname}: {error}") from None


def overview(exercises: list[Exercise], root: Path) -> str:
    """A table of all exercises, and what they come to."""
    lines = [
        "| No. | Exercise | Section | Questions | Points | Minutes |",
        "| --: | :-- | :-- | --: | --: | --: |",
    ]
    for exercise in exercises:
        chapter = f"book/{exercise.chapter}.ipynb"
        section = exercise.section or "all"
        if exercise.chapter and (root / chapter).is_file():
            section = f"[{section}](../{chapter})"
        name = f"{exercise.name}.ipynb"
        lines.append(
            f"| {number_of(exercise)} | [{exercise.title}]({name}) | {section} "
            f"| {len(exercise.questions)} | {exercise.points:g} | {minutes(exercise)} |"
        )
    questions = sum(len(exercise.questions) for exercise in exercises)
    points = sum(exercise.points for exercise in exercises)
    hours = sum(map(minutes, exercises)) / 60
    total = (
        f"{len(exercises)} notebooks, {questions} questions, {points:g} points: about {hours:.0f} "
        "hours of work."
    )
    return "\n".join([total, "", *lines])


def number_of(exercise: Exercise) -> int:
    """By which chapters call it: 4 of 04-multi-head-attention."""
    return int(exercise.name.partition("-")[0])


def minutes(exercise: Exercise) -> int:
    """How long all its questions take."""
    return sum(question.minutes for question in exercise.questions.values())


def page(notebook: dict[str, Any], exercise: Exercise) -> dict[str, Any]:
    """The notebook with boxes for panels, and its checks folded into one place."""
    cells, checks, states = [], [], []
    for raw, cell in zip(notebook["cells"], exercise.cells, strict=True):
        text = source_of(raw)
        raw["metadata"].pop("tags", None)  # they are for the runner
        if cell.role == "panel":
            shown = SHOWN.search(text)
            question = exercise.questions.get(shown[1]) if shown else None
            if question and question.kind in answered_in_page.KINDS:
                states.append(answered_in_page.asked(exercise, question))
                cells.append(markdown(raw, WITHOUT_SCRIPTS.format(box=box(question))))
                cells.append(answered_in_page.cell(raw, states[-1]))
            elif question:
                cells.append(markdown(raw, box(question)))
            elif "panels.summary()" in text:
                cells.append(markdown(raw, SUMMARY))
        elif cell.role in ("checks", "check"):
            checks.append(text)
        elif text.startswith("# "):  # the chapter has the same name
            title, *about = text[2:].split("\n\n")
            parts = [f"# Exercise {number_of(exercise)}: {title}", welcome(exercise), *about]
            cells.append(markdown(raw, "\n\n".join(parts)))
        else:
            cells.append(raw)
    if checks:
        cells.append(markdown({"id": "every-check"}, folded(checks)))
    if states:
        notebook["metadata"]["widgets"] = answered_in_page.saved(states)
    return {**notebook, "cells": cells}


def markdown(raw: dict[str, Any], text: str) -> dict[str, Any]:
    """A cell of text in the place of another."""
    return {"cell_type": "markdown", "id": raw["id"], "metadata": {}, "source": text}


def details(summary: str, text: str) -> str:
    """Something that the reader unfolds."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def plural(number: float, word: str) -> str:
    """Such as "1 point"."""
    return f"{number:g} {word}{'s' if number != 1 else ''}"


def box(question: Question) -> str:
    """What a panel would say before the first try."""
    about = (
        f"{plural(question.points, 'point')} for {KINDS[question.kind]} · difficulty "
        f"{question.difficulty} of 5 · about {plural(question.minutes, 'minute')}"
    )
    parts = [about]
    if question.kind == "prediction":
        parts.append(LOCKED)
    if len(question.checks) > 1:
        checks = [f"- {each.title} ({plural(each.points, 'point')})" for each in question.checks]
        parts.append("\n".join(["What is checked:", "", *checks]))
    hints = enumerate(question.hints, 1)
    parts += [details(f"Hint {number}", text) for number, text in hints]
    return admonition(question.title, "\n\n".join(parts))


def welcome(exercise: Exercise) -> str:
    """How to get from the page to the notebook."""
    count, time = plural(len(exercise.questions), "question"), minutes(exercise)
    here = sum(each.kind in answered_in_page.KINDS for each in exercise.questions.values())
    text = (
        f"{{download}}`Download the notebook <{exercise.name}.ipynb>`, or run `.venv/bin/jupyter "
        f"lab exercises` in a copy of the course. {count}, {plural(exercise.points, 'point')}, "
        f"about {time} minutes. {answered(here)} in Jupyter."
    )
    return admonition("Do it in Jupyter", text)


def answered(here: int) -> str:
    """Where answers are given, up to the words "in Jupyter"."""
    if not here:
        return "This page shows what there is to do. Answers are written, checked and counted"
    those = "One question, a choice or a number, is" if here == 1 else f"{here} of them are"
    return f"{those} answered on this page, the others are written, checked and counted"


def admonition(title: str, text: str) -> str:
    """A box of the theme."""
    return f"::::{{admonition}} {title}\n:class: course-exercise\n\n{text}\n::::"


def folded(checks: list[str]) -> str:
    """All checks as code that the reader may unfold."""
    code = "\n\n".join(f"```python\n{text.strip()}\n```" for text in checks)
    return details("Show the checks", code)
