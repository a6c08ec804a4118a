"""A name that an answer lacks: which cell of the notebook makes it."""

import re
from collections.abc import Collection

ELSEWHERE = (
    "Is `{}` from a cell for trials, or for a picture? No check runs those: make it in your answer."
)
SETUP = "The set-up makes `{}`: run the first cell of this notebook again, and then your answer."


def advice(text: str, setup: Collection[str], elsewhere: Collection[str]) -> str:
    """What to do about an error with this text, where a cell makes the name that it misses."""
    gone = re.search(r"^name '(\w+)' is not defined", text)
    for names, said in ((setup, SETUP), (elsewhere, ELSEWHERE)):
        if gone and gone[1] in names:
            return said.format(gone[1])
    return ""
