"""The checks' side of the border: a student's process, and proxies of what lives in it."""

import socket
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from transformer_course.grading.border.failures import Gone, Place, Reason, raised
from transformer_course.grading.border.packing import pack
from transformer_course.grading.border.proxy import Remote
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.border.wire import ProtocolError, encode, receive, send

End = Callable[[float], Reason]  # ends the process and all it started; says how it had ended


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a student's process may use. Sizes in bytes, times in seconds."""

    seconds: float = 5.0  # one cell or one call; a question's `limit_seconds` may replace it
    total_seconds: float = 60.0  # the whole submission, all restarts included
    memory: int = 3 << 30
    answer_bytes: int = 64 << 20  # one reply
    check_bytes: int = 256 << 20  # all replies to one check, which may keep them
    output_chars: int = 65_536  # kept of what it prints


class Student:
    """One process with a student's answers. Made by `Zygote.student`; close it, or use `with`."""

    def __init__(self, sock: socket.socket, limits: Limits, end: End) -> None:
        self.limits = limits  # may be replaced between requests
        self.seconds = 0.0  # used so far, of limits.total_seconds
        self.received = 0  # bytes, of limits.check_bytes; whoever begins a check sets it to 0
        self.output = ""  # the tail of what it printed
        self.returned: Counter[str] = Counter()  # what calls gave; `Checker.run` begins it anew
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

    def forbid(self, names: Iterable[str]) -> list[str]:
        """Refuse these functions until called again; what was noticed of those before."""
        found = self.ask("forbid", list(names))
        if not isinstance(found, list) or any(type(each) is not str for each in found):
            self.lose("protocol", "a list of names expected")
        return found

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
            reply = receive(self._sock, self.limits.answer_bytes + 4096, deadline)
            self.received += reply.weight
            if self.received > self.limits.check_bytes:
                raise ProtocolError("its answers to one check would fill the memory")
            return self._read(reply.parts, reply.buffers)
        except TimeoutError:
            at_once = f"{self.limits.seconds:.3g} s at once"
            self.lose("timeout", at_once if self.limits.seconds <= left else "in all")
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
            case ["error", [str(kind), str(text), place], str(output)]:
                self.output = _text(output[-self.limits.output_chars :])
                kind, text = _text(kind[:200]), _text(text[:4000])
                raise raised(kind, text, Place.read(place))
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
