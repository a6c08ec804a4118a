"""A line of results: what it holds, and what it means for whoever reads it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import torch

from transformer_course import __version__
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.checking import Row
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.processes.isolation import Isolation

SCHEMA = "course-result/1"
Key = tuple[str, str, str, str]  # student, sha256 of the submission, versions: exercise, runner


@dataclass(frozen=True, kw_only=True)
class Found:
    """One submission that was collected: whose it is, where, and how its bytes are read."""

    student: str
    path: str
    inside: str  # the path below what was named
    read: Callable[[], bytes]
    name: str = ""  # of the student, where the layout tells it
    late: bool = False


def nothing(exercise: Exercise | None, status: str, message: str) -> dict[str, Any]:
    """A result without points, with the reason in each of its rows."""
    checks = exercise.checks if exercise else []
    rows = [Row(check=check, status="not_reached", message=message) for check in checks]
    return {
        "status": status,
        "message": message,
        "score": 0.0,
        "tests": [row_of(row, 0.0) for row in rows],
        "cells": [],
        "flags": [],
        "stdout_tail": "",
    }


def result_of(
    found: Found,
    exercise: Exercise | None,
    sha256: str,
    outcome: dict[str, Any],
    runner: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """One line of results."""
    return {
        "schema": SCHEMA,
        "exercise": exercise.name if exercise else "",
        "exercise_version": exercise.version if exercise else "",
        "submission": {
            "id": found.student,
            "name": found.name,
            "path": found.path,
            "sha256": sha256,
            "late": found.late,
        },
        **outcome,
        "max_score": exercise.points if exercise else 0.0,
        "runner": runner,
        "secs": round(seconds, 4),
        "graded_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def runner_of(isolation: Isolation, limits: Limits) -> dict[str, Any]:
    """What graded it, and how far apart student code was kept."""
    return {
        "version": __version__,
        "torch": torch.__version__,
        "isolation": asdict(isolation),
        "limits": asdict(limits),
    }


def key_of(result: dict[str, Any]) -> Key:
    """What makes grading a submission again needless."""
    about = result["submission"]
    return about["id"], about["sha256"], result["exercise_version"], result["runner"]["version"]


def needs_human(result: dict[str, Any]) -> bool:
    """Whether a person should look: nothing was graded, or something is odd about it."""
    odd = ("protocol_violation", "forbidden:", "duplicated:")
    return result["status"] != "graded" or any(flag.startswith(odd) for flag in result["flags"])


def row_of(row: Row, seconds: float) -> dict[str, Any]:
    """One check's part of a result."""
    check = row.check
    return {
        "id": check.name,
        "qid": check.question,
        "title": check.title,
        "points": row.points,
        "max": check.points,
        "hidden": check.hidden,
        "status": row.status,
        "message": row.message,
        "secs": round(seconds, 4),
    }
