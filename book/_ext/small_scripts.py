"""A script without what only its authors need: comments, spaces, code that cannot run.

Notices of a license or a copyright stay, at the front.
"""

from __future__ import annotations

import re

import minify_html

NOTE = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n?", flags=re.DOTALL | re.MULTILINE)  # begins a line
NOTICE = re.compile("licen[sc]e|copyright", flags=re.IGNORECASE)
AROUND = re.compile(r"^<script[^>]*>|</script>$")


def small(code: str, kind: str = "module") -> str:
    """The same script, in fewer bytes; `kind` is the type of its element in a page."""
    notices = [note.strip() for note in NOTE.findall(code) if NOTICE.search(note)]
    held = NOTE.sub("", code).replace("</script", r"<\/script")
    page = minify_html.minify(f'<script type="{kind}">{held}</script>', minify_js=True)
    return "\n".join([*notices, AROUND.sub("", page)])
