"""Feedback in HTML: a page for each student.

The pages are Jinja's templates beside this file, which escape every text that enters them.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from transformer_course.grading.exercises.checking import reading, worth_reading
from transformer_course.grading.exercises.messages import inline
from transformer_course.grading.exports.adjusting import change, decided
from transformer_course.grading.exports.platforms import file_name, said
from transformer_course.grading.grader.result import Result, Tested, overridden, told
from transformer_course.grading.grader.results_file import by_student

MARKS = {"pass": "✓", "not_attempted": "○", "not_reached": "○"}


def to_feedback(results: list[Result], to: Path) -> str:
    """One self-contained page for each student, and nothing else in the folder."""
    students = by_student(results)
    to.mkdir(parents=True, exist_ok=True)
    for student, own in students.items():
        write(to / f"{file_name(student)}.html", page_of(student, own))
    return f"{to}, pages: {len(students)}"


def page_of(student: str, results: list[Result]) -> str:
    """A student's page."""
    title = f"Feedback for {results[0]['submission']['name'] or student}"
    pages = [(result, questions(result)) for result in results]
    return rendered("student.html", title=title, results=pages)


def questions(result: Result) -> list[dict[str, Any]]:
    """The checks of each question with their messages, as the panel has them: once, best first."""
    by_name: dict[str, list[Tested]] = {}
    for row in result["tests"]:
        by_name.setdefault(row["qid"], []).append(row)
    found = []
    for name, own in by_name.items():
        ranked = sorted(zip(map(told, own), own, strict=True), key=lambda pair: reading(pair[0]))
        texts = worth_reading([each for each, _ in ranked])
        found.append(
            {
                "decided": name in decided(result),
                "twice": f"duplicated:{name}" in result["flags"],
                "title": own[0].get("question") or name,
                "points": sum(row["points"] for row in own),
                "max": sum(row["max"] for row in own),
                "rows": [(row, text) for (_, row), text in zip(ranked, texts, strict=True)],
            }
        )
    return found


def rendered(template: str, **values: object) -> str:
    """A page from its template."""
    return templates().get_template(template).render(values)


def write(path: Path, page: str) -> None:
    """Write a page, whatever characters it has."""
    path.write_text(page, "utf-8", "xmlcharrefreplace")


@lru_cache(maxsize=1)
def templates() -> jinja2.Environment:
    """The templates, and what they call."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    found.globals |= {"points": points, "marks": MARKS, "change": change}
    found.globals |= {"said": said, "overridden": overridden}
    found.filters["inline"] = lambda text: markupsafe.Markup(inline(str(text)))
    return found


def points(score: float, most: float) -> str:
    """Such as "3 of 4 points"; of no known exercise there are none to have."""
    return f"{score:g} of {most:g} point{'s' if most != 1 else ''}" if most else "not graded"
