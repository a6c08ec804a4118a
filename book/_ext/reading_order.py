"""Next and Previous at the foot of a page lead as one reads first: 3.1 and 2 after 3.3.

The list of pages beside the text keeps the paper's order.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from transformer_course.pages import practice


def lead(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page its neighbors in that order."""
    pages = as_read(list(app.env.collect_relations()))
    if pagename not in pages:
        return
    at = pages.index(pagename)
    for name, beside in (("prev", at - 1), ("next", at + 1)):
        there = 0 <= beside < len(pages)
        context[name] = _link(app, pagename, pages[beside]) if there else None


def as_read(pages: list[str]) -> list[str]:
    """Pages of the site, in the order of a first reading."""
    names = {page.removeprefix("book/"): page for page in pages}
    return [names[name] for name in practice.as_read(names)]


def _link(app: Sphinx, here: str, there: str) -> dict[str, str]:
    title = app.builder.render_partial(app.env.titles[there])["title"]  # type: ignore[attr-defined]
    return {"link": app.builder.get_relative_uri(here, there), "title": title}
