"""What the values of options may be: anything else is an ArgumentTypeError."""

import argparse
import re


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, got {text!r}")
    return int(text)


def positive_float(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def nonnegative_float(text: str) -> float:
    """A number from 0 on."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number from 0 on, got {text!r}")
    return number


def width(text: str) -> int:
    """The width of a beam: memory and time grow with it."""
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000, got {text!r}")
    return int(text)


def share(text: str) -> float:
    """A number above 0, and at most 1."""
    number = positive_float(text)
    if number > 1:
        raise argparse.ArgumentTypeError(f"expected a share above 0, at most 1, got {text!r}")
    return number


def shard(text: str) -> tuple[int, int]:
    """One part of a number of parts, such as 1/4."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    index, count = (int(each) for each in match.groups()) if match else (0, 0)
    if not 1 <= index <= count:
        raise argparse.ArgumentTypeError(f"expected a part such as 1/4, got {text!r}")
    return index, count


def seconds(text: str) -> float:
    """A time above 0, and at most a day."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 86_400:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 86400, got {text!r}")
    return found


def size(text: str) -> int:
    """Bytes, such as 3G or 512M."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([MG])(?:i?B)?", text)
    found = float(match[1]) * {"M": 1 << 20, "G": 1 << 30}[match[2]] if match else 0.0
    if not 256 << 20 <= found <= 1 << 50:  # a petabyte: what counts bytes overflows later
        raise argparse.ArgumentTypeError(f"expected at least 256M, such as 3G, got {text[:40]!r}")
    return int(found)


def count(text: str) -> int:
    """A number of processes."""
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, got {text!r}")
    return int(text)
