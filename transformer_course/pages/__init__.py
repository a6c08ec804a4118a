"""What the chapters' pages are made with, and what looks at them when they are built.

gluing puts numbers into the prose, plotting draws, practice reads the exercises of the page,
paper_tables has the paper's figures, verdicts compares them with ours, rerun reads ours, and browser
opens the built site.
"""

from transformer_course.pages.gluing import glue

__all__ = [
    "glue",
]
