"""What the chapters' pages are made with: figures, numbers in the prose, page exercises."""

from transformer_course.pages.gluing import glue

__all__ = [
    "glue",
]
