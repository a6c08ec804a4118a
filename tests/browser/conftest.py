"""Fixtures for tests in a real browser: the built site on localhost, and pages to open it in."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_tools"))

import browser as tools

TESTS = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a Chromium these tests are skipped, out loud; CI must have one."""
    if tools.find_chromium() or os.environ.get("CI"):
        return
    reason = "no Chromium on this machine (Debian: apt-get install chromium)"
    for item in items:
        if TESTS in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


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
