"""What each page costs its reader: bytes, requests, time, and what a drag of its sliders takes.

    transformer-course bench page                 # of the built site: make book
    python benchmarks/weigh.py --widgets         # and of every widget on a page of its own

The budgets stand below. A drag is made three times and the least disturbed one counts, since other
programs compute on the same cores; times of loading are the median of three. Where it says "cpu",
only the time counts in which the page's main thread computed: it holds on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from drag import FRAME_MS, INTERACTIVE_MS, drag, drag_alone, interactive
from playwright.sync_api import Browser

import transformer_course.widgets as widgets
from transformer_course.commands import record
from transformer_course.pages.browser import SITE, chromium, open_page, pages, serve, settle, weigh

PLAIN_BYTES, WIDGET_BYTES, REQUESTS = 300_000, 320_000, 30
ROUNDS = 3


def measure(browser: Browser, root: str, name: str) -> dict[str, Any]:
    """One page against its budgets."""
    url = f"{root}/{name}"
    with open_page(browser) as page:
        size, requests = weigh(page, url, root)
        count = page.locator(".course-widget").count()
    ready, rounds = [], []
    for _ in range(ROUNDS):
        with open_page(browser) as page:
            ready.append(interactive(page, url))
            settle(page)
            rounds.append(drag(page))
    return {
        "page": name,
        "bytes": size,
        "bytes_budget": WIDGET_BYTES if count else PLAIN_BYTES,
        "requests": requests,
        "widgets": count,
        "interactive_ms": round(median(wall for wall, _ in ready)),
        "interactive_least_ms": round(min(wall for wall, _ in ready)),
        "interactive_cpu_ms": round(median(cpu for _, cpu in ready)),
        "drags": least(rounds),
    }


def least(rounds: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Of each slider the drag with the lowest 95th percentile."""
    return [min(drags, key=lambda each: each["work_p95"]) for drags in zip(*rounds, strict=True)]


def alone(browser: Browser) -> list[dict[str, Any]]:
    """Every widget as it starts, on a page of its own."""
    classes = [getattr(widgets, name) for name in widgets.__all__]
    kinds = [each for each in classes if getattr(each, "_esm_name", "")]
    found = []
    with tempfile.TemporaryDirectory() as folder, open_page(browser) as page:
        for kind in kinds:
            rounds = [drag_alone(page, Path(folder), kind()) for _ in range(ROUNDS)]
            found.append({"page": kind.__name__, "drags": least(rounds)})
    return found


def worst(drags: list[dict[str, Any]]) -> str:
    """The slowest slider in words, against its budget."""
    if not drags:
        return "no slider"
    slow = max(drags, key=lambda each: each["work_p95"])
    over = sum(each["work_p95"] > FRAME_MS for each in drags)
    return (
        f"{len(drags)} sliders, {over} over {FRAME_MS} ms a frame; slowest {slow['slider']} "
        f"with {slow['work_p95']} ms (95 %), {slow['work_p50']} (median), {slow['cpu_mean']} (cpu)"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each page and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--widgets", action="store_true", help="each widget on its own page, too")
    parser.add_argument("--name", default="page", help="of the result file")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    if not pages():
        print(f"no site at {SITE}: run `make book`", file=sys.stderr)
        return 2
    with serve() as root, chromium() as browser:
        measured = []
        for name in pages():
            row = measure(browser, root, name)
            measured.append(row)
            print(
                f"{name}: {row['bytes'] / 1000:.0f} of {row['bytes_budget'] / 1000:.0f} kB gzipped,"
                f" {row['requests']} of {REQUESTS} requests, {row['widgets']} widgets, interactive "
                f"in {row['interactive_ms']} of {INTERACTIVE_MS} ms, {row['interactive_cpu_ms']} "
                f"(cpu); {worst(row['drags'])}"
            )
        single = alone(browser) if args.widgets else []
        for row in single:
            print(f"{row['page']}: {worst(row['drags'])}")
        version = browser.version
    budgets = {"requests": REQUESTS, "interactive_ms": INTERACTIVE_MS, "frame_ms": FRAME_MS}
    path = record.write(
        args.name,
        "weight, requests, time to interactive and frames while dragging, of the built site",
        [" ".join(["python benchmarks/weigh.py", *arguments])],
        browser=f"Chromium {version}, headless, without a GPU",
        budgets=budgets,
        rounds=ROUNDS,
        load_average=round(os.getloadavg()[1], 1),  # of five minutes: what else computed here
        pages=measured,
        alone=single,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
