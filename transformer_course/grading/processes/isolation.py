"""How far student code can be kept apart on this machine: found out by trying, and recorded.

3 namespaces, allow-list root, seccomp, rlimits · 2 Landlock, seccomp, rlimits · 1 rlimits and a
time limit in a fork · 0 a time limit, each student in a fresh interpreter.
"""

import json
import os
import socket
from dataclasses import dataclass, field
from typing import Any

from transformer_course.grading.processes import cleanup
from transformer_course.grading.processes.launch import launch, rooms

PROBE_SECONDS = 20.0


class IsolationError(RuntimeError):
    """The level asked for cannot be had here."""


@dataclass(frozen=True, kw_only=True)
class Isolation:
    """A rung of the ladder; what it consists of here; why there is nothing higher."""

    level: int
    details: dict[str, Any] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # level: reason


def probe(force: int | None = None) -> Isolation:
    """The highest level that works here, each tried in a process of its own.

    Raises:
        IsolationError: The level of `force` does not work; the text says why.
    """
    refused: dict[str, str] = {}
    for level in (3, 2, 1, 0) if force is None else (force,):
        found = _try(level)
        if isinstance(found, dict):
            return Isolation(level=level, details=found, refused=refused)
        refused[str(level)] = found
    raise IsolationError(f"isolation of level {force} cannot be had here: {refused}")


def _try(level: int) -> dict[str, Any] | str:
    """What a level consists of, or why it does not work."""
    if level == 0 or (level == 1 and not hasattr(os, "fork")):
        return {"fork": False} if level == 0 else "this system cannot fork"
    ours, theirs = socket.socketpair()
    prefix = rooms()
    with ours:
        with theirs:
            process = launch(theirs, {"level": level, "probe": True, "rooms": prefix})
        ours.settimeout(PROBE_SECONDS)
        text = b""
        try:
            while part := ours.recv(65536):
                text += part
            found = json.loads(text)
        except (OSError, ValueError):
            found = "the attempt ended without a word"
        finally:
            process.kill()
            process.wait()
            cleanup.remove_rooms(prefix)
    return found if isinstance(found, dict) else str(found)
