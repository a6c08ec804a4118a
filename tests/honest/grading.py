"""Honest notebooks, made one after another, and what the command line gives for them."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from honest.causes import CAUSES, Cause
from honest.work import Work

ROOT = Path(__file__).parents[2]
BRIEF = ("--limit-seconds", "1", "--total-seconds", "10")  # where it is about time


def notebooks(seconds: bool = False) -> Iterator[tuple[Cause, Work]]:
    """Each cause on each of its exercises; those that are about time apart from the others."""
    for place, cause in enumerate(CAUSES):
        for name in cause.exercises(place) if cause.seconds == seconds else ():
            work = Work(name)
            cause.change(work)
            yield cause, work


def graded(
    wanted: Sequence[tuple[Cause, Work]],
    options: Sequence[str] = (),
    environment: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The result of each, by one run of the command line."""
    with tempfile.TemporaryDirectory(prefix="honest-") as name:
        folder, out = Path(name, "submitted"), Path(name, "results.jsonl")
        folder.mkdir()
        for cause, work in wanted:
            (folder / f"{cause.name}--{work.name}.ipynb").write_bytes(work.bytes())
        command = [sys.executable, "-m", "transformer_course", "grade", str(folder)]
        done = subprocess.run(
            [*command, "--out", str(out), *options],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        lines = out.read_text().splitlines() if out.exists() else []
    if len(lines) != len(wanted):
        raise RuntimeError(f"{len(lines)} results for {len(wanted)} notebooks: {done.stderr}")
    found = {line["submission"]["id"]: line for line in map(json.loads, lines)}
    return [found[f"{cause.name}--{work.name}"] for cause, work in wanted]
