"""In JupyterLab: widgets that Python hears of, and an exercise from a wrong answer to its grade."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
import test_attention_picture_page as picture_page
import test_translator_page as translator_page
from playwright.sync_api import BrowserContext, Locator, Page, expect

from transformer_course.decoding import translate
from transformer_course.grading.panel import Panels
from transformer_course.pages import browser as tools

pytestmark = pytest.mark.slow

NAME, QUESTION = "01-scaled-attention", "scaled-scores"
BOOK, EXERCISES = (Path(__file__).parents[2] / name for name in ("book", "exercises"))
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false"},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight are there too
}
PATIENCE = 60_000  # milliseconds, on a busy machine
READY = """async () => {
  const { context, sessionContext } = window.jupyterapp.shell.currentWidget;
  await Promise.all([context.ready, sessionContext.ready]);
  await sessionContext.session.kernel.info;
}"""
RUN_CELL = """async (number) => {
  const { commands, shell } = window.jupyterapp;
  shell.currentWidget.content.activeCellIndex = number;
  await commands.execute("notebook:run-cell");
}"""

AFTER = "panel => getComputedStyle(panel, '::after').content"  # what the style sheet writes


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A kernel answers late where others compute too."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=None)


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[tuple[Path, str]]:
    """A JupyterLab on localhost that a script may ask: the folder that it shows, its address."""
    folder = tmp_path_factory.mktemp("lab")
    for name, settings in SETTINGS.items():
        place = folder / f"config/lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    private = {
        f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--IdentityProvider.token=",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.expose_app_in_browser=True",
        f"--ServerApp.root_dir={folder}",
    ]
    address = f"http://127.0.0.1:{port}"
    with (
        (folder / "log.txt").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=os.environ | private,
            stdout=log,
            stderr=log,
        ) as server,
    ):
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"{address}/api").close()
                    break
                except urllib.error.URLError:
                    time.sleep(0.2)
            yield folder, address
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def context(chromium) -> Iterator[BrowserContext]:
    """A window that loads JupyterLab's own files only once."""
    with tools.open_page(chromium) as page:
        yield page.context


@pytest.fixture
def notebook(lab, context) -> Iterator[Callable[[Path], Page]]:
    """Opens a notebook below the folder, in a workspace of its own; its kernel is ready then."""
    folder, address = lab
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.problems = tools.listen(page)

    def open_notebook(path: Path) -> Page:
        page.goto(f"{address}/lab/workspaces/{path.stem}/tree/{path.relative_to(folder)}")
        wait_for_kernel(page)
        return page

    yield open_notebook
    page.close()


@pytest.fixture
def cells(lab, notebook) -> Callable[..., Page]:
    """Opens a new notebook with these cells, `page.path` its file."""

    def open_cells(name: str, *texts: str) -> Page:
        path = lab[0] / f"{name}.ipynb"
        new = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(text) for text in texts],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(new, path)
        page = notebook(path)
        page.path = path
        return page

    return open_cells


def wait_for_kernel(page: Page) -> None:
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=PATIENCE)
    page.evaluate(READY)


def wait_for_saved_widgets(page: Page) -> None:
    """Where ipywidgets restores them too late for JupyterLab, do what the README says: load anew.

    The kernel's connection may start a restoration of its own, which ends before the one that
    reads the notebook; JupyterLab then says once and for all that there is no such widget
    (github.com/jupyter-widgets/ipywidgets/issues/3823).
    """
    lost = page.get_by_text("Error displaying widget: model not found")
    for _ in range(3):
        lost.or_(page.get_by_role("button", name="Back")).first.wait_for()
        if not lost.count():
            return
        page.reload()
        wait_for_kernel(page)
    pytest.fail("three times in a row JupyterLab restored no widget")


def command(page: Page, name: str, arguments: dict | None = None) -> None:
    """Give JupyterLab a command, and wait until it is done."""
    script = "async (call) => { await window.jupyterapp.commands.execute(...call); }"
    page.evaluate(script, [name, arguments or {}])


def hears(page: Page, expected: str) -> None:
    """Run the second cell until it prints this.

    A widget of ipywidgets keeps a change back while the kernel still works on the one before, so
    a cell that is run at once may be asked before that change was sent.
    """
    heard = page.locator(".jp-OutputArea-output", has_text="heard:")
    for _ in range(10):
        page.evaluate(RUN_CELL, 1)
        try:
            return expect(heard).to_have_text(expected, timeout=PATIENCE / 10)
        except AssertionError as late:
            told = late
    raise told


