"""What a panel says, in HTML: never by color alone, and without a script."""

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from transformer_course.grading.exercises.checking import Row, Status, worth_reading
from transformer_course.grading.exercises.exercise import Exercise, Question
from transformer_course.grading.exercises.messages import inline

STYLE = f"<style>{Path(__file__).with_name('panel.css').read_text(encoding='utf-8')}</style>"
WORDS: dict[Status, tuple[str, str]] = {
    "pass": ("✓", "passed"),
    "fail": ("✗", "not right yet"),
    "error": ("✗", "error"),
    "not_attempted": ("–", "not attempted"),
    "timeout": ("✗", "time ran out"),
    "not_reached": ("–", "not tried"),
    "died": ("✗", "the process died"),
    "memory": ("✗", "memory ran out"),
}


def count(number: float, word: str) -> str:
    """Such as "1 point", "2.5 points"; a word of several forms its plural in its first word."""
    first, _, rest = word.partition(" ")
    plural = {"try": "tries"}.get(first, first + "s")
    return f"{number:g} {first if number == 1 else plural}{' ' + rest if rest else ''}"


def head(question: Question, points: float, tries: int) -> str:
    """The title, what to expect, and what was earned."""
    about = f"{question.kind}, difficulty {question.difficulty} of 5, "
    about += count(question.minutes, "minute")
    state = f"{points:g} of {count(question.points, 'point')}"
    state += f", {count(tries, 'try')}" if tries else ""
    return (
        f'{STYLE}<div class="tc-head"><strong>{inline(question.title)}</strong>'
        f'<strong>{state}</strong></div><div class="tc-about">{about}</div>'
    )


def rows(found: Sequence[Row]) -> str:
    """One line for each check: a mark, a word, what it checks; below it the message, once."""
    lines = []
    for row, said in zip(found, worth_reading(found), strict=True):
        mark, word = WORDS[row.status]
        if row.status == "pass" and row.message:
            word = "counts"  # a guess, which is neither right nor wrong
        earned = f"{row.points:g} of {count(row.check.points, 'point')}"
        message = f'<span class="tc-message">{inline(said)}</span>' if said else ""
        lines.append(
            f'<li><span class="tc-mark" aria-hidden="true">{mark}</span>'
            f'<span class="tc-status">{word}</span>: {inline(row.check.title)} ({earned})'
            f"{message}</li>"
        )
    return f'<ul class="tc-rows">{"".join(lines)}</ul>' if lines else ""


def hints(texts: Sequence[str], of: int) -> str:
    """The hints so far."""
    items = "".join(f"<li>{inline(text)}</li>" for text in texts)
    return f"<p><strong>Hints</strong> ({len(texts)} of {of})</p><ol>{items}</ol>" if items else ""


def block(title: str, text: str) -> str:
    """Code, or what code printed."""
    shown = html.escape(text, quote=False)
    return f'<p><strong>{title}</strong></p><pre tabindex="0">{shown}</pre>' if text else ""


def paragraph(text: str) -> str:
    """A line of prose."""
    return f"<p>{inline(text)}</p>"


def status(text: str) -> str:
    """A sentence that a screen reader says when it changes."""
    return f'<p role="status">{inline(text)}</p>' if text else ""


def summary(exercise: Exercise, points: Mapping[str, float], tries: Mapping[str, int]) -> str:
    """All questions with their points, tries and minutes."""
    lines = "".join(
        f'<tr><th scope="row">{inline(question.title)}</th>'
        f"<td>{'✓ ' if points[name] >= question.points else ''}{points[name]:g} of "
        f"{question.points:g}</td><td>{tries[name]}</td><td>{question.minutes}</td></tr>"
        for name, question in exercise.questions.items()
    )
    names = "".join(f'<th scope="col">{name}</th>' for name in ("Points", "Tries", "Min."))
    total = f"{sum(points.values()):g} of {count(exercise.points, 'point')}"
    return (
        f'{STYLE}<div class="tc-head"><strong>{inline(exercise.title)}</strong>'
        f"<strong>{total}</strong></div><table><thead><tr><td></td>{names}</tr></thead>"
        f"<tbody>{lines}</tbody></table>"
    )


def graded(exercise: Exercise, found: Sequence[Row]) -> str:
    """The rows of a graded notebook, by question."""
    return "".join(
        f"<p><strong>{inline(question.title)}</strong></p>"
        + rows([row for row in found if row.check.question == name])
        for name, question in exercise.questions.items()
    )
