"""Which submissions a run grades again, though nothing of them has changed."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import get_args

from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.checking import Status
from transformer_course.grading.grader.result import Ending, Result, needs_human

LIMITED = {"timeout", "memory", "not_reached"}  # what another limit may change
WORDS = {"all", "look", *get_args(Status), *get_args(Ending)}


class Again:
    """Tells of a result that stands whether its submission is to be graded again.

    It is where a limit stopped it and the limits are no longer those, and where `asked` says so:
    "look" (a person should look), "all", the status of a submission or of a check, a flag,
    "question=NAME" or "student=ID".
    """

    def __init__(self, asked: Sequence[str], limits: Limits) -> None:
        self.asked = dict.fromkeys(asked, 0)
        self.limits = asdict(limits)

    def __call__(self, result: Result) -> bool:
        found = [what for what in self.asked if what in reasons(result)]
        for what in found:
            self.asked[what] += 1
        return bool(found) or self.stopped_by_other_limits(result)

    def stopped_by_other_limits(self, result: Result) -> bool:
        """Whether a limit that this run does not have left something undone."""
        stopped = any(row["status"] in LIMITED for row in result["tests"])
        same = result["runner"].get("limits") == self.limits
        return result["status"] == "graded" and stopped and not same

    def check(self, before: Iterable[Result]) -> None:
        """Say so where nothing was meant by a word. Raises DataError."""
        for what, count in self.asked.items():
            if count or what in WORDS:
                continue
            kind = what[: what.find("=") + 1]  # "" for a word
            there = {each for result in before for each in reasons(result)} | WORDS
            alike = [each for each in there if each[: each.find("=") + 1] == kind]
            raise DataError(
                f"--regrade {what}: no result has that; there are {', '.join(sorted(alike))}"
            )


def reasons(result: Result) -> set[str]:
    """All words by which a result can be asked for."""
    found = {"all", result["status"], f"student={result['submission']['id']}"}
    for row in result["tests"]:
        found |= {f"question={row['qid']}"}
        if result["status"] == "graded":
            found |= {row["status"]}
    found |= {flag.split(":")[0] for flag in result["flags"]}
    return found | ({"look"} if needs_human(result) else set())
