"""Code with an element only where a color needs one, and names that break at their joints.

Pygments wraps each name, bracket and space, two thirds of a chapter's code and a third of all its
elements, in a span whose color is the code's own.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

PLAIN = ("n", "nn", "nx", "p", "w")  # names, punctuation, spaces
CODE = re.compile(r'(?<=<div class="highlight"><pre>).*?(?=</pre>)', flags=re.DOTALL)
ELEMENT = re.compile(rf'<span class="(?:{"|".join(PLAIN)})">([^<]*)</span>')
NAME = re.compile(r'(?<=<span class="pre">)[\w.]{12,}(?=</span>)')
JOINT = re.compile(r"(?<=\w)([._]+)(?=\w)")


def unwrap(body: str) -> str:
    """A page's body without these elements in its blocks of code."""
    return CODE.sub(lambda code: ELEMENT.sub(r"\1", code[0]), body)


def break_names(body: str) -> str:
    """A page's body whose long names may go on in the next line after a dot or an underscore."""
    return NAME.sub(lambda name: JOINT.sub(r"\1<wbr>", name[0]), body)


def unwrap_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """The same for a page that is about to be written."""
    if body := context.get("body"):
        context["body"] = unwrap(body)
        if pagename.startswith("book/api"):
            context["body"] = break_names(context["body"])