def test_the_picture_answers_the_same_and_python_hears_of_it(cells):
    page = cells(
        "picture",
        "from transformer_course import widgets\npicture = widgets.AttentionPicture()\npicture",
        'print("heard:", picture.step, picture.mask[1][:5], picture.edits)',
    )
    page.evaluate(RUN_CELL, 0)
    widget = page.locator(".tc-picture")
    widget.wait_for(timeout=PATIENCE)

    q, k, v = picture_page.head()
    mask = picture_page.ALL.clone()
    widget.get_by_text("Change it").click()
    picture_page.check_row(widget, q, k, v, mask, 1)
    widget.get_by_role("button", name=picture_page.STEPS[3]).focus()
    page.keyboard.press("ArrowLeft")
    widget.get_by_role("button", name="mask the for bank", exact=True).focus()
    for pressed in ("Space", "d", "d", "b"):  # JupyterLab would delete a cell, and add one
        page.keyboard.press(pressed)
    mask[1, 3] = False
    picture_page.check_row(widget, q, k, v, mask, 1)
    cell = widget.get_by_role("spinbutton", name="score of bank with old", exact=True)
    cell.fill("1.25")
    cell.press("Enter")
    widget.get_by_role("button", name=picture_page.STEPS[1]).click()

    expect(page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(2)
    hears(page, "heard: 1 [True, True, True, False, True] {'1,6': 1.25}\n")


def test_in_the_dark_figures_and_widgets_have_the_colors_of_the_dark_site(cells):
    page = cells(
        "dark",
        "from transformer_course import widgets\nwidgets.PageExercise()",
        "from transformer_course.pages import plotting\nfig, ax = plotting.subplots()\n"
        'ax.set_title("Straight")\nplotting.show(fig, alt="An empty frame.")',
    )
    for cell in range(2):
        page.evaluate(RUN_CELL, cell)
    kind = page.locator(".tc-exercise").get_by_text("Exercise", exact=True)
    kind.wait_for()
    word = page.locator(".course-figure text", has_text="Straight")
    for theme, ink, gold in (
        ("Dark", "rgb(230, 234, 240)", "rgb(227, 192, 90)"),
        ("Light", "rgb(27, 36, 48)", "rgb(143, 100, 0)"),
    ):
        command(page, "apputils:change-theme", {"theme": f"JupyterLab {theme}"})
        expect(word).to_have_css("fill", ink)
        expect(kind).to_have_css("color", gold)


def test_python_hands_the_weights_over_to_the_translator(cells):
    page = cells("translator", "from transformer_course.widgets import Translator\nTranslator()")
    page.evaluate(RUN_CELL, 0)
    widget = page.locator(".tc-translator")
    widget.wait_for(timeout=PATIENCE)
    [sentence, *_] = translator_page.SENTENCES
    [expected] = translate(*translator_page.translator(), [sentence])
    assert translator_page.ask(widget, sentence) == expected
    expect(widget.locator(".tc-told")).to_contain_text(translator_page.OWN)
    widget.get_by_label("Words that look").get_by_role("button").nth(1).focus()
    for pressed in ("d", "d", "ArrowDown"):  # JupyterLab would delete the cell
        page.keyboard.press(pressed)
    expect(widget).to_be_visible()
    command(page, "docmanager:save")
    assert nbformat.read(page.path, as_version=4).cells[0].outputs
    assert page.path.stat().st_size < 400_000  # and keeps no weights


def test_a_model_that_learned_in_the_page_is_read_from_python(cells):
    page = cells(
        "laboratory",
        "from transformer_course.widgets import Laboratory\nlab = Laboratory(steps=200)\nlab",
        'print("heard:", len(lab.losses), lab.transformer().num_parameters(), lab.share <= 1)',
    )
    page.evaluate(RUN_CELL, 0)
    widget = page.locator(".tc-laboratory")
    widget.wait_for(timeout=PATIENCE)
    widget.get_by_role("button", name="Train").click()
    expect(widget.locator(".tc-why")).to_contain_text("new rows are right", timeout=PATIENCE)
    hears(page, "heard: 200 22144 True\n")


def panel(page: Page, title: str) -> Locator:
    """The panel of a question, or the summary."""
    head = page.locator(".tc-head", has=page.get_by_text(title, exact=True))
    return page.locator(".tc-panel").filter(has=head)


def answer(page: Page, begins: str, code: str) -> None:
    """Type code over what a cell holds, and run it."""
    editor = page.locator(".jp-CodeCell .cm-content").filter(has_text=begins).first
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(code)
    page.keyboard.press("Shift+Enter")


def violations(page: Page) -> list[str]:
    """What axe-core finds in the panels, in both themes of JupyterLab."""
    found = []
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        command(page, "apputils:change-theme", {"theme": theme})
        found += [f"{theme}, {line}" for line in tools.axe_violations(page, ".tc-panel")]
    return found


def test_a_learner_gets_it_wrong_takes_a_hint_gets_it_right_restarts_and_is_graded(
    lab, notebook, tmp_path
):
    panels = Panels(NAME, {}, tmp_path)
    question = panels.exercise.questions[QUESTION]
    most = f"{question.points:g}"
    tables = tomllib.loads((EXERCISES / "sources" / f"{NAME}.toml").read_text(encoding="utf-8"))
    wrong = next(one for one in tables["wrong"] if one["question"] == QUESTION)
    folder = lab[0] / "exercise"
    folder.mkdir()
    path = Path(shutil.copy(EXERCISES / f"{NAME}.ipynb", folder))

    page = notebook(path)
    command(page, "notebook:run-all-cells")
    scores = panel(page, question.title)
    scores.get_by_role("button", name="Check").click()
    expect(scores.get_by_text("not attempted").first).to_be_visible()

    answer(page, "def scaled_scores", wrong["answer"].strip())
    scores.get_by_role("button", name="Check").click()
    expect(scores).to_contain_text(wrong["message"])
    expect(scores.get_by_role("status")).to_contain_text("Read the first message")
    expect(scores).to_contain_text("1 try")

    scores.get_by_role("button", name=re.compile("Hint 1 of 3")).click()
    expect(scores.get_by_role("listitem").last).to_contain_text(question.hints[0][:30])

    answer(page, "def scaled_scores", panels.solutions[QUESTION])
    scores.get_by_role("button", name="Check").focus()
    page.keyboard.press("Enter")
    expect(scores.get_by_role("status")).to_contain_text("All checks pass")
    expect(scores).to_contain_text(f"{most} of {most} points, 2 tries")

    scores.get_by_role("button", name="Solution").click()
    expect(scores.locator("pre")).to_contain_text("return")
    assert scores.evaluate("panel => panel.scrollWidth <= panel.clientWidth")

    page.locator("[data-command='notebook:restart-kernel']").first.click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    wait_for_kernel(page)
    expect(scores).to_have_class(re.compile("jupyter-widgets-disconnected"))
    assert "Run the notebook’s cells again" in scores.evaluate(AFTER)
    command(page, "notebook:run-all-cells")
    scores = panel(page, question.title)
    expect(scores).not_to_have_class(re.compile("jupyter-widgets-disconnected"))
    assert scores.evaluate(AFTER) == "none"
    expect(scores).to_contain_text(f"{most} of {most} points, 2 tries")
    expect(scores).to_contain_text(question.hints[0][:30])
    expect(scores.get_by_role("status")).to_contain_text("You have solved this")

    page.keyboard.press("Control+s")
    summary = panel(page, panels.exercise.title)
    expect(summary).to_contain_text(f"{most} of {panels.exercise.points:g} points")
    summary.get_by_role("button", name="Grade this notebook").click()
    expect(summary.get_by_role("status")).to_contain_text("as saved at")
    expect(summary.get_by_role("status")).to_contain_text(
        f"{most} of {panels.exercise.points:g} points for {NAME}.ipynb"
    )
    assert violations(page) == []
    passed = summary.get_by_role("listitem").filter(has_text="passed")
    expect(passed).to_have_count(len(question.checks))
    assert page.problems == []

    kept = json.loads((folder / "progress.json").read_text())
    entry = kept["done"][f"exercises/{NAME}/{QUESTION}"]
    assert (entry["points"], entry["tries"]) == (question.points, 2)
    saved = nbformat.read(path, as_version=4)
    (cell,) = (cell for cell in saved.cells if cell.get("id") == QUESTION)
    assert cell.source == panels.solutions[QUESTION]


def test_a_chapter_reads_as_one_and_its_widgets_live_before_a_cell_has_run(lab, notebook):
    folder, _ = lab
    path = Path(shutil.copy(BOOK / "03-2-1-scaled-dot-product-attention.ipynb", folder))
    private = {"JUPYTER_DATA_DIR": str(folder / "data")}
    trust = [sys.executable, "-m", "jupyter", "trust", str(path)]
    subprocess.run(trust, check=True, env=os.environ | private, capture_output=True)
    page = notebook(path)
    wait_for_saved_widgets(page)
    picture = page.locator(".jp-OutputArea").filter(has_text="Follow one word").first
    picture.get_by_role("button", name="Next").click()
    expect(picture.get_by_role("button", name="Back")).to_be_enabled()

    words = page.locator(".jp-MarkdownOutput").all_inner_texts()
    assert not re.search(r"\{\w+(:\w+)?\}|solution-start|:class:", "\n".join(words))
    folded = page.locator(".jp-Cell-inputWrapper .jp-Placeholder").count()
    assert folded > len(nbformat.read(path, as_version=4).cells) / 3

    answer = page.locator("details", has_text="Answer").first
    expect(answer.locator("p").first).to_be_hidden()
    answer.locator("summary").click()
    expect(answer.locator("p").first).to_be_visible()

    page.get_by_role("link", name="what goes wrong").first.click()
    expect(page.get_by_role("heading", name="What goes wrong")).to_be_in_viewport()
