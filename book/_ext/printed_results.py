"""What a cell printed, made to fit a phone: sentences wrap, columns are set smaller.

The style sheet does it, by two classes; here is told which is which, and how wide.
"""

from __future__ import annotations

import html
import re
from typing import Any

from sphinx.application import Sphinx

FITS, SMALL = 36, 51  # characters beside each other at 390 px, and at the smallest size
RESULT = re.compile(
    r'<div class="output (?P<classes>(?:stream|text_plain) [^"]*)">'
    r'(?P<rest><div class="highlight"><pre>(?P<text>.*?)</pre>)',
    flags=re.DOTALL,
)
TAG = re.compile(r"<[^>]+>")
GAP = re.compile(r"\S {2,}\S")  # one column ends, another begins


def mark(body: str) -> str:
    """A page's body in which wide results say whether they are columns or sentences."""
    return RESULT.sub(_marked, body)


def _marked(found: re.Match[str]) -> str:
    lines = html.unescape(TAG.sub("", found["text"])).rstrip().split("\n")
    width = max(map(len, lines))
    if width <= FITS:
        return found[0]
    columns = len(lines) > 1 and width <= SMALL and any(map(GAP.search, lines))
    kind = f' course-columns" style="--columns: {width}' if columns else " course-sentences"
    return f'<div class="output {found["classes"]}{kind}">{found["rest"]}'


def mark_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """The same for a page that is about to be written."""
    if body := context.get("body"):
        context["body"] = mark(body)
