"""Each widget's code once on a page, however many of the widget the page shows.

MyST-NB writes the saved state of every widget into the page, each with its whole module and style
sheet. Here each different text goes into one table, `sources`, and a state names it by its place:
`"_esm": {"source": 0}`. The script that runs the widgets on the page, widgets-host.js, looks it up.
"""

from __future__ import annotations

import json
from typing import Any

from sphinx.application import Sphinx

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
CODE = ("_esm", "_css")


def share(body: str) -> str:
    """The same saved state with a table of sources, in a form that a script element may hold."""
    saved = json.loads(body)
    sources: list[str] = saved.get("sources", [])
    for model in saved["state"].values():
        for key in CODE:
            text = model["state"].get(key)
            if not isinstance(text, str):
                continue
            if text not in sources:
                sources.append(text)
            model["state"][key] = {"source": sources.index(text)}
    return (
        json.dumps(saved | {"sources": sources}).replace("</", "<\\/").replace("<!--", "\\u003c!--")
    )


def share_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Called by Sphinx for each page."""
    for asset in context.get("script_files", []):
        attributes = getattr(asset, "attributes", None) or {}
        if attributes.get("type") == WIDGET_STATE:
            attributes["body"] = share(attributes["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx, or by course_site."""
    app.connect("html-page-context", share_on_page, priority=910)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
