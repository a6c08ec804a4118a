"""What can become of a student's code: it raised, or its process is lost."""

from typing import Literal

Reason = Literal["timeout", "died", "memory", "processes", "protocol"]


class StudentError(Exception):
    """The student's code raised. A ValueError there is also caught as ValueError here."""

    def __init__(self, kind: str, text: str, line: int | None = None) -> None:
        super().__init__(kind, text, line)
        self.kind, self.text, self.line = kind, text, line

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


def raised(kind: str, text: str, line: int | None) -> StudentError:
    """The error to raise here for one that was raised there."""
    return _KINDS.get(kind, StudentError)(kind, text, line)
