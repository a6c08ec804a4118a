"""What a chapter's page is made of: each kind's share of the height, and the minutes it takes.

What is folded counts for nothing, nor does the list of references, which is looked up and not
read. Words are read at the pace of the site's reading times.
Example: python book/_tools/shares.py 05-2-loss
"""

from __future__ import annotations

import argparse
from pathlib import Path

from transformer_course.pages.browser import (
    SITE,
    chromium,
    open_page,
    pages,
    serve,
    settle,
)

WORDS_A_MINUTE = 200
WIDTH = 1280
MEASURE = """() => {
  const page = document.querySelector("article.bd-article");
  const shown = (node) => node.getClientRects().length
    && !node.closest("details:not([open]), .toggle-hidden");
  const tall = (select) => [...page.querySelectorAll(select)].filter(shown)
    .map((node) => node.getBoundingClientRect().height).reduce((a, b) => a + b, 0);
  const words = [...page.querySelectorAll("h1, h2, h3, p, li > p, dt, td")]
    .filter((node) => shown(node) && !node.closest(".tc, .cell, .citation"))
    .map((node) => node.textContent.split(/\\s+/).filter(Boolean).length);
  return {
    height: page.getBoundingClientRect().height,
    moving: tall(".tc"),
    still: tall("svg.course-figure"),
    code: tall(".cell_input"),
    words: words.reduce((a, b) => a + b, 0),
  };
}"""


def row(name: str, found: dict[str, float]) -> str:
    """A chapter's line: percents of the height for prose, moving, still, code; then the minutes."""
    parts = [found[kind] / found["height"] for kind in ("moving", "still", "code")]
    shares = "".join(f"{share:7.0%}" for share in (1 - sum(parts), *parts))
    return f"{name:38}{shares}{found['words'] / WORDS_A_MINUTE:9.0f}"


def main() -> int:
    """Print a line for each chapter of the built site, or for those named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="CHAPTER", help="such as 05-2-loss")
    parser.add_argument("--site", default=str(SITE), help="folder of the built site")
    arguments = parser.parse_args()
    folder = Path(arguments.site)
    known = [path[5:-5] for path in pages(folder) if path.startswith("book/0")]
    print(f"{'':38}{'prose':>7}{'moves':>7}{'still':>7}{'code':>7}{'minutes':>9}")
    with serve(folder) as root, chromium() as browser:
        for name in arguments.names or known:
            with open_page(browser, width=WIDTH, theme="light") as page:
                page.goto(f"{root}/book/{name}.html")
                settle(page)
                print(row(name, page.evaluate(MEASURE)), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
