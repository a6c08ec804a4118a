"""Other ways to run a notebook, where the first one may have lost what the work has earned."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.grader.submission import Step, Submission

if TYPE_CHECKING:
    from transformer_course.grading.grader.run import Run

SLOW = 1 / 60  # of all the time: a cell that takes more may be left out where time runs short


def other_ways(first: Run) -> Iterator[tuple[str, list[Step], Limits, float]]:
    """At most one: a flag for its result, the steps, their limits, and seconds for an extra cell.

    Where time ran out, slow cells that are no answers are left out. Where cells failed, they run
    in the order that their numbers tell, as they did in the kernel; without that, behind the rest.
    """
    steps, limits = first.steps, first.limits
    statuses = {row.status for row, _ in first.rows.values()}
    if "not_reached" in statuses:
        slow = SLOW * limits.total_seconds
        kept = [
            step
            for i, step in enumerate(steps)
            if step.kind != "extra" or (i not in first.lost and first.took.get(i, 0) < slow)
        ]
        yield "without_slow_cells", kept, limits, slow
        return
    failed = {i for i in first.errors if steps[i].index and i not in first.lost}
    left = limits.total_seconds - first.spent
    if not failed or statuses == {"pass"} or left < limits.total_seconds / 2:
        return
    own = [i for i, step in enumerate(steps) if step.index]
    by_count = sorted(own, key=lambda i: (steps[i].count is None, steps[i].count or 0))
    at_the_end = sorted(own, key=lambda i: i in failed)
    for flag, order in (("in_order_of_execution", by_count), ("failed_cells_last", at_the_end)):
        if order != own:
            places = dict(zip(own, order, strict=True))
            moved = [steps[places.get(i, i)] for i in range(len(steps))]
            yield flag, moved, replace(limits, total_seconds=left), limits.seconds
            return


def newer_python(submission: Submission, errors: Iterable[str]) -> list[str]:
    """A flag where cells failed that were saved by a Python newer than this one."""
    version = tuple(map(int, re.findall(r"\d{1,4}", submission.python)[:2]))
    newer = version > sys.version_info[:2] and any("SyntaxError" in said for said in errors)
    return [f"newer_python:{submission.python[:20]}"] if newer else []
