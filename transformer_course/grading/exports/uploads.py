"""Grades and feedback as Moodle and Canvas take them back: their own table, and a zip of pages.

Both are given out by the platform first: Moodle's grading worksheet and Canvas's gradebook export
are the class's roster, and a submission's path is the name that its feedback has to have.
"""

import csv
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from transformer_course.errors import DataError
from transformer_course.grading.exports.counting import Grades
from transformer_course.grading.exports.feedback import page_of
from transformer_course.grading.exports.platforms import remarks
from transformer_course.grading.exports.roster import Roster, Row
from transformer_course.grading.grader.collecting import CANVAS
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.results_file import by_student

TABLE, PAGES = "grades.csv", "feedback.zip"
POSSIBLE = "Points Possible"  # the row of Canvas's table that holds an assignment's points


def to_moodle(grades: Grades, to: Path) -> str:
    """Moodle's worksheet with grades and comments, and a zip for "Upload multiple feedback files".

    A student's exercises are one grade, on the scale of the assignment.
    """
    roster = roster_of(grades, "moodle", "the grading worksheet of the assignment")
    counted, most = by_student(grades.results), most_of(grades.results)
    top_column, comments = roster.column("Maximum grade"), roster.column("Feedback comments")
    pages, rows, scaled = {}, [], ""
    for row in roster.rows:
        student, own = roster.id_of(row), counted.get(roster.id_of(row), [])
        filled = dict(row)
        handed_in = [each for each in own if each["status"] != "missing"]
        graded = bool(own) and grades.has_grade(own)
        if graded:
            top = number(row.get(top_column), 0.0)
            if not top:
                raise DataError(
                    f"{roster.path}: expected a number in the column Maximum grade of {student}, "
                    f"got {row.get(top_column, '')!r}: let the assignment be graded in points, and "
                    "download the worksheet again, in English"
                )
            filled["Grade"] = f"{scale(sum(each['score'] for each in own), most, top):g}"
            if top != most:
                scaled = f"; {most:g} points are {top:g} there"
        if comments and (graded or handed_in):
            filled[comments] = "; ".join(comment(each, grades) for each in own)
        rows.append(filled)
        if handed_in:
            name = re.sub(r"[_/\\]", " ", roster.students[student].name)
            folder = f"{name}_{student}_assignsubmission_file_"
            pages[f"{folder}/feedback.html"] = page_of(student, handed_in)
    written = write(to, roster.header, rows, pages)
    return f"{written}{scaled}"


def to_canvas(grades: Grades, to: Path) -> str:
    """Canvas's gradebook with a column for each exercise, and a zip for "Upload Submissions"."""
    roster = roster_of(grades, "canvas", "the gradebook, exported from Canvas")
    names = sorted({each["exercise"] for each in grades.results if each["exercise"]})
    column = {name: column_of(name, grades) for name in names}
    most = {each["exercise"]: each["max_score"] for each in grades.results}
    possible = next((row for row in roster.rows if POSSIBLE in row["Student"]), {})
    top = {name: number(possible.get(column[name]), most[name]) for name in names}
    ids = [name for name in roster.header if name in (*IDS, "Section")]
    counted, rows = by_student(grades.results), []
    for row in roster.rows:
        filled = {name: row[name] for name in ids}
        if row is possible:
            filled |= {column[name]: f"{top[name]:g}" for name in names}
        for each in counted.get(roster.id_of(row) or "-", []):
            if name := each["exercise"]:
                score = scale(each["score"], most[name], top[name])
                filled[column[name]] = f"{score:g}" if grades.has_grade([each]) else ""
        rows.append(filled)
    pages, nameless = {}, 0
    for student, own in by_student(grades.handed_in).items():
        file = PurePosixPath(own[0]["submission"]["path"]).name
        if CANVAS.search(file):
            pages[f"{PurePosixPath(file).stem}.html"] = page_of(student, own)
        else:
            nameless += 1
    written = write(to, [*ids, *column.values()], rows, pages)
    left_out = f"; left out, since not from Canvas's zip: {nameless}"
    return written + (left_out if nameless else "")


IDS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID")


def roster_of(grades: Grades, kind: str, what: str) -> Roster:
    """The class's roster. Raises DataError where it is not this platform's table."""
    if (roster := grades.rules.roster) and roster.kind == kind:
        return roster
    raise DataError(
        f"--export {kind} fills in a table of {kind.title()}'s: expected --class FILE with "
        f"roster = {what}"
    )


def column_of(exercise: str, grades: Grades) -> str:
    """The column of an exercise: the one that class.toml names, or that has its name; or a new one.

    Raises:
        DataError: there are several, or not the one that is named.
    """
    header = grades.rules.roster.header if grades.rules.roster else []
    if named := grades.rules.columns.get(exercise):
        if named in header:
            return named
        raise DataError(f"columns, {exercise}: the gradebook has no column {named!r}")
    found = [name for name in header if exercise.lower() in name.lower()]
    if len(found) > 1:
        raise DataError(
            f"the gradebook has several columns for {exercise}: {', '.join(found)}; say which "
            "under [columns] in the class's file"
        )
    return found[0] if found else exercise


def most_of(results: Iterable[Result]) -> float:
    """The points of all exercises together."""
    return sum({each["exercise"]: each["max_score"] for each in results}.values())


def number(text: str | None, otherwise: float) -> float:
    """Points in a platform's table, with a point or a comma."""
    try:
        return float((text or "").replace(",", ".")) or otherwise
    except ValueError:
        return otherwise


def scale(score: float, most: float, top: float) -> float:
    """Points on the platform's scale."""
    return round(score * top / most, 2) if most else 0.0


def comment(result: Result, grades: Grades) -> str:
    """An exercise in a line."""
    scored = f"{result['score']:g} of {result['max_score']:g} points. "
    words = remarks(result) if grades.is_open(result) else scored + remarks(result)
    return f"{result['exercise'] or result['submission']['path']}: {words}"


def write(to: Path, header: list[str], rows: list[Row], pages: dict[str, str]) -> str:
    """Write both files into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    with open(to / TABLE, "w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.DictWriter(file, header, restval="", extrasaction="raise")
        writer.writeheader()
        writer.writerows(rows)
    with zipfile.ZipFile(to / PAGES, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in pages.items():
            archive.writestr(name, text.encode("utf-8", "xmlcharrefreplace"))
    return f"{to}: {TABLE}, rows: {len(rows)}; {PAGES}, pages: {len(pages)}"
