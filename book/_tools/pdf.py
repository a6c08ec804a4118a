"""Print every page of the built site to _build/pdf with Chromium: tagged, with an outline."""

from __future__ import annotations

import sys

from browser import SITE, chromium, open_page, pages, serve, settle

OUT = SITE.parent / "pdf"


def main() -> int:
    """Write one PDF for each page, in the light theme."""
    OUT.mkdir(parents=True, exist_ok=True)
    with serve() as root, chromium() as browser, open_page(browser) as page:
        for name in pages():
            page.goto(f"{root}/{name}")
            settle(page)
            target = OUT / f"{name.removeprefix('book/').removesuffix('.html')}.pdf"
            page.pdf(path=target, format="A4", tagged=True, outline=True, print_background=True)
            print(target.relative_to(OUT.parents[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
