"""Forbidden functions by what they compute with: operations are seen where they run.

A name can be avoided: functions are kept in lists, renamed, called by a library, or found in
another corner of torch. What runs in the end is the same function, or the same operation of torch's
dispatcher. The watch runs in the process of whoever is watched, so what it sees is evidence for a
person, and what it does not see proves nothing.
"""

import _thread
import operator
import os
import re
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

UNWATCHED = "unwatched"  # what is noticed where something may have run out of sight
DERIVATIVES = ("torch.autograd.", "torch.func.", "torch.Tensor.backward")
_DIFFERENTIATING = ("Grad", "Jvp")  # functorch's transforms that are derivatives


def words(name: str) -> frozenset[str]:
    """`torch.nn.LayerNorm`, `aten::native_layer_norm`: the words of a name's last part."""
    last = re.split(r"\.|::", name)[-1]
    return frozenset(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last).lower().strip("_").split("_"))


@cache
def elementary() -> frozenset[Any]:
    """Functions and operations that Python's operators run: writing `x + y` is nothing forbidden.

    They are found by running all operators on two small tensors.
    """
    traced = Traced()
    with torch.no_grad(), _Functions(traced), _Operations(traced):
        for name in dir(operator):
            for count in (1, 2):
                with suppress(Exception):
                    getattr(operator, name)(*(torch.ones(2, 2) for _ in range(count)))
    return frozenset(traced.found)


class Traced:
    """Keeps what runs."""

    def __init__(self) -> None:
        self.found: set[Any] = set()
        self.function = self.operation = self.found.add


class Watch:
    """Refuses, while it is entered, what forbidden functions run, whoever calls it.

    `functions` are the forbidden functions with their names. `noticed` holds the names that were
    used, and UNWATCHED if not all could be seen. Where checks run in the same process, `checks` is
    the name of their module: what they call themselves is theirs. `threads` ran before any answer.
    """

    def __init__(
        self,
        names: Iterable[str],
        functions: Mapping[Any, str],
        checks: str = "",
        threads: int = 0,
    ) -> None:
        self.checks, self.threads = checks, threads
        self.functions, self.names = functions, sorted(names)
        self.derivative = next((each for each in self.names if each.startswith(DERIVATIVES)), "")
        self.noticed: set[str] = set()
        self.ran = 0  # operations
        self.given = False  # whether tensors were handed over
        self._verdicts: dict[str, str] = {}
        self._modes: list[Any] = []
        self._profile: Any = None

    def start(self) -> None:
        """Watch this thread, and those that it starts."""
        self._beside()
        self._modes = [_Functions(self), _Operations(self)]
        for mode in self._modes:
            mode.__enter__()
        self._profile = threading.getprofile()
        threading.setprofile(self._new_thread)

    def stop(self) -> list[str]:
        """What was noticed since the start."""
        threading.setprofile(self._profile)
        self._beside()
        for mode in reversed(self._modes):
            try:
                mode.__exit__(None, None, None)
            except Exception:  # code that was watched has put modes of its own above, or below
                self.noticed.add(UNWATCHED)
        self._modes = []
        if self.given and not self.ran:
            self.noticed.add(UNWATCHED)
        return sorted(self.noticed)

    def hand_over(self, value: Any) -> Any:
        """An argument, watched as far as that can be: arrays where NumPy's names are forbidden."""
        self.given |= isinstance(value, torch.Tensor)
        if type(value) is np.ndarray and any(each.startswith("numpy.") for each in self.names):
            watched = value.view(Watched)
            watched.watch = self
            return watched
        return value

    def function(self, function: Any) -> None:
        """Called for each function of torch."""
        try:
            name = self.functions.get(function, "")
        except TypeError:  # cannot be looked up
            name = ""
        if name or (self.derivative and self._differentiates(function)):
            self._refuse(name or self.derivative)

    def operation(self, operation: str) -> None:
        """Called for each operation of torch's dispatcher, or of NumPy."""
        self.ran += 1
        if torch._C._current_autograd_node() is not None:  # of what was watched on its way forward
            return self._refuse(self.derivative) if self.derivative else None
        if operation not in self._verdicts:
            plain = operation in elementary()
            self._verdicts[operation] = "" if plain else self._bears(operation)
        if name := self._verdicts[operation]:
            self._refuse(name)

    def _bears(self, operation: str) -> str:
        """The forbidden function whose name an operation bears, unless a plain one is allowed."""
        bare = operation.rpartition("::")[2].strip("_")
        plain = bare.removeprefix("native_")
        for module, label in ((torch, "torch"), (torch.nn.functional, "torch.nn.functional")):
            if hasattr(module, plain) and f"{label}.{plain}" not in self.names:
                return ""
        found = words(operation)
        return next((name for name in self.names if words(name) <= found), "")

    def _differentiates(self, function: Any) -> bool:
        inside = torch._C._functorch.peek_interpreter_stack()
        dual = getattr(function, "__name__", "") == "_make_dual" or forward_ad._current_level >= 0
        return dual or (inside is not None and inside.key().name in _DIFFERENTIATING)

    def _refuse(self, name: str) -> None:
        frame = sys._getframe() if self.checks else None
        while frame is not None and frame.f_globals.get("__name__") != "__main__":
            if frame.f_globals.get("__name__") == self.checks:
                return
            frame = frame.f_back
        self.noticed.add(name)
        raise RuntimeError(
            f"{name} may not be called in this question, however it is reached: "
            "use simpler operations"
        )

    def _beside(self) -> None:
        on_main_thread = threading.current_thread() is threading.main_thread()
        threads = _thread._count() > self.threads and on_main_thread
        if threads or (not self.checks and _has_children()):
            self.noticed.add(UNWATCHED)

    def _new_thread(self, *_: Any) -> None:
        """The first thing that runs in a thread, which ends with the modes entered."""
        sys.setprofile(None)
        for mode in (_Functions(self), _Operations(self)):
            mode.__enter__()


def _has_children() -> bool:
    """Whether there is a process beside this one that it has started."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):  # a system that cannot tell; there is none
        return False
    return True


class _Functions(TorchFunctionMode):
    def __init__(self, watch: Watch | Traced) -> None:
        super().__init__()
        self.watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.watch.function(func)
        return func(*args, **(kwargs or {}))


class _Operations(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here, and loading the compiler would take seconds."""
        return False

    def __init__(self, watch: Watch | Traced) -> None:
        super().__init__()
        self.watch = watch

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.watch.operation(func._schema.name)
        return func(*args, **(kwargs or {}))


class Watched(np.ndarray):
    """An array that tells which of NumPy's functions it meets, and is one otherwise."""

    watch: Watch | None = None

    def __array_finalize__(self, obj: Any) -> None:
        self.watch = getattr(obj, "watch", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        watch = next((each.watch for each in inputs if isinstance(each, Watched)), self.watch)
        if watch is not None:
            watch.operation(ufunc.__name__)
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(map(_plain, out))
        found = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return tuple(map(self._back, found)) if isinstance(found, tuple) else self._back(found)

    def _back(self, found: Any) -> Any:
        if type(found) is not np.ndarray:
            return found
        found = found.view(Watched)
        found.watch = self.watch
        return found


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Watched) else value
