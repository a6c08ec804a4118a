"""The checks' side of the border: a student's process, and proxies of what lives in it."""

import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from transformer_course.grading.wire import (
    MAX_ITEMS,
    ProtocolError,
    encode,
    pack,
    receive,
    send,
    unpack,
)

Reason = Literal["timeout", "died", "memory", "protocol"]
End = Callable[[float], Reason]  # ends the process and all it started; says how it had ended


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a student's process may use. Sizes in bytes, times in seconds."""

    seconds: float = 5.0  # one cell or one call; a question's `limit_seconds` may replace it
    total_seconds: float = 60.0  # the whole submission, all restarts included
    memory: int = 3 << 30
    answer_bytes: int = 64 << 20  # one reply
    output_chars: int = 65_536  # kept of what it prints


class StudentError(Exception):
    """The student's code raised. A ValueError there is also caught as ValueError here."""

    def __init__(self, kind: str, text: str, line: int | None = None) -> None:
        super().__init__(kind, text, line)
        self.kind, self.text, self.line = kind, text, line

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


_ALSO = (
    *(ArithmeticError, AttributeError, IndexError, KeyError, LookupError, MemoryError),
    *(NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError, ZeroDivisionError),
)
_KINDS = {kind.__name__: type("StudentError", (StudentError, kind), {}) for kind in _ALSO}


class Gone(Exception):
    """The student's process is lost; what it had computed is lost with it."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        said = {
            "timeout": "the code took longer than it may",
            "died": "the code ended its process",
            "memory": "the code used more memory than it may",
            "protocol": "the code interfered with its grading",
        }[self.reason]
        return f"{said} ({self.detail})" if self.detail else said


class Remote:
    """Stands for an object of the student's: call it, read attributes, index, len, iterate.

    Results come as plain data and real tensors, or as another proxy. Arguments are copied.
    """

    __slots__ = ("__weakref__", "_handle", "_student", "_type")

    def __init__(self, student: "Student", handle: int, name: str) -> None:
        for slot, value in (("_student", student), ("_handle", handle), ("_type", name)):
            object.__setattr__(self, slot, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student.ask("call", self._handle, list(args), kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)  # what copy, numpy and torch look for is not there
        return self._student.ask("attribute", self._handle, name)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{name} of a student's {self._type} cannot be set from a check")

    def __getitem__(self, index: Any) -> Any:
        return self._student.ask("item", self._handle, index)

    def __len__(self) -> int:
        return _expect(self._student, int, self._student.ask("length", self._handle))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        steps = self._student.remote("iterate", self._handle)
        count, total = 1, 0
        while True:
            found = _expect(self._student, list, self._student.ask("step", steps._handle, count))
            total += len(found)
            if total > MAX_ITEMS:
                raise StudentError("RuntimeError", f"there is no end after {MAX_ITEMS:,} items")
            yield from found
            if len(found) < count:
                return
            count = min(2 * count, 1024)

    def __next__(self) -> Any:
        for found in _expect(self._student, list, self._student.ask("step", self._handle, 1)):
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

    def _gradients(self, *inputs: Any) -> list[Any]:
        """Gradients of the first output's sum with respect to each input."""
        return _expect(self._student, list, self._student.gradients(self, inputs)[1])

    def _arguments_after(self, *args: Any) -> list[Any]:
        """The arguments as they are after a call."""
        return _expect(self._student, list, self._student.arguments_after(self, args)[1])

    def _is_module(self) -> bool:
        """Whether it is an nn.Module in its own process."""
        return self._student.ask("is_module", self._handle) is True


def _expect(student: "Student", kind: type[Any], found: Any) -> Any:
    if type(found) is not kind or (kind is int and found < 0):
        student.lose("protocol", f"{kind.__name__} expected")
    return found


