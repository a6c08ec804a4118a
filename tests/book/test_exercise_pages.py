"""Exercise notebooks as pages: boxes for panels, folded checks, an overview of what is there."""

import json
from pathlib import Path
from types import SimpleNamespace

import exercise_pages
import pytest
from sphinx.errors import ExtensionError

from transformer_course.grading.exercises.exercise import load

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "exercises").glob("[0-9]*.ipynb"))


def rewritten(docname: str, text: str, root: Path = ROOT) -> tuple[str, list[str]]:
    """A page's source after the extension, and the files it depends on."""
    noted: list[str] = []
    app = SimpleNamespace(srcdir=root, env=SimpleNamespace(note_dependency=noted.append))
    source = [text]
    exercise_pages.rewrite(app, docname, source)
    return source[0], noted


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_panel_is_a_box_with_its_points_checks_and_hints(path):
    exercise = load(path)
    text, _ = rewritten(f"exercises/{path.stem}", path.read_text(encoding="utf-8"))
    cells = json.loads(text)["cells"]
    prose = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    code = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    assert "panels" not in code
    assert prose.count("{admonition} Do it in Jupyter") == 1
    assert f"<{path.name}>" in prose
    assert prose.count("{admonition} In Jupyter") == 1
    for question in exercise.questions.values():
        assert prose.count(f"{{admonition}} {question.title}\n") >= 1
        assert f"difficulty {question.difficulty} of 5" in prose
        assert all(hint in prose for hint in question.hints)
    assert prose.count("<summary>Hint 1</summary>") == len(exercise.questions)
    shown = prose.count("<summary>Show the checks</summary>")
    assert shown == 1, "expected one cell with panels.summary(), at the end of the notebook"
    for check in exercise.checks:
        assert check.source.strip() in prose
        assert check.source.strip() not in code
    assert not any(cell["metadata"].get("tags") for cell in cells)


def test_the_overview_lists_every_notebook_and_counts(tmp_path):
    text, noted = rewritten("exercises/index", f"Before\n\n{exercise_pages.LIST}\n\nAfter")
    assert text.startswith("Before\n\n")
    assert text.endswith("\n\nAfter")
    exercises = [load(path) for path in NOTEBOOKS]
    for exercise in exercises:
        assert f"[{exercise.title}]({exercise.name}.ipynb)" in text
    questions = sum(len(exercise.questions) for exercise in exercises)
    points = sum(exercise.points for exercise in exercises)
    assert f"{len(exercises)} notebooks, {questions} questions, {points:g} points" in text
    assert [Path(path).name for path in noted] == [path.name for path in NOTEBOOKS]


def test_the_overview_page_has_a_place_for_the_list():
    assert exercise_pages.LIST in (ROOT / "exercises" / "index.md").read_text(encoding="utf-8")


def test_a_section_without_a_chapter_is_no_link(tmp_path):
    table = exercise_pages.overview([load(NOTEBOOKS[0])], tmp_path)
    assert f"| {load(NOTEBOOKS[0]).section} |" in table


def test_other_pages_are_left_alone():
    assert rewritten("book/index", "{}") == ("{}", [])


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "exercises/01-x: Expecting"), ('{"cells": []}', "expected the notebook's metadata")],
)
def test_a_notebook_that_is_no_exercise_stops_the_build(text, said):
    with pytest.raises(ExtensionError, match=said):
        rewritten("exercises/01-x", text)
