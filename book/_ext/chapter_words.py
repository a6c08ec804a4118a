"""A chapter's words come from its text, which is MyST; its outputs from the executed notebook.

In the notebook the same words stand in plain Markdown, as Jupyter shows them.
"""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat
from sphinx.application import Sphinx

from transformer_course.pages.jupyter import with_outputs


def take(app: Sphinx, docname: str, source: list[str]) -> None:
    """Called by Sphinx with a page's source, to be changed in place."""
    folder, _, name = docname.rpartition("/")
    text = Path(app.srcdir) / folder / "text" / f"{name}.md"
    if text.is_file():
        app.env.note_dependency(str(text))
        executed = nbformat.reads(source[0], as_version=4)
        source[0] = nbformat.writes(with_outputs(jupytext.read(text), executed))
