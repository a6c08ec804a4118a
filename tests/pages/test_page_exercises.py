"""Every page exercise of the book: it computes, and the page's own code grades it rightly."""

import json
import re
import subprocess
import tomllib
from itertools import permutations
from pathlib import Path

import nbformat
import pytest
from not_run import NEEDS_NODE

from transformer_course.pages import practice
from transformer_course.widgets import PageExercise

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "book" / "practice"
FILES = sorted(path for path in FOLDER.glob("*.toml") if path.stem != "cards")
EVERY_FILE = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
GARBAGE = ["", "  ", "abc", "<b>7</b>", "1 2", "1e999", "--1", "0x10", "1/0", "∞∞", "🙂", "1.2.3"]


def grade(asked: list[tuple[dict, object]]) -> list[dict]:
    """The verdicts of the code that runs in the page."""
    command = ["node", "--unhandled-rejections=strict", ROOT / "tests/js/grade.js"]
    run = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def exercises(path: Path) -> list[dict]:
    return [practice.compute(table) for table in practice.read(path)]


def mistaken(one: dict) -> list[tuple[object, str]]:
    """For each misconception an entry that shows it, and the message it must get."""
    found = []
    for mistake in one.get("misconceptions", []):
        if one["kind"] == "number":
            entry: object = repr(mistake["answer"])
        elif one["kind"] == "matrix":
            entry = [[str(x) for x in row] for row in mistake["answer"]]
        elif one["kind"] == "mask":
            entry = mistake["answer"]
        elif one["kind"] == "order":
            a, b = mistake["before"]
            rest = [n for n in one["answer"] if n != a]
            entry = [*rest[: rest.index(b)], a, *rest[rest.index(b) :]]
            if entry == one["start"]:  # the page shows them so: the reader has to move something
                entry = next(
                    list(order)
                    for order in permutations(one["answer"])
                    if order.index(a) < order.index(b) and list(order) != one["start"]
                )
        else:
            left, right = mistake["pair"]
            entry = [right if n == left else to for n, to in enumerate(one["answer"])]
        found.append((entry, mistake["message"]))
    return found


@NEEDS_NODE
def test_the_examples_of_the_how_to_are_exercises(tmp_path):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    path = tmp_path / "how-to.toml"
    path.write_text("\n".join(examples), encoding="utf-8")
    assert [table.kind for table in practice.read(path)] == list(practice.KINDS)
    assert tomllib.loads(examples[0])["exercise"][0]["id"] == "weight-of-cat"
    check_file(path)


@NEEDS_NODE
@EVERY_FILE
def test_every_exercise_of_a_chapter_grades_right_and_wrong_answers_in_the_page(path):
    check_file(path)


def check_file(path: Path) -> None:
    """The right answer is right, each misconception gets its message, garbage is refused."""
    asked, wanted = [], []
    for one in exercises(path):
        asked.append((one, "right"))
        wanted.append((one, "right", ""))
        for entry, message in mistaken(one):
            asked.append((one, entry))
            wanted.append((one, "wrong", message))
        asked.append((one, "first"))
        wanted.append((one, "refused", ""))
        if one["kind"] == "number":
            asked += [(one, text) for text in GARBAGE]
            wanted += [(one, "refused", "")] * len(GARBAGE)
        if one["kind"] == "choice":
            for n, option in enumerate(one["options"]):
                if one["answer"] != [n]:
                    asked.append((one, [n]))
                    wanted.append((one, "wrong", ""))
                assert option["why"]
    for (_, entry), (one, state, message), verdict in zip(asked, wanted, grade(asked), strict=True):
        about = f"{one['id']}, entry {entry!r}: {verdict}"
        assert verdict["state"] == state, about
        assert message in verdict.get("message", ""), about
        assert state == "right" or verdict["message"].strip(), about


@NEEDS_NODE
def test_a_known_mistake_is_known_as_it_was_rounded():
    said = {"answer": 0.2754, "message": "That is the other one."}
    one = {"kind": "number", "answer": 0.5, "tolerance": 0.0005, "misconceptions": [said]}
    entries = ["0.2754", "0.275", "0,28", "0.3", "0.274", "0.29", "0"]
    told = [verdict["message"] for verdict in grade([(one, entry) for entry in entries])]
    assert told == [said["message"]] * 4 + ["It is higher."] * 3
    none = one | {"answer": 0, "misconceptions": []}
    [verdict] = grade([(none, "5")])
    assert verdict["message"] == "It is lower."  # and not off by a factor of infinity


@EVERY_FILE
def test_a_computed_exercise_names_two_mistakes_or_more(path):
    few = [
        table.id
        for table in practice.read(path)
        if table.kind in ("number", "matrix", "mask") and len(table.misconceptions) < 2
    ]
    assert few == []


@EVERY_FILE
def test_the_static_twin_of_every_exercise_holds_its_answer(path):
    for table in practice.read(path):
        widget = PageExercise(table.id, folder=FOLDER)
        shown = widget.exercise["shown"]
        assert f"Answer: {shown}" in widget.as_text()
        assert "0x" not in widget.as_text() + widget.as_html()
        assert "Answer:" in widget.as_html()
        assert widget.tables()[0].cells.size
        json.dumps(widget.exercise, allow_nan=False)


def test_there_are_enough_exercises_of_every_kind_over_all_chapters():
    tables = [table for chapter in practice.chapters(FOLDER).values() for table in chapter]
    assert len(tables) >= 40
    assert {table.kind for table in tables} == set(practice.KINDS)


def shown_in(path: Path) -> list[dict]:
    """The exercises that a notebook holds, as they were when it was executed."""
    widgets = nbformat.read(path, as_version=4).metadata.get("widgets", {})
    models = widgets.get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    return [x["state"]["exercise"] for x in models.values() if "exercise" in x["state"]]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_a_notebook_shows_the_exercises_of_today(path):
    for shown in shown_in(path):
        today = PageExercise(shown["id"], folder=FOLDER).exercise
        assert shown == today, f"{shown['id']} changed: run `make refresh`"


def test_every_exercise_is_shown_somewhere_once():
    shown = [one["id"] for path in (ROOT / "book").glob("*.ipynb") for one in shown_in(path)]
    known = {table.id for chapter in practice.chapters(FOLDER).values() for table in chapter}
    assert sorted(shown) == sorted(known)


def drawn(shape: list) -> list[list[float]]:
    """The points of a shape and of those inside it, without the handles of bows."""
    tag, about, *inside = shape
    found = [point for each in inside if isinstance(each, list) for point in drawn(each)]
    if tag == "rect":
        x, y, wide, high = (float(about[name]) for name in ("x", "y", "width", "height"))
        found += [[x, y], [x + wide, y + high]]
    if tag == "path":
        numbers = [
            float(x) for x in re.findall(r"-?[\d.]+", re.sub("C.* (.* .*)", r" \1", about["d"]))
        ]
        found += [numbers[n : n + 2] for n in range(0, len(numbers), 2)]
    return found


@EVERY_FILE
def test_a_picture_stays_on_its_canvas(path):
    for one in exercises(path):
        if "picture" not in one:
            continue
        picture = json.loads(one["picture"])
        wide, high = map(float, picture[1]["viewBox"].split()[2:])
        outside = [
            (x, y)
            for x, y in drawn(picture)
            if not (-1.5 <= x <= wide + 1.5 and -1.5 <= y <= high + 1.5)
        ]
        assert outside == [], one["id"]
