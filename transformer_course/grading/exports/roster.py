"""Who is in the class: a learning platform's own table, or a table with a column `student`."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from transformer_course.errors import DataError

Row = dict[str, str]
COLUMNS = {  # that a platform's table has, and by which it is known
    "moodle": ("Identifier", "Grade", "Last modified (grade)"),
    "canvas": ("Student", "ID", "Section"),
    "own": ("student",),
}


@dataclass(frozen=True, kw_only=True)
class Student:
    """One of the class. `sub` is who LTI says it is; `handed_in` a time, where the table has it."""

    id: str
    name: str = ""
    sub: str = ""
    handed_in: str = ""


@dataclass(frozen=True, kw_only=True)
class Roster:
    """The students by the id that their submissions have, and the table as it was."""

    path: Path
    kind: Literal["moodle", "canvas", "own"]
    header: list[str]
    rows: list[Row]
    students: dict[str, Student]

    def column(self, name: str) -> str:
        """The table's own spelling of a column's name; "" if it has none."""
        return next((each for each in self.header if each.lower() == name.lower()), "")

    def id_of(self, row: Row) -> str:
        """The student of a row; "" for one that is of no student, such as "Points Possible"."""
        if self.kind == "moodle":
            found = re.search(r"\d+$", row["Identifier"])
            return found[0] if found else ""
        return row["ID" if self.kind == "canvas" else "student"].strip()


def read_roster(path: Path) -> Roster:
    """Read Moodle's grading worksheet, Canvas's gradebook export, or a table of one's own.

    Raises:
        DataError: it is no such table, or a student stands in it twice.
    """
    header, rows = read_table(path)
    kind = next((each for each, known in COLUMNS.items() if set(known) <= set(header)), None)
    if kind is None:
        raise DataError(
            f"{path}: expected Moodle's grading worksheet, Canvas's gradebook export or a column "
            f"student, got the columns {', '.join(header)}; download a platform's table in English"
        )
    roster = Roster(path=path, kind=kind, header=header, rows=rows, students={})  # type: ignore[arg-type]
    for number, row in enumerate(rows, 2):
        if not (student := roster.id_of(row)):
            continue
        if student in roster.students:
            raise DataError(f"{path}, line {number}: {student} is there twice")
        roster.students[student] = Student(
            id=student,
            name=row.get("Full name") or row.get("Student") or row.get("name") or "",
            sub=row.get("sub", ""),
            handed_in=row.get("Last modified (submission)", ""),
        )
    if not roster.students:
        raise DataError(f"{path}: it has no students")
    return roster


def read_table(path: Path, needed: tuple[str, ...] = ()) -> tuple[list[str], list[Row]]:
    """A table's columns and rows. Raises DataError where it is none, or lacks what is needed."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: expected a table in UTF-8; save it as CSV UTF-8") from None
    lines = text.splitlines(keepends=True)
    between = max(",;\t", key=(lines or [""])[0].count)  # a spreadsheet's, by its country
    reader = csv.DictReader(lines, restval="", delimiter=between)
    header = list(reader.fieldnames or [])
    if missing := [name for name in needed if name not in header]:
        raise DataError(
            f"{path}: expected the columns {', '.join(needed)}; there is no {', '.join(missing)}"
        )
    return header, list(_rows(reader, path))


def _rows(reader: "csv.DictReader[str]", path: Path) -> Iterator[Row]:
    for row in reader:
        if None in row:
            raise DataError(f"{path}, line {reader.line_num}: more values than columns")
        yield row
