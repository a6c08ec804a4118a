"""What code raised, in words that tell a learner what to look at."""

import html
import re

from transformer_course.grading.border.failures import Place
from transformer_course.grading.exercises import errors_in_line
from transformer_course.grading.exercises.errors_of_kind import KINDS
from transformer_course.grading.exercises.errors_of_shape import SHAPES

MOST = 1000  # characters of one message
STRESS = re.compile(r"(?<![\w*^])\*(?=\w)([^*]*\w)\*(?![\w*])")  # not 2 * x * y, nor **kwargs


def plain(text: str, kind: str = "", place: Place | None = None, secret: bool = False) -> str:
    """A sentence of ours where the error is a common one, else what it says.

    What the place of the error tells is added. A `secret` key is not named.
    """
    more = errors_in_line.hint(text, kind, place)
    if kind == "KeyError" and (said := errors_in_line.key(text, place, secret)):
        return said + more
    for pattern, sentence in (*SHAPES, *KINDS):
        if found := re.search(pattern, text):
            said = sentence.format(*found.groups())
            return re.sub(r"(?<!to )\b1 values\b", "1 value", said) + more
    return text + more


def returned(text: str) -> str:
    """The same where a check stumbles over what an answer returned."""
    said = plain(text)
    return f"{said} What does your function return?" if "values are expected here" in said else said


def clipped(text: str, most: int = MOST) -> str:
    """At most so many characters of it, and how many more there were."""
    left = len(text) - most
    return f"{text[:most]} … ({left:,} more characters)" if left > 0 else text


def inline(text: str) -> str:
    """A message as HTML, with the `code` and *stress* in it."""
    parts = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    return "".join(
        f"<code>{part}</code>" if n % 2 else STRESS.sub(r"<em>\1</em>", part)
        for n, part in enumerate(parts)
    )
