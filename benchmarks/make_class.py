"""Makes a class that hands in exercise 01, in the layouts of Moodle and of Canvas.

    python benchmarks/make_class.py FOLDER            # 200 students, Moodle's zip
    python benchmarks/make_class.py FOLDER --layout canvas --students 40

FOLDER gets submissions.zip as the platform gives it out, the platform's own table as the roster,
and class.toml with a deadline. Of every 20 students 2 hand in nothing and 1 a file that is no
notebook; the others answer each question right, wrong in a known way, or not at all, the stronger
the more often right. Some copy, some are late, some hand in progress.json. truth.json says who.
"""

import argparse
import csv
import json
import random
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise, load, source_of
from transformer_course.grading.exercises.releasing import released

HERE = Path(__file__).parent
EXERCISE = HERE.parent / "exercises" / "sources" / "01-scaled-attention.md"
DEADLINE = datetime(2026, 11, 20, 23, 59, tzinfo=timezone(timedelta(hours=1)))
WORKSHEET = [
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"),
    *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
    "Feedback comments",
]
GRADEBOOK = [
    "Student",
    "ID",
    "SIS User ID",
    "SIS Login ID",
    "Section",
    "01-scaled-attention (4711)",
]

WRONG = {  # replacements in the right answer, by question
    "scaled-scores": [
        (" / math.sqrt(query.size(-1))", ""),
        ("math.sqrt(query.size(-1))", "query.size(-1)"),
        ("transpose(-2, -1)", "transpose(0, 1)"),
    ],
    "mix": [
        ("axis=-1", "axis=0"),
        ("return weights @ value, weights", "return weights, weights @ value"),
    ],
    "spread-at-start": [("(1 / 3) * (1 / 3)", "(1 / 3)"), (" / math.sqrt(64)", "")],
    "share-of-itself": [("0.91", "0.01"), ("0.91", "0.5")],
    "softmax-backward": [(" - expected", ""), ("weights * (gradient", "(gradient")],
    "without-the-scale": [('"b"', '"a"'), ('"b"', '"c"')],
}
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gül", "Hal", "Ida", "José"]


def answers(exercise: Exercise, strength: float, draw: random.Random) -> dict[str, str]:
    """A student's answers: right, wrong in a known way; what is not attempted is left out."""
    right = {cell.name: cell.source for cell in exercise.cells if cell.role == "solution"}
    found = {}
    for number, (name, source) in enumerate(right.items()):
        luck = draw.random() + 0.06 * number
        if luck < strength:
            found[name] = source
        elif luck < strength + 0.35:
            found[name] = source.replace(*draw.choice(WRONG[name]))
    return found


def notebook(exercise: Exercise, given: dict[str, str], scratch: str) -> str:
    """What is handed in: answers, and a cell of the student's own."""
    made = released(exercise)
    for raw in made["cells"]:
        lines = given.get(raw["id"], source_of(raw)).splitlines()
        raw["source"] = "\n".join(line for line in lines if " SOLUTION" not in line)
    own = {"cell_type": "code", "id": "own", "metadata": {}, "source": scratch}
    made["cells"].append(own | {"outputs": [], "execution_count": None})
    return json.dumps(made)


def scratch(draw: random.Random) -> str:
    """A cell that two students would not both write."""
    words = [f"trial_{draw.randrange(10_000)} = {draw.randrange(100)} * n" for _ in range(12)]
    return "n = 3\n" + "\n".join(f"{word}  # note {draw.randrange(1_000)}" for word in words)


def progress(exercise: Exercise, given: dict[str, str], draw: random.Random) -> str:
    """A progress file as the panels write it."""
    panels = {
        f"exercises/{exercise.name}/{name}": {
            "tries": draw.randrange(1, 6),
            "hints": draw.choice([0, 0, 1, 2]),
            "shown": draw.random() < 0.1,
        }
        for name in given
    }
    return json.dumps({"version": 1, "done": {}, "cards": {}, "panels": panels})


def make(folder: Path, students: int, layout: str, seed: int = 0) -> dict[str, Any]:
    """Write the class; returns what is true of it."""
    exercise, draw = load(EXERCISE), random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    truth: dict[str, Any] = {"missing": [], "no_notebook": [], "late": {}, "copied": []}
    rows, before = [], ("", {}, "")
    with zipfile.ZipFile(folder / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(students):
            student, name = str(10_001 + number), f"{NAMES[number % len(NAMES)]} No{number:03}"
            given = answers(exercise, draw.gauss(0.6, 0.25), draw)
            text, late = scratch(draw), number % 20 in (3, 4)
            handed = DEADLINE - timedelta(hours=draw.uniform(1, 90))
            if late:
                handed = DEADLINE + timedelta(hours=24 * (number % 3) + 5)
                truth["late"][student] = number % 3 + 1
            if number % 20 in (7, 8):
                truth["missing"].append(student)
                rows.append(row(layout, student, name, None, exercise))
                continue
            if number % 50 == 18 and before[0]:
                given, text = before[1], before[2].replace("trial", "attempt")
                truth["copied"].append(sorted([before[0], student]))
            rows.append(row(layout, student, name, handed, exercise))
            place = path(layout, student, name, late)
            if number % 20 == 9:
                truth["no_notebook"].append(student)
                archive.writestr(place.format("answers.docx"), "no notebook")
                continue
            archive.writestr(
                place.format(f"{exercise.name}.ipynb"), notebook(exercise, given, text)
            )
            if number % 4 == 0:
                archive.writestr(place.format("progress.json"), progress(exercise, given, draw))
            before = (student, given, text)
    table(folder, layout, rows, exercise)
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))
    return truth


def path(layout: str, student: str, name: str, late: bool) -> str:
    """Where the platform puts a student's files, with a place for the file's name."""
    if layout == "moodle":
        return f"{name}_{student}_assignsubmission_file_/{{}}"
    plain = "".join(part.lower() for part in reversed(name.split()) if part.isascii())
    return f"{plain}_{'LATE_' if late else ''}{student}_9{student}_{{}}"


def row(
    layout: str, student: str, name: str, handed: datetime | None, exercise: Exercise
) -> list[str]:
    """A student's row in the platform's table."""
    time = handed.strftime("%A, %d %B %Y, %I:%M %p") if handed else "-"
    login = f"s{student}@example.org"
    if layout == "canvas":
        return [name, student, f"u{student}", login, "Group 1", ""]
    status = "Submitted for grading" if handed else "No submission"
    top = f"{exercise.points:.2f}"
    return [f"Participant {student}", name, login, status, "", top, "Yes", time, "-", ""]


def table(folder: Path, layout: str, rows: list[list[str]], exercise: Exercise) -> None:
    """The platform's table, and the class's file beside it."""
    header = WORKSHEET if layout == "moodle" else GRADEBOOK
    if layout == "canvas":
        rows = [["    Points Possible", "", "", "", "", f"{exercise.points:g}"], *rows]
    with open(folder / "roster.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    (folder / "class.toml").write_text(
        'roster = "roster.csv"\n\n[late]\ngrace_minutes = 10\npercent_per_day = 10\n'
        f"most_percent = 50\n\n[late.deadlines]\n{exercise.name} = {DEADLINE.isoformat()}\n"
    )


def main() -> None:
    """Make a class."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--layout", choices=["moodle", "canvas"], default="moodle")
    args = parser.parse_args()
    truth = make(args.folder, args.students, args.layout)
    print({key: len(each) for key, each in truth.items()})


if __name__ == "__main__":
    main()
