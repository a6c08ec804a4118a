"""The rooms of grading: imports go one way, no file is long, the contributors' page names all."""

import ast
import re
from pathlib import Path

import pytest

import transformer_course.grading

HOME = Path(transformer_course.grading.__file__).parent
PAGE = HOME / "README.md"
NAME = "transformer_course.grading."
BELOW = {  # what each room may import, beside itself
    "walls": set(),
    "border": set(),
    "exercises": {"border"},
    "processes": {"walls", "border", "exercises"},
    "grader": {"walls", "border", "exercises", "processes"},
    "exports": {"exercises", "grader"},
    "panel": {"exercises", "grader"},
}


def modules(tree: ast.AST) -> set[str]:
    """What a file imports, wherever in it, also for types alone."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{each.name}" for each in node.names}
    return found


def files(room: str) -> set[str]:
    return {path.name for path in (HOME / room).iterdir() if path.is_file()} - {"__init__.py"}


@pytest.mark.parametrize("room", BELOW)
def test_a_room_imports_only_rooms_below_it(room):
    for path in (HOME / room).glob("*.py"):
        found = modules(ast.parse(path.read_text(encoding="utf-8")))
        rooms = {each.removeprefix(NAME).split(".")[0] for each in found if each.startswith(NAME)}
        assert rooms <= BELOW[room] | {room}, path.name


def test_no_file_is_long():
    lengths = {path: path.read_text().count("\n") for path in HOME.rglob("*.py")}
    assert {path.name: length for path, length in lengths.items() if length > 250} == {}


def test_the_page_names_every_room_and_every_file_and_no_other():
    titles = re.split(r"^### `(\w+)/`.*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = dict(zip(titles[1::2], titles[2::2], strict=True))
    rooms = {path.parent.name for path in HOME.glob("*/__init__.py")}
    assert set(sections) == rooms == set(BELOW)
    for room, text in sections.items():
        first_cells = "".join(re.findall(r"^\|([^|]*)\|", text, re.MULTILINE))
        assert set(re.findall(r"`([\w.]+)`", first_cells)) == files(room)
    text = PAGE.read_text(encoding="utf-8")
    assert all((HOME / name).is_file() for name in re.findall(r"\]\(([\w./]+)\)", text))
    for name in re.findall(r"`(\w+/[\w/]+\.py)`", text):
        assert (HOME.parents[1] / name).is_file()


def test_the_page_can_be_found():
    for name in ("CONTRIBUTING.md", "book/teaching.md"):
        assert "transformer_course/grading/README.md" in (HOME.parents[1] / name).read_text()


def test_the_drawing_has_words_and_colors_for_light_and_dark():
    assert len(re.search(r"!\[([^\]]+)\]\(processes\.svg\)", PAGE.read_text())[1]) > 100
    text = (HOME / "processes.svg").read_text(encoding="utf-8")
    for part in ("<title", "<desc", "prefers-color-scheme: dark"):
        assert part in text
    assert len(set(re.findall(r"--\w+", text.split("@media")[0]))) >= 7
    for use in re.findall(r"(?:fill|stroke): ([^;\"}]+)", text):
        assert use == "none" or use.startswith("var(--")
    assert float(re.search(r'viewBox="0 0 (\d+)', text)[1]) <= 390
    assert min(map(int, re.findall(r"(\d+)px", text))) >= 12
