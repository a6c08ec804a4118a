"""What a hidden check asks of one submission and not of the next: seeds, sizes, choices, order.

All of it follows from the submission's digest and the check's name. So the same file meets the same
numbers on every machine, graded again or after a crash, and no two files meet the same. It is no
secret: to know the numbers beforehand spares nobody the computing, since they come as arguments.
"""

import random
import threading
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")


class _Drawing(threading.local):
    """One submission at a time in each thread."""

    submission = ""
    source = random.Random("")


_now = _Drawing()


def of(submission: str) -> None:
    """From here on the checks are those of the submission with this digest."""
    _now.submission = submission


def start(check: str) -> None:
    """Begin a check: whichever ran before it, it draws the same."""
    _now.source = random.Random(f"{_now.submission}/{check}")


def seed() -> int:
    """A seed, another one at each call, and none that a visible check would use."""
    return _now.source.randrange(1000, 1 << 31)


def seeds(count: int) -> list[int]:
    """So many of them."""
    return [seed() for _ in range(count)]


def size(least: int, most: int) -> int:
    """A whole number from `least` to `most`, both of them possible."""
    return _now.source.randint(least, most)


def pick(cases: Iterable[Case], count: int) -> list[Case]:
    """So many different ones of the cases, in an order that differs too."""
    return _now.source.sample(list(cases), count)


def shuffled(cases: Iterable[Case]) -> list[Case]:
    """All of the cases, in an order that differs."""
    found = list(cases)
    return pick(found, len(found))
