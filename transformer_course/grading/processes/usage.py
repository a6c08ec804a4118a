"""What all of a student's processes use together: a limit of the system counts each alone.

Own code where psutil would do, as in `cleanup`. A cgroup would count too, where somebody has handed
one down; this holds on every Linux, and no process leaves it by a session or a parent of its own.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from transformer_course.grading.processes.cleanup import descendants
from transformer_course.grading.walls.privileges import PROCESSES

EVERY = 0.25  # seconds between two looks
LOOKS = 2  # in a row with several threads at work, before they have to share a core
OWN = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", re.MULTILINE)

Excess = Literal["memory", "processes"]


@dataclass
class Watched:
    """One student's processes, how much they may hold, and whether they share a core."""

    pid: int
    memory: int  # bytes
    several: int = 0  # looks in a row at which several threads wanted to compute
    core: int | None = None  # the one that all have to share

    def look(self) -> Excess | None:
        """What they have too much of. Whoever computes on several cores is left with one."""
        everyone = {self.pid, *descendants(self.pid)}
        if len(everyone) > 1 and held(everyone) > self.memory:
            return "memory"
        tasks = [task for pid in everyone for task in tasks_of(pid)]
        if len(tasks) > 2 * PROCESSES:  # the system's own limit is lower, and not for root
            return "processes"
        self.several = self.several + 1 if sum(map(at_work, tasks)) > 1 else 0
        if self.core is None and self.several == LOOKS:
            self.core = last_core(self.pid)
        if self.core is not None:
            confine(tasks, self.core)
        return None


def held(everyone: Iterable[int]) -> int:
    """Bytes that these hold, beyond what each has from this, the warm process.

    What forks share counts for each.
    """
    warm = own_memory(os.getpid())
    return sum(max(0, own_memory(pid) - warm) for pid in everyone)


def own_memory(pid: int) -> int:
    """Bytes of a process that are no file's; 0 where that is not known."""
    for task in tasks_of(pid):  # the first that has not ended knows it
        with suppress(OSError):
            status = Path(f"/proc/{pid}/task/{task}/status").read_text(errors="replace")
            if found := OWN.findall(status):
                return 1024 * sum(map(int, found))
    return 0


def tasks_of(pid: int) -> list[int]:
    """The threads of a process."""
    with suppress(OSError):
        return [int(each) for each in os.listdir(f"/proc/{pid}/task")]
    return []


def at_work(task: int) -> bool:
    """Whether a thread computes, or waits for a core to compute on."""
    return _stat(task)[:1] == ["R"]


def last_core(pid: int) -> int | None:
    """The core on which a process ran last."""
    found = _stat(pid)
    return int(found[36]) if found else None


def _stat(task: int) -> list[str]:
    """What the system says of a thread, from its state (the third) on."""
    with suppress(OSError):
        return Path(f"/proc/{task}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return []


def confine(tasks: Iterable[int], core: int) -> None:
    """One core for all of these, and there the last place. What they start inherits both."""
    for task in tasks:
        with suppress(OSError):  # it has ended
            os.sched_setaffinity(task, {core})
            os.setpriority(os.PRIO_PROCESS, task, 19)
