"""What a student's processes use together, counted where the system counts each alone."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from transformer_course.grading.processes import cleanup, usage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is read from /proc")


@contextmanager
def running(code):
    """A process that runs this, and has said that it is ready."""
    source = f"import os, threading, time\n{code}\nprint(flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            yield process.pid
        finally:
            cleanup.kill(process.pid)


def looks(watched, until=5.0):
    """Looks until there is something to say, or the time is over."""
    end = time.monotonic() + until
    while time.monotonic() < end:
        if (found := watched.look()) or watched.core is not None:
            return found
        time.sleep(0.05)
    return None


THREADS = "for _ in range({count}): threading.Thread(target=time.sleep, args=(60,)).start()"
HOLDS = "held = bytearray(os.urandom(1 << 20)) * {size}\nif {forks}: os.fork()"


@pytest.mark.parametrize(("count", "found"), [(100, None), (140, "processes")])
def test_threads_and_processes_are_counted_together(count, found):
    with running(THREADS.format(count=count)) as pid:
        assert usage.Watched(pid, 1 << 40).look() == found


@pytest.mark.parametrize(
    ("size", "forks", "found"), [(200, True, "memory"), (200, False, None), (1, True, None)]
)
def test_memory_counts_together_once_there_are_several(size, forks, found):
    """One alone has an exact limit of the system's."""
    warm = usage.own_memory(os.getpid())
    with running(HOLDS.format(size=size + (warm >> 20), forks=forks)) as pid:
        assert usage.Watched(pid, 300 << 20).look() == found


ENDS = """
import ctypes
held = bytearray(os.urandom(1 << 20)) * 200
threading.Thread(target=time.sleep, args=(60,)).start()
print(flush=True)
ctypes.CDLL(None).syscall({exit}, 0)
"""


def test_a_process_whose_first_thread_has_ended_lives_and_holds_memory():
    number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    with running(ENDS.format(exit=number)) as pid:
        until = time.monotonic() + 10
        while usage._stat(pid)[0] != "Z" and time.monotonic() < until:
            time.sleep(0.01)
        assert usage._stat(pid)[0] == "Z"
        assert pid in usage.descendants(os.getpid())
        assert usage.own_memory(pid) > 200 << 20


SPIN = "def spin():\n    while True: pass\nfor _ in range({count}): os.fork() or spin()"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_those_who_compute_at_once_share_a_core(count):
    with running(SPIN.format(count=count)) as pid:
        watched = usage.Watched(pid, 1 << 40)
        assert looks(watched, 2.0 if count < 2 else 10.0) is None
        assert (watched.core is not None) == (count > 1)
        everyone = {pid, *usage.descendants(pid)}
        assert len(everyone) == count + 1
        shared = [os.sched_getaffinity(each) == {watched.core} for each in everyone]
        assert shared == [count > 1] * len(shared) or len(os.sched_getaffinity(0)) == 1
