"""From results to grades: what an instructor decided, what lateness costs, who handed in nothing.

The file of results stays as it is, so that all of this holds after submissions are graded again.
"""

import copy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exports.rules import Override, Rules
from transformer_course.grading.grader.result import Result, needs_human, overridden
from transformer_course.grading.grader.results_file import best, standing

ATTEMPT = re.compile(r"_attempt_(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)")  # Blackboard's
MOODLE_TIME = "%A, %d %B %Y, %I:%M %p"
UNKNOWN = "handed in late, and nothing says by how much: nothing was taken off"


@dataclass(frozen=True, kw_only=True)
class Grades:
    """The result that counts for each student and exercise, adjusted; and what to be told."""

    results: list[Result]
    rules: Rules = field(default_factory=Rules)
    notes: list[str] = field(default_factory=list)
    exercises: Sequence[Exercise | Path] = ()

    @property
    def handed_in(self) -> list[Result]:
        """Without those that are missing."""
        return [each for each in self.results if each["status"] != "missing"]


def count(
    results: Iterable[Result], rules: Rules, exercises: Sequence[Exercise | Path] = ()
) -> Grades:
    """The grades that follow from results and a class's rules.

    In this order: an override of a question; lateness, of what was earned then; the best of
    several submissions; those who handed in nothing; an override of a whole exercise, which is
    what counts, whatever else there is.

    Raises:
        DataError: an override names somebody or something that is not there.
    """
    known = copy.deepcopy(standing(results))
    parts = [each for each in rules.overrides if each.question]
    whole = [each for each in rules.overrides if not each.question]
    for override in parts:
        for result in chosen(override, known):
            set_question(result, override)
    place(known)
    untimed = sum(deduct(result, rules) for result in known)
    found = best(known)
    found += missing(found, rules)
    for override in whole:
        for result in chosen(override, found):
            set_points(result, override)
    order = {student: number for number, student in enumerate(rules.students)}
    found.sort(key=lambda each: (order.get(each["submission"]["id"], len(order)), identity(each)))
    return Grades(
        results=found, rules=rules, notes=notes(found, rules, untimed), exercises=exercises
    )


def place(results: list[Result]) -> None:
    """What belongs to no exercise, such as a file that is no notebook, is of the only one."""
    alike = {each["exercise"]: each for each in results if each["exercise"]}
    if len(alike) != 1:
        return
    one = next(iter(alike.values()))
    for each in results:
        if not each["exercise"]:
            each["exercise"], each["exercise_version"] = one["exercise"], one["exercise_version"]
            each["max_score"], each["tests"] = one["max_score"], copy.deepcopy(one["tests"])
            blank(each, each.get("message", ""))


def blank(result: Result, message: str) -> None:
    """Take all points from its checks, for this reason."""
    for row in result["tests"]:
        row["points"], row["status"], row["message"], row["secs"] = 0.0, "not_reached", message, 0.0


def needs_look(result: Result) -> bool:
    """Whether a person should look: at the grading, or at how late it was."""
    return needs_human(result) or ("late_by_unknown" in result["flags"] and not overridden(result))


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


def set_question(result: Result, override: Override) -> None:
    """Share a question's points among its checks, in their order."""
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


def set_points(result: Result, override: Override) -> None:
    """Give the exercise these points."""
    adjust(result, override, override.points)


def deduct(result: Result, rules: Rules) -> bool:
    """Take off what lateness costs; whether there is a deadline and no time to hold beside it."""
    deadline = rules.late.deadlines.get(result["exercise"])
    if deadline is None:
        return False
    student = result["submission"]["id"]
    time = handed_in(result, rules)
    if time is None:
        if result["submission"]["late"]:
            result["flags"].append("late_by_unknown")
            charge(result, 0.0, UNKNOWN)
        return not result["submission"]["late"]
    time = time if time.tzinfo else time.replace(tzinfo=deadline.tzinfo)
    late = time - deadline - timedelta(days=rules.late.extensions.get(student, 0.0))
    if percent := rules.late.percent(late):
        days = late / timedelta(days=1)
        charge(result, percent, f"handed in {days:.1f} days late: {percent:g} % taken off")
    return False


def charge(result: Result, percent: float, reason: str) -> None:
    """Take off a part of what was earned."""
    less = round(result["score"] * percent / 100, 2)
    result.setdefault("adjustments", []).append(
        {"kind": "late", "question": "", "points": -less, "reason": reason}
    )
    result["score"] = round(result["score"] - less, 4)


def handed_in(result: Result, rules: Rules) -> datetime | None:
    """When: by the class's table, by a platform's file name, by Moodle's worksheet."""
    student, exercise = identity(result)
    for key in ((student, exercise), (student, "")):
        if key in rules.times:
            return rules.times[key]
    if match := ATTEMPT.search(result["submission"]["path"]):
        return datetime.fromisoformat("{}T{}:{}:{}".format(*match.groups()))
    known = rules.roster.students.get(student) if rules.roster else None
    if not known or known.handed_in in ("", "-"):
        return None
    try:
        return datetime.strptime(known.handed_in, MOODLE_TIME)
    except ValueError:
        raise DataError(
            f"the roster's time {known.handed_in!r} of {student} cannot be read: download the "
            "worksheet with Moodle in English, or give the times in a table of their own"
        ) from None


def missing(results: list[Result], rules: Rules) -> list[Result]:
    """A result for each student of the roster and each exercise of which there is none."""
    there = {identity(each) for each in results}
    alike = {each["exercise"]: each for each in reversed(results) if each["exercise"]}
    return [
        absent(student, rules.roster.students[student].name, alike[exercise])
        for student in rules.students
        for exercise in sorted(alike)
        if rules.roster and (student, exercise) not in there
    ]


def absent(student: str, name: str, alike: Result) -> Result:
    """The result of somebody who handed in nothing, of the exercise of another's result."""
    made, message = copy.deepcopy(alike), "Nothing was handed in."
    made["submission"] = {"id": student, "name": name, "path": "", "sha256": "", "late": False}
    made["status"], made["message"], made["score"] = "missing", message, 0.0
    made["cells"], made["flags"], made["stdout_tail"], made["secs"] = [], [], "", 0.0
    made["graded_at"] = datetime.now(UTC).isoformat(timespec="milliseconds")
    made["adjustments"] = []
    blank(made, message)
    return made


def notes(results: list[Result], rules: Rules, untimed: int) -> list[str]:
    """What the instructor should know of the whole."""
    there = {each["submission"]["id"] for each in results if each["status"] != "missing"}
    found = about_roster(there, rules)
    if untimed:
        found.append(f"{untimed} submissions have no time, and are taken as in time")
    return found


def about_roster(students: set[str], rules: Rules) -> list[str]:
    """Who of the roster is not among these, and who of these is not on the roster."""
    absent, strange = set(rules.students) - students, students - set(rules.students)
    found = []
    if absent:
        found.append(f"{len(absent)} on the roster handed in nothing: {some(absent)}")
    if strange and rules.roster:
        found.append(f"{len(strange)} are not on the roster: {some(strange)}")
    return found


def some(found: Iterable[str]) -> str:
    """Names, and how many more."""
    names = sorted(found)
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
