"""Feedback in HTML: a page for each student, and for the instructor what a class got wrong."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from transformer_course.grading.exports.overview import class_parts
from transformer_course.grading.exports.pages import page, points
from transformer_course.grading.exports.platforms import file_name
from transformer_course.grading.grader.result import Result, Tested
from transformer_course.grading.grader.results_file import by_student

MARKS = {"pass": "✓", "not_attempted": "○", "not_reached": "○"}


def to_feedback(results: list[Result], to: Path) -> str:
    """One self-contained page for each student, and index.html with what each check found."""
    students = by_student(results)
    to.mkdir(parents=True, exist_ok=True)
    for student, own in students.items():
        text = page(f"Feedback for {own[0]['submission']['name'] or student}", student_parts(own))
        (to / f"{file_name(student)}.html").write_text(text, "utf-8", "xmlcharrefreplace")
    text = page("Results of the class", class_parts(students))
    (to / "index.html").write_text(text, "utf-8", "xmlcharrefreplace")
    return f"{to}: {len(students)} pages and index.html"


def student_parts(results: list[Result]) -> Iterable[str]:
    """A section for each exercise: the points, each check, and what went wrong in cells."""
    for result in results:
        yield f"<section>\n<h2>{escape(result['exercise'] or result['submission']['path'])}</h2>"
        if result["exercise"]:
            yield f'<p class="score">{points(result["score"], result["max_score"])}</p>'
        if result["status"] != "graded":
            yield f'<p class="said">{escape(result["message"])}</p>'
        if "other_version" in result["flags"]:
            yield '<p class="said">This notebook was made from another version of the exercise.</p>'
        yield '<ul class="checks">'
        yield from map(check, result["tests"] if result["status"] == "graded" else [])
        yield "</ul>"
        if result["cells"]:
            yield "<h3>Cells that did not finish</h3>\n<ul>"
            for cell in result["cells"]:
                where = f"Cell {cell['index']}" if cell["index"] else "Set-up"
                yield f"<li>{escape(where)}: <code>{escape(cell['error'])}</code></li>"
            yield "</ul>"
        yield "</section>"


def check(row: Tested) -> str:
    """One check of a student's."""
    good = row["status"] == "pass"
    said = "" if good else f'<p class="said">{escape(row["message"])}</p>'
    mark = MARKS.get(row["status"], "✗")
    words = row["status"].replace("_", " ")
    return (
        f'<li class="{"good" if good else "bad"}"><span aria-hidden="true">{mark}</span> '
        f"<div><b>{escape(row['qid'])}</b>: {escape(row['title'])} "
        f"<small>{escape(words)}, {points(row['points'], row['max'])}</small>{said}</div></li>"
    )
