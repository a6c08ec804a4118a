"""A class's file, class.toml: its roster, its deadlines, and what the instructor has decided."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path

import msgspec

from transformer_course.errors import DataError
from transformer_course.grading.exports.roster import Roster, read_roster, read_table


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lateness costs: a percentage of the points earned for each day begun.

    Within `grace_minutes` it costs nothing; after them the days count from the deadline.
    `extensions` are days, by student.
    """

    deadlines: dict[str, datetime] = {}
    grace_minutes: float = 0.0
    percent_per_day: float | None = None
    most_percent: float = 100.0
    extensions: dict[str, float] = {}

    def days(self, late: timedelta) -> int:
        """The days begun so long after a deadline."""
        return 0 if late <= timedelta(minutes=self.grace_minutes) else -(-late // timedelta(days=1))

    def percent(self, days: int) -> float:
        """What is taken off for so many days begun."""
        return min(self.most_percent, (self.percent_per_day or 0.0) * days)


NEVER = Late()


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What class.toml may say. Paths are from its own folder."""

    roster: str = ""
    overrides: str = ""
    times: str = ""
    missing_is_zero: bool = False
    late: Late = Late()
    columns: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class Override:
    """Points that a person has given: for a question, or for the exercise where it is ""."""

    student: str
    exercise: str
    question: str
    points: float
    reason: str
    where: str


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How results become grades. `times` are by student and exercise, "" for every exercise."""

    roster: Roster | None = None
    overrides: list[Override] = field(default_factory=list)
    times: dict[tuple[str, str], datetime] = field(default_factory=dict)
    missing_is_zero: bool = False
    late: Late = NEVER
    columns: dict[str, str] = field(default_factory=dict)

    @property
    def students(self) -> list[str]:
        """Whoever is on the roster."""
        return list(self.roster.students) if self.roster else []

    def decides(self, student: str, exercise: str) -> bool:
        """Whether a person has given points, so that there is nothing left to look at.

        What could not be read is of no exercise: points for any whole one decide on it.
        """
        theirs = [each for each in self.overrides if each.student == student]
        if not exercise:
            return any(not each.question for each in theirs)
        return any(each.exercise in ("", exercise) for each in theirs)


def read_rules(path: Path | None) -> Rules:
    """Read a class's file and the tables that it names.

    Raises:
        DataError: something in them cannot be; the message names the place.
    """
    if path is None:
        return Rules()
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{path}: {error}") from None
    late = found.late
    for name, value in (
        ("percent_per_day", late.percent_per_day or 0.0),
        ("most_percent", late.most_percent),
    ):
        if not 0 <= value <= 100:
            raise DataError(f"{path}, late: expected {name} from 0 to 100, got {value:g}")
    for exercise, deadline in late.deadlines.items():
        if deadline.tzinfo is None:
            raise DataError(
                f"{path}, deadline of {exercise}: expected a time with its zone, such as "
                f"{deadline.isoformat()}+01:00"
            )
    if late.deadlines and late.percent_per_day is None:
        raise DataError(
            f"{path}, late: there are deadlines and no percent_per_day; write percent_per_day = 0 "
            "if lateness costs nothing"
        )
    home = path.parent
    roster = read_roster(home / found.roster) if found.roster else None
    if roster and (unknown := set(late.extensions) - set(roster.students)):
        raise DataError(f"{path}, extensions: not on the roster: {', '.join(sorted(unknown))}")
    return Rules(
        roster=roster,
        overrides=read_overrides(home / found.overrides) if found.overrides else [],
        times=read_times(home / found.times) if found.times else {},
        missing_is_zero=found.missing_is_zero,
        late=late,
        columns=found.columns,
    )


def check_names(rules: Rules, known: Collection[str]) -> None:
    """Raises DataError where a class's file names an exercise that is none of those known."""
    for table, names in (("late.deadlines", rules.late.deadlines), ("columns", rules.columns)):
        for name in set(names) - set(known):
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "name its source with --exercise"
            raise DataError(f"--class, {table}: there is no exercise {name}; {hint}")


def read_overrides(path: Path) -> list[Override]:
    """The table of overrides: student, exercise, question, points, reason."""
    _, rows = read_table(path, ("student", "exercise", "question", "points", "reason"))
    found = []
    for number, row in enumerate(rows, 2):
        where = f"{path}, line {number}"
        try:
            points = float(row["points"].replace(",", "."))
        except ValueError:
            points = -1.0
        if not 0 <= points < float("inf"):
            raise DataError(f"{where}: expected points from 0 on, got {row['points']!r}")
        if not row["reason"].strip():
            raise DataError(f"{where}: expected a reason, which the student reads")
        texts = {name: row[name].strip() for name in ("student", "exercise", "question", "reason")}
        found.append(Override(points=points, where=where, **texts))
    return found


def read_times(path: Path) -> dict[tuple[str, str], datetime]:
    """When something was handed in: student, time, and exercise where there are several."""
    _, rows = read_table(path, ("student", "time"))
    found = {}
    for number, row in enumerate(rows, 2):
        try:
            time = datetime.fromisoformat(row["time"].strip())
        except ValueError:
            raise DataError(
                f"{path}, line {number}: expected a time such as 2026-11-20T23:59:00, got "
                f"{row['time']!r}"
            ) from None
        found[row["student"].strip(), row.get("exercise", "").strip()] = time
    return found
