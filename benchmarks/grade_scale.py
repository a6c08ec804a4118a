"""Grading many submissions while a worker is killed: nothing lost, nothing twice, how long it took.

    python benchmarks/grade_scale.py burst     # 500 at once, the command with two workers
    python benchmarks/grade_scale.py cluster   # 2,000 on a local Dask cluster of two workers

Everyone hands in exercise 01, each with a line of one's own; every second one is right. Seconds
count from the start of the command, so that starting is part of them.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from grade_speed import EXERCISE, handed_in

from transformer_course.commands import record
from transformer_course.grading.exercises.exercise import load
from transformer_course.grading.grader.cluster import grade_on
from transformer_course.grading.grader.results_file import read, standing

SOON = 30.0  # seconds within which a burst should be answered
WORKERS = 2


def hand_in(folder: Path, count: int) -> float:
    """Write the submissions; returns the points they have earned together."""
    folder.mkdir()
    exercise = load(EXERCISE)
    right, blank = (json.dumps(handed_in(exercise, answered)) for answered in (True, False))
    for number in range(count):
        text = blank if number % 2 else right
        own = text.replace('"nbformat_minor"', f'"own": {number}, "nbformat_minor"')
        (folder / f"s{number:04}.ipynb").write_text(own)
    return exercise.points * ((count + 1) // 2)


def kill_when(files: list[Path], lines: int, victim: Any) -> threading.Thread:
    """Kill the process that `victim()` gives, once so many lines of results are there."""

    def watch() -> None:
        while sum(file.read_bytes().count(b"\n") for file in files if file.exists()) < lines:
            time.sleep(0.1)
        os.kill(victim(), signal.SIGKILL)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def found(files: list[Path], started: datetime, count: int, earned: float) -> dict[str, Any]:
    """What the files of results hold."""
    lines = [each for file in files for each in read(file)]
    stand = [each for each in standing(lines) if each["status"] != "error"]
    times = Counter(each["submission"]["id"] for each in lines if each["status"] != "error")
    taken = sorted(
        (datetime.fromisoformat(each["graded_at"]) - started).total_seconds() for each in stand
    )
    return {
        "submissions": count,
        "graded": len(stand),
        "lost": count - len(times),
        "twice": sum(each > 1 for each in times.values()),
        "errors": sum(each["status"] == "error" for each in lines),
        "points_earned": earned,
        "points_given": sum(each["score"] for each in stand),
        "within_30_s": round(sum(each <= SOON for each in taken) / count, 4),
        "seconds_median": round(taken[len(taken) // 2], 1),
        "seconds_last": round(taken[-1], 1),
    }


def burst(folder: Path, count: int) -> dict[str, Any]:
    """One command; a worker of it is killed, and the command is started once more at the end."""
    earned, out = hand_in(folder / "in", count), folder / "results.jsonl"
    command = [sys.executable, "-m", "transformer_course", "grade", str(folder / "in")]
    command += ["--exercise", str(EXERCISE), "--out", str(out), "--workers", str(WORKERS)]
    started = datetime.now(UTC)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        killed = kill_when([out], count // 2, lambda: psutil.Process(run.pid).children()[0].pid)
        said = run.communicate()[1].decode()
    killed.join()
    first = found([out], started, count, earned)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = found([out], started, count, earned)
    told = [line for line in said.splitlines() if " submissions in " in line or "Error" in line]
    return {"first_run": first, "said": told, "after_resume": after}


def cluster(folder: Path, count: int) -> dict[str, Any]:
    """A local cluster; a worker of it is killed, with the task that it has."""
    from distributed import Client, LocalCluster  # noqa: PLC0415  an extra

    earned, out, parts = hand_in(folder / "in", count), folder / "out", 4 * WORKERS
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
    ):
        files = [out.resolve() / f"part-{n}-of-{parts}.jsonl" for n in range(1, parts + 1)]
        victim = next(iter(local.workers.values())).pid
        killed = kill_when(files, count // 3, lambda: victim)
        started = datetime.now(UTC)
        options = ["--exercise", str(EXERCISE)]
        files = grade_on(client, [folder / "in"], out, parts=parts, options=options)
        killed.join()
        alive = len(client.scheduler_info(n_workers=-1)["workers"])
    return {"workers_at_the_end": alive, **found(files, started, count, earned)}


def main() -> None:
    """Measure and record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["burst", "cluster"])
    parser.add_argument("--count", type=int, help="submissions; default: 500, and 2000")
    args = parser.parse_args()
    count = args.count or {"burst": 500, "cluster": 2000}[args.what]
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        result = {"burst": burst, "cluster": cluster}[args.what](Path(name), count)
    result |= {"load_before": round(load_before, 1), "load_after": round(os.getloadavg()[0], 1)}
    print(json.dumps(result, indent=1))
    record.write(
        f"grade-{args.what}",
        f"{count} submissions of exercise 01, two workers, one killed in the middle",
        [f"python benchmarks/grade_scale.py {args.what}"],
        result=result,
    )


if __name__ == "__main__":
    main()
