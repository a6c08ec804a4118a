"""What code raised, in words that tell a learner what to look at."""

import html
import re

from transformer_course.grading.border.failures import Place
from transformer_course.grading.exercises import errors_in_line
from transformer_course.grading.exercises.errors_of_arguments import ARGUMENTS
from transformer_course.grading.exercises.errors_of_kind import KINDS
from transformer_course.grading.exercises.errors_of_shape import SHAPES

CUT_OFF = "no gradient flows from the output"
# What is said, by its text, of what failed on the way between answer and check.
BETWEEN = {
    CUT_OFF: "No gradient comes out of this. Either what it depends on does not learn "
    "(`requires_grad=False`, as `from_pretrained` sets it), or it was cut off, by `detach`, "
    "`.data`, `no_grad` or NumPy.",
    "an array of object ": "an array of dtype `object` can hold anything. Give it numbers of one "
    "type.",
    **dict.fromkeys(
        ("an array of float128", "an array of float96"),
        "an array of NumPy's longest type of numbers (`longdouble`). No check needs so many "
        "digits: `.astype(np.float64)` before the `return` is enough.",
    ),
    "an array of <U": "an array of text. Numbers are read.",
}
MOST = 1000  # characters of one message
STRESS = re.compile(r"(?<![\w*^])\*(?=\w)([^*]*\w)\*(?![\w*])")  # not 2 * x * y, nor **kwargs


def plain(text: str, kind: str = "", place: Place | None = None, secret: bool = False) -> str:
    """A sentence of ours where the error is a common one, else what it says.

    What the place of the error tells is added. A `secret` key is not named.
    """
    more = errors_in_line.hint(text, kind, place)
    if kind == "KeyError" and (said := errors_in_line.key(text, place, secret)):
        return said + more
    for pattern, sentence in (*ARGUMENTS, *SHAPES, *KINDS):
        if found := re.search(pattern, text):
            said = sentence.format(*found.groups())
            return re.sub(r"(?<!to )\b1 values\b", "1 value", said) + more
    return text + more


def returned(text: str) -> str:
    """The same where a check stumbles over what an answer returned."""
    said = plain(text)
    asked = "values are expected here" in said or "number is expected here" in said
    return f"{said} What does your function return?" if asked else said


def unraised(kind: str, text: str, otherwise: str = "") -> str:
    """What came of an answer of which no line has failed. `otherwise`: if it is not to say more."""
    what, at, path = text.partition(" at [")
    said = next((said for start, said in BETWEEN.items() if text.startswith(start)), "")
    if kind == "Unsendable":
        where = f"{at}{path}"
        return (
            f"Your code raised nothing, but no check can read what it gave{where}: {said or what}"
        )
    if not said:
        words = plain(text)
        said = otherwise if otherwise and words == text else words or kind
        return f"Your answer could not be checked: {said}"
    return said


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
