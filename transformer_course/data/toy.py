"""Generated tasks that a tiny model learns within seconds: copy, reverse, sort and dates.

The splits share no answer: the target's hash decides which split an example belongs to, so a
model cannot have seen a test date in another notation, or a test sequence in another order.
"""

from __future__ import annotations

import random
import string
import zlib
from collections.abc import Callable
from datetime import date, timedelta

from transformer_course.errors import DataError

SYMBOLS = string.ascii_lowercase[:20]
SHORTEST, LONGEST = 5, 12
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2099, 12, 31)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

COUNTS = {"train": 20_000, "valid": 1_000, "test": 1_000}
_BUCKETS = {"test": range(0, 10), "valid": range(10, 20), "train": range(20, 100)}


def generate(task: str, split: str, count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return `count` distinct (source, target) pairs of a task; the same ones for the same seed.

    Raises:
        DataError: if the split does not hold that many different examples.
    """
    make = TASKS[task]
    rng = random.Random(f"{task} {split} {seed}")
    pairs: dict[str, str] = {}
    misses = 0
    while len(pairs) < count:
        src, tgt = make(rng)
        if src in pairs or zlib.crc32(tgt.encode()) % 100 not in _BUCKETS[split]:
            misses += 1
            if misses > 10_000:
                raise DataError(
                    f"expected at most about {len(pairs)} pairs from toy:{task} {split}, "
                    f"got count={count}: ask for fewer"
                )
            continue
        pairs[src] = tgt
        misses = 0
    return list(pairs.items())


def _symbols(
    answer: Callable[[list[str]], list[str]],
) -> Callable[[random.Random], tuple[str, str]]:
    def make(rng: random.Random) -> tuple[str, str]:
        sequence = rng.choices(SYMBOLS, k=rng.randint(SHORTEST, LONGEST))
        return " ".join(sequence), " ".join(answer(sequence))

    return make


def _dates(rng: random.Random) -> tuple[str, str]:
    day = FIRST_DAY + timedelta(days=rng.randint(0, (LAST_DAY - FIRST_DAY).days))
    return rng.choice(_NOTATIONS)(day), day.isoformat()


def ordinal(number: int) -> str:
    """Write 1st, 2nd, 3rd, 4th, 11th."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _month(day: date) -> str:
    return MONTHS[day.month - 1]


_NOTATIONS: tuple[Callable[[date], str], ...] = (
    lambda day: f"the {ordinal(day.day)} of {_month(day)} {day.year}",
    lambda day: f"{_month(day)} {ordinal(day.day)}, {day.year}",
    lambda day: f"{_month(day)} {day.day}, {day.year}",
    lambda day: f"{day.day} {_month(day)} {day.year}",
    lambda day: f"{WEEKDAYS[day.weekday()]}, {day.day} {_month(day)} {day.year}",
    lambda day: f"{day.day} {_month(day)[:3]} {day.year}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day.year}/{day.month}/{day.day}",
)

TASKS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "copy": _symbols(lambda sequence: sequence),
    "reverse": _symbols(lambda sequence: sequence[::-1]),
    "sort": _symbols(sorted),
    "dates": _dates,
}
