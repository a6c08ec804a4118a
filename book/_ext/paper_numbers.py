"""The paper's equations keep their numbers; the others are named by their section: (3.2.2a)."""

from __future__ import annotations

from posixpath import basename

from docutils import nodes
from sphinx.application import Sphinx

from transformer_course.pages.references import equation_numbers


def renumber(app: Sphinx, doctree: nodes.document) -> None:
    """Called by Sphinx for each page that it has read."""
    domain, docname = app.env.get_domain("math"), app.env.docname
    labelled = [node for node in doctree.findall(nodes.math_block) if node.get("label")]
    numbers = equation_numbers(basename(docname), [node["label"] for node in labelled])
    for node in labelled:
        node["number"] = numbers[node["label"]]
        domain.equations[node["label"]] = (docname, node["number"])
