"""The verb grade: from notebooks that nobody vetted to results, and from results to exports."""

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import Any

from transformer_course.commands.arguments import count, seconds, shard, size
from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exports.counting import about_roster
from transformer_course.grading.exports.exporting import EXPORTS, export
from transformer_course.grading.exports.rules import Rules, check_names, read_rules
from transformer_course.grading.grader.archives import ARCHIVES
from transformer_course.grading.grader.batch import Settings, grade_all
from transformer_course.grading.grader.catalog import load_all, name_of, names_of
from transformer_course.grading.grader.collecting import collect, is_notebook
from transformer_course.grading.grader.regrading import Again
from transformer_course.grading.grader.reporting import Tally, words
from transformer_course.grading.grader.results_file import Results, line_of, read
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.isolation import Isolation, probe

SAFE = 2  # the isolation level that other people's code needs


def grade(args: argparse.Namespace) -> None:
    """Grade notebooks, each in an isolated process, and report; or export the results."""
    if bool(args.submissions) == bool(args.results):
        raise DataError("expected submissions to grade, or --from RESULTS with --export")
    if args.results and not args.export:
        raise DataError("--from needs --export and --to: what should become of the results?")
    if args.export and not (args.to and (args.out or args.results)):
        raise DataError(f"--export {args.export} needs --to PATH, and results in --out or --from")
    rules = read_rules(args.rules)
    look = run(args, rules) if args.submissions else False
    if args.export:
        results = list(read(args.results or args.out))
        check_names(rules, names_of(args.exercise or ()) | {each["exercise"] for each in results})
        exercises = load_all(args.exercise or ()) if args.export == "report" else ()
        print(export(args.export, results, args.to, rules, exercises), file=sys.stderr)
    if look:
        raise SystemExit(2)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `transformer-course grade` takes."""
    option = parser.add_argument
    option(
        "submissions", nargs="*", type=Path, metavar="SUBMISSION", help="notebook, folder or zip"
    )
    option("--exercise", type=Path, action="append", metavar="PATH", help="source; default: all")
    option("--out", type=Path, metavar="FILE", help="append results here; those there are kept")
    option("--json", action="store_true", help="print results as lines of JSON")
    option("--self", action="store_true", dest="own", help="notebooks of your own, on any system")
    option("--student", metavar="ID", help="whose all of it is")
    option("--pattern", metavar="REGEX", help="finds (?P<student>...) in a submission's path")
    option(
        "--regrade",
        action="append",
        metavar="WHAT",
        help="grade again: look, all, a status, a flag, question=NAME or student=ID",
    )
    option("--shard", type=shard, default=(1, 1), metavar="I/N", help="only this part of them")
    option("--workers", type=count, default=1, metavar="N", help="processes; default: 1")
    option(
        "--limit-seconds", type=seconds, default=5.0, metavar="S", help="a cell's time; default: 5"
    )
    option(
        "--total-seconds", type=seconds, default=60.0, metavar="S", help="a notebook's; default: 60"
    )
    option("--memory", type=size, default=3 << 30, metavar="SIZE", help="a student's; default: 3G")
    option(
        "--isolation", type=int, choices=range(4), metavar="0-3", help="default: the best there is"
    )
    option("--allow-unsafe", action="store_true", help="run others' code below isolation level 2")
    option(
        "--class",
        type=Path,
        dest="rules",
        metavar="FILE",
        help="a class's file: roster, deadlines, overrides",
    )
    option("--from", type=Path, dest="results", metavar="FILE", help="results to export")
    option("--export", choices=EXPORTS, help="what to make of all results")
    option("--to", type=Path, metavar="PATH", help="where the export goes")


def run(args: argparse.Namespace, rules: Rules) -> bool:
    """Grade, print and keep the results. Returns whether a person should look at any."""
    exercises = load_all(args.exercise or ())
    names = [name_of(each) for each in exercises]
    check_names(rules, names_of(args.exercise or ()) | set(names))
    every = (own if args.own else collect)(
        args.submissions,
        args.pattern,
        student=args.student,
        exercises=names,
        roster=rules.students,
    )
    found = [each for each in every if in_shard(each, *args.shard)]
    if not found and args.shard == (1, 1):
        raise DataError(f"no notebook (.ipynb) in {', '.join(map(str, args.submissions))}")
    isolation = isolate(args)
    limits = Limits(
        seconds=args.limit_seconds, total_seconds=args.total_seconds, memory=args.memory
    )
    tally, again = Tally(rules.decides), Again(args.regrade or (), limits)
    with Results(args.out, again) if args.out else nullcontext() as kept:
        before = kept.before if kept else []
        again.check(before)
        for each in before:
            tally.remember(each)
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
    if args.shard == (1, 1):
        there = {each.student for each in found} | {each["submission"]["id"] for each in before}
        for line in about_roster(there, rules):
            print(line, file=sys.stderr)
    return bool(tally.look)


def own(paths: Sequence[Path], pattern: str | None = None, **whose: Any) -> list[Submission]:
    """One learner's notebooks, in files and folders, each once. Other files of theirs do not count.

    Raises:
        DataError: a path holds no notebook, or what a folder holds looks like a class's work.
    """
    found: dict[Path, Submission] = {}
    for path in paths:
        if path.suffix.lower() in ARCHIVES and path.is_file():
            raise DataError(f"{path}: --self takes notebooks and folders, so unpack it first")
        there = list(collect([path], pattern, **whose))
        if path.is_dir():
            there = [each for each in there if is_notebook(each.inside)]
            often = Counter(PurePosixPath(each.inside).name for each in there).most_common(1)
            if (often and often[0][1] > 1) or any(each.name for each in there):
                raise DataError(
                    f"{path} holds the work of several people, or {often[0][0]} in several "
                    "folders: --self is for notebooks of your own. Name those one by one"
                )
        if not there:
            raise DataError(f"no notebook (.ipynb) in {path}")
        found |= {Path(each.path).resolve(): each for each in there}
    return list(found.values())


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


def in_shard(found: Submission, index: int, count: int) -> bool:
    """Whether a submission belongs to this part; the same on every machine."""
    return zlib.crc32(found.inside.encode("utf-8", "surrogateescape")) % count == index - 1
