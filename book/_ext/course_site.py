"""The steps by which the pages that Jupyter Book writes become this course's site, in order.

No page asks another host for anything, loads a script it does not use, or fails an accessibility
check: tests/browser holds the built site to that. Each step is a module of this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import carried_model
import chapter_words
import exercise_pages
import map_pictures
import native_math
import old_addresses
import page_assets
import page_facts
import page_fonts
import paper_numbers
import plain_code
import plumbing
import printed_results
import question_cards
import reading_order
import screen_readers
import sections_index
import shared_sources
import static_twins
import table_cards
import unused_files
from sphinx.application import Sphinx

# The event of Sphinx; the place among all extensions that do something then (the lower, the
# earlier, and at one place in this order); what runs; what it does. A step of "setup" tells Sphinx,
# once, what to do as it writes a page.
STEPS: list[tuple[str, int, Callable[..., Any], str]] = [
    ("config-inited", 500, page_facts.read_address, "where the site and its source live"),
    ("source-read", 500, chapter_words.take, "a chapter's words are those of its text"),
    ("source-read", 500, exercise_pages.rewrite, "exercise notebooks become pages"),
    ("setup", 0, native_math.add_renderer, "formulas are written as MathML"),
    ("setup", 0, static_twins.add_transform, "tables beside widgets, for who runs no scripts"),
    ("setup", 0, question_cards.add_transform, "a question and its answer are one card"),
    ("env-check-consistency", 500, question_cards.count_anew, "each chapter counts its theorems"),
    ("doctree-read", 500, paper_numbers.renumber, "equations are numbered as in the paper"),
    ("doctree-read", 500, page_facts.link_repository, "where a clone comes from, if it is known"),
    ("doctree-read", 500, plumbing.drop_glue, "cells without what only carries numbers"),
    ("doctree-read", 500, map_pictures.draw, "a picture for each chapter of the map"),
    ("doctree-read", 500, plumbing.join_folded, "folded cells in a row are folded as one"),
    ("doctree-read", 500, plumbing.name_folds, "a folded cell says what is in it"),
    ("html-page-context", 400, page_facts.describe, "reading times and descriptions"),
    ("html-page-context", 400, reading_order.lead, "Next leads on a first reading's way"),
    ("html-page-context", 900, unused_files.drop, "scripts and styles not in use go"),
    ("html-page-context", 900, screen_readers.mend, "roles and names for screen readers"),
    ("html-page-context", 900, plain_code.unwrap_on_page, "code has elements only for colors"),
    ("html-page-context", 900, native_math.hold_marks_on_page, "marks stay beside formulas"),
    ("html-page-context", 900, printed_results.mark_on_page, "printed results fit a phone"),
    ("html-page-context", 900, table_cards.mark_on_page, "wide tables are cards on a phone"),
    ("html-page-context", 910, shared_sources.share_on_page, "each widget's code once a page"),
    (
        "html-page-context",
        920,
        page_assets.leave_out,
        "one style sheet and one script are asked for",
    ),
    ("build-finished", 500, page_fonts.subset_fonts, "fonts with the glyphs that pages draw"),
    (
        "build-finished",
        500,
        carried_model.copy_models,
        "the translator's weights, for the live page",
    ),
    (
        "build-finished",
        900,
        page_assets.put_together,
        "that style sheet and that script are written",
    ),
    ("build-finished", 910, old_addresses.lead_on, "where a page has moved, a small one leads on"),
    ("build-finished", 910, sections_index.write, "each section can be found by its words"),
]


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.setup_extension("sphinxext.opengraph")  # social cards, from what page_facts finds
    for event, place, step, _ in STEPS:
        if event == "setup":
            step(app)
        else:
            app.connect(event, step, priority=place)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
