"""Fixtures for tests in a real browser: the built site on localhost, and pages to open it in."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import shared_sources
from not_run import NEEDS_CHROMIUM
from playwright.sync_api import Browser, Locator, Page

from transformer_course.pages import browser as tools

TESTS = Path(__file__).parent
WINDOWS = [
    {"theme": t, "width": w} for t, w in zip(tools.THEMES, tools.WIDTHS.values(), strict=True)
]
HOST = tools.SITE.parents[1] / "book" / "_static" / "course" / "widgets-host.js"
THEMES = """
  html { color-scheme: light dark; --pst-color-text-base: light-dark(#222832, #ced6dd);
    --pst-color-background: light-dark(#fff, #121212);
    --pst-color-primary: light-dark(#176de8, #528fe4);
    --course-blue: light-dark(#1a6bb8, #6cb6ff); --course-orange: light-dark(#c4490f, #ff9e64);
    --course-green: light-dark(#0e7a5a, #4fd1a5); --course-purple: light-dark(#8e3fae, #d9a0f0);
    --course-gold: light-dark(#8f6400, #e3c05a); --course-pink: light-dark(#b8336a, #ff8fb3);
    --site-red: light-dark(#c1121f, #ff5c6c); }
  body { margin: 16px; max-width: 690px; background: var(--pst-color-background); }
"""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A file's tests, or those of a page, stay in one process, which may share what it has opened.

    Without a Chromium they are skipped, out loud; CI must have one.
    """
    ours = [item for item in items if TESTS in item.path.parents]
    for item in ours:
        about = getattr(item, "callspec", None)
        page = about.params.get("name", "") if about else ""
        if config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group(page or item.path.stem))
        item.add_marker(NEEDS_CHROMIUM)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One headless browser for all tests."""
    with tools.chromium() as running:
        yield running


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, without a slash at the end."""
    if not (tools.SITE / "index.html").exists():
        pytest.fail(f"there is no built site at {tools.SITE}: run `make book`")
    with tools.serve(tools.SITE) as address:
        yield address


@pytest.fixture
def page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page: `page(url, width=390, theme="dark")`; it is ready when this returns.

    What went wrong on it is in its `problems`: console errors, exceptions, failed requests.
    """
    with ExitStack() as stack:

        def open_page(url: str, width: int = 1280, theme: str = "light") -> Page:
            opened = stack.enter_context(tools.open_page(chromium, width=width, theme=theme))
            opened.problems = tools.listen(opened)
            opened.goto(url)
            tools.settle(opened)
            return opened

        yield open_page


def write_page(folder: Path, widgets: list, views: list[int]) -> str:
    """A page as the site has it: saved states, one place for each view, the site's own host."""
    states = {
        str(n): {"model_module": "anywidget", "model_name": "AnyModel", "state": widget.get_state()}
        for n, widget in enumerate(widgets)
    }
    kind = "application/vnd.jupyter.widget"
    places = "".join(
        f'<div><script type="{kind}-view+json">{{"model_id": "{n}"}}</script></div>' for n in views
    )
    saved = shared_sources.share(json.dumps({"state": states}))
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widget</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{THEMES}</style><main><h1>Widget</h1>{places}</main>"
        f'<script type="{kind}-state+json">{saved}</script>'
        f"<script>{HOST.read_text(encoding='utf-8')}</script></html>",
        encoding="utf-8",
    )
    return f"{folder.as_uri()}/index.html"


@pytest.fixture
def show(page, tmp_path) -> Callable[..., Page]:
    """Opens a page with these widgets and nothing else: `show(widget, width=390, theme="dark")`.

    `views=[0, 0]` shows the first widget twice.
    """

    def open_widgets(*widgets, views: list[int] | None = None, **window) -> Page:
        opened = page(
            write_page(tmp_path, list(widgets), views or [*range(len(widgets))]), **window
        )
        assert opened.problems == []
        return opened

    return open_widgets


def opens(kind: type, place: str) -> Callable:
    """A fixture that opens a page with one widget of this kind (or that given) and gives it."""

    @pytest.fixture
    def opened(show) -> Callable[..., Locator]:
        return lambda widget=None, **window: show(widget or kind(), **window).locator(place)

    return opened


@pytest.fixture(params=WINDOWS, ids=lambda each: f"{each['theme']}-{each['width']}")
def window(request) -> dict:
    """Wide and narrow, one in light and one in dark: `show(widget, **window)`."""
    return request.param


def check_page(page: Page) -> None:
    """Everyone can use it in either theme: axe finds nothing, nothing is wider than the window."""
    assert tools.axe_violations_in_both_themes(page) == []
    assert tools.overflow(page) <= 0
