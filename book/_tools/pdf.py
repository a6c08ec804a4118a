"""Print the built site as one book, _build/pdf/book.pdf: tagged, with an outline and live links."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urldefrag

import yaml
from playwright.sync_api import Page
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, Destination, DictionaryObject, Fit, IndirectObject

from transformer_course.pages.browser import SITE, chromium, open_page, serve, settle

ROOT = Path(__file__).parents[2]
OUT = SITE.parent / "pdf" / "book.pdf"
UNFOLD = """() => {
  for (const fold of document.querySelectorAll("details:not(.hide)")) fold.open = true;
  const hidden = document.querySelectorAll(".toggle-hidden");
  for (const fold of hidden) fold.classList.remove("toggle-hidden");
}"""
HEADINGS = """() => [...document.querySelectorAll("article :is(h1, h2, h3)")].map((heading) => {
  const copy = heading.cloneNode(true);
  for (const link of copy.querySelectorAll(".headerlink, annotation")) link.remove();
  return copy.textContent.trim();
})"""


def contents() -> list[str]:
    """The pages of the book in reading order, as paths below the site."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    return [f"{name}.html" for name in [toc["root"], *chapters]]


class Part(NamedTuple):
    """One printed page of the site, and its headings as they read."""

    sheets: PdfReader
    headings: list[str]


def print_page(page: Page, url: str, before: int) -> Part:
    """One page of the site on A4, answers unfolded; `before` counts the sheets before it."""
    page.goto(url)
    settle(page)
    page.evaluate(UNFOLD)
    page.add_style_tag(content=f"html {{ counter-reset: page {before} }}")
    content = page.pdf(prefer_css_page_size=True, tagged=True, outline=True, print_background=True)
    return Part(PdfReader(BytesIO(content)), page.evaluate(HEADINGS))


def bind(parts: dict[str, Part], root: str) -> PdfWriter:
    """One document from the printed pages; links from page to page lead to where those begin."""
    book = PdfWriter()
    starts: dict[str, int] = {}
    for name, part in parts.items():
        starts[f"{root}/{name}"] = len(book.pages)
        book.append(part.sheets, import_outline=False)
        add_outline(book, part, starts[f"{root}/{name}"])
    for place, sheet in enumerate(book.pages):
        for reference in list(sheet.get("/Annots", ArrayObject())):
            annotation = reference.get_object()
            target = urldefrag(annotation.get("/A", DictionaryObject()).get("/URI", "")).url
            if not target.startswith(root):
                continue
            sheet["/Annots"].remove(reference)  # what is not in the book leads nowhere
            if target in starts:
                link = Link(rect=annotation["/Rect"], target_page_index=starts[target])
                book.add_annotation(place, link)
    return book


def add_outline(book: PdfWriter, part: Part, start: int) -> None:
    """The part's headings as bookmarks.

    The browser knows where they stand, but repeats or runs together the words of some: the words
    come from the page.
    """
    places = list(_flat(part.sheets.outline))
    if len(places) != len(part.headings):
        raise ValueError(f"{len(places)} bookmarks for the {len(part.headings)} headings of a page")
    parents: list[IndirectObject] = []
    for (depth, place), heading in zip(places, part.headings, strict=True):
        sheet = start + part.sheets.get_destination_page_number(place)
        fit = Fit.xyz(left=place.left, top=place.top)
        parent = parents[depth - 1] if depth else None
        parents[depth:] = [
            book.add_outline_item(title=heading, page_number=sheet, parent=parent, fit=fit)
        ]


def _flat(outline: list, depth: int = 0) -> Iterator[tuple[int, Destination]]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _flat(entry, depth + 1)
        else:
            yield depth, entry


def main() -> int:
    """Write the book in the light theme."""
    OUT.parent.mkdir(parents=True, exist_ok=True)
    parts: dict[str, Part] = {}
    with serve() as root, chromium() as browser, open_page(browser) as page:
        for name in contents():
            before = sum(len(part.sheets.pages) for part in parts.values())
            parts[name] = print_page(page, f"{root}/{name}", before)
    book = bind(parts, root)
    book.metadata = {"/Title": "Attention Is All You Need, executable"}
    book.write(OUT)
    print(f"{OUT.relative_to(ROOT)}: {len(book.pages)} pages, {OUT.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
