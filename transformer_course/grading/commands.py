"""The verbs for exercises: release."""

import argparse
import json

from transformer_course.errors import DataError
from transformer_course.grading.exercise import load
from transformer_course.grading.releasing import released


def release(args: argparse.Namespace) -> None:
    """Make learners' notebooks: without solutions and hidden tests."""
    texts = {}
    for path in args.exercises:
        exercise = load(path)
        target = args.out / f"{exercise.name}.ipynb"
        if target.resolve() == path.resolve():
            raise DataError(f"{path}: --out names its own folder; name another")
        texts[target] = json.dumps(released(exercise), indent=1, ensure_ascii=False, sort_keys=True)
        print(f"{target}: {len(exercise.questions)} questions, {exercise.points:g} points")
    args.out.mkdir(parents=True, exist_ok=True)
    for target, text in texts.items():
        target.write_text(text + "\n", encoding="utf-8")