class Student:
    """One process with a student's answers. Made by `Zygote.student`; close it, or use `with`."""

    def __init__(self, sock: socket.socket, limits: Limits, end: End) -> None:
        self.limits = limits  # may be replaced between requests
        self.seconds = 0.0  # used so far, of limits.total_seconds
        self.output = ""  # the tail of what it printed
        self._sock, self._end = sock, end
        self._gone: Gone | None = None

    def __enter__(self) -> "Student":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and everything it started."""
        if self._gone is None:
            self._gone = Gone("died", "closed")
            self._end(0.0)
            self._sock.close()

    def execute(self, source: str, name: str) -> None:
        """Run a cell; its error says the line of it."""
        self.ask("execute", source, name)

    def values(self, names: Collection[str]) -> dict[str, Any]:
        """Those of the names that are defined; functions and objects come as `Remote`."""
        found = self.ask("values", sorted(names))
        if not isinstance(found, dict) or not set(found) <= set(names):
            self.lose("protocol", "names that were not asked for")
        return found

    def forbid(self, names: Iterable[str]) -> None:
        """Refuse the student's own calls of these functions, until called again."""
        self.ask("forbid", list(names))

    def gradients(
        self,
        function: Remote,
        args: Iterable[Any],
        kwargs: dict[str, Any] | None = None,
        weights: Iterable[Any] | None = None,
    ) -> tuple[Any, list[Any], dict[str, Any]]:
        """Output; gradients by each tensor among the arguments; by each parameter of a module.

        The gradient is of the sum of the outputs times `weights`, or of the first output's sum.
        """
        given = None if weights is None else list(weights)
        found = self.ask("gradients", function._handle, list(args), kwargs or {}, given)
        return self._three(found)

    def arguments_after(
        self, function: Remote, args: Iterable[Any], kwargs: dict[str, Any] | None = None
    ) -> tuple[Any, list[Any], dict[str, Any]]:
        """What a call returns, and its arguments as they are afterwards."""
        return self._three(self.ask("arguments_after", function._handle, list(args), kwargs or {}))

    def reference(self, found: Remote, name: str) -> Remote:
        """A dotted attribute that stays where it is: a parameter that is to be changed there."""
        return self.remote("refer_to", found._handle, name)

    def _three(self, found: Any) -> tuple[Any, list[Any], dict[str, Any]]:
        if not isinstance(found, list) or [type(x) for x in found[1:]] != [list, dict]:
            self.lose("protocol", "an output, a list and a dict expected")
        return found[0], found[1], found[2]

    def remote(self, operation: str, *args: Any) -> Remote:
        """As `ask`, for an operation that gives an object."""
        found = self.ask(operation, *args)
        if not isinstance(found, Remote):
            self.lose("protocol", "an object expected")
        return found

    def ask(self, operation: str, *args: Any) -> Any:
        """One request and its reply, within the limits.

        Raises:
            StudentError: The student's code raised.
            Gone: The process is lost, now or before.
        """
        if self._gone is not None:
            raise Gone(self._gone.reason, self._gone.detail)
        buffers: list[bytes] = []
        message = [operation, pack(list(args), buffers, self._refer)]
        started = time.monotonic()
        left = self.limits.total_seconds - self.seconds
        deadline = started + min(self.limits.seconds, left)
        try:
            send(self._sock, encode(message, buffers), deadline)
            return self._read(*receive(self._sock, self.limits.answer_bytes + 4096, deadline))
        except TimeoutError:
            at_once = f"{self.limits.seconds:.3g} s at once"
            self.lose("timeout", at_once if self.limits.seconds <= left else "all calls together")
        except ProtocolError as error:
            self.lose("protocol", str(error))
        except (EOFError, OSError):
            self.lose("died")
        finally:
            self.seconds += time.monotonic() - started

    def _read(self, reply: list[Any], buffers: list[bytes]) -> Any:
        match reply:
            case ["ok", result, str(output)]:
                self.output = _text(output[-self.limits.output_chars :])
                return unpack(result, buffers, lambda handle, name: Remote(self, handle, name))
            case ["error", [str(kind), str(text), line], str(output)]:
                self.output = _text(output[-self.limits.output_chars :])
                kind, text = _text(kind[:200]), _text(text[:4000])
                line = line if type(line) is int else None
                raise _KINDS.get(kind, StudentError)(kind, text, line)
        raise ProtocolError("neither an answer nor an error")

    def _refer(self, value: Any) -> list[Any]:
        if isinstance(value, Remote):
            if value._student is not self:
                raise TypeError(f"{value!r} belongs to a process that has ended")
            return ["object", value._handle, value._type]
        raise TypeError(f"a check cannot send {type(value).__name__} to student code")

    def lose(self, reason: Reason, detail: str = "") -> NoReturn:
        """Give the process up."""
        ended = self._end(0.2 if reason == "died" else 0.0)
        self._sock.close()
        self._gone = Gone(ended if reason == "died" else reason, detail)
        raise Gone(self._gone.reason, detail) from None


def _text(found: str) -> str:
    """Without the halves of characters that no file could hold."""
    return found.encode("utf-8", "replace").decode("utf-8")
