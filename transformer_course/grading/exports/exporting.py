"""What becomes of results: one that counts for each student, and the places where it goes."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exports.feedback import to_feedback
from transformer_course.grading.exports.gradebook import to_nbgrader
from transformer_course.grading.exports.platforms import to_gradescope, to_lti
from transformer_course.grading.grader.result import Result, needs_human
from transformer_course.grading.grader.results_file import best

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def export(kind: str, results: Iterable[Result], to: Path) -> str:
    """Write an export; returns a line that says what was written.

    Of a student's submissions of an exercise the one with the most points counts; of one that
    was graded several times, the last time.
    """
    kept = best(results)
    if not kept:
        raise DataError("no results to export: grade something first")
    return EXPORTS[kind](kept, to)


def to_csv(results: list[Result], to: Path) -> str:
    """A row for each student and exercise; a column for each check if there is one exercise."""
    one = len({result["exercise"] for result in results}) == 1
    checks = [row["id"] for row in results[0]["tests"]] if one else []
    names = "student name exercise status score max_score late needs_human flags graded_at path"
    with open(to, "w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow([*names.split(), *map(plain, checks)])
        for result in results:
            about = result["submission"]
            points = {row["id"]: row["points"] for row in result["tests"]}
            row: list[Any] = [about["id"], about["name"], result["exercise"], result["status"]]
            row += [result["score"], result["max_score"], about["late"], needs_human(result)]
            row += [" ".join(result["flags"]), result["graded_at"], about["path"]]
            writer.writerow([plain(each) for each in [*row, *map(points.get, checks)]])
    return f"{to}: {len(results)} rows"


def plain(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    unsafe = isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA)
    return f"'{cell}" if unsafe else cell


EXPORTS: dict[str, Callable[[list[Result], Path], str]] = {
    "csv": to_csv,
    "feedback": to_feedback,
    "gradescope": to_gradescope,
    "lti": to_lti,
    "nbgrader": to_nbgrader,
}
