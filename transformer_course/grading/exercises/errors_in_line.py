"""What the line that failed adds to an error: the sentence of it stands in `errors_of_kind`."""

import re

from transformer_course.grading.border.failures import Place

UNPACKED = r"values to unpack|cannot unpack non-iterable"
# Patterns of the error and of its line, and a sentence with what was found in the line.
HINTS: list[tuple[str, str, str]] = [
    (
        UNPACKED,
        r"=.*(?:\.shape|\.size\(\))(?:\[[^\]]*\])?$",
        "A shape has one number for each axis: print it, and see how many there are.",
    ),
    (
        UNPACKED,
        r"(?<!torch)\.split\((\d+)\b|torch\.split\([\w.]+, *(\d+)\b",
        "`split({0})` makes parts of length {0}, however many; `chunk({0})` asks for {0} parts.",
    ),
    (
        UNPACKED,
        r"\bfor\b.+\bin +[\w.]+ *(?:[:\])}]|$)",
        "If this goes through a dictionary: that gives its keys alone, and `.items()` each key "
        "with its value.",
    ),
    (
        UNPACKED,
        r"^[\w.]+(?: *, *[\w.]+)+ *=(?!=)",
        "Count the names to the left of `=`, and print what stands to the right of it.",
    ),
    (
        r"object has no attribute 'detach'",
        r"\bParameter\(",
        "An `nn.Parameter` is made of a tensor: the values with which it begins, in its shape.",
    ),
    (
        r"^KeyError",
        r"\] *(?:[-+*/%|&@]|//|\*\*)=",
        "To change what stands at a key, the old value is read first. `.get(key, 0)` gives 0 where "
        "there is none yet, and so does a `Counter`.",
    ),
]
KEY = re.compile(r"'(?:[^'\s]+|[^']{1,3})'|-?\d+|\([^()]*\)")  # as an error writes it, no sentence


def key(text: str, place: Place | None, secret: bool) -> str:
    """Words for a KeyError, "" where somebody raised it with words of their own."""
    source = place.source if place else ""
    if not KEY.fullmatch(text) or re.search(r"\braise\b|\.remove\(", source):
        return ""
    return "There is no such key." if secret else f"There is no key {text}."


def hint(text: str, kind: str, place: Place | None) -> str:
    """What the line tells, with a space before it; or ""."""
    source = re.sub(r"\s+#.*$", "", place.source) if place else ""
    for error, line, sentence in HINTS:
        found = re.search(line, source) if re.search(error, f"{kind}: {text}") else None
        if found:
            return " " + sentence.format(*filter(None, found.groups()))
    name = re.search(r"^name '(\w+)' is not defined", text)
    if name and place and place.kept == "self":
        return f". The object keeps it: here it is `self.{name[1]}`"
    if name and place and place.kept == "init":
        return f". Only `__init__` knows it: keep it there, as `self.{name[1]}`"
    return ""
