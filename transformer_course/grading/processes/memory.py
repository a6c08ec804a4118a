"""The memory of all of a student's processes together: a limit of the system counts each alone."""

import os
import re
from contextlib import suppress
from pathlib import Path

from transformer_course.grading.processes.cleanup import descendants

EVERY = 0.25  # seconds between two looks
OWN = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", re.MULTILINE)


def own_memory(pid: int) -> int:
    """Bytes of a process that are no file's; 0 where that is not known."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        return 1024 * sum(map(int, OWN.findall(status)))
    return 0


def held(root: int) -> int:
    """Bytes that a student's processes hold, beyond what each has from the warm process.

    0 for one that has started none: its own limit is exact. What forks share counts for each.
    """
    others = descendants(root)
    warm = own_memory(os.getpid())
    return sum(max(0, own_memory(pid) - warm) for pid in {root, *others}) if others else 0
