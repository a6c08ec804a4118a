"""From results to grades: what an instructor decided, what lateness costs, who handed in nothing.

The file of results stays as it is, so that all of this holds after submissions are graded again.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exports.adjusting import (
    LATE_UNKNOWN,
    chosen,
    deduct,
    identity,
    set_points,
    set_question,
)
from transformer_course.grading.exports.rules import Override, Rules
from transformer_course.grading.grader.result import Result, needs_human, overridden
from transformer_course.grading.grader.results_file import best, standing


@dataclass(frozen=True, kw_only=True)
class Grades:
    """The result that counts for each student and exercise, adjusted; and what to be told."""

    results: list[Result]
    rules: Rules = field(default_factory=Rules)
    notes: list[str] = field(default_factory=list)
    exercises: Sequence[Exercise | Path] = ()

    def is_open(self, result: Result) -> bool:
        """Whether it has no grade: it could not be graded, and no person has given points."""
        decides = self.rules.decides(result["submission"]["id"], result["exercise"])
        return result["status"] not in ("graded", "missing") and not decides

    def has_grade(self, own: Sequence[Result]) -> bool:
        """Whether a student's results are a grade: graded, decided on, or missing is zero."""
        if any(map(self.is_open, own)):
            return False
        there = any(each["status"] != "missing" or each.get("adjustments") for each in own)
        return there or self.rules.missing_is_zero

    @property
    def handed_in(self) -> list[Result]:
        """Without those that are missing."""
        return [each for each in self.results if each["status"] != "missing"]

    @property
    def given_back(self) -> list[Result]:
        """What was handed in, and the grades of those who handed in nothing."""
        there = self.results
        return [each for each in there if each["status"] != "missing" or self.has_grade([each])]


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
    place(known)
    named = rules.roster.students if rules.roster else {}
    for each in known:
        about = each["submission"]
        if about["id"] in named:
            about["name"] = about["name"] or named[about["id"]].name
    parts = [each for each in rules.overrides if each.question]
    whole = [each for each in rules.overrides if not each.question]
    above = []
    for override in parts:
        for result in chosen(override, known):
            above += beyond(override, set_question(result, override))
    untimed = sum(deduct(result, rules) for result in known)
    found = best(known)
    found += missing(found, rules)
    for override in whole:
        for result in chosen(override, found):
            above += beyond(override, set_points(result, override))
    order = {student: number for number, student in enumerate(rules.students)}
    found.sort(key=lambda each: (order.get(each["submission"]["id"], len(order)), identity(each)))
    told = [*notes(found, rules, untimed), *several(known), *above]
    return Grades(results=found, rules=rules, notes=told, exercises=exercises)


def beyond(override: Override, most: float) -> list[str]:
    """A line where an override gives more than there is: a bonus, or a slip."""
    more = override.points > most
    return [f"{override.where}: {override.points:g} points, and there are {most:g}"] * more


def place(results: list[Result]) -> None:
    """What belongs to no exercise, such as a file that is no notebook, is of the only one."""
    alike = {each["exercise"]: each for each in results if each["exercise"]}
    if len(alike) != 1:
        return
    one = next(iter(alike.values()))
    for each in results:
        if not each["exercise"] and each["status"] != "wrong_exercise":
            each["exercise"], each["exercise_version"] = one["exercise"], one["exercise_version"]
            each["max_score"], each["tests"] = one["max_score"], copy.deepcopy(one["tests"])
            blank(each, each.get("message", ""))


def blank(result: Result, message: str) -> None:
    """Take all points from its checks, for this reason."""
    for row in result["tests"]:
        row["points"], row["status"], row["message"], row["secs"] = 0.0, "not_reached", message, 0.0


def needs_look(result: Result) -> bool:
    """Whether a person should look: at the grading, or at how late it was."""
    return needs_human(result) or (LATE_UNKNOWN in result["flags"] and not overridden(result))


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
    found = about_roster(there, rules) + lacking(results, there)
    if untimed:
        found.append(f"{untimed} submissions have no time, and are taken as in time")
    return found


def lacking(results: list[Result], there: set[str]) -> list[str]:
    """For each exercise, who handed in another one of these and not this."""
    found: dict[str, list[str]] = {}
    for each in results:
        student = each["submission"]["id"]
        if each["status"] == "missing" and student in there:
            found.setdefault(each["exercise"], []).append(student)
    return [
        f"{len(students)} handed in other work, but not {exercise}: {some(students)}"
        for exercise, students in sorted(found.items())
    ]


def several(results: list[Result]) -> list[str]:
    """Who handed in more than one file of an exercise."""
    times = Counter(identity(each) for each in results if each["exercise"])
    twice = [f"{student} ({count})" for (student, _), count in times.items() if count > 1]
    said = f"{len(twice)} handed in several files, of which the best counts: {some(twice)}"
    return [said] if twice else []


def still_open(grades: Grades) -> list[str]:
    """Who has no grade yet, and at whose a person should look."""
    ungraded, look = set(), set()
    for each in grades.results:
        if grades.is_open(each):
            ungraded.add(each["submission"]["id"])
        elif needs_look(each):
            look.add(each["submission"]["id"])
    found = []
    if ungraded:
        found.append(
            f"{len(ungraded)} could not be graded, give points as an override: {some(ungraded)}"
        )
    if look:
        found.append(f"{len(look)} need a look, which --export report explains: {some(look)}")
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
    """Names, and how many more: a class's are all there, a faculty's are not."""
    names = sorted(found)
    return ", ".join(names[:50]) + (f" and {len(names) - 50} more" if len(names) > 50 else "")
