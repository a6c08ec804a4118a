"""Ending a student's process, and whatever it has started."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path


def end(pid: int, patience: float = 0.0) -> str:
    """Kill a child of this process with all its descendants; say how it had ended by itself.

    It is given `patience` seconds to have ended already. Returns "died", "memory" or "timeout".
    """
    until = time.monotonic() + patience
    status = None
    while status is None:
        done, found = os.waitpid(pid, os.WNOHANG)
        status = found if done else None
        if status is None and time.monotonic() >= until:
            break
        if status is None:
            time.sleep(0.001)
    if status is None:
        _kill(pid)
        os.waitpid(pid, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if status is not None and os.WIFSIGNALED(status):
        return {signal.SIGKILL: "memory", signal.SIGXCPU: "timeout"}.get(
            os.WTERMSIG(status), "died"
        )
    return "died"


def _kill(root: int) -> None:
    """The root stops first and dies last: as a subreaper it keeps the orphans findable."""
    os.kill(root, signal.SIGSTOP)
    while found := descendants(root):
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    os.kill(root, signal.SIGKILL)


def descendants(root: int) -> set[int]:
    """Living processes below this one; none where there is no /proc."""
    parents = {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = each.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state not in "ZX":
                parents[int(each.parent.name)] = int(parent)
    found, new = set(), {root}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new and pid not in found}
        found |= new
    return found
