"""Proxies: what checks hold of objects that live in a student's process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from torch import Tensor

from transformer_course.grading.border.failures import StudentError
from transformer_course.grading.border.wire import MAX_ITEMS

if TYPE_CHECKING:
    from transformer_course.grading.border.asking import Student


class Remote:
    """Stands for an object of the student's: call it, read attributes, index, len, iterate.

    Results come as plain data and real tensors, or as another proxy. Arguments are copied.
    """

    __slots__ = ("__weakref__", "_handle", "_student", "_type")

    def __init__(self, student: Student, handle: int, name: str) -> None:
        for slot, value in (("_student", student), ("_handle", handle), ("_type", name)):
            object.__setattr__(self, slot, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self._student.ask("call", self._handle, list(args), kwargs)
        if not isinstance(found, Remote):  # an object that was made is no answer yet
            self._student.returned[single(found)] += 1
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)  # what copy, numpy and torch look for is not there
        return self._student.ask("attribute", self._handle, name)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{name} of a student's {self._type} cannot be set from a check")

    def __getitem__(self, index: Any) -> Any:
        return self._student.ask("item", self._handle, index)

    def __len__(self) -> int:
        return expect(self._student, int, self._student.ask("length", self._handle))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        steps = self._student.remote("iterate", self._handle)
        count, total = 1, 0
        while True:
            found = expect(self._student, list, self._student.ask("step", steps._handle, count))
            total += len(found)
            if total > MAX_ITEMS:
                raise StudentError("RuntimeError", f"there is no end after {MAX_ITEMS:,} items")
            yield from found
            if len(found) < count:
                return
            count = min(2 * count, 1024)

    def __next__(self) -> Any:
        for found in expect(self._student, list, self._student.ask("step", self._handle, 1)):
            return found
        raise StopIteration

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Remote) and (self._student, self._handle) == (
            other._student,
            other._handle,
        )

    def __hash__(self) -> int:
        return hash((id(self._student), self._handle))

    def __repr__(self) -> str:
        return f"<a student's {self._type}>"

    def _arguments_after(self, *args: Any) -> list[Any]:
        """The arguments as they are after a call."""
        return expect(self._student, list, self._student.arguments_after(self, args)[1])

    def _is_module(self) -> bool:
        """Whether it is an nn.Module in its own process."""
        return self._student.ask("is_module", self._handle) is True


def single(found: Any) -> str:
    """How a single value is written, or None, or an empty list; "" for what holds several."""
    if isinstance(found, Tensor | np.ndarray | np.generic) and math.prod(found.shape) == 1:
        found = found.item()
    if isinstance(found, float):
        return f"{found + 0:.7g}"  # as float32 tells apart; -0 is 0
    number = isinstance(found, int) and found.bit_length() < 64  # True and False are such
    word = isinstance(found, str) and len(found) < 40
    nothing = found is None or (isinstance(found, list) and not found)
    return repr(found) if number or word or nothing else ""


def expect(student: Student, kind: type[Any], found: Any) -> Any:
    if type(found) is not kind or (kind is int and found < 0):
        student.lose("protocol", f"{kind.__name__} expected")
    return found
