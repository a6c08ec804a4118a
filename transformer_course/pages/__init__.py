"""What the chapters' pages are made with: gluing puts numbers into the prose, plotting draws,
and practice reads the exercises of the page.
"""

from transformer_course.pages.gluing import glue

__all__ = [
    "glue",
]
