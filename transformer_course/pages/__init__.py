"""What the chapters' pages are made with, and what looks at them when they are built.

gluing puts numbers into the prose, plotting draws, practice reads the exercises of the page,
paper_tables has the paper's Tables 2 and 3, verdicts the rules by which a row differs, rerun what
we measured ourselves, references finds what chapters name, jupyter writes them as notebooks show
them, and browser opens the built site.
"""

from transformer_course.pages.gluing import glue

__all__ = [
    "glue",
]
