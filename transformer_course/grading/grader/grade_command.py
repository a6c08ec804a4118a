"""The verb grade: from notebooks that nobody vetted to results, and from results to exports."""

import argparse
import sys
import zlib
from contextlib import nullcontext

from transformer_course.errors import DataError
from transformer_course.grading.exports.exporting import export
from transformer_course.grading.grader.batch import Settings, grade_all
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.grader.outcome import Found
from transformer_course.grading.grader.reporting import Tally, words
from transformer_course.grading.grader.results import Results, line_of, read
from transformer_course.grading.grader.submissions import load_all
from transformer_course.grading.isolated.isolation import Isolation, probe
from transformer_course.grading.isolated.remote import Limits

SAFE = 2  # the isolation level that other people's code needs
LISTED = 20  # submissions that the summary names


def grade(args: argparse.Namespace) -> None:
    """Grade notebooks, each in an isolated process, and report; or export the results."""
    if bool(args.submissions) == bool(args.results):
        raise DataError("expected submissions to grade, or --from RESULTS with --export")
    if args.results and not args.export:
        raise DataError("--from needs --export and --to: what should become of the results?")
    if args.export and not (args.to and (args.out or args.results)):
        raise DataError(f"--export {args.export} needs --to PATH, and results in --out or --from")
    look = run(args) if args.submissions else False
    if args.export:
        print(export(args.export, read(args.results or args.out), args.to), file=sys.stderr)
    if look:
        raise SystemExit(2)


def run(args: argparse.Namespace) -> bool:
    """Grade, print and keep the results. Returns whether a person should look at any."""
    found = [
        each for each in collect(args.submissions, args.pattern) if in_shard(each, *args.shard)
    ]
    check_amount(found, args)
    exercises, isolation = load_all(args.exercise or ()), isolate(args)
    limits = Limits(
        seconds=args.limit_seconds, total_seconds=args.total_seconds, memory=args.memory
    )
    tally = Tally()
    with Results(args.out) if args.out else nullcontext() as kept:
        settings = Settings(
            exercises=exercises,
            isolation=isolation,
            limits=limits,
            done=kept.done if kept else (),
        )
        for result in grade_all(found, settings, args.workers):
            tally.count(result)
            if result is None:
                continue
            if kept:
                kept.add(result)
            print(line_of(result) if args.json else words(result, args.own), flush=True)
    print(tally.summary(isolation), file=sys.stderr)
    return bool(tally.look)


def check_amount(found: list[Found], args: argparse.Namespace) -> None:
    """Say so where there is nothing to grade, or too much for --self."""
    if not found and args.shard == (1, 1):
        raise DataError(f"no notebook (.ipynb) in {', '.join(map(str, args.submissions))}")
    if args.own and len(found) != 1:
        raise DataError(f"--self is for one notebook of your own, and these are {len(found)}")


def isolate(args: argparse.Namespace) -> Isolation:
    """The isolation of this machine. Raises DataError where it is too weak for others' code."""
    try:
        isolation = probe(args.isolation)
    except RuntimeError as error:
        raise DataError(str(error)) from None
    if isolation.level < SAFE and not (args.own or args.allow_unsafe):
        why = "; ".join(
            f"{level}: {reason}" for level, reason in getattr(isolation, "refused", {}).items()
        )
        raise DataError(
            f"isolation level {isolation.level} of 3, and other people's code needs {SAFE}"
            f"{f' ({why})' if why else ''}: grade on another machine, add --self if the notebook "
            "is your own, or --allow-unsafe to run their code with your rights"
        )
    return isolation


def in_shard(found: Found, index: int, count: int) -> bool:
    """Whether a submission belongs to this part; the same on every machine."""
    return zlib.crc32(found.inside.encode("utf-8", "surrogateescape")) % count == index - 1
