"""Exercise notebooks as pages: boxes for panels, folded checks, an overview of what is there."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import answered_in_page
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
    number = int(path.stem[:2])
    assert re.findall(r"^# (Exercise \d+): \S", prose, flags=re.MULTILINE) == [f"Exercise {number}"]
    assert prose.count("{admonition} Do it in Jupyter") == 1
    assert f"<{path.name}>" in prose
    assert prose.count("{admonition} In Jupyter") == 1
    for question in exercise.questions.values():
        assert prose.count(f"{{admonition}} {question.title}\n") >= 1
        assert f"difficulty {question.difficulty} of 5" in prose
        assert all(hint in prose for hint in question.hints)
    assert prose.count("<summary>Hint 1</summary>") == len(exercise.questions)
    kinds = [question.kind for question in exercise.questions.values()]
    assert prose.count(exercise_pages.LOCKED) == kinds.count("prediction")
    shown = prose.count("<summary>Show the checks</summary>")
    assert shown == 1, "expected one cell with panels.summary(), at the end of the notebook"
    for check in exercise.checks:
        assert check.source.strip() in prose
        assert check.source.strip() not in code
    tags = [cell["metadata"]["tags"] for cell in cells if cell["metadata"].get("tags")]
    assert all(each == ["remove-input"] for each in tags)
    assert len(tags) == sum(kind in answered_in_page.KINDS for kind in kinds)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_holds_for_right_what_the_solution_gives(path):
    exercise = load(path)
    source = load(ROOT / "exercises" / "sources" / f"{path.stem}.md")
    setup = [cell.source for cell in source.cells if cell.role == "setup"]
    solutions = {cell.name: cell.source for cell in source.cells if cell.role == "solution"}
    for question in exercise.questions.values():
        if question.kind not in answered_in_page.KINDS:
            continue
        state = answered_in_page.asked(exercise, question)
        namespace: dict = {}
        exec("\n".join([*setup, solutions[question.name]]), namespace)
        name = re.findall(r"^(\w+) = ", solutions[question.name], flags=re.MULTILINE)[-1]
        answer = namespace[name]
        if question.kind == "choice":
            [place] = state["answer"]
            assert list(question.options)[place] == answer
            assert [option["right"] for option in state["options"]].count(True) == 1
        else:
            assert abs(answer - state["answer"]) <= state["tolerance"]
            shown = float(state["shown"].replace(",", ""))
            assert abs(shown - state["answer"]) <= state["tolerance"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_page_holds_a_hidden_check_or_a_solution(path):
    source = (ROOT / "exercises" / "sources" / f"{path.stem}.md").read_text(encoding="utf-8")
    text, _ = rewritten(f"exercises/{path.stem}", path.read_text(encoding="utf-8"))
    page = json.loads(text)
    blocks = re.findall(
        r"### BEGIN (?:HIDDEN TESTS|SOLUTION)\n(.*?)### END", source, flags=re.DOTALL
    )
    everything = [cell["source"] for cell in page["cells"]]
    everything.append(json.dumps(page["metadata"].get("widgets", {})))
    assert blocks
    for block in filter(None, map(str.strip, blocks)):
        assert not any(block in each for each in everything), block


def test_a_question_that_its_check_does_not_compare_stops_the_build():
    exercise = load(NOTEBOOKS[0])
    code = next(each for each in exercise.questions.values() if each.kind == "code")
    with pytest.raises(ExtensionError, match=f"{code.name}.*expected one call of it"):
        answered_in_page.listen(exercise, code)


def test_a_number_is_shown_as_a_reader_would_write_it():
    said = answered_in_page.number
    assert said(2048.0, {}, 0.0)["shown"] == "2,048"
    assert said(2048.0, {}, 0.0)["asks"] == "a whole number"
    assert said(1 / 3, {}, 0.05)["shown"] == "0.333"
    assert said(628.3185, {}, 5e-4)["shown"] == "628.3"
    assert said(1 / 3, {}, 0.05)["asks"] == "within 5 %"
    assert said(0.0, {}, 0.05)["shown"] == "0"


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
