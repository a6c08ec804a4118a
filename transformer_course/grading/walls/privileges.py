"""What a process gives up before it runs student code, whatever the level."""

import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

FILE_BYTES = 32 << 20
PROCESSES = 64


def limits(memory: int, seconds: float, processes: int | None) -> None:
    """Resource limits. `processes` counts those of the same user; None leaves it as it is."""
    wanted = {
        "AS": memory,
        "CPU": int(seconds) + 2,
        "FSIZE": FILE_BYTES,
        "NOFILE": 128,
        "NPROC": processes,
        "STACK": 8 << 20,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }
    for name, value in wanted.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None or value is None:
            continue
        with suppress(ValueError, OSError):  # macOS does not know all of them
            hard = resource.getrlimit(number)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(number, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write fails instead


def other_user(uid: int) -> None:
    """Become a user whom nothing belongs to. Only root can."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def tasks_of_user() -> int:
    """Threads and processes that count against this user's limit now."""
    count = 0
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if each.stat().st_uid == os.getuid():
                count += len(os.listdir(each / "task"))
    return count
