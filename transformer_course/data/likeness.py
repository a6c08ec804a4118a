"""Which sentences say the same but for marks, case, contractions and two names.

What is set aside for a test is set aside with all that is alike: a model that learned "Tom isn't
here." has not translated "Mary is not here!" unseen.
"""

import re
import zlib

NAMES = {"mary", "maria", "john"}  # they stand where "Tom" does
CONTRACTIONS = (
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ll", " will"),
    ("'ve", " have"),
    ("'d", " would"),
    ("'s", " is"),
)


def likeness(sentence: str) -> str:
    """The same text for all that are alike: "Mary isn't here!" gives "tom is not here"."""
    text = sentence.casefold().replace("’", "'")
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    return " ".join("tom" if word in NAMES else word for word in re.findall(r"\w+", text))


def share(sentence: str, parts: int) -> int:
    """A number below `parts`, equal for sentences that are alike, on every machine."""
    return zlib.crc32(likeness(sentence).encode()) % parts
