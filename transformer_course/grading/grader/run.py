"""Grade one submission: its cells run in a student's process, the checks in this one."""

import random
import re
import time
from dataclasses import replace

import numpy as np
import torch

from transformer_course.grading.border.asking import Limits, Student
from transformer_course.grading.border.failures import Gone
from transformer_course.grading.exercises import vary
from transformer_course.grading.exercises.checking import Checker, Row, Status, always
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.messages import clipped
from transformer_course.grading.grader.again import newer_python, other_ways
from transformer_course.grading.grader.forbidden import forbidden
from transformer_course.grading.grader.plan import Planner
from transformer_course.grading.grader.result import Outcome, doubts, tested
from transformer_course.grading.grader.submission import Step, Submission
from transformer_course.grading.processes.warm_process import Zygote

SEED = """\
__import__("random").seed(0)
__import__("numpy").random.seed(0)
__import__("torch").default_generator.manual_seed(0)
"""
CALLS = 4  # times the limit of one call, for all calls of one check
LEAST = 0.2  # seconds that are worth another process
CELLS = 100  # that failed, kept in a result
TAIL = 2000  # characters of what it printed that a result keeps


class Grader:
    """An exercise, made ready once to grade any number of submissions."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise, self.planner, self.checker = exercise, Planner(exercise), Checker(exercise)

    def grade(self, submission: Submission, zygote: Zygote, limits: Limits) -> Outcome:
        """Score, a row for each check, errors of cells, and what is odd about the notebook."""
        vary.of(submission.sha256)
        steps, flags = self.planner.plan(submission)
        best = Run(self.checker, steps, zygote, limits).all()
        noticed = best.flags
        for flag, moved, few, beside in other_ways(best):
            run = Run(self.checker, moved, zygote, few, beside).all()
            noticed = noticed + run.flags  # of each run, whichever counts
            if run.score > best.score:
                best, flags = run, [*flags, flag]
        rows = [tested(self.exercise, *best.rows[check.name]) for check in self.exercise.checks]
        flags += [
            *noticed,
            *newer_python(submission, best.errors.values()),
            *forbidden(self.exercise, best.steps),
            *doubts(rows),
        ]
        return {
            "status": "graded",
            "score": best.score,
            "tests": rows,
            "cells": [
                {
                    "index": best.steps[i].index,
                    "id": best.steps[i].name,
                    "error": clipped(said),
                }
                for i, said in sorted(best.errors.items())[:CELLS]
            ],
            "flags": list(dict.fromkeys(flags)),
            "stdout_tail": best.output[-TAIL:],
        }


class Run:
    """One submission's run. A student's process that is lost is replaced by another.

    The cell that ended it is then left out. The time for the whole submission goes on.
    """

    def __init__(
        self,
        checker: Checker,
        steps: list[Step],
        zygote: Zygote,
        limits: Limits,
        beside: float = float("inf"),
    ) -> None:
        self.checker, self.steps, self.zygote, self.limits = checker, steps, zygote, limits
        self.beside = beside  # seconds for each cell that is no answer, if less than the limit
        self.took: dict[int, float] = {}  # seconds of steps that came to an end
        self.rows: dict[str, tuple[Row, float]] = {}
        self.errors: dict[int, str] = {}  # by place in steps
        self.lost: dict[int, Status] = {}  # steps that ended a process, and how
        self.troubled: set[str] = set()  # questions whose checks ended a process
        self.flags: list[str] = []
        self.output, self.spent, self.left = "", 0.0, limits.total_seconds
        self.student: Student | None = None

    def all(self) -> "Run":
        """Run every step in order. Checks of a question that ended a process come last."""
        try:
            last = []
            for place, step in enumerate(self.steps):
                if step.check is None:
                    if self.ready(place):
                        self.execute(place)
                elif step.check.question in self.troubled:
                    last.append(step)
                else:
                    self.check(step, place)
            for step in last:
                self.check(step, len(self.steps))
        finally:
            self.end()
        for question in self.checker.exercise.questions.values():
            for row in always([self.rows[check.name][0] for check in question.checks]):
                self.rows[row.check.name] = row, self.rows[row.check.name][1]
        return self

    @property
    def score(self) -> float:
        """What all checks have earned."""
        return sum(row.points for row, _ in self.rows.values())

    def ready(self, count: int) -> bool:
        """Have a process in which the first `count` steps ran; False once the time is over."""
        while self.student is None:
            self.left = left = self.limits.total_seconds - self.spent
            if left < LEAST:
                return False
            limits = replace(self.limits, total_seconds=left)
            self.student = self.zygote.student(limits, self.checker.exercise.provides)
            self.student.execute(SEED, "seed")
            for place in range(count):
                if self.student is not None and self.steps[place].check is None:
                    self.execute(place)
        return True

    def execute(self, place: int) -> None:
        """Run one cell, unless it ended a process before."""
        step, student = self.steps[place], self.student
        if place in self.lost or student is None:
            return
        label = f"cell {step.index}" if step.index else step.name
        self.limit(step.name, self.beside if step.kind == "extra" else float("inf"))
        before = student.seconds
        try:
            student.execute(step.source, label)
        except Gone as gone:
            self.lost[place] = status_of(gone)
            self.errors[place] = f"{gone}"
            self.end(gone)
        except Exception as error:
            if getattr(error, "kind", "") != "NotImplementedError":  # the placeholder
                line = getattr(error, "line", None)
                said = re.sub(r" \(<[^>]*>, line \d+\)$", "", f"{error}")  # of a SyntaxError
                self.errors[place] = said + (f" (line {line})" if line else "")
        self.took[place] = student.seconds - before

    def check(self, step: Step, place: int) -> None:
        """Run one check; whatever happens, it gets its row."""
        check = step.check
        assert check is not None
        started = time.perf_counter()
        if not self.ready(place) or self.student is None:
            total = self.limits.total_seconds
            message = f"Not reached: the {total:g} s for the whole notebook were used up."
            row = Row(check=check, status="not_reached", message=message)
        else:
            self.limit(check.question)
            seed()
            try:
                row = self.blamed(self.checker.run(check, self.student))
                self.flags += [f"forbidden:{name}" for name in row.noticed]
            except Gone as gone:
                row = Row(check=check, status=status_of(gone), message=f"Stopped: {gone}.")
                self.troubled.add(check.question)
                self.end(gone)
        self.rows[check.name] = row, time.perf_counter() - started

    def blamed(self, row: Row) -> Row:
        """An answer that is missing says why: its cell failed, or there is none."""
        if row.status == "not_attempted":
            for place, said in self.errors.items():
                step = self.steps[place]
                if step.kind == "answer" and step.name == row.check.question:
                    message = f"The cell of this answer did not finish: {said}"
                    return replace(row, status=self.lost.get(place, "error"), message=message)
            message = row.message.replace(
                ": run the cell of your answer first", " by any cell here"
            )
            return replace(row, message=message)
        return row

    def limit(self, question: str, most: float = float("inf")) -> None:
        """Give a cell or a check its time: for one call, and for all its calls together."""
        found = self.checker.exercise.questions.get(question)
        seconds = found.limit_seconds if found and found.limit_seconds else self.limits.seconds
        seconds = min(seconds, most)
        assert self.student is not None
        total = min(self.left, self.student.seconds + CALLS * seconds)
        self.student.limits = replace(self.student.limits, seconds=seconds, total_seconds=total)
        self.student.received = 0

    def end(self, gone: Gone | None = None) -> None:
        """Let the process go; keep what it printed and the time it took."""
        if gone is not None and gone.reason == "protocol":
            self.flags = ["protocol_violation"]
        if self.student is not None:
            self.student.close()
            self.spent += self.student.seconds
            self.output, self.student = self.student.output, None


def status_of(gone: Gone) -> Status:
    """What a check's row says of a lost process."""
    if gone.reason == "processes" or gone.reason == "protocol":
        return "died"
    return gone.reason


def seed() -> None:
    """The same random numbers for every submission and every check."""
    random.seed(0)
    np.random.seed(0)
    torch.default_generator.manual_seed(0)  # manual_seed also writes a traceback for each device
