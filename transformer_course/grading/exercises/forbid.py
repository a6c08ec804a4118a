"""Forbidden calls: a question that asks for softmax by hand does not accept torch.softmax."""

import _thread
import builtins
import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

from transformer_course.grading.exercises.operations import Watch, elementary


class Forbidden:
    """Functions that code of the notebook may not call, nor have called by a library.

    A call is the notebook's when the calling frame's globals are those of `__main__`. Names that
    a cell imported before (`from torch import softmax`) are found in the notebook's namespace.
    Whatever else leads to the same functions is left to a `Watch`, which `checks` is for.
    """

    def __init__(self, namespace: dict[str, Any], checks: str = "") -> None:
        self._namespace, self._checks = namespace, checks
        self._threads = _thread._count()  # such as a kernel's own
        self._undo: list[Callable[[], None]] = []
        self._now: set[str] = set()
        self._watch: Watch | None = None

    def forbid(self, names: Iterable[str]) -> list[str]:
        """Refuse these dotted names, such as "torch.softmax", and only these.

        Returns what was noticed of those before: names that were used all the same, and
        `operations.UNWATCHED`.

        Raises:
            ValueError: A name leads nowhere, or belongs to a type that cannot be changed.
        """
        noticed = self._watch.stop() if self._watch else []
        self._watch = None
        while self._undo:
            self._undo.pop()()
        self._now = set(names)
        plain, functions = elementary() if self._now else frozenset(), dict[Any, str]()
        for dotted in self._now:
            owner, name = _owner(dotted)
            if isinstance(getattr(owner, name), type):  # a class stays one, but makes nothing
                owner, name = getattr(owner, name), "__init__"
            original = getattr(owner, name)
            guard = self._guarded(dotted, original)
            functions |= {each: dotted for each in (original, guard) if original not in plain}
            self._replace(owner, name, guard)
            for alias, value in list(self._namespace.items()):
                if value is original:
                    self._namespace[alias] = guard
                    self._undo.append(_setter(self._namespace, alias, original))
        if self._now:
            self._watch = Watch(self._now, functions, self._checks, self._threads)
            self._watch.start()
        return noticed

    def hand_over(self, values: Iterable[Any]) -> list[Any]:
        """Arguments of a call, watched if anything is forbidden."""
        return [self._watch.hand_over(each) if self._watch else each for each in values]

    def _replace(self, owner: Any, name: str, guard: Callable[..., Any]) -> None:
        own = vars(owner).get(name, ...)
        try:
            setattr(owner, name, guard)
        except TypeError:
            raise ValueError(f"calls of {owner.__name__}.{name} cannot be watched") from None
        if own is ...:
            self._undo.append(lambda: delattr(owner, name))
        else:
            self._undo.append(lambda: setattr(owner, name, own))

    def _guarded(self, dotted: str, original: Any) -> Callable[..., Any]:
        def refuse(*args: Any, **kwargs: Any) -> Any:
            own = sys._getframe(1).f_globals.get("__name__") == "__main__"
            if own and dotted in self._now:
                if self._watch:
                    self._watch.noticed.add(dotted)
                raise RuntimeError(
                    f"{dotted} may not be called in this question: use simpler operations"
                )
            return original(*args, **kwargs)

        refuse.__name__, refuse.__doc__ = dotted.rpartition(".")[2], original.__doc__
        for way in ("reduce", "accumulate", "reduceat", "outer", "at"):  # of a ufunc
            if hasattr(original, way) and hasattr(original, "nin"):
                setattr(refuse, way, self._guarded(dotted, getattr(original, way)))
        return refuse


def _setter(namespace: dict[str, Any], name: str, value: Any) -> Callable[[], None]:
    return lambda: namespace.__setitem__(name, value)


def _owner(dotted: str) -> tuple[Any, str]:
    """The module or class that holds a dotted name, and the name's last part."""
    *path, name = dotted.split(".")
    for cut in range(len(path), 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(path[:cut]))
        except ModuleNotFoundError:
            continue
        for part in path[cut:]:
            owner = getattr(owner, part, None)
        if hasattr(owner, name):
            return owner, name
    if not path and hasattr(builtins, name):
        return builtins, name
    raise ValueError(f"{dotted} is to be forbidden, but there is no such name")
