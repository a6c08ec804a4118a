"""Answers in this very process, such as a notebook's own, asked in the way of isolated ones."""

import linecache
import time
from collections import Counter
from typing import Any, NoReturn

from transformer_course.grading.border.asking import Limits, Student
from transformer_course.grading.border.failures import Gone, Reason, raised
from transformer_course.grading.border.packing import pack
from transformer_course.grading.border.proxy import Remote
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.exercises.answers import Answers, describe
from transformer_course.grading.exercises.checking import CHECKS


class LocalStudent(Student):
    """A `Student` without a process, so that a panel and the grader see the same.

    Values are copied on their way in both directions. There is no limit of time or memory.
    """

    def __init__(self, namespace: dict[str, Any] | None = None) -> None:
        self.namespace = {"__name__": "__main__"} if namespace is None else namespace
        self.answers = Answers(self.namespace, CHECKS)
        self.limits, self.seconds, self.received, self.output = Limits(), 0.0, 0, ""
        self.returned = Counter()

    def execute(self, source: str, name: str) -> None:
        """Run a cell. Whatever it raises is raised."""
        lines = source.splitlines(keepends=True)
        linecache.cache[f"<{name}>"] = (len(source), None, lines, f"<{name}>")
        exec(compile(source, f"<{name}>", "exec"), self.namespace)

    def ask(self, operation: str, *args: Any) -> Any:
        """One request and its reply.

        Raises:
            StudentError: The learner's code raised; the traceback is that of its error.
        """
        sent: list[bytes] = []
        back: list[bytes] = []
        message = pack(list(args), sent, self._refer)
        started = time.monotonic()
        try:
            found = self.answers.answer(operation, message, sent, back)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            kind, text, _ = describe(error)
            raise raised(kind, text, None).with_traceback(error.__traceback__) from None
        finally:
            self.seconds += time.monotonic() - started
        return unpack(found, back, lambda handle, name: Remote(self, handle, name))

    def lose(self, reason: Reason, detail: str = "") -> NoReturn:
        """There is no process to give up."""
        raise Gone(reason, detail)

    def close(self) -> None:
        """There is no process to end."""
