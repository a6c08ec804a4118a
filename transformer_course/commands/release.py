"""The verb release: learners' notebooks, and what they have written is never lost."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import Exercise, load, source_of
from transformer_course.grading.exercises.releasing import checksum, released
from transformer_course.grading.exercises.wrong_answers import alike
from transformer_course.grading.exports.autograder import autograder


def release(args: argparse.Namespace) -> None:
    """Make learners' notebooks, without solutions and hidden tests; or Gradescope's autograder."""
    exercises = [load(path) for path in args.exercises]
    if args.out:
        write_notebooks(args, exercises)
    if args.autograder:
        print(autograder(exercises, args.autograder))
    if not (args.out or args.autograder):
        raise DataError("expected --out FOLDER for the learners' notebooks, or --autograder ZIP")


def write_notebooks(args: argparse.Namespace, exercises: Sequence[Exercise]) -> None:
    """Write the learners' notebooks: all of them, or none."""
    if args.out.exists() and not args.out.is_dir():
        raise DataError(f"--out {args.out}: expected a folder, and this is a file")
    texts, lines = {}, []
    for path, exercise in zip(args.exercises, exercises, strict=True):
        target = args.out / f"{exercise.name}.ipynb"
        if target.resolve() == path.resolve():
            raise DataError(f"{path}: --out names its own folder; name another")
        if not args.force and (written := answered(target)):
            raise DataError(
                f"{target} holds answers ({written}): name another --out, or --force replaces them"
            )
        texts[target] = json.dumps(released(exercise), indent=1, ensure_ascii=False, sort_keys=True)
        lines.append(f"{target}: {len(exercise.questions)} questions, {exercise.points:g} points")
        lines += [f"  {line}" for line in alike(path)] if args.messages else []
    args.out.mkdir(parents=True, exist_ok=True)
    for target, text in texts.items():
        replace(target, text + "\n")
    print("\n".join(lines))


def answered(path: Path) -> str:
    """The answers that somebody wrote into a released notebook; "" if it can be made anew.

    A cell's checksum is that of its text when it was released.
    """
    if not path.exists():
        return ""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return ", ".join(name for raw in cells if (name := written(raw)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return "it is no notebook that was released"


def written(raw: dict[str, Any]) -> str:
    """The name of a cell whose answer is no longer what was released."""
    about = raw["metadata"].get("nbgrader", {})
    if not about.get("solution"):
        return ""
    same = about.get("checksum") == checksum({**raw, "source": source_of(raw)})
    return "" if same else str(about["grade_id"])


def replace(path: Path, text: str) -> None:
    """Write a file, all of it or nothing."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        scratch.write_text(text, encoding="utf-8")
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
