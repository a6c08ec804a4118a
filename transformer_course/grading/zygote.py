"""Students are forked from a warm process that has loaded torch, and no exercise."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from transformer_course.grading import wire
from transformer_course.grading.isolation import Isolation, probe
from transformer_course.grading.remote import Limits, Reason, Student

BOOT = "import sys, json; sys.path[:] = json.loads(sys.argv[1])['path']; \
from transformer_course.grading.warm import main; main(sys.argv[1])"
START_SECONDS = 120.0  # to import torch from a cold disk
REPLY_SECONDS = 30.0  # to fork, or to end, a student


class ZygoteError(RuntimeError):
    """No student process can be had."""


class Zygote:
    """The warm process, seen from the checker. Use `with`; it may serve many submissions."""

    def __init__(self, isolation: Isolation | None = None) -> None:
        self.isolation = probe() if isolation is None else isolation
        self.restarts = 0  # how often the warm process was lost, and another started
        self._lock = threading.Lock()
        self._start()

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the warm process, and with it every student."""
        self._control.close()
        self._process.wait()

    def student(self, limits: Limits | None = None, provides: Collection[str] = ()) -> Student:
        """A new process for one student's code.

        Raises:
            ZygoteError: The machine does not give one; the text says why.
        """
        limits = Limits() if limits is None else limits
        ours, theirs = socket.socketpair()
        request = {
            "seconds": limits.total_seconds,
            "memory": limits.memory,
            "answer_bytes": limits.answer_bytes,
            "output_chars": limits.output_chars,
            "provides": sorted(provides),
        }
        with theirs:
            try:
                word, pid = self._ask("student", request, theirs.fileno())
            except (OSError, EOFError):
                self._replace()
                word, pid = self._ask("student", request, theirs.fileno())
        if word != "begun":
            ours.close()
            raise ZygoteError(f"no process for the student's code: {pid}")
        student = Student(ours, limits, self._ending(pid))
        try:
            (word, why), _ = wire.receive(ours, 1 << 16, time.monotonic() + REPLY_SECONDS)
        except (OSError, EOFError, wire.ProtocolError) as error:
            word, why = "failed", str(error)
        if word != "ready":
            student.close()
            raise ZygoteError(f"the student's process could not be isolated: {why}")
        return student

    def _ending(self, pid: int) -> Any:
        process = self._process

        def end(patience: float = 0.0) -> Reason:
            with suppress(OSError, EOFError):
                if process is self._process:
                    return cast(Reason, self._ask("end", [pid, patience])[1])
            return "died"  # it died with its warm process

        return end

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = launch(theirs, {"isolation": self.isolation.level})
        self._control = ours
        try:
            (word, why), _ = wire.receive(ours, 1 << 16, time.monotonic() + START_SECONDS)
        except (OSError, EOFError) as error:
            word, why = "failed", str(error)
        if word != "ready":
            self.close()
            raise ZygoteError(f"the warm process did not start: {why}")

    def _replace(self) -> None:
        self.close()
        self.restarts += 1
        self._start()

    def _ask(self, operation: str, argument: Any, fd: int | None = None) -> list[Any]:
        with self._lock:
            deadline = time.monotonic() + REPLY_SECONDS
            wire.send(self._control, wire.encode([operation, argument], []), deadline)
            if fd is not None:
                socket.send_fds(self._control, [b"f"], [fd])
            return wire.receive(self._control, 1 << 16, deadline)[0]


def launch(sock: socket.socket, config: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start a fresh interpreter that knows only this socket; no secret of the environment."""
    path = [entry or os.getcwd() for entry in sys.path]
    package = Path(__file__).resolve().parents[1]
    argument = {"path": path, "fd": sock.fileno(), "package": str(package), **config}
    kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        [sys.executable, "-I", "-c", BOOT, json.dumps(argument)],
        pass_fds=[sock.fileno()],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
