"""An exercise in JupyterLab, as a learner does it: wrong, hint, right, restart, resume, grade."""

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import browser as tools
import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from test_attention_steps_page import jupyterlab

from transformer_course.grading.panel.panels import Panels

NAME, QUESTION = "01-scaled-attention", "scaled-scores"
EXERCISES = Path(__file__).parents[2] / "exercises"
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false"},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight are there too
}
PATIENCE = 60_000  # milliseconds, on a busy machine
RUN_ALL = """async () => {
  const { context, sessionContext } = window.jupyterapp.shell.currentWidget;
  await Promise.all([context.ready, sessionContext.ready]);
  await sessionContext.session.kernel.info;
  await window.jupyterapp.commands.execute("notebook:run-all-cells");
}"""


def prepare(folder: Path) -> None:
    """A copy of the exercise, and a JupyterLab that a script may ask what it is doing."""
    config = folder / "config"
    for name, settings in SETTINGS.items():
        place = config / "lab" / "user-settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(settings))
    (config / "jupyter_lab_config.py").write_text("c.LabApp.expose_app_in_browser = True\n")
    shutil.copy(EXERCISES / f"{NAME}.ipynb", folder)


@contextmanager
def opened(browser: Browser, folder: Path, **window) -> Iterator[Page]:
    """The exercise in JupyterLab, all its cells run."""
    prepare(folder)
    with jupyterlab(folder) as address, tools.open_page(browser, **window) as page:
        page.problems = tools.listen(page)
        page.goto(f"{address}/lab/tree/{NAME}.ipynb")
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=PATIENCE)
        page.evaluate(RUN_ALL)
        yield page


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
    page.evaluate(tools.AXE.read_text(encoding="utf-8"))
    found = []
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        page.evaluate(change, theme)
        run = "tags => axe.run('.tc-panel', {runOnly: tags}).then(result => result.violations)"
        found += [f"{theme}, {rule['id']}" for rule in page.evaluate(run, tools.AXE_TAGS)]
    return found


def restart(page: Page) -> None:
    """Restart the kernel by the toolbar's button, and run all cells again."""
    page.locator("[data-command='notebook:restart-kernel']").first.click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=PATIENCE)
    page.evaluate(RUN_ALL)


@pytest.mark.slow
def test_a_learner_gets_it_wrong_takes_a_hint_gets_it_right_restarts_and_is_graded(
    chromium, tmp_path
):
    panels = Panels(NAME, {}, tmp_path)
    question = panels.exercise.questions[QUESTION]
    most = f"{question.points:g}"
    tables = tomllib.loads((EXERCISES / "sources" / f"{NAME}.toml").read_text(encoding="utf-8"))
    wrong = next(one for one in tables["wrong"] if one["question"] == QUESTION)

    with opened(chromium, tmp_path) as page:
        scores = panel(page, question.title)
        scores.get_by_role("button", name="Check").click()
        expect(scores.get_by_text("not attempted").first).to_be_visible(timeout=PATIENCE)

        answer(page, "def scaled_scores", wrong["answer"].strip())
        scores.get_by_role("button", name="Check").click()
        expect(scores).to_contain_text(wrong["message"], timeout=PATIENCE)
        expect(scores.get_by_role("status")).to_contain_text("Read the first message")
        expect(scores).to_contain_text("1 try")

        scores.get_by_role("button", name=re.compile("Hint 1 of 3")).click()
        expect(scores.get_by_role("listitem").last).to_contain_text(question.hints[0][:30])

        answer(page, "def scaled_scores", panels.solutions[QUESTION])
        scores.get_by_role("button", name="Check").focus()
        page.keyboard.press("Enter")
        expect(scores.get_by_role("status")).to_contain_text("All checks pass", timeout=PATIENCE)
        expect(scores).to_contain_text(f"{most} of {most} points, 2 tries")

        scores.get_by_role("button", name="Solution").click()
        expect(scores.locator("pre")).to_contain_text("return")
        assert scores.evaluate("panel => panel.scrollWidth <= panel.clientWidth")

        restart(page)
        scores = panel(page, question.title)
        expect(scores).to_contain_text(f"{most} of {most} points, 2 tries", timeout=PATIENCE)
        expect(scores).to_contain_text(question.hints[0][:30])
        expect(scores.get_by_role("status")).to_contain_text("You have solved this")

        page.keyboard.press("Control+s")
        summary = panel(page, panels.exercise.title)
        expect(summary).to_contain_text(f"{most} of {panels.exercise.points:g} points")
        summary.get_by_role("button", name="Grade this notebook").click()
        expect(summary.get_by_role("status")).to_contain_text("as saved at", timeout=PATIENCE)
        expect(summary.get_by_role("status")).to_contain_text(
            f"{most} of {panels.exercise.points:g} points for {NAME}.ipynb"
        )
        assert violations(page) == []
        passed = summary.get_by_role("listitem").filter(has_text="passed")
        expect(passed).to_have_count(len(question.checks))
        assert page.problems == []

    kept = json.loads((tmp_path / "progress.json").read_text())
    entry = kept["done"][f"exercises/{NAME}/{QUESTION}"]
    assert (entry["points"], entry["tries"]) == (question.points, 2)
    notebook = nbformat.read(tmp_path / f"{NAME}.ipynb", as_version=4)
    (saved,) = (cell for cell in notebook.cells if cell.get("id") == QUESTION)
    assert saved.source == panels.solutions[QUESTION]
