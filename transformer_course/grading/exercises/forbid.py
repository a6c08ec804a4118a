"""Forbidden calls: a question that asks for softmax by hand does not accept torch.softmax."""

import builtins
import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any


class Forbidden:
    """Functions that code of the notebook may not call, while libraries still may.

    A call is the notebook's when the calling frame's globals are those of `__main__`. Names that
    a cell imported before (`from torch import softmax`) are found in the notebook's namespace.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._undo: list[Callable[[], None]] = []
        self._now: set[str] = set()

    def forbid(self, names: Iterable[str]) -> None:
        """Refuse calls of these dotted names, such as "torch.softmax", and only of these.

        Raises:
            ValueError: A name leads nowhere, or belongs to a type that cannot be changed.
        """
        while self._undo:
            self._undo.pop()()
        self._now = set(names)
        for dotted in self._now:
            owner, name = _owner(dotted)
            if isinstance(getattr(owner, name), type):  # a class stays one, but makes nothing
                owner, name = getattr(owner, name), "__init__"
            original = getattr(owner, name)
            guard = self._guarded(dotted, original)
            self._replace(owner, name, guard)
            for alias, value in list(self._namespace.items()):
                if value is original:
                    self._namespace[alias] = guard
                    self._undo.append(_setter(self._namespace, alias, original))

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
                raise RuntimeError(
                    f"{dotted} may not be called in this question: use simpler operations"
                )
            return original(*args, **kwargs)

        refuse.__name__, refuse.__doc__ = dotted.rpartition(".")[2], original.__doc__
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
