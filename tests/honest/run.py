"""Have honest notebooks graded by the command line, and say which got less than they earned.

PYTHONPATH=tests python -m honest.run            # keeps benchmarks/results/honest.json
PYTHONPATH=tests python -m honest.run --panels   # what panels say alone, kept in the same file

On each kind of processor all are judged twice: by the grader with all checks, and by panel and
grader with those that are handed out, which have to say the same.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from honest.causes import CAUSES
from honest.grading import BRIEF, ROOT, graded, notebooks
from honest.work import Work

from transformer_course.commands import record

COMMAND = "PYTHONPATH=tests python -m honest.run"
PROCESSORS = ("default", "avx2", "avx512")  # what torch may use of them


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
    parser.add_argument("--panels", action="store_true", help="compare with panels alone")
    args = parser.parse_args(argv)
    if args.panels:
        every = [compare(processor, args.cause) for processor in args.processor or PROCESSORS]
        return int(any(each["differ"] for each in every))
    table: dict[str, list[dict[str, Any]]] = {}
    compared: dict[str, dict[str, Any]] = {}
    for processor in args.processor or PROCESSORS:
        rows = table[processor] = []
        environment = {"ATEN_CPU_CAPABILITY": processor}
        for seconds in (False, True):
            wanted = [
                each for each in notebooks(seconds) if not args.cause or each[0].name in args.cause
            ]
            if wanted:
                options = ["--workers", "2", *(BRIEF if seconds else ())]
                found = graded(wanted, options, environment)
                rows += [
                    row(cause.name, work, result)
                    for (cause, work), result in zip(wanted, found, strict=True)
                ]
        bad = [each for each in rows if each["given"] != each["earned"]]
        for each in bad:
            print(f"{each['cause']}, {each['exercise']}: {each['given']:g} of {each['earned']:g}")
            print(f"    {each['flags']} {each['message']} {each['lost']} {each['cells']}"[:600])
        print(f"{processor}: {len(rows) - len(bad)} of {len(rows)} were given what they earned")
        compared[processor] = by_panels(environment, args.cause or [])
    if not args.cause and not args.processor:
        print(keep(table, compared))
    wrong = any(each["given"] != each["earned"] for rows in table.values() for each in rows)
    return int(wrong or any(each["differ"] for each in compared.values()))


def compare(processor: str, causes: Sequence[str] | None) -> dict[str, Any]:
    """Compare on one kind of processor, and keep that if all were compared."""
    said = by_panels({"ATEN_CPU_CAPABILITY": processor}, causes or [])
    if not causes:
        path = record.RESULTS / "honest.json"
        whole = json.loads(path.read_text())
        compared = whole["panel_and_grader"]
        compared = compared if isinstance(compared, dict) else {}
        whole["commands"] = [COMMAND, f"{COMMAND} --panels"]
        about = {"commit": record.commit(), "date": datetime.now(UTC).date().isoformat()}
        whole["panel_and_grader"] = {**compared, processor: {**about, **said}}
        path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    return said


def by_panels(environment: dict[str, str], causes: Sequence[str]) -> dict[str, Any]:
    """What panels say and graders do not, in a process that has this environment from the start."""
    command = [sys.executable, "-m", "honest.panel"]
    for cause in causes:
        command += ["--cause", cause]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    said = json.loads(done.stdout)
    print(*said["differ"], sep="\n", end="\n" if said["differ"] else "")
    print(f"{said['visible_checks']} visible checks by panel and grader", flush=True)
    return said


def keep(table: dict[str, list[dict[str, Any]]], compared: dict[str, Any]) -> Path:
    """Write the result file."""
    return record.write(
        "honest",
        "honest notebooks, each changed by one cause: points earned and points given",
        [COMMAND],
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
        panel_and_grader=compared,
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
