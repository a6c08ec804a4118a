"""Grade one submission: its cells run in a student's process, the checks in this one."""

from typing import Any

from transformer_course.grading.border.remote import Limits
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.running import Checker
from transformer_course.grading.grader.forbidden import forbidden
from transformer_course.grading.grader.outcome import row_of
from transformer_course.grading.grader.plan import Planner
from transformer_course.grading.grader.reading import Submission
from transformer_course.grading.grader.run import Run
from transformer_course.grading.processes.zygote import Zygote

TAIL = 2000  # characters of what it printed that a result keeps


class Grader:
    """An exercise, made ready once to grade any number of submissions."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise, self.planner, self.checker = exercise, Planner(exercise), Checker(exercise)

    def grade(self, submission: Submission, zygote: Zygote, limits: Limits) -> dict[str, Any]:
        """Score, a row for each check, errors of cells, and what is odd about the notebook."""
        steps, flags = self.planner.plan(submission)
        run = Run(self.checker, steps, zygote, limits)
        try:
            run.all()
        finally:
            run.end()
        rows = [row_of(*run.rows[check.name]) for check in self.exercise.checks]
        return {
            "status": "graded",
            "score": sum(row["points"] for row in rows),
            "tests": rows,
            "cells": [
                {"index": steps[i].index, "id": steps[i].name, "error": said}
                for i, said in sorted(run.errors.items())
            ],
            "flags": flags + run.flags + forbidden(self.exercise, steps),
            "stdout_tail": run.output[-TAIL:],
        }
