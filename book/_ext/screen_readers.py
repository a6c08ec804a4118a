"""What extensions write, mended for screen readers; tests/browser holds the pages to it."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

# (what an extension writes, what a screen reader needs)
BODY_FIXES = [
    ('role="doc-biblioentry"', 'role="listitem"'),  # deprecated roles
    (' role="doc-backlink"', ""),
    ('<summary aria-label="Toggle hidden content">', "<summary>"),  # it hid the fold's own name
]

# The same of a whole page: what its templates write.
SUMMARY = '<summary><span class="toctree-toggle" role="presentation">'
NAMED = '<summary aria-label="The pages below"><span class="toctree-toggle" role="presentation">'

# The arguments of a long signature: a list without terms, so no list.
SIGNATURE = re.compile(r'<dl>\n(<dd><em class="sig-param">.*?)</dl>', flags=re.DOTALL)


def _plain_signature(match: re.Match[str]) -> str:
    arguments = match[1].replace("<dd>", "<span>").replace("</dd>", "</span>")
    return f'<span class="course-arguments">{arguments}</span>'


def mend(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mend a page's body."""
    if body := context.get("body"):
        for written, mended in BODY_FIXES:
            body = body.replace(written, mended)
        context["body"] = SIGNATURE.sub(_plain_signature, body)


def mend_page(text: str) -> str:
    """Mend a finished page: the arrow that unfolds pages in the sidebar gets a name."""
    return text.replace(SUMMARY, NAMED)
