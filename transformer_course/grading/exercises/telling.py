"""How much the message of a check tells, and what a check that passes has to tell."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

RETURN = "Your function returned None: did you forget `return`?"
CHANGED = "Or did it return what `.sort()` or `.append()` gave? That is None. "
CHANGED += "So is what `shuffle` gives. `sorted` gives a new list."
NONE = f"{RETURN} {CHANGED}"


class Off(AssertionError):
    """It is off, and no known mistake explains how: the least telling of all messages."""


class Always(AssertionError):
    """The answer is one and the same in every case: that explains whatever else is off."""


class Form(AssertionError):
    """The answer is of another shape or type than asked, whatever its values are."""


LISTENERS: ContextVar[list[str] | None] = ContextVar("LISTENERS", default=None)


@contextmanager
def listening() -> Iterator[list[str]]:
    """What checks `tell` meanwhile."""
    told: list[str] = []
    before = LISTENERS.set(told)
    try:
        yield told
    finally:
        LISTENERS.reset(before)


def tell(text: str) -> None:
    """Words for the learner from a check that passes: printed, unless somebody is listening."""
    told = LISTENERS.get()
    (print if told is None else told.append)(text)


def grain(value: float) -> float:
    """Half a unit of its last decimal, if it has two figures: what rounding may have changed."""
    decimals = len(f"{value:.12g}".partition(".")[2])
    return 0.5 / 10**decimals if decimals and abs(value) * 10**decimals >= 10 else 0.0


def instead(found: Any, kind: str, name: str = "") -> str:
    """What was found where a tensor is expected, and what to do about it."""
    if found is None:
        if "." in name:  # it is the gradient of a parameter
            return "None: no gradient reaches it. Is it frozen (`requires_grad`), or cut off?"
        return "None: did you forget to return it?"
    if isinstance(found, list) and found:
        how = "`torch.tensor` or `np.array`"
        if not only_numbers(found):
            how = "`stack`, each inner list first" if isinstance(found[0], list) else "`stack`"
        return f"of type list. Put its parts together, with {how}."
    return f"of type {kind}"


def only_numbers(found: Any) -> bool:
    """Whether a list holds numbers, and in its lists too."""
    if isinstance(found, list | tuple):
        return all(map(only_numbers, found))
    return isinstance(found, int | float | np.generic)


def range_of(least: float, most: float) -> str:
    """What a guess may be, in words: infinity is no number that could be measured."""
    if math.isfinite(least) and math.isfinite(most):
        return f"A guess from {least:g} to {most:g} is expected"
    if math.isfinite(least):
        return f"A guess of {least:g} or more is expected, as a finite number"
    if math.isfinite(most):
        return f"A guess of {most:g} or less is expected, as a finite number"
    return "A guess is expected, as a finite number"


def as_number(found: Any) -> str:
    """What to do about a number in quotes, or one with a comma, which makes two of it."""
    if isinstance(found, tuple) and found and all(isinstance(each, int) for each in found):
        return ". A comma makes several numbers of it: write 1000 or 1_000, and 0.5 with a point."
    if isinstance(found, str):
        return ". Write it without quotes, and without a unit."
    return ""
