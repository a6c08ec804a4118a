"""The queue of runs: the paper's tables run again, one result file for each row and seed.

    make results                                  # what is there, and what is missing
    make results MINUTES=60                       # go on for an hour, on every core
    python benchmarks/trials.py --only base       # run all that is missing of what is named so

Kill it whenever you like: the next call goes on from the last checkpoint of each run, kept in
runs/. Several may work on the queue at once, each on a run of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import variations
from filelock import FileLock, Timeout

from transformer_course.commands import record
from transformer_course.errors import DataError
from transformer_course.training import checkpoint

CRITERIA = Path(__file__).with_name("CRITERIA.md")
RESULTS = record.RESULTS / "variations"
RUNS = record.ROOT / "runs" / "variations"


def criteria() -> str:
    """The commit that changed the criteria last.

    Raises:
        DataError: if what they say now is not committed, or nobody can tell.
    """
    git = ["git", "-C", str(CRITERIA.parent)]
    clean = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", CRITERIA.name], check=False)
    log = [*git, "log", "-1", "--format=%H", "--", CRITERIA.name]
    found = subprocess.run(log, capture_output=True, text=True, check=False).stdout.strip()
    if clean.returncode or not found:
        raise DataError(f"{CRITERIA.name} is not committed as it stands: commit it, then run")
    return found[:12]


def path_of(trial: variations.Trial) -> Path:
    """Where the result of a trial is written."""
    return RESULTS / f"{trial.name}.json"


def finished(trial: variations.Trial) -> dict[str, Any] | None:
    """The result of a trial, if there is one.

    Raises:
        DataError: if the file is damaged, or is of another recipe than today's.
    """
    if not (path := path_of(trial)).exists():
        return None
    found = checkpoint.load_json(path, "a result")
    asked = json.loads(json.dumps(vars(variations.TASKS[trial.task])))
    if (found.get("row"), found.get("seed"), found.get("task")) != (trial.row, trial.seed, asked):
        raise DataError(
            f"{path} is of another recipe than benchmarks/variations.py has today: "
            "move it away, or check out the commit it names"
        )
    return found


def work_on(trial: variations.Trial) -> None:
    """Train, measure, and write the result; a loss that is not finite is a result too."""
    folder = RUNS / trial.name
    decided, commit = criteria(), record.commit("transformer_course", "benchmarks/variations.py")
    try:
        for line in trial.run(folder):
            print(f"{trial.name}: {line}", flush=True)
        result = trial.result(folder)
    except FloatingPointError as error:
        result = {"failed": str(error)}
    write_result(trial, result, decided, commit)
    checkpoint.remove(folder)
    print(f"{trial.name}: done", flush=True)


def write_result(
    trial: variations.Trial,
    result: dict[str, Any],
    decided: str,
    commit: str,
    command: str = "python benchmarks/trials.py",
) -> None:
    """Write down what a trial came to, and how, whole or not at all."""
    about = {
        "what": "one row of the paper's Table 3, or of a later paper, with one seed",
        "command": f"{command} --only {trial.name}",
        "criteria": decided,
        "commit": commit,
        "hardware": record.hardware(),
        "row": trial.row,
        "seed": trial.seed,
        "task": vars(variations.TASKS[trial.task]),
    }
    path = path_of(trial)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}.partial")
    scratch.write_text(json.dumps({**about, **result}, indent=1, ensure_ascii=False) + "\n")
    scratch.replace(path)


def next_trial(wanted: Sequence[variations.Trial]) -> tuple[variations.Trial, FileLock] | None:
    """The first without a result that nobody else works on, held."""
    for trial in wanted:
        lock = FileLock(RUNS / f"{trial.name}.lock")
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        if finished(trial):
            continue
        try:
            lock.acquire(blocking=False)
        except Timeout:
            continue
        if finished(trial):  # by somebody else, a moment ago
            lock.release()
            continue
        return trial, lock
    return None


def work(wanted: Sequence[variations.Trial], until: float) -> None:
    """Take one trial after the other, none after `until`."""
    while time.time() < until and (held := next_trial(wanted)):
        trial, lock = held
        try:
            work_on(trial)
        finally:
            lock.release()


def share_out(arguments: argparse.Namespace) -> int:
    """Start as many workers as there are cores, and wait for all of them."""
    command = [sys.executable, __file__, "--only", arguments.only, "--workers", "1"]
    command += ["--minutes", str(arguments.minutes)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    workers = [subprocess.Popen(command, env=alone) for _ in range(arguments.workers)]
    try:
        return int(any([worker.wait() for worker in workers]))  # also if one was killed
    except KeyboardInterrupt:
        for worker in workers:
            worker.terminate()
        return 130


def show(wanted: Sequence[variations.Trial]) -> None:
    """What is done and what is missing, a line for each row."""
    seeds: dict[tuple[str, str], list[str]] = {}
    for trial in wanted:
        mark = str(trial.seed) if finished(trial) else "."
        seeds.setdefault((trial.task, trial.row), []).append(mark)
    for (task, row), marks in seeds.items():
        print(f"{task:10}  {row:20}  {' '.join(marks)}")
    missing = sum(marks.count(".") for marks in seeds.values())
    print(f"{len(wanted) - missing} of {len(wanted)} runs are done (the seeds; a dot is missing)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Show the queue, or work on it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="those whose name holds this")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="what is there, and what is missing")
    options = parser.parse_args(arguments)
    wanted = [trial for trial in variations.trials() if options.only in trial.name]
    try:
        if not wanted:
            raise DataError(f"--only {options.only}: no run has that in its name; see --list")
        if options.list:
            show(wanted)
            return 0
        criteria()
        if options.workers > 1:
            return share_out(options)
        torch.set_num_threads(1)
        work(wanted, time.time() + 60 * options.minutes)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
