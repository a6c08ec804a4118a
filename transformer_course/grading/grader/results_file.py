"""Results as JSON Lines: one line for each submission, written as it comes, never half a line."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from filelock import lock_descriptor

from transformer_course.errors import DataError
from transformer_course.grading.grader.result import Key, Result, key_of

HELD = "another run writes to"
START = b'{"schema":"course-result/'


class Results:
    """A file that results are appended to. Use `with`; only one run writes to it at a time.

    A line that an earlier run left torn, killed while writing, is removed first. `before` holds
    the lines that still stand, and `done` the keys of what needs no grading again: a submission
    at which the grader itself failed does, and one that `again` asks for.

    Raises:
        DataError: another run writes to the file, or it holds something else.
    """

    def __init__(self, path: Path, again: Callable[[Result], bool] = lambda _: False) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file: IO[bytes] = open(path, "a+b")  # noqa: SIM115  closed by __exit__
        try:
            lock(self.file, path)
            check_first(self.file, path)
            repair(self.file)
            self.file.seek(0)  # Windows lets nobody else read a locked file, not even this process
            self.before = standing(results_in(self.file, path))
            keep = [each for each in self.before if each["status"] != "error" and not again(each)]
            self.done: set[Key] = {key_of(each) for each in keep}
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def add(self, result: Result) -> None:
        """Append one line; it is on the disk when this returns."""
        self.file.write(line_of(result).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())


def line_of(result: Result) -> str:
    """One line of ASCII, whatever characters the messages have."""
    return json.dumps(result, separators=(",", ":"))


def lock(file: IO[bytes], path: Path) -> None:
    """Keep a second run out. The lock ends with the process, however it ends."""
    if not lock_descriptor(file.fileno(), blocking=False):
        raise DataError(f"{HELD} {path}{holder(file)}: wait, or name another --out")


def holder(file: IO[bytes]) -> str:
    """The process that has a file's lock, where the system tells."""
    inode = os.fstat(file.fileno()).st_ino
    with suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            about = line.split()  # number, kind, mode, what for, process, device and inode, ...
            if about[5].endswith(f":{inode}") and about[4].isdecimal():
                return f", process {about[4]}"
    return ""


def check_first(file: IO[bytes], path: Path) -> None:
    """Leave a file alone that holds no results."""
    file.seek(0)
    start = file.read(len(START))
    if not START.startswith(start):
        raise DataError(f"{path} holds no results, it starts with {start!r}: name another --out")


def repair(file: IO[bytes]) -> None:
    """Cut off what stands behind the last end of line."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - (1 << 16))
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            file.truncate(start + found + 1)
            return
        end = start
    file.truncate(0)


def read(path: Path) -> Iterator[Result]:
    """The results in a file, one at a time.

    Raises:
        DataError: a line is not a result; the message names it.
    """
    with open(path, "rb") as file:
        yield from results_in(file, path)


def results_in(file: IO[bytes], path: Path) -> Iterator[Result]:
    """The results in a file that is open."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            result = json.loads(line)
            good = str(result["schema"]).startswith("course-result/")
            good = good and {"submission", "tests", "status", "score"} <= set(result)
        except (ValueError, TypeError, KeyError, RecursionError):
            good = False
        if not good:
            raise DataError(
                f"{path}, line {number}: expected a line of results, got {line[:40]!r}; "
                "remove the line, and grade again what it stood for"
            )
        yield result


def standing(results: Iterable[Result]) -> list[Result]:
    """The last result of each submission; a failure of the grader until its file is graded."""
    latest: dict[tuple[str, str, str], Result] = {}
    failed: dict[tuple[str, str], Result] = {}
    for result in results:
        about = result["submission"]
        failed.pop((about["id"], about["path"]), None)
        if result["status"] == "error":
            failed[about["id"], about["path"]] = result
        else:
            latest[about["id"], result["exercise"], about["sha256"]] = result
    return [*latest.values(), *failed.values()]


def best(results: Iterable[Result]) -> list[Result]:
    """The result that counts, for each student and exercise, in the order of their names."""
    found: dict[tuple[str, str], Result] = {}
    for result in standing(results):
        about = result["submission"]["id"], result["exercise"]
        before = found.get(about)
        if before is None or worth(result) >= worth(before):
            found[about] = result
    return [result for _, result in sorted(found.items())]


def worth(result: Result) -> tuple[float, bool]:
    """By what the best is found: its points, and whether they were earned at all."""
    return result["score"], result["status"] == "graded"


def by_student(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Each student's results."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result["submission"]["id"], []).append(result)
    return found
