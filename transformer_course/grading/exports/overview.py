"""What a class got right, and what it most often got wrong: the numbers of its page."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from transformer_course.grading.exports.platforms import file_name
from transformer_course.grading.grader.result import Result, Tested

FAILED = {"fail", "error", "timeout", "died", "memory"}


def of_exercises(results: list[Result]) -> Iterator[dict[str, Any]]:
    """For each exercise the mean, and what came of each check."""
    by_exercise: dict[str, list[Result]] = {}
    for result in results:
        if result["status"] == "graded":
            by_exercise.setdefault(result["exercise"], []).append(result)
    for name, graded in sorted(by_exercise.items()):
        yield {
            "name": name,
            "graded": len(graded),
            "mean": round(sum(each["score"] for each in graded) / len(graded), 2),
            "most": graded[0]["max_score"],
            "checks": of_checks(graded),
        }


def of_checks(results: list[Result]) -> Iterator[dict[str, Any]]:
    """For each check: its title, the share who passed, the most common message and how often."""
    found: dict[str, list[Tested]] = {}
    for result in results:
        for row in result["tests"]:
            found.setdefault(row["id"], []).append(row)
    for rows in found.values():
        failed = Counter(row["message"] for row in rows if row["status"] in FAILED)
        said, times = failed.most_common(1)[0] if failed else ("", 0)
        yield {
            "qid": rows[0]["qid"],
            "title": rows[0]["title"],
            "right": f"{sum(row['status'] == 'pass' for row in rows) / len(rows):.0%}",
            "said": said,
            "times": times,
            "idle": sum(row["status"] in ("not_attempted", "not_reached") for row in rows),
        }


def of_students(students: dict[str, list[Result]]) -> Iterator[dict[str, Any]]:
    """A row for each student."""
    for student, own in students.items():
        yield {
            "student": student,
            "file": f"{file_name(student)}.html",
            "name": own[0]["submission"]["name"],
            "score": sum(result["score"] for result in own),
            "most": sum(result["max_score"] for result in own),
            "missing": ", ".join({r["status"]: 0 for r in own if r["status"] != "graded"}),
        }
