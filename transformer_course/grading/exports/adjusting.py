"""What changes a score that the grader gave: an instructor's decision, and lateness."""

import re
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from transformer_course.errors import DataError
from transformer_course.grading.exports.rules import Override, Rules
from transformer_course.grading.grader.result import Result

ATTEMPT = re.compile(r"_attempt_(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)")  # Blackboard's
MOODLE_TIME = "%A, %d %B %Y, %I:%M %p"
NBGRADER_TIME = "timestamp.txt"  # in submitted/STUDENT/ASSIGNMENT, as its `submit` writes it
LATE_UNKNOWN = "late_by_unknown"  # a flag
UNKNOWN = "Handed in late, and nothing says by how much: nothing was taken off"


def identity(result: Result) -> tuple[str, str]:
    """The student and the exercise."""
    return result["submission"]["id"], result["exercise"]


def chosen(override: Override, results: list[Result]) -> list[Result]:
    """The results that an override is about. Raises DataError where there are none."""
    theirs = [each for each in results if each["submission"]["id"] == override.student]
    found = [each for each in theirs if override.exercise in ("", each["exercise"])]
    if len({each["exercise"] for each in found}) > 1:
        names = ", ".join(each["exercise"] for each in found)
        raise DataError(f"{override.where}: name the exercise, one of {names}")
    if not found:
        what = f"{override.student} in {override.exercise}" if theirs else override.student
        there = ", ".join(sorted({each["exercise"] for each in theirs}))
        raise DataError(
            f"{override.where}: no result of {what}{f'; there are {there}' if there else ''}"
        )
    return found


def adjust(result: Result, override: Override, score: float) -> None:
    """Give it another score, and say why."""
    result.setdefault("adjustments", []).append(
        {
            "kind": "override",
            "question": override.question,
            "points": round(score - result["score"], 4),
            "reason": override.reason,
        }
    )
    result["score"] = round(score, 4)


def set_question(result: Result, override: Override) -> float:
    """Share a question's points among its checks, in their order. Returns how many there are."""
    rows = [row for row in result["tests"] if row["qid"] == override.question]
    if not rows:
        there = ", ".join(dict.fromkeys(row["qid"] for row in result["tests"]))
        raise DataError(
            f"{override.where}: {result['exercise'] or 'what was handed in'} has no question "
            f"{override.question}{f'; there are {there}' if there else ''}"
        )
    before, left = sum(row["points"] for row in rows), override.points
    for row in rows:
        row["points"] = min(left, row["max"])
        left -= row["points"]
    rows[-1]["points"] += left  # more than the question has: somebody meant it
    adjust(result, override, result["score"] - before + override.points)
    return sum(row["max"] for row in rows)


def set_points(result: Result, override: Override) -> float:
    """Give the exercise these points. Returns how many there are."""
    adjust(result, override, override.points)
    return result["max_score"]


def decided(result: Result) -> set[str]:
    """The questions of which a person has set the points."""
    return {each["question"] for each in result.get("adjustments", ())} - {""}


def change(points: float) -> str:
    """Points given or taken, such as "+2", "-0.5", and "0" where there were none to take."""
    return f"{points:+g}" if points else "0"


def deduct(result: Result, rules: Rules) -> bool:
    """Take off what lateness costs; whether there is a deadline and no time to hold beside it."""
    deadline = rules.late.deadlines.get(result["exercise"])
    student = result["submission"]["id"]
    time = handed_in(result, rules) if deadline else None
    if deadline is None or time is None:
        if result["submission"]["late"]:
            result["flags"].append(LATE_UNKNOWN)
            charge(result, 0.0, UNKNOWN)
        return bool(deadline) and not result["submission"]["late"]
    time = time if time.tzinfo else time.replace(tzinfo=deadline.tzinfo)
    late = time - deadline - timedelta(days=rules.late.extensions.get(student, 0.0))
    days = rules.late.days(late)
    if percent := rules.late.percent(days):
        begun = f"{days} day{'s' if days > 1 else ''} begun"
        charge(result, percent, f"Handed in late, {begun}: {percent:g} % taken off")
    return False


def charge(result: Result, percent: float, reason: str) -> None:
    """Take off a part of what was earned."""
    less = round(result["score"] * percent / 100, 2)
    result.setdefault("adjustments", []).append(
        {"kind": "late", "question": "", "points": -less, "reason": reason}
    )
    result["score"] = round(result["score"] - less, 4)


def handed_in(result: Result, rules: Rules) -> datetime | None:
    """When: by the class's table, a platform's file name, Moodle's worksheet, nbgrader's file."""
    student, exercise = identity(result)
    for key in ((student, exercise), (student, "")):
        if key in rules.times:
            return rules.times[key]
    if match := ATTEMPT.search(result["submission"]["path"]):
        return datetime.fromisoformat("{}T{}:{}:{}".format(*match.groups()))
    known = rules.roster.students.get(student) if rules.roster else None
    if not known or known.handed_in in ("", "-"):
        return collected(Path(result["submission"]["path"]))
    try:
        return datetime.strptime(known.handed_in, MOODLE_TIME)
    except ValueError:
        raise DataError(
            f"the roster's time {known.handed_in!r} of {student} cannot be read: download the "
            "worksheet with Moodle in English, or give the times in a table of their own"
        ) from None


def collected(path: Path) -> datetime | None:
    """The time beside a notebook in nbgrader's folder; elsewhere such a file is the student's."""
    text = ""
    with suppress(IndexError, OSError):
        if path.parents[2].name == "submitted":
            text = path.with_name(NBGRADER_TIME).read_text(encoding="utf-8").strip()
    try:
        return datetime.fromisoformat(text.replace(" UTC", "+00:00")) if text else None
    except ValueError:
        raise DataError(
            f"{path.with_name(NBGRADER_TIME)}: expected a time such as 2026-11-26 17:50:00 UTC, "
            f"got {text[:40]!r}; give the times in a table of their own"
        ) from None
