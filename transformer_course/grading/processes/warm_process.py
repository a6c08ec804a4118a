"""Students are forked from a warm process that has loaded torch, and no exercise."""

import itertools
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from transformer_course.grading.border import wire
from transformer_course.grading.border.asking import End, Limits, Student
from transformer_course.grading.border.failures import Reason
from transformer_course.grading.exercises.provides import with_imports
from transformer_course.grading.processes import cleanup
from transformer_course.grading.processes.isolation import Isolation, probe
from transformer_course.grading.processes.launch import launch, rooms
from transformer_course.grading.walls import linux

PACKAGE = Path(__file__).parents[2]
START_SECONDS = 120.0  # to import torch from a cold disk
REPLY_SECONDS = 30.0  # to fork, or to end, a student
FIRST_UID = 1_879_048_192  # from here to 2^31 no system assigns users


class ZygoteError(RuntimeError):
    """No process for a student's code can be had."""


class Zygote:
    """The warm process, seen from the checker. Use `with`; it serves any number of submissions.

    When it dies, the students in it are `Gone`, and the next one gets a new warm process.
    """

    def __init__(self, isolation: Isolation | None = None) -> None:
        self.isolation = probe() if isolation is None else isolation
        self._lock = threading.RLock()
        self._uids = itertools.count()
        self._cold: list[End] = []
        self._rooms = rooms()
        self._process: subprocess.Popen[bytes] | None = None
        if sys.platform == "linux":
            linux.not_dumpable()  # students of the same user cannot look into the checks
        self._start()

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the warm process, and with it every student."""
        for end in self._cold:
            end(0.0)
        if self._process is not None:
            self._control.close()
            self._process.wait()
            self._process = None
            cleanup.remove_rooms(self._rooms)

    def student(self, limits: Limits | None = None, provides: Collection[str] = ()) -> Student:
        """A new process for one student's code, which may import only these course modules.

        Raises:
            ZygoteError: The machine does not give one; the text says why.
        """
        limits = Limits() if limits is None else limits
        request = {
            "seconds": limits.total_seconds,
            "memory": limits.memory,
            "answer_bytes": limits.answer_bytes,
            "output_chars": limits.output_chars,
            "provides": sorted(with_imports(PACKAGE, tuple(provides))),
        }
        ours, theirs = socket.socketpair()
        with theirs:
            end = self._begin(request, theirs)
        student = Student(ours, limits, end)
        word, why = first_word(ours, START_SECONDS if self.isolation.level == 0 else REPLY_SECONDS)
        if word != "ready":
            student.close()
            raise ZygoteError(f"a student's process could not be prepared: {why}")
        return student

    def _begin(self, request: dict[str, Any], theirs: socket.socket) -> End:
        if self.isolation.level == 0:
            self._cold.append(cold(request, theirs))
            return self._cold[-1]
        with self._lock:
            try:
                word, found = self._ask("student", request, theirs.fileno())
            except (OSError, EOFError):
                self.close()
                self._start()
                word, found = self._ask("student", request, theirs.fileno())
            if word != "begun":
                raise ZygoteError(f"no process for a student's code: {found}")
            return self._ending(found)

    def _ending(self, pid: int) -> End:
        process = self._process

        def end(patience: float) -> Reason:
            with self._lock, suppress(OSError, EOFError):
                if process is self._process:
                    return cast(Reason, self._ask("end", [pid, patience])[1])
            return "died"  # with its warm process

        return end

    def _start(self) -> None:
        if self.isolation.level == 0:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            config = {"level": self.isolation.level, "probe": False, "rooms": self._rooms}
            self._process = launch(theirs, config)
        self._control = ours
        word, why = first_word(ours, START_SECONDS)
        if word != "ready":
            self._process.kill()
            self.close()
            raise ZygoteError(f"the warm process did not start: {why}")

    def _ask(self, operation: str, argument: Any, fd: int | None = None) -> list[Any]:
        assert self._process is not None
        deadline = time.monotonic() + REPLY_SECONDS
        if fd is not None:  # each student is another user, so that they do not share limits
            uid = FIRST_UID + self._process.pid % (1 << 22) * 64 + next(self._uids) % 64
            argument = {**argument, "uid": uid}
        wire.send(self._control, wire.encode([operation, argument], []), deadline)
        if fd is not None:
            socket.send_fds(self._control, [b"f"], [fd])
        return wire.receive(self._control, 1 << 16, deadline).parts


def first_word(sock: socket.socket, seconds: float) -> tuple[str, Any]:
    """What a new process says first: "ready", or "failed" and why."""
    try:
        word, why = wire.receive(sock, 1 << 16, time.monotonic() + seconds).parts
    except (OSError, EOFError, wire.ProtocolError) as error:
        return "failed", f"{error}"
    return word, why


def cold(request: dict[str, Any], theirs: socket.socket) -> End:
    """Level 0: a fresh interpreter for each student."""
    folder = tempfile.TemporaryDirectory(prefix="student-", ignore_cleanup_errors=True)
    config = {**request, "level": 0, "probe": False, "scratch": folder.name}
    process = launch(theirs, config)

    def end(patience: float) -> Reason:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        process.kill()
        process.wait()
        folder.cleanup()
        return "died"

    return end
