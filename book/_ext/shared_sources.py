"""Each widget's code once on a page, however many of the widget the page shows.

MyST-NB writes the saved state of every widget into the page, each with its whole module and style
sheet. Here each different text goes into one table, `sources`, a module without its spaces, and a
state names it by its place: `"_esm": {"source": 0}`. A style sheet becomes a list of two, the rules
with which all of the page begin and its own. The script that runs the widgets on the page,
widgets-host.js, looks them up.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any

from small_scripts import small
from sphinx.application import Sphinx

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def share(body: str) -> str:
    """The same saved state with a table of sources, in a form that a script element may hold."""
    saved = json.loads(body)
    sources: list[str] = saved.get("sources", [])

    def place(text: str) -> dict[str, int]:
        if text not in sources:
            sources.append(text)
        return {"source": sources.index(text)}

    states = [model["state"] for model in saved["state"].values()]
    sheets = [state["_css"] for state in states if isinstance(state.get("_css"), str)]
    common = _beginning(sheets)
    for state in states:
        if isinstance(state.get("_esm"), str):
            state["_esm"] = place(small(state["_esm"]))
        if isinstance(state.get("_css"), str):
            parts = [common, state["_css"].removeprefix(common)]
            state["_css"] = [place(part) for part in parts if part]
    return (
        json.dumps(saved | {"sources": sources}).replace("</", "<\\/").replace("<!--", "\\u003c!--")
    )


def _beginning(sheets: list[str]) -> str:
    """The files with which all of these style sheets begin: each is one line."""
    lines = [re.split(r"(?<=}\n)", sheet) for sheet in sheets]
    same = takewhile(lambda each: len(set(each)) == 1, zip(*lines, strict=False))
    return "".join(each[0] for each in same)


def share_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Called by Sphinx for each page."""
    for asset in context.get("script_files", []):
        attributes = getattr(asset, "attributes", None) or {}
        if attributes.get("type") == WIDGET_STATE:
            attributes["body"] = share(attributes["body"])
