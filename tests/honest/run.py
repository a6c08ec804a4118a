"""Have honest notebooks graded by the command line, and say which got less than they earned.

PYTHONPATH=tests python -m honest.run   # keeps the table in benchmarks/results/honest.json
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from honest import panel
from honest.causes import CAUSES, Cause
from honest.work import Work

from transformer_course.commands import record

ROOT = Path(__file__).parents[2]
PROCESSORS = ("default", "avx2", "avx512")  # what torch may use of them
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


def row(cause: str, work: Work, result: dict[str, Any]) -> dict[str, Any]:
    """One line of the table, with the messages of what was lost."""
    return {
        "cause": cause,
        "exercise": work.name,
        "earned": work.earned,
        "given": result["score"],
        "status": result["status"],
        "flags": result["flags"],
        "lost": {
            each["id"]: f"{each['status']}: {each['message']}"
            for each in result["tests"]
            if each["points"] < each["max"]
        },
        "cells": result["cells"],
        "message": result.get("message", ""),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Grade all, for each kind of processor that this machine can stand for; keep the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processor", action="append", choices=PROCESSORS)
    parser.add_argument("--cause", action="append", help="only these, and keep nothing")
    args = parser.parse_args(argv)
    table: dict[str, list[dict[str, Any]]] = {}
    for processor in args.processor or PROCESSORS:
        rows = table[processor] = []
        for seconds in (False, True):
            wanted = [
                each for each in notebooks(seconds) if not args.cause or each[0].name in args.cause
            ]
            if wanted:
                options = ["--workers", "2", *(BRIEF if seconds else ())]
                found = graded(wanted, options, {"ATEN_CPU_CAPABILITY": processor})
                rows += [
                    row(cause.name, work, result)
                    for (cause, work), result in zip(wanted, found, strict=True)
                ]
        bad = [each for each in rows if each["given"] != each["earned"]]
        for each in bad:
            print(f"{each['cause']}, {each['exercise']}: {each['given']:g} of {each['earned']:g}")
            print(f"    {each['flags']} {each['message']} {each['lost']} {each['cells']}"[:600])
        print(f"{processor}: {len(rows) - len(bad)} of {len(rows)} were given what they earned")
    whole = not args.cause and not args.processor
    if whole:
        print(keep(table))
    names = set(args.cause or [cause.name for cause in CAUSES]) - panel.BEYOND
    wanted = [each for each in notebooks() if each[0].name in names]
    found = graded(wanted, ["--workers", "2", *panel.exercises()])
    apart = panel.differences([work for _, work in wanted], found)
    print(*apart, f"{len(apart)} visible checks differ between panel and grader", sep="\n")
    if whole:
        checks = sum(len(each["tests"]) for each in found)
        keep(table, {"visible_checks": checks, "differ": apart})
    wrong = any(each["given"] != each["earned"] for rows in table.values() for each in rows)
    return int(wrong or bool(apart))


def keep(table: dict[str, list[dict[str, Any]]], compared: dict[str, Any] | None = None) -> Path:
    """Write the result file."""
    return record.write(
        "honest",
        "honest notebooks, each changed by one cause: points earned and points given",
        ["PYTHONPATH=tests python -m honest.run"],
        causes=len(CAUSES),
        exercises=len({each["exercise"] for each in next(iter(table.values()))}),
        by_processor={
            processor: {
                "notebooks": len(rows),
                "underpaid": sum(each["given"] < each["earned"] for each in rows),
                "overpaid": sum(each["given"] > each["earned"] for each in rows),
            }
            for processor, rows in table.items()
        },
        panel_and_grader=compared or "not compared in this run",
        columns=["cause", "exercise", "earned", "given", "flags"],
        rows={
            processor: [
                [each[key] for key in ("cause", "exercise", "earned", "given", "flags")]
                for each in rows
            ]
            for processor, rows in table.items()
        },
    )


if __name__ == "__main__":
    sys.exit(main())
