"""What a page says of itself: how long it takes to read, and a description for search and sharing.

Where the site and its source live is not written anywhere: the environment says it, so that a copy
of the course points at itself. COURSE_SITE is the address of the published site, COURSE_REPOSITORY
that of its source on GitHub. With them pages get social cards and buttons that open a chapter in
Colab or Binder, or report an error of it; without them they have neither, and nothing else changes.
"""

from __future__ import annotations

import math
import os
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

WORDS_A_MINUTE = 200
CHAPTER = ("book/0", "book/index")  # what is read from top to bottom
TIME = "Time "
REPOSITORY = "the repository of the course"
PREAMBLE = (TIME, "Skip if ")  # the lines above a chapter's first section


def read_address(app: Sphinx, config: Config) -> None:
    """Take the two addresses from the environment, and refuse what is not one."""
    site, repository = (_address(name).rstrip("/") for name in ("COURSE_SITE", "COURSE_REPOSITORY"))
    config.ogp_site_name = config.html_title
    config.ogp_social_cards = {
        "enable": bool(site),
        "line_color": "#1a6bb8",
        "image_mini": "book/_static/icon.png",
    }
    if site:
        config.ogp_site_url = config.html_baseurl = f"{site}/"
    if repository:
        config.html_theme_options |= {
            "repository_url": repository,
            "repository_branch": "main",
            "use_repository_button": True,
            "use_issues_button": True,  # to report an error of the page
            "launch_buttons": {
                "colab_url": "https://colab.research.google.com",
                "binderhub_url": "https://mybinder.org",
                "notebook_interface": "jupyterlab",
            },
        }


def link_repository(app: Sphinx, doctree: nodes.document) -> None:
    """Let REPOSITORY in the text lead to where a clone comes from, if that is known.

    If it is not, the theme's option holds the address of Jupyter Book itself.
    """
    options = app.config.html_theme_options
    address = options["repository_url"] if options.get("use_repository_button") else None
    for text in list(doctree.findall(nodes.Text)) if address else ():
        before, found, after = text.partition(REPOSITORY)
        if found:
            link = nodes.reference("", REPOSITORY, refuri=address, internal=False)
            parts = [nodes.Text(before), link, nodes.Text(after)]
            text.parent.replace(text, [part for part in parts if part.astext()])


def _address(name: str) -> str:
    address = os.environ.get(name, "")
    if address and not address.startswith("https://"):
        raise ConfigError(f"{name}: expected an address such as https://example.org, got {address}")
    return address


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Put the reading time under the title, unless the page's first lines tell it; let the
    description begin with the first section."""
    if doctree is None:
        return
    paragraphs = list(doctree.findall(nodes.paragraph))
    told = any(paragraph.astext().startswith(TIME) for paragraph in paragraphs)
    words = sum(len(text.astext().split()) for text in doctree.findall(_is_prose))
    if not told and words >= WORDS_A_MINUTE and context.get("sourcename", "").startswith(CHAPTER):
        minutes = math.ceil(words / WORDS_A_MINUTE)
        line = f'<p class="course-reading-time">{minutes} minute{"s"[: minutes > 1]} to read</p>'
        context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)
    # The page is written already; what comes after this handler only reads its description here.
    for paragraph in paragraphs:
        if paragraph.astext().startswith(PREAMBLE):
            paragraph.parent.remove(paragraph)


def _is_prose(node: nodes.Node) -> bool:
    """Text that is read: no code, and nothing that a cell printed."""
    return isinstance(node, nodes.paragraph | nodes.title | nodes.term | nodes.caption)
