"""Photograph every page of the built site, light, dark, wide and narrow: _build/look/sheet.png."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image, ImageDraw

from transformer_course.pages.browser import (
    SITE,
    THEMES,
    WIDTHS,
    chromium,
    open_page,
    pages,
    serve,
    settle,
)

OUT = SITE.parent / "look"
TILE_WIDTH, TILE_HEIGHT, MARGIN = {"wide": 640, "narrow": 240}, 900, 16


def main() -> int:
    """Write one PNG for each page, theme and width, and a sheet with their tops side by side."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    shots = {}
    with serve() as root, chromium() as browser:
        for name in pages():
            for theme in THEMES:
                for size, width in WIDTHS.items():
                    with open_page(browser, width=width, theme=theme) as page:
                        page.goto(f"{root}/{name}")
                        settle(page)
                        stem = name.removeprefix("book/").removesuffix(".html")
                        shots[name, theme, size] = OUT / f"{stem}-{theme}-{size}.png"
                        page.screenshot(path=shots[name, theme, size], full_page=True)
    print(f"{len(shots)} screenshots and their sheet: {_sheet(shots)}")
    return 0


def _sheet(shots: dict[tuple[str, str, str], Path]) -> Path:
    columns = [(theme, size) for theme in THEMES for size in WIDTHS]
    width = MARGIN + sum(TILE_WIDTH[size] + MARGIN for _, size in columns)
    rows = sorted({name for name, _, _ in shots})
    sheet = Image.new("RGB", (width, MARGIN + (TILE_HEIGHT + 40) * len(rows)), "#8a919c")
    draw = ImageDraw.Draw(sheet)
    for row, name in enumerate(rows):
        x, y = MARGIN, MARGIN + row * (TILE_HEIGHT + 40)
        draw.text((x, y), name, fill="white", font_size=18)
        for theme, size in columns:
            with Image.open(shots[name, theme, size]) as shot:
                scale = TILE_WIDTH[size] / shot.width
                small = shot.resize((TILE_WIDTH[size], round(shot.height * scale)))
            tile = small.crop((0, 0, TILE_WIDTH[size], min(TILE_HEIGHT, small.height)))
            sheet.paste(tile, (x, y + 26))
            x += TILE_WIDTH[size] + MARGIN
    target = OUT / "sheet.png"
    sheet.save(target)
    return target


if __name__ == "__main__":
    sys.exit(main())
