"""The index of the search page: one entry for each section, so that a search leads to its place.

Pagefind (https://pagefind.app) writes it, in parts: a browser asks for those that its words need.
What a reader looks for is told in words, so code and its output stay out.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lxml import etree, html
from pagefind.index import IndexConfig
from pagefind.service import PagefindService
from sphinx.application import Sphinx

FOLDER = "pagefind"
NEEDED = {"pagefind.js", "pagefind-worker.js", "pagefind-entry.json", "wasm.en.pagefind"}
PARTS = (".pf_index", ".pf_fragment", ".pf_meta")  # the index itself
HEADINGS = "./h1 | ./h2 | ./h3 | ./h4"
LEFT_OUT = """.//*[contains(concat(' ', @class, ' '), ' cell ')] | .//a[@class='headerlink']
    | .//pre | .//script | .//style | .//*[local-name() = 'annotation']"""
SIGNS = {"msqrt": "√", "mroot": "√"}  # before what stands in it
BETWEEN = {"mfrac": "/", "msub": "_", "msup": "^"}  # its two halves


@dataclass(frozen=True)
class Section:
    """A section of a page, without those below it."""

    page: str
    url: str
    body: html.HtmlElement

    @property
    def html(self) -> str:
        """What Pagefind reads. What stands in exercises and appendices counts less, so that a
        chapter, which explains, comes first."""
        chapter = self.url.startswith("book/0")
        for heading in self.body.xpath(HEADINGS)[:1]:
            heading.tag = "h1" if chapter else "p"
            heading.set("data-pagefind-meta", "title")
        body = etree.tostring(self.body, encoding="unicode", method="html")
        return (
            f'<html lang="en"><body data-pagefind-weight="{1 if chapter else 0.2}">'
            f'<p data-pagefind-meta="page">{escape(self.page)}</p>'
            f'<i data-pagefind-meta="place:{escape(self.url)}"></i>{body}</body></html>'
        )


def sections(path: Path) -> Iterator[Section]:
    """Every section of a page that has a heading, in the page's order."""
    article = html.parse(str(path)).getroot().find(".//article")
    if article is None:
        return
    for crossed in article.xpath(LEFT_OUT):
        crossed.drop_tree()
    _speak_formulas(article)
    title = article.find(".//h1")
    for section in article.iterfind(".//section[@id]"):
        own = deepcopy(section)
        for inner in own.xpath("./section"):
            own.remove(inner)
        if title is not None and own.xpath(HEADINGS):
            yield Section(
                page=" ".join(title.text_content().split()),
                url=f"{path.parent.name}/{path.name}#{section.get('id')}",
                body=own,
            )


def _speak_formulas(article: html.HtmlElement) -> None:
    """Signs that a formula draws become characters: a root without its sign is another number."""
    for element in article.iter():
        name = str(element.tag).rpartition("}")[2]
        if name in SIGNS:
            element.text = SIGNS[name] + (element.text or "")
        elif name in BETWEEN and len(element) > 1:
            element[0].tail = BETWEEN[name]


async def _index(pages: Path, folder: Path) -> None:
    async with PagefindService() as service:
        index = await service.create_index(IndexConfig(output_path=str(folder)))
        await index.add_directory(str(pages))
        await index.write_files()
        await _written(folder)


async def _written(folder: Path) -> None:
    """Pagefind answers before the last of its files is whole, and is stopped once it is left."""
    before: dict[Path, int] | None = None
    now: dict[Path, int] = {}
    while before != now:
        before = now
        await asyncio.sleep(0.5)
        now = {path: path.stat().st_size for path in folder.rglob("*")}


def index(found: list[Section], folder: Path) -> None:
    """Write the index of these sections, and nothing else, into a folder.

    Pagefind reads a folder a hundred times as fast as what it is handed piece by piece.
    """
    with tempfile.TemporaryDirectory() as pages:
        for number, section in enumerate(found):
            Path(pages, f"{number}.html").write_text(section.html, encoding="utf-8")
        asyncio.run(_index(Path(pages), folder))
    for path in folder.iterdir():
        if path.is_file() and path.name not in NEEDED and path.suffix not in PARTS:
            path.unlink()  # ready-made search fields, for other sites


def write(app: Sphinx, exception: Exception | None) -> None:
    """Called by Sphinx once all pages are written."""
    if exception or app.builder.name != "html":
        return
    out = Path(app.outdir)
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    pages = [out / f"{docname}.html" for docname in sorted(app.env.found_docs)]
    found = [section for page in pages if page.exists() for section in sections(page)]
    index(found, out / FOLDER)
