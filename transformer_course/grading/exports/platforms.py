"""Results in the forms of Gradescope and of LTI's grade service."""

import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exports.adjusting import decided
from transformer_course.grading.exports.counting import Grades, needs_look
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.results_file import by_student

AGAIN = "Hand in your notebook as Jupyter saves it, a file that ends in .ipynb."


def to_gradescope(results: list[Result], to: Path) -> str:
    """A results.json for each student, in a folder; one file where `to` ends in .json.

    The fields are those of Gradescope's autograder. A student's exercises stand in one file.

    Raises:
        DataError: `to` is one file, and there are several students.
    """
    students = by_student(results)
    if to.suffix == ".json":
        if len(students) > 1:
            raise DataError(f"{to} is one file, for {len(students)} students: name a folder")
        files = dict.fromkeys(students, to)
    else:
        to.mkdir(parents=True, exist_ok=True)
        files = {student: to / f"{file_name(student)}.json" for student in students}
    for student, file in files.items():
        file.write_text(json.dumps(gradescope(students[student]), indent=1) + "\n")
    return f"{to}: {len(files)} students"


def gradescope(results: list[Result]) -> dict[str, Any]:
    """One student's results.json."""
    notes = [said(result) for result in results if result["status"] != "graded"]
    notes += [each["reason"] for result in results for each in result.get("adjustments", ())]
    return {
        "score": sum(result["score"] for result in results),
        "execution_time": round(sum(result["secs"] for result in results), 3),
        "output": "\n".join(notes),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": f"{row['qid']}: {row['title']}",
                "number": f"{number}.{index}",
                "score": row["points"],
                "max_score": row["max"],
                "status": "passed" if row["status"] == "pass" else "failed",
                "output": row["message"],
                "visibility": "visible",
                "extra_data": {"id": row["id"], "status": row["status"]},
            }
            for number, result in enumerate(results, 1)
            for index, row in enumerate(result["tests"], 1)
        ],
        "extra_data": {
            result["exercise"]: {"version": result["exercise_version"], "flags": result["flags"]}
            for result in results
        },
    }


def to_lti(grades: Grades, to: Path) -> str:
    """Scores as LTI's Assignment and Grade Services take them, each with its line item.

    Who a score is of, LTI calls `sub`: the roster's column of that name says it, and where there
    is none it is the student's id. A file only: sending it is up to a tool that the learning
    platform knows.

    Raises:
        DataError: the roster has the column `sub`, and nothing in it for a student.
    """
    roster, notes = grades.rules.roster, grades.notes
    mapped = {each.id: each.sub for each in roster.students.values()} if roster else {}
    if roster and not any(mapped.values()):
        mapped = {}
        notes.append("the roster has no column sub: scores are of the students' ids")
    results = [each for each in grades.given_back if each["max_score"]]  # others have no line item
    if nameless := sorted({s for r in results if mapped and not mapped.get(s := student_of(r))}):
        raise DataError(f"{roster and roster.path}: no sub for {', '.join(nameless)}")
    scores = [
        {
            "lineItem": {
                "label": result["exercise"],
                "resourceId": result["exercise"],
                "scoreMaximum": result["max_score"],
            },
            "score": {
                "userId": mapped.get(student_of(result), student_of(result)),
                **({} if grades.is_open(result) else {"scoreGiven": result["score"]}),
                "scoreMaximum": result["max_score"],
                "activityProgress": "Completed",
                "gradingProgress": progress(result),
                "timestamp": result["graded_at"],
                "comment": remarks(result),
            },
        }
        for result in results
    ]
    to.write_text(json.dumps(scores, indent=1) + "\n")
    return f"{to}: {len(scores)} scores"


def student_of(result: Result) -> str:
    """Whose it is."""
    return result["submission"]["id"]


def progress(result: Result) -> str:
    """How far the grading is, in LTI's words."""
    if result["status"] == "error":
        return "Failed"
    return "PendingManual" if needs_look(result) else "FullyGraded"


def remarks(result: Result) -> str:
    """A comment for the student: what changed the score, and what `said` says."""
    reasons = [each["reason"].rstrip(".") for each in result.get("adjustments", ())]
    return ". ".join([*reasons, said(result)])


def said(result: Result) -> str:
    """What did not pass, or why there is nothing to say."""
    file = PurePosixPath(result["submission"]["path"]).name
    if result["status"] == "unreadable":
        return f"{file} could not be read. {result.get('message', '')} {AGAIN}"
    if result["status"] == "error":
        return f"{file} could not be graded yet: your instructor will look at it."
    if result["status"] != "graded":
        return result.get("message", "")
    missed: dict[str, list[str]] = {}
    for row in result["tests"]:
        if row["status"] != "pass" and row["qid"] not in decided(result):
            missed.setdefault(row.get("question") or row["qid"], []).append(row["title"])
    words = "; ".join(f"{name} ({', '.join(titles)})" for name, titles in missed.items())
    return f"Not passed: {words}." if missed else "Everything passed."


def file_name(student: str) -> str:
    """A name for a student's file: no other folder, no two students' the same."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", student)[:60]
    same = plain == student.lower() and plain not in ("", "index")
    mark = hashlib.sha256(student.encode("utf-8", "replace")).hexdigest()[:8]
    return plain if same else f"{plain}-{mark}"
