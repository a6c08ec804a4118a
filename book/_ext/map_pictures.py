"""The landing page's map: each chapter's card has a small picture of what it is about.

The pictures are in book/_static/map, named as the chapters. They stand in the page itself, so that
their colors follow its theme.
"""

from __future__ import annotations

from pathlib import Path
from posixpath import basename

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

MAP = "course-map"
PICTURES = Path(__file__).parents[1] / "_static" / "map"


def draw(app: Sphinx, doctree: nodes.document) -> None:
    """Called by Sphinx for each page that it has read."""
    for chapters in doctree.findall(nodes.bullet_list):
        if MAP in chapters["classes"]:
            for card in chapters.children:
                name = basename(next(card.findall(pending_xref))["reftarget"])
                card.insert(0, nodes.raw("", picture(name), format="html"))


def picture(name: str) -> str:
    """A chapter's picture, which says nothing that its card does not say.

    Raises:
        FileNotFoundError: if there is none.
    """
    drawing = (PICTURES / f"{name}.svg").read_text(encoding="utf-8").replace("\n", "")
    return drawing.replace("<svg ", '<svg aria-hidden="true" ', 1)
