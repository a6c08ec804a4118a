"""What becomes of results: one that counts for each student, and the places where it goes."""

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exports.adjusting import change
from transformer_course.grading.exports.counting import Grades, count, needs_look, still_open
from transformer_course.grading.exports.feedback import to_feedback
from transformer_course.grading.exports.gradebook import to_nbgrader
from transformer_course.grading.exports.platforms import to_gradescope, to_lti
from transformer_course.grading.exports.report import to_report
from transformer_course.grading.exports.rules import Rules
from transformer_course.grading.exports.uploads import to_canvas, to_moodle
from transformer_course.grading.grader.result import Result

Export = Callable[[Grades, Path], str]
NO_RULES = Rules()
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def export(
    kind: str,
    results: Iterable[Result],
    to: Path,
    rules: Rules = NO_RULES,
    exercises: Sequence[Exercise | Path] = (),
) -> str:
    """Write an export of the grades that follow from results and rules; returns what was written.

    Of a student's submissions of an exercise the one with the most points counts; of one that
    was graded several times, the last time.
    """
    grades = count(results, rules, exercises)
    if not grades.handed_in:
        raise DataError("no results to export: grade something first")
    return "\n".join([EXPORTS[kind](grades, to), *grades.notes, *still_open(grades)])


def to_csv(grades: Grades, to: Path) -> str:
    """A row for each student and exercise; a column for each check if there is one exercise."""
    results = grades.results
    one = len({result["exercise"] for result in results}) == 1
    checks = [row["id"] for row in results[0]["tests"]] if one else []
    names = "student name exercise status score max_score late needs_human flags adjustments"
    with open(to, "w", newline="", encoding="utf-8-sig", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow([*names.split(), "graded_at", "path", *map(plain, checks)])
        for result in results:
            about = result["submission"]
            graded = grades.has_grade([result])
            points = {row["id"]: row["points"] for row in result["tests"] if graded}
            row: list[Any] = [about["id"], about["name"], result["exercise"], result["status"]]
            row += [result["score"] if graded else "", result["max_score"]]
            row += [about["late"], needs_look(result)]
            row += [" ".join(result["flags"]), adjusted(result)]
            row += [result["graded_at"], about["path"]]
            writer.writerow([plain(each) for each in [*row, *map(points.get, checks)]])
    return f"{to}: {len(results)} rows"


def adjusted(result: Result) -> str:
    """Its adjustments in words, which come first: what begins with a sign is a formula."""
    found = result.get("adjustments", ())
    parts = [(each["reason"], f"{each['question']} {change(each['points'])}") for each in found]
    return "; ".join(f"{why} ({what.lstrip()})" for why, what in parts)


def plain(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    unsafe = isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA)
    return f"'{cell}" if unsafe else cell


def of_given_back(written: Callable[[list[Result], Path], str]) -> Export:
    """An export in which those who handed in nothing have a place if they have a grade."""
    return lambda grades, to: written(grades.given_back, to)


EXPORTS: dict[str, Export] = {
    "canvas": to_canvas,
    "csv": to_csv,
    "feedback": of_given_back(to_feedback),
    "gradescope": of_given_back(to_gradescope),
    "lti": to_lti,
    "moodle": to_moodle,
    "nbgrader": of_given_back(to_nbgrader),
    "report": to_report,
}
