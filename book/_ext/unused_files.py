"""No page loads a script or a style sheet that it does not use."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

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


def drop(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Take what a page does not use out of its lists."""
    body = context.get("body") or ""
    for kind in ("script_files", "css_files"):
        if kind in context:
            context[kind][:] = [asset for asset in context[kind] if _is_used(asset, body)]


def _is_used(asset: Any, body: str) -> bool:
    filename = str(getattr(asset, "filename", asset) or "")
    inline = str((getattr(asset, "attributes", None) or {}).get("body") or "")
    return not any(
        (name in filename or name in inline) and (mark is None or mark not in body)
        for name, mark in SOMETIMES_USED
    )
