"""One attempt in the notebook's own process: each check in its time, what it prints caught."""

import ctypes
import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from typing import Any, TextIO, cast

import numpy as np
import torch

from transformer_course.grading.exercises.checking import Checker, Row, always, explain
from transformer_course.grading.exercises.exercise import Question
from transformer_course.grading.exercises.local import LocalStudent

SECONDS = 5.0  # for one check, if its question does not say
PATIENCE = 3  # times as long by the clock, where the processor has worked for others meanwhile
KEPT = 4_000  # characters of what the answer printed


BUSY = (
    " But the machine was busy: the processor worked for this less than half of the time. Press "
    "Check again."
)


class OutOfTime(BaseException):
    """Raised inside code that takes too long; no `except Exception` of the learner's stops it."""

    def __init__(self, said: str = "", busy: bool = False) -> None:
        super().__init__(said)
        self.busy = busy  # the machine, with others' work


class Caught:
    """Takes what one thread prints, up to a limit; what other threads print goes on as before."""

    def __init__(self, owner: threading.Thread, beyond: TextIO) -> None:
        self.owner, self.beyond = owner, beyond
        self.text = ""
        self.left_out = 0

    def write(self, text: str) -> int:
        """Keep some of it, count the rest."""
        if threading.current_thread() is not self.owner:
            return self.beyond.write(text)
        kept = text[: KEPT - len(self.text)]
        self.text += kept
        self.left_out += len(text) - len(kept)
        return len(text)

    def flush(self) -> None:
        """As a file does."""
        self.beyond.flush()

    def __str__(self) -> str:
        more = f"\n... and {self.left_out:,} more characters" if self.left_out else ""
        return self.text + more


def attempt(
    checker: Checker, question: Question, namespace: dict[str, Any]
) -> tuple[list[Row], str]:
    """The rows of a question's checks, and what the answer printed meanwhile.

    Works on any thread of any system: an endless loop in Python ends after the question's limit,
    of the clock's time and of the processor's, so that a busy machine fails no answer; code that
    does not come back from C, such as a long sleep, is left behind on its own thread.
    """
    seconds = question.limit_seconds or SECONDS
    student = LocalStudent(namespace)
    rows: list[Row] = []
    printed = ""
    for check in question.checks:
        if any(row.status == "timeout" for row in rows):
            said = "Not tried, since the time ran out before."
            rows.append(Row(check=check, status="not_reached", message=said))
            continue
        found, output = within(seconds, partial(seeded, partial(checker.run, check, student)))
        printed += output
        if isinstance(found, OutOfTime):
            said = f"No result after {seconds:g} seconds. Does every loop end? {found}"
            said += BUSY if found.busy else ""
            found = Row(check=check, status="timeout", message=said)
        elif isinstance(found, BaseException):  # such as SystemExit
            found = explain(check, cast(Exception, found), checker.fixed)
        rows.append(found)
    return always(rows), printed


def seeded(run: Callable[[], Row]) -> Row:
    """Run with the random numbers that grading starts with; the notebook's own go on after it."""
    kept = random.getstate(), np.random.get_state(), torch.get_rng_state()
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    try:
        return run()
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        torch.set_rng_state(kept[2])


def within(seconds: float, run: Callable[[], Row]) -> tuple[Row | BaseException, str]:
    """What `run` returns or raises, `OutOfTime` if it takes longer; and what it printed."""
    result: list[Row | BaseException] = []
    over = threading.Lock()

    def work() -> None:
        try:
            found = run()
            with over:
                result.append(found)
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=work, daemon=True)
    out, err = Caught(thread, sys.stdout), Caught(thread, sys.stderr)
    with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
        began, used = time.monotonic(), time.process_time()
        passed = worked = 0.0
        thread.start()
        while thread.is_alive() and passed < PATIENCE * seconds and min(passed, worked) < seconds:
            thread.join(min(seconds / 10, 0.1))
            passed, worked = time.monotonic() - began, time.process_time() - used
        for _ in range(20):
            with over:
                if result:
                    break
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(cast(int, thread.ident)), ctypes.py_object(OutOfTime)
                )
            thread.join(0.05)
    late = not result
    if late or isinstance(result[0], OutOfTime):
        left = "It goes on in the background: restart the kernel." if late else "It was stopped."
        return OutOfTime(left, seconds / 10 < worked < passed / 2), f"{out}{err}"
    return result[0], f"{out}{err}"
