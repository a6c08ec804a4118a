"""What the course changes on the pages that Jupyter Book writes.

No page asks another host for anything, loads a script it does not use, or fails an accessibility
check. The fixes are listed where they are made; tests/browser holds the built site to them.
"""

from __future__ import annotations

import re
from typing import Any

import native_math
import shared_sources
from carried_model import copy_model
from page_fonts import subset_fonts
from plain_code import unwrap
from sphinx.application import Sphinx
from static_twins import AddStaticTwins

# Jupyter Book gives every page all of these: (part of the file's name or of its inline text, the
# mark in a page that uses it; none if this book never does).
SOMETIMES_USED = [
    ("thebe", None),
    ("THEBE_JS_URL", None),
    ("mathjax", None),
    ("MathJax", None),
    ("DOCUMENTATION_OPTIONS.", None),
    ("design-tabs.js", "sd-tab-set"),
    ("sphinx-design", 'class="sd-'),
]

# (what an extension writes, what a screen reader needs)
BODY_FIXES = [
    (' aria-label="Toggle hidden content"', ""),  # the visible text is the name
    ('role="doc-biblioentry"', 'role="listitem"'),  # deprecated roles
    (' role="doc-backlink"', ""),
]

# The arguments of a long signature: a list without terms, so no list.
SIGNATURE = re.compile(r'<dl>\n(<dd><em class="sig-param">.*?)</dl>', flags=re.DOTALL)


def _plain_signature(match: re.Match[str]) -> str:
    arguments = match[1].replace("<dd>", "<span>").replace("</dd>", "</span>")
    return f'<span class="course-arguments">{arguments}</span>'


def _is_used(asset: Any, body: str) -> bool:
    filename = str(getattr(asset, "filename", asset) or "")
    inline = str((getattr(asset, "attributes", None) or {}).get("body") or "")
    return not any(
        (name in filename or name in inline) and (mark is None or mark not in body)
        for name, mark in SOMETIMES_USED
    )


def trim_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Drop scripts and styles the page does not use; mend the body for screen readers."""
    body = context.get("body") or ""
    for kind in ("script_files", "css_files"):
        if kind in context:
            context[kind][:] = [asset for asset in context[kind] if _is_used(asset, body)]
    for written, mended in BODY_FIXES:
        body = body.replace(written, mended)
    body = SIGNATURE.sub(_plain_signature, body)
    body = unwrap(body)
    if body:
        context["body"] = body


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer(
        "native",
        inline_renderers=(native_math.visit_inline, None),
        block_renderers=(native_math.visit_block, None),
    )
    app.add_post_transform(AddStaticTwins)
    app.connect("html-page-context", trim_page, priority=900)
    shared_sources.setup(app)
    app.connect("build-finished", subset_fonts)
    app.connect("build-finished", copy_model)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
