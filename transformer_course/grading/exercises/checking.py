"""Running an exercise's checks against a student: one in this process, or an isolated one."""

import builtins
import re
import traceback
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from transformer_course.errors import DataError
from transformer_course.grading.border.failures import Gone
from transformer_course.grading.exercises import missing, places, vary
from transformer_course.grading.exercises.answers import as_torch_starts
from transformer_course.grading.exercises.exercise import Cell, Exercise, names_used
from transformer_course.grading.exercises.messages import clipped, plain, returned, unraised
from transformer_course.grading.exercises.operations import UNWATCHED
from transformer_course.grading.exercises.telling import NONE, RETURN, Always, Form, Off, listening

OTHERWISE = "With other values than those shown"
MOST_RAISED = 800  # characters of an error, so that its line is still told

Status = Literal[
    "pass", "fail", "error", "not_attempted", "timeout", "died", "memory", "not_reached"
]
CHECKS = "checks"  # the module in which checks run, by name
RANKS: dict[type[Exception], int] = {Always: -1, Form: 1, Off: 2}  # of a `Row`
OPEN: tuple[Status, ...] = ("not_attempted", "not_reached", "pass")
ARTICLES = ("a ", "the ", "these ", "two ", "what ")  # at the head of a sentence
MANY = 3  # calls of which it is said that all gave one value; of None it is said of one
ASSIGNED = re.compile(r"^(\w+) *=(?!=)", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.?!]) +")


class Student(Protocol):
    """Whoever holds the answers: `local.LocalStudent` here, `asking.Student` in another process."""

    returned: Counter[str]  # single values that calls gave, "" for all others

    def execute(self, source: str, name: str) -> None:
        """Run a cell."""

    def values(self, names: Collection[str]) -> dict[str, Any]:
        """Those of the names that are defined."""

    def forbid(self, names: Iterable[str]) -> list[str]:
        """Have these functions refused until called again; what was noticed of those before."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """How one check ended, with a message for the learner.

    `rank` says how much it tells: 0 names a mistake, 1 a shape, a type or what was raised, and 2
    says no more than that values are off. -1 is what explains the other rows of the question too.
    """

    status: Status
    message: str = ""
    rank: int = 0

    def __post_init__(self) -> None:
        """A message can hold what an answer returned, and that has no bound."""
        object.__setattr__(self, "message", clipped(self.message))

    @property
    def advice(self) -> str:
        """The last sentence of the message."""
        return SENTENCE.split(self.message.removeprefix(f"{OTHERWISE}: "))[-1]


@dataclass(frozen=True, kw_only=True)
class Row(Told):
    """What came of one check."""

    check: Cell
    noticed: tuple[str, ...] = ()  # forbidden functions that were used, for a person to see
    returned: Mapping[str, int] = field(default_factory=dict)  # as of a `Student`

    @property
    def points(self) -> float:
        """All of the check's points or none."""
        return self.check.points if self.status == "pass" else 0.0


def reading(row: Told) -> tuple[bool, bool, int]:
    """Its place among others, to sort by: what failed and tells most, what is open, the rest."""
    return row.status == "pass", row.status in OPEN, row.rank


def telling_first(rows: Iterable[Row]) -> list[Row]:
    """The rows in the order in which to read them."""
    return sorted(rows, key=reading)


def always(rows: Sequence[Row]) -> list[Row]:
    """The rows of one question. Where all calls gave one value, the first that failed says so."""
    returned = sum((Counter(row.returned) for row in rows), Counter[str]())
    failed = telling_first(row for row in rows if row.status == "fail")
    silent, enough = set(returned) == {"None"}, returned.total() >= MANY
    if not failed or len(returned) != 1 or "" in returned or not (silent or enough):
        return list(rows)
    said = f"Your answer returned {next(iter(returned))} every time, whatever it was given."
    more = "" if silent and failed[0].rank else f" {failed[0].message}"
    said = (RETURN if more else NONE) if silent else said
    first = replace(failed[0], message=f"{said}{more}", rank=-1)
    return [first if row is failed[0] else row for row in rows]


def worth_reading(rows: Sequence[Told]) -> list[str]:
    """The message of each row, "" where one before has told as much, or more.

    What says only that values are off is left out beside what names a mistake, a shape or an
    error; so is a message that ends in the same advice as one above it.
    """
    least = min((row.rank for row in rows if row.status not in OPEN), default=2)
    said: set[str] = {"Not attempted yet."}
    messages = []
    for row in rows:
        told = row is rows[0] if least < 0 else row.rank < 2 or least == 2
        heard = row.advice not in said and (row.status in OPEN or told)
        messages.append(row.message if heard else "")
        said.add(row.advice)
    return messages


