"""A result: what one line of JSON holds about one submission, and what it means for its readers.

The types are those of plain dicts: a result is written by one version and read by others, and
what another version wrote goes through unchanged.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import torch

from transformer_course import __version__
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.checking import Row, Status, Told
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.isolation import Isolation

SCHEMA = "course-result/1"
DOUBTFUL = ("timeout", "memory", "died", "not_reached")  # statuses of a check
SUSPECT = ("protocol_violation", "forbidden")  # flags, and after a colon about what
MISSED = (*DOUBTFUL, "duplicated", "edited", "newer_python", "not_code")  # if points are missing
Ending = Literal["graded", "unreadable", "wrong_exercise", "error", "missing"]


class Tested(TypedDict):
    """One check: its `Row`, with what the exercise says of the check spelled out.

    Lines of older versions lack the question's title and the rank.
    """

    id: str
    qid: str
    question: NotRequired[str]
    title: str
    points: float
    max: float
    hidden: bool
    status: Status
    message: str
    rank: NotRequired[int]
    secs: float


class FailedCell(TypedDict):
    """A cell that did not finish; `index` is None for one of the exercise's own."""

    index: int | None
    id: str
    error: str


class Outcome(TypedDict):
    """What came of the grading. The message says why there was none."""

    status: Ending
    message: NotRequired[str]
    score: float
    tests: list[Tested]
    cells: list[FailedCell]
    flags: list[str]
    stdout_tail: str


class About(TypedDict):
    """Whose submission it is, and which file."""

    id: str
    name: str
    path: str
    sha256: str
    late: bool


class Runner(TypedDict):
    """What graded it, and how far apart student code was kept."""

    version: str
    torch: str
    isolation: dict[str, Any]
    limits: dict[str, Any]


class Adjustment(TypedDict):
    """A change of the score that is not the grader's; `question` is "" for the whole exercise."""

    kind: Literal["override", "late"]
    question: str
    points: float
    reason: str


class Result(Outcome):
    """One line of results. Adjustments are made when results are counted, never in the file."""

    schema: str
    exercise: str
    exercise_version: str
    submission: About
    max_score: float
    runner: Runner
    secs: float
    graded_at: str
    adjustments: NotRequired[list[Adjustment]]


class Key(NamedTuple):
    """What makes grading a submission again needless: nothing of this has changed."""

    student: str
    sha256: str
    exercise_version: str
    version: str  # of the grader


def nothing(exercise: Exercise | None, status: Ending, message: str) -> Outcome:
    """An outcome without points, with the reason in each of its rows."""
    rows = []
    if exercise:
        skipped = (
            Row(check=each, status="not_reached", message=message) for each in exercise.checks
        )
        rows = [tested(exercise, row, 0.0) for row in skipped]
    return {
        "status": status,
        "message": message,
        "score": 0.0,
        "tests": rows,
        "cells": [],
        "flags": [],
        "stdout_tail": "",
    }


def result_of(
    submission: Submission,
    exercise: Exercise | None,
    outcome: Outcome,
    runner: Runner,
    seconds: float,
) -> Result:
    """One line of results."""
    return {
        "schema": SCHEMA,
        "exercise": exercise.name if exercise else "",
        "exercise_version": exercise.version if exercise else "",
        "submission": {
            "id": submission.student,
            "name": submission.name,
            "path": submission.path,
            "sha256": submission.sha256,
            "late": submission.late,
        },
        **outcome,
        "max_score": exercise.points if exercise else 0.0,
        "runner": runner,
        "secs": round(seconds, 4),
        "graded_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def runner_of(isolation: Isolation, limits: Limits) -> Runner:
    """This version, on this machine."""
    return {
        "version": __version__,
        "torch": torch.__version__,
        "isolation": asdict(isolation),
        "limits": asdict(limits),
    }


def key_of(result: Result) -> Key:
    """The key of what was graded."""
    about = result["submission"]
    version = result["runner"]["version"]
    return Key(about["id"], about["sha256"], result["exercise_version"], version)


def doubts(rows: Sequence[Tested]) -> list[str]:
    """A flag for each question that lost points in a way that need not be its answer's doing."""
    lost = (row for row in rows if row["status"] in DOUBTFUL and row["max"])
    return list(dict.fromkeys(f"{row['status']}:{row['qid']}" for row in lost))


def doubtful(result: Result) -> bool:
    """Whether it is worth another try: load on the machine can look like this."""
    if result["status"] != "graded":
        return result["status"] == "error"
    return bool(doubts(result["tests"])) and lost_points(result)


def lost_points(result: Result) -> bool:
    """Whether it was given less than there is."""
    return result["score"] < result["max_score"]


def better(first: Result, second: Result) -> Result:
    """Of two tries, the one with more points; the second one is marked as such."""
    second["flags"].append("second_try")
    return first if first["score"] > second["score"] else second


def needs_human(result: Result) -> bool:
    """Whether a person should look: nothing was graded, or it is doubtful what was earned.

    What a person has decided on, and what was never handed in, needs no look.
    """
    if result["status"] == "missing" or overridden(result):
        return False
    return result["status"] != "graded" or bool(reasons(result))


def reasons(result: Result) -> list[str]:
    """The flags that ask for a look; some of them only where points are missing."""
    odd = (*SUSPECT, *(MISSED if lost_points(result) else ()))
    return [flag for flag in result["flags"] if flag.partition(":")[0] in odd]


def overridden(result: Result) -> bool:
    """Whether a person has set its points."""
    return any(each["kind"] == "override" for each in result.get("adjustments", ()))


def told(row: Tested) -> Told:
    """How a check ended, as the panel has it."""
    return Told(status=row["status"], message=row["message"], rank=row.get("rank", 0))


def tested(exercise: Exercise, row: Row, seconds: float) -> Tested:
    """One check's part of a result."""
    check = row.check
    return {
        "id": check.name,
        "qid": check.question,
        "question": exercise.questions[check.question].title,
        "title": check.title,
        "points": row.points,
        "max": check.points,
        "hidden": check.hidden,
        "status": row.status,
        "message": row.message,
        "rank": row.rank,
        "secs": round(seconds, 4),
    }
