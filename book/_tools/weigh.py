"""What each page costs its reader: gzipped bytes, requests and time, against the budget."""

from __future__ import annotations

import sys

from browser import chromium, open_page, pages, serve, weigh

READY = "performance.getEntriesByType('navigation')[0].loadEventEnd"
PLAIN_BYTES, WIDGET_BYTES, REQUESTS = 300_000, 320_000, 30


def main() -> int:
    """Print a line for each page."""
    with serve() as root, chromium() as browser:
        for name in pages():
            with open_page(browser) as page:
                size, requests = weigh(page, f"{root}/{name}", root)
                widgets = page.locator(".course-widget").count()
                ready = page.evaluate(READY)
            budget = WIDGET_BYTES if widgets else PLAIN_BYTES
            print(
                f"{name}: {size / 1000:.0f} of {budget / 1000:.0f} kB gzipped, "
                f"{requests} of {REQUESTS} requests, {widgets} widgets, loaded in {ready:.0f} ms"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
