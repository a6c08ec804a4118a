"""What screenshots, prints and browser tests share: the built site on localhost, and a Chromium."""

from __future__ import annotations

import functools
import gzip
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

SITE = Path(__file__).parents[2] / "_build" / "html"
WIDTHS = {"wide": 1280, "narrow": 390}
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
# The first two are one browser; the shell has no windows to draw, and starts pages faster.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ELSEWHERE = (  # where it lies on macOS and Windows, which put no name of it on the path
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE_COLORS = ["color-contrast", "link-in-text-block"]  # the rules that another theme can break
COMPRESSED = {".woff2", ".png", ".jpg", ".webp"}
# axe keeps each part of each color in a WeakMap, and half of its time goes into those. A property
# of the key does the same for objects that live no longer than the page.
QUICK_MAPS = """
const kept = (key, at) => Object(key) === key && Object.hasOwn(key, at);
class WeakMap {
  at = Symbol();
  get(key) { return kept(key, this.at) ? key[this.at] : undefined; }
  has(key) { return kept(key, this.at); }
  set(key, value) { key[this.at] = value; return this; }
}
class WeakSet extends WeakMap {
  add(key) { return this.set(key, true); }
}
"""
# A page has few colors and many words in them: each color is read once.
QUICK_COLORS = """
const known = new Map();
const color = axe.commons.color.Color.prototype;
const { parseString } = color;
color.parseString = function (text) {
  if (known.has(text)) return Object.assign(this, known.get(text));
  const { r, g, b, alpha } = parseString.call(this, text);
  known.set(text, { r, g, b, alpha });
  return this;
};
"""


def find_chromium() -> str | None:
    """The system's Chromium or Chrome, if there is one."""
    return next((path for path in map(shutil.which, (*NAMES, *ELSEWHERE)) if path), None)


def pages(site: Path = SITE) -> list[str]:
    """The built pages, as paths below the site; of the pages that show source code, one.

    What only leads on, at the site's root and where a page has moved, is not a page.
    """
    folders = ("book", "exercises")
    found = [path for folder in folders for path in sorted(site.glob(f"{folder}/*.html"))]
    found = [path for path in found if 'http-equiv="refresh"' not in path.read_text("utf-8")]
    chapters = [path.relative_to(site).as_posix() for path in found]
    return [*chapters, "search.html", "_modules/transformer_course/model/multi_head_attention.html"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def serve(folder: Path = SITE) -> Iterator[str]:
    """Serve a folder on a free port of localhost; gives its address, without a slash at the end."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium that asks no other host for anything."""
    path = find_chromium()
    if path is None:
        raise FileNotFoundError(
            "no Chromium found: expected one of "
            f"{', '.join(NAMES)} on the PATH (Debian: apt-get install chromium)"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, *, width: int = 1280, theme: str = "light") -> Iterator[Page]:
    """A blank page of this width in this theme."""
    context = browser.new_context(
        viewport={"width": width, "height": 844 if width < 600 else 800},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def listen(page: Page) -> list[str]:
    """What goes wrong on a page from now on: console errors, exceptions, failed requests."""
    problems: list[str] = []
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
    return problems


def requests(page: Page) -> list[str]:
    """Every address that a page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def outside(asked: list[str], url: str) -> list[str]:
    """The addresses that are not on the host of `url` (data and blobs are)."""
    own = "/".join(url.split("/")[:3])
    return [address for address in asked if not address.startswith((own, "data:", "blob:"))]


def outside_requests(page: Page, url: str) -> list[str]:
    """Open `url`; every address it asks for that is not on its own host."""
    asked = requests(page)
    page.goto(url)
    settle(page)
    return outside(asked, url)


def overflow(page: Page) -> int:
    """Pixels by which a page is wider than its window."""
    two_frames(page)
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def axe_violations(page: Page, place: str = "html", rules: list[str] | None = None) -> list[str]:
    """What axe-core finds in a place against WCAG 2.2 AA and best practice, one line each.

    Or what breaks the rules that are named, and no others.
    """
    two_frames(page)
    if not page.evaluate("'axe' in window"):
        axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        page.evaluate(f"(() => {{ {QUICK_MAPS} {axe} {QUICK_COLORS} }})()")
    found = page.evaluate(
        "([place, runOnly]) => axe.run(place, {runOnly, resultTypes: ['violations']})"
        ".then(result => result.violations)",
        [
            place,
            {"type": "rule", "values": rules} if rules else {"type": "tag", "values": AXE_TAGS},
        ],
    )
    return [
        f"{rule['id']}: {node['html'][:160]} ({' '.join(node['failureSummary'].split())})"
        for rule in found
        for node in rule["nodes"]
    ]


def axe_violations_in_both_themes(page: Page) -> list[str]:
    """What axe-core finds as the page stands, and in the other theme too; then it stands as before.

    Only colors differ between the two, so only their rules are asked once more.
    """
    found = axe_violations(page)
    own = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    for theme, rules in ((THEMES[own == "light"], AXE_COLORS), (own, [])):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            "theme => [undefined, theme].includes(document.documentElement.dataset.theme)",
            arg=theme,
        )
        if rules:
            found += [f"{theme}, {line}" for line in axe_violations(page, rules=rules)]
    return found


def two_frames(page: Page) -> None:
    """Wait until the page's own watchers of sizes have answered, as scrolling.js does."""
    page.evaluate("new Promise((on) => requestAnimationFrame(() => requestAnimationFrame(on)))")


def settle(page: Page) -> None:
    """Wait until fonts are there and every widget on the page has started (or failed to)."""
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_function(
        """() => !document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]')
                 || document.documentElement.dataset.courseWidgets"""
    )


def weigh(page: Page, url: str, root: str, site: Path = SITE) -> tuple[int, int]:
    """Bytes as a host sends them (text gzipped), and requests, to show `url` once."""
    asked = requests(page)
    page.goto(url)
    settle(page)
    return weight(asked, root, site)


def weight(asked: list[str], root: str, site: Path = SITE) -> tuple[int, int]:
    """Bytes as a host sends them (text gzipped), and requests, of what is below `root`."""
    total = 0
    local = [address for address in asked if address.startswith(root)]
    for address in local:
        path = site / address.removeprefix(root).split("?")[0].split("#")[0].lstrip("/")
        content = path.read_bytes()
        total += len(content if path.suffix in COMPRESSED else gzip.compress(content, 6))
    return total, len(local)
