"""Feedback in HTML: a page for each student, and for the instructor what a class got wrong.

The pages are Jinja's templates beside this file, which escape every text that enters them.
"""

from pathlib import Path

import jinja2

from transformer_course.grading.exports.overview import of_exercises, of_students
from transformer_course.grading.exports.platforms import file_name
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.results_file import by_student

MARKS = {"pass": "✓", "not_attempted": "○", "not_reached": "○"}


def to_feedback(results: list[Result], to: Path) -> str:
    """One self-contained page for each student, and index.html with what each check found."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.globals |= {"points": points, "marks": MARKS}
    students = by_student(results)
    to.mkdir(parents=True, exist_ok=True)

    def write(name: str, template: str, **values: object) -> None:
        text = templates.get_template(template).render(values)
        (to / name).write_text(text, "utf-8", "xmlcharrefreplace")

    for student, own in students.items():
        title = f"Feedback for {own[0]['submission']['name'] or student}"
        write(f"{file_name(student)}.html", "student.html", title=title, results=own)
    exercises, rows = of_exercises(results), of_students(students)
    title = "Results of the class"
    write("index.html", "class.html", title=title, exercises=exercises, students=rows)
    return f"{to}: {len(students)} pages and index.html"


def points(score: float, most: float) -> str:
    """Such as "3 of 4 points"."""
    return f"{score:g} of {most:g} point{'s' if most != 1 else ''}"
