"""Grade many submissions in several processes. None of them stops the others."""

import itertools
import json
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, cast

import torch

from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.grader.catalog import Catalog
from transformer_course.grading.grader.result import (
    Key,
    Result,
    better,
    doubtful,
    nothing,
    result_of,
    runner_of,
)
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.isolation import Isolation
from transformer_course.grading.processes.warm_process import Zygote, ZygoteError
from transformer_course.grading.walls import linux

GRACE = 60.0  # seconds beyond a submission's own time in which its result has to come
RUNS = 2  # of its cells, in the time for a submission each: see `run.others`
START = 300.0  # seconds in which a worker has to be ready, beside others that start too
ALIVE = 5.0  # seconds between two looks whether there still is somebody to work for
LATE = ["late", "it took too long"]
FORK = "fork" if sys.platform == "linux" else "spawn"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is the same for all submissions of a run."""

    exercises: Sequence[Exercise | Path]  # read, or to be read
    isolation: Isolation
    limits: Limits
    done: Collection[Key] = ()


def grade_all(
    submissions: Iterable[Submission], settings: Settings, workers: int = 1
) -> Iterator[Result | None]:
    """Results as they come; None for a submission that was done before.

    What is doubtful, since a busy machine can look like that, is tried once more at the end, with
    nothing beside it. The better of both results counts.

    Raises:
        DataError: this machine gives no processes for students' code, or an exercise cannot be
            read.
    """
    again: list[tuple[Submission, Result]] = []
    for found, result in each(submissions, settings, workers):
        if result is not None and doubtful(result):
            again.append((found, result))
        else:
            yield result
    alone = each((found for found, _ in again), settings)
    for (_, first), (_, second) in zip(again, alone, strict=True):
        yield first if second is None else better(first, second)


def each(
    submissions: Iterable[Submission], settings: Settings, workers: int = 1
) -> Iterator[tuple[Submission, Result | None]]:
    """Each submission with its result, as it comes."""
    waiting = iter(submissions)
    crew: list[Worker] = []
    try:
        for found in itertools.islice(waiting, workers):
            crew.append(Worker(settings))
            crew[-1].give(found)
        while crew:
            for worker in first_ready(crew):
                yield worker.found, worker.take()
                crew.remove(worker)
                if (following := next(waiting, None)) is None:
                    worker.stop()
                    continue
                crew.append(worker if worker.alive else Worker(settings))
                crew[-1].give(following)
    finally:
        for worker in crew:
            worker.stop()


class Worker:
    """A process that grades one submission after the other, from a warm process of its own."""

    def __init__(self, settings: Settings) -> None:
        context: Any = multiprocessing.get_context(FORK)  # typeshed knows no Process of it
        self.settings, self.alive, self.ready = settings, True, False
        self.said = LATE
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, settings), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, found: Submission) -> None:
        """Have it grade this one."""
        self.found, self.given = found, time.monotonic()
        with suppress(OSError):  # it has died: `take` will say so
            self.pipe.send(found)

    def late(self) -> bool:
        """Whether it takes longer than any submission can."""
        limit = RUNS * self.settings.limits.total_seconds + GRACE if self.ready else START
        return time.monotonic() - self.given > limit

    def speaks(self) -> bool:
        """Read what it says; whether that is about its submission, and not that it is ready."""
        try:
            self.said = json.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.stop()
            self.said = ["gone", f"its process ended with code {self.process.exitcode}"]
        if self.said != ["ready", None]:
            return True
        self.ready, self.given, self.said = True, time.monotonic(), LATE
        return False

    def take(self) -> Result | None:
        """What came of the submission that it was given; that it died or hangs, if it does."""
        word, found = self.said
        self.said = LATE
        if word == "stop":
            raise DataError(found)
        if word == "result":
            return cast("Result | None", found)
        self.stop()
        outcome = nothing(None, "error", f"The grader failed: {found}.")
        runner = runner_of(self.settings.isolation, self.settings.limits)
        return result_of(self.found, None, outcome, runner, time.monotonic() - self.given)

    def stop(self) -> None:
        """End it, whatever it does; its warm process and its students go with it."""
        self.alive = False
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def first_ready(crew: Sequence[Worker]) -> list[Worker]:
    """Wait for those that have a result, or have died, or take too long."""
    while True:
        ready = wait([worker.pipe for worker in crew], timeout=ALIVE)
        found = [worker for worker in crew if worker.pipe in ready and worker.speaks()]
        if found := found + [worker for worker in crew if worker not in found and worker.late()]:
            return found


def work(pipe: Connection, settings: Settings) -> None:
    """The life of a worker's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which ends this
    if sys.platform == "linux":  # and a fork holds the run's lock on its results
        linux.die_with_parent()
    warnings.simplefilter("ignore")
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  what checks print is nobody's result
    torch.set_num_threads(1)
    master = os.getppid()
    try:
        with Zygote(settings.isolation) as zygote:
            catalog = Catalog(settings.exercises)
            pipe.send_bytes(json.dumps(["ready", None]).encode())
            while True:
                while not pipe.poll(ALIVE):
                    if os.getppid() != master:
                        return
                found = pipe.recv()
                result = catalog.grade(found, zygote, settings.limits, settings.done)
                pipe.send_bytes(json.dumps(["result", result]).encode())
    except (ZygoteError, DataError) as error:
        with suppress(OSError):
            pipe.send_bytes(json.dumps(["stop", str(error)]).encode())
    except (EOFError, OSError):
        return
