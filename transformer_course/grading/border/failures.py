"""What can become of a student's code: it raised, or its process is lost."""

from dataclasses import dataclass
from typing import Any, Literal

Reason = Literal["timeout", "died", "memory", "processes", "protocol"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """A line of the student's, in the cell that was asked or in one that it called."""

    line: int
    source: str = ""  # of that line
    kept: str = ""  # how the method's object has a name that is missed: "self", "init" or ""
    function: str = ""  # whose line it is, in another cell
    caller: int | None = None  # then the line in the cell that was asked
    asked: str = ""  # the function that was asked, of a method with its class

    @classmethod
    def read(cls, found: Any) -> "Place | None":
        """What a student's process says; None if it is nothing of the kind."""
        match found:
            case [line, str(source), str(kept), str(function), caller, *more] if type(
                line
            ) is int and (caller is None or type(caller) is int):
                source = source[:300].encode("utf-8", "replace").decode("utf-8")
                return cls(
                    line=line,
                    source=source,
                    kept=kept,
                    function=_name(function),
                    caller=caller,
                    asked=_name(more[0]) if len(more) == 1 and isinstance(more[0], str) else "",
                )
        return None

    def sent(self) -> list[Any]:
        """As `read` takes it."""
        return [self.line, self.source, self.kept, self.function, self.caller, self.asked]


def _name(found: str) -> str:
    """A plain name, of a method with its class; "" for anything else."""
    return found[:100] if found.replace(".", "").isidentifier() else ""


class StudentError(Exception):
    """The student's code raised. A ValueError there is also caught as ValueError here."""

    def __init__(self, kind: str, text: str, place: Place | None = None) -> None:
        super().__init__(kind, text, place)
        self.kind, self.text, self.place = kind, text, place

    @property
    def line(self) -> int | None:
        """The number of the line."""
        return self.place.line if self.place else None

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


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
            "processes": "the code started more processes than it may",
            "protocol": "the code interfered with its grading",
        }[self.reason]
        return f"{said} ({self.detail})" if self.detail else said


_ALSO = (
    *(ArithmeticError, AttributeError, IndexError, KeyError, LookupError, MemoryError),
    *(NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError, ZeroDivisionError),
)
_KINDS = {kind.__name__: type("StudentError", (StudentError, kind), {}) for kind in _ALSO}


def raised(kind: str, text: str, place: Place | None) -> StudentError:
    """The error to raise here for one that was raised there."""
    return _KINDS.get(kind, StudentError)(kind, text, place)
