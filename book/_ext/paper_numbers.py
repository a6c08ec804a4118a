"""The paper's equations keep their numbers; the others are named by their section: (3.2.2a)."""

from __future__ import annotations

import re
from itertools import count
from posixpath import basename
from string import ascii_lowercase

from docutils import nodes
from sphinx.application import Sphinx

PAPER = {"eq-attention": "1", "eq-ffn": "2", "eq-rate": "3"}


def section(docname: str) -> str:
    """What a chapter's file is called for: 3.2.2 of book/03-2-2-multi-head-attention."""
    found = re.match(r"(?:\d+-)+", basename(docname))
    return ".".join(str(int(part)) for part in found[0].strip("-").split("-")) if found else ""


def renumber(app: Sphinx, doctree: nodes.document) -> None:
    """Called by Sphinx for each page that it has read."""
    domain, docname, ours = app.env.get_domain("math"), app.env.docname, count()
    for node in doctree.findall(nodes.math_block):
        label = node.get("label")
        if label:
            number = PAPER.get(label) or section(docname) + ascii_lowercase[next(ours)]
            node["number"] = number
            domain.equations[label] = (docname, number)