class Checker:
    """The trusted side: the exercise's set-up and checks, in a namespace of their own.

    Raises:
        DataError: Python leaves out asserts, so that every answer would be right.
    """

    def __init__(self, exercise: Exercise) -> None:
        if not __debug__:
            raise DataError(
                "checks are asserts, and this Python leaves them out: start it without -O and "
                "without PYTHONOPTIMIZE"
            )
        self.exercise = exercise
        self.trusted: dict[str, Any] = {"__name__": CHECKS}
        self.set_up: set[str] = set()
        helpers = [cell for cell in exercise.cells if cell.role in ("setup", "checks")]
        for cell in helpers:
            exec(compile(cell.source, f"<{cell.name or cell.role}>", "exec"), self.trusted)
            if cell.role == "setup":
                self.set_up = set(self.trusted)
        self.own = set(self.trusted) | set(dir(builtins))
        self.fixed = {cell.name: cell.source for cell in helpers if cell.role == "setup"}
        shown = [cell.source for cell in exercise.cells if cell.role == "widget"]
        self.elsewhere = {name for source in shown for name in ASSIGNED.findall(source)}
        self.answers = missing.numbered(exercise)
        self.ready = {
            check.name: (
                compile(check.source, f"<{check.name}>", "exec"),
                names_used(check.source) - self.own,
            )
            for check in exercise.checks
        }

    def run(self, check: Cell, student: Student) -> Row:
        """Run one check. Only the loss of the student's process is raised, as `Gone`."""
        question = self.exercise.questions[check.question]
        code, wanted = self.ready[check.name]
        vary.start(check.name)
        student.returned.clear()
        noticed: list[str] = []
        try:
            student.forbid(question.forbid)  # may fail where an answer took modules away
            try:
                found = student.values(wanted)
                with as_torch_starts(), listening() as told:
                    exec(code, {**self.trusted, **found})
            finally:
                noticed = student.forbid(())
        except Gone:
            raise
        except Exception as error:
            others = missing.others(self.answers, question.name)
            row = explain(check, error, self.fixed, others)
            text = str(getattr(error, "text", error))
            if row.status == "error" and (said := self.lacking(text, error, others)):
                row = replace(row, message=f"{row.message}. {said}", rank=0)
            refused = tuple(each for each in question.forbid if each in noticed)
            return replace(row, noticed=refused, returned=dict(student.returned))
        known = tuple(each for each in (*question.forbid, UNWATCHED) if each in noticed)
        return Row(
            check=check,
            status="pass",
            message=" ".join(told),
            noticed=known,
            returned=dict(student.returned),
        )

    def lacking(self, text: str, error: Exception, others: Mapping[str, int]) -> str:
        """What to do about a name, or a key of the set-up, that is missed; "" if nothing is."""
        place = getattr(error, "place", None) or places.in_notebook(error, self.fixed)
        if isinstance(error, KeyError) and place:
            given = {name: self.trusted[name] for name in self.set_up}
            return missing.keys(text, place.source, given)
        return missing.advice(text, self.set_up, self.elsewhere, others)


def explain(
    check: Cell,
    error: Exception,
    fixed: Mapping[str, str] | None = None,
    others: Mapping[str, int] | None = None,
) -> Row:
    """The row of a check that raised, in words for the learner. `fixed`: set-up cells by name."""
    kind = getattr(error, "kind", type(error).__name__)
    text = str(getattr(error, "text", error))
    hidden = in_hidden_part(check, error)
    if kind == "NotImplementedError" and not text:  # torch raises it, too, and says of what
        return Row(check=check, status="not_attempted", message="Not attempted yet.")
    if isinstance(error, AssertionError):
        said = text[:1].upper() + text[1:] if text.startswith(ARTICLES) else text
        rank = next((rank for kind, rank in RANKS.items() if isinstance(error, kind)), 0)
        rank = rank if said else 2
        said = said or "This does not hold."
        message = f"{OTHERWISE}: {said}" if hidden else said
        return Row(check=check, status="fail", message=message, rank=rank)
    if isinstance(error, NameError) and error.name in names_used(check.source):
        message = f"`{error.name}` is not defined yet: run the cell of your answer first."
        return Row(check=check, status="not_attempted", message=message)
    place = getattr(error, "place", None) or places.in_notebook(error, fixed or {})
    where = places.words(place, others)
    text = clipped(text, MOST_RAISED)
    if not where and hasattr(error, "kind"):  # in torch, or on its way: no line of theirs failed
        said = unraised(kind, text, OTHERWISE.lower() if hidden else "")
        return Row(check=check, status="error", message=said, rank=1)
    words = plain(text, kind, place, secret=hidden) if where else returned(text)
    if hidden and where and words == text:  # its own words can hold what the check has sent
        kind = kind if hasattr(builtins, kind) else "an error of its own"
        words = OTHERWISE.lower()
    # the check itself may stumble over what it was given
    said = f"Your code raised {kind}" if where else "Your answer could not be checked"
    return Row(check=check, status="error", message=f"{said}: {words}{where}", rank=1)


def in_hidden_part(check: Cell, error: Exception) -> bool:
    """Whether a check failed below the mark that hides the rest of it from learners."""
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == f"<{check.name}>"
    ]
    before = check.source.splitlines()[: lines[-1]] if lines else []
    marks = [line.split()[1] for line in before if line.endswith(" HIDDEN TESTS")]
    return marks[-1:] == ["BEGIN"]
