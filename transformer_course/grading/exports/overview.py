"""What a class got right, and what it most often got wrong, as parts of a page."""

from collections import Counter
from collections.abc import Iterable
from html import escape

from transformer_course.grading.exports.pages import points, table
from transformer_course.grading.exports.platforms import file_name
from transformer_course.grading.grader.result import Result, Tested

FAILED = {"fail", "error", "timeout", "died", "memory"}


def class_parts(by_student: dict[str, list[Result]]) -> Iterable[str]:
    """For each exercise the share of students who passed each check; then all students."""
    by_exercise: dict[str, list[Result]] = {}
    for own in by_student.values():
        for result in own:
            by_exercise.setdefault(result["exercise"], []).append(result)
    for exercise, results in sorted(by_exercise.items()):
        graded = [each for each in results if each["status"] == "graded"]
        if graded:
            mean = sum(each["score"] for each in graded) / len(graded)
            yield f"<section>\n<h2>{escape(exercise)}</h2>"
            yield (
                f'<p class="score">{len(graded)} graded, '
                f"{points(round(mean, 2), graded[0]['max_score'])} on average</p>"
            )
            yield from table(["check", "right", "most common message"], statistics(graded))
            yield "</section>"
    yield "<section>\n<h2>Students</h2>"
    rows = [
        (
            f'<a href="{file_name(student)}.html">{escape(student)}</a>',
            escape(own[0]["submission"]["name"]),
            points(sum(r["score"] for r in own), sum(r["max_score"] for r in own)),
            escape(", ".join({r["status"]: 0 for r in own if r["status"] != "graded"})),
        )
        for student, own in by_student.items()
    ]
    yield from table(["student", "name", "points", "not graded"], rows)
    yield "</section>"


def statistics(results: list[Result]) -> Iterable[tuple[str, ...]]:
    """For each check: its title, the share who passed, the most common message and how often."""
    found: dict[str, list[Tested]] = {}
    for result in results:
        for row in result["tests"]:
            found.setdefault(row["id"], []).append(row)
    for rows in found.values():
        right = sum(row["status"] == "pass" for row in rows) / len(rows)
        idle = sum(row["status"] in ("not_attempted", "not_reached") for row in rows)
        said = Counter(row["message"] for row in rows if row["status"] in FAILED)
        parts = [f"{escape(text)} <small>({times})</small>" for text, times in said.most_common(1)]
        parts += [f"<small>{idle} not attempted</small>"] if idle else []
        title = f"<b>{escape(rows[0]['qid'])}</b>: {escape(rows[0]['title'])}"
        yield title, f"{right:.0%}", "<br>".join(parts)
