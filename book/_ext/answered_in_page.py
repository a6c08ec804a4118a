"""The choices and numbers of an exercise notebook, answered in its page with no kernel.

A page knows what the notebook knows that every learner gets, and nothing else: it is read from that
notebook, whose hidden checks are gone. Set-up, answer cell and visible check are run, as the panel
does, with a `checks` that tells what it would compare with instead of comparing. Code and
predictions stay in Jupyter: the one has to run there, and the other is measured there.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any
from unittest.mock import patch

from sphinx.errors import ExtensionError

from transformer_course.grading.exercises import checks
from transformer_course.grading.exercises.exercise import Exercise, Question
from transformer_course.widgets.sources import module, style

KINDS = ("number", "choice")
WIDGET = "page_exercise.js"  # what grades the chapters' exercises in the page
VERSION = {"version_major": 2, "version_minor": 0}
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


class _Heard(BaseException):
    """What a check would have compared with; no `except` of a notebook stops it."""


def _number(found: Any, expected: float, *, mistakes: Any = None, tol: float = 0.0) -> None:
    raise _Heard(float(expected), {said: float(x) for said, x in (mistakes or {}).items()}, tol)


def _choice(found: Any, question: str, right: str, why: dict[str, str]) -> None:
    [letter] = [each for each in why if checks.key(question, each) == right]
    raise _Heard(letter, why)


def listen(exercise: Exercise, question: Question) -> tuple[Any, ...]:
    """What the question's check compares an answer with.

    Raises:
        ExtensionError: It does not compare by `checks.number` or `checks.choice`.
    """
    needed = ("setup", "checks")
    cells = [c for c in exercise.cells if c.role in needed or c.name == question.name]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with patch.object(checks, "number", _number), patch.object(checks, "choice", _choice):
        try:
            for cell in [*cells, *question.checks]:
                with suppress(NotImplementedError):  # with which an open answer ends
                    exec(compile(cell.source, f"<{cell.name or cell.role}>", "exec"), namespace)
        except _Heard as heard:
            return heard.args
    raise ExtensionError(
        f"{exercise.name}, question {question.name}: its page can grade what is compared by "
        f"checks.{question.kind}; expected one call of it in {question.checks[0].name}"
    )


def asked(exercise: Exercise, question: Question) -> dict[str, Any]:
    """The question as the page's widget takes it, its answer among it."""
    about = {
        "id": f"exercises/{exercise.name}/{question.name}",  # as the panels keep it
        "kind": question.kind,
        "title": question.title,
        "prompt": "",  # it stands above
        "points": int(question.points),
        "difficulty": question.difficulty,
        "minutes": question.minutes,
        "hints": list(question.hints),
        "explanation": "",
        "panel": True,  # graded as a notebook's panel does: every try can earn all points
    }
    if question.kind == "number":
        return about | number(*listen(exercise, question))
    return about | choice(question, *listen(exercise, question))


def number(expected: float, mistakes: dict[str, float], tol: float) -> dict[str, Any]:
    """What the page needs of a number: within a share `tol`, as `checks.number` has it."""
    whole = expected.is_integer() and not tol
    near = abs(expected) * tol
    digits = next(n for n in range(1, 18) if abs(float(f"{expected:.{n}g}") - expected) <= near)
    return {
        "answer": expected,
        "tolerance": near + 1e-9,
        "asks": "a whole number" if whole else f"within {100 * tol:g} %",
        "unit": "",
        "shown": f"{expected:,.0f}" if whole else f"{expected:.{max(digits, 3)}g}",
        "misconceptions": [{"answer": x, "message": said} for said, x in mistakes.items()],
    }


def choice(question: Question, right: str, why: dict[str, str]) -> dict[str, Any]:
    """What the page needs of a choice: its options in their order, and what the notebook says."""
    options = [
        {
            "text": f"*{letter}* {text}",
            "right": letter == right,
            "why": "" if letter == right else why[letter],  # a panel never says it of the right one
        }
        for letter, text in question.options.items()
    ]
    place = list(question.options).index(right)
    return {"options": options, "answer": [place], "shown": options[place]["text"]}


def cell(raw: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """A cell that shows the widget, as a run notebook would hold it."""
    view = {"output_type": "display_data", "metadata": {}, "data": {VIEW: seen(state)}}
    return {
        "cell_type": "code",
        "id": f"{raw['id']}-answer",
        "metadata": {"tags": ["remove-input"]},
        "execution_count": None,
        "source": f"# {state['id']}",
        "outputs": [view],
    }


def seen(state: dict[str, Any]) -> dict[str, Any]:
    """The view of a question's widget."""
    return {"model_id": hashlib.sha256(state["id"].encode()).hexdigest()[:32], **VERSION}


def saved(states: list[dict[str, Any]]) -> dict[str, Any]:
    """The notebook's metadata with the widgets of these questions."""
    code = {"_esm": module(WIDGET), "_css": style(WIDGET)}
    models = {
        seen(state)["model_id"]: {
            "model_module": "anywidget",
            "model_module_version": "~0.11.*",
            "model_name": "AnyModel",
            "state": {**code, "exercise": state, "work": {}},
        }
        for state in states
    }
    return {STATE: {"state": models, **VERSION}}
