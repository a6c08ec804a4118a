"""A chapter's questions are called so; "Exercise" and a number is a graded notebook."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx_exercise.nodes import exercise_title

GUESS = "Predict: "  # how the title of a question begins that asks for a guess


def name_numbers(app: Sphinx, config: Config) -> None:
    """Called by Sphinx before sphinx_exercise chooses its words."""
    config.numfig_format = {**config.numfig_format, "exercise": "Question %s"}


def rename(app: Sphinx, doctree: nodes.document) -> None:
    """Called by Sphinx for each page that it has read: the boxes, and what answers call them."""
    known = getattr(app.env, "sphinx_exercise_registry", {}).values()
    boxes = [each["node"] for each in known if each["docname"] == app.env.docname]
    for box in (doctree, *boxes):
        for title in box.findall(exercise_title):
            word, *subtitle = title.children
            text = "".join(each.astext() for each in subtitle)
            if text.startswith(GUESS):
                title.children = [nodes.Text(text)]
            elif subtitle:
                title.replace(word, nodes.Text("Question"))
