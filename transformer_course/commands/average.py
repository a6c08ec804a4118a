"""The verb `average`: one model from the last checkpoints of a run."""

import argparse

from transformer_course.training import Run


def average(args: argparse.Namespace) -> None:
    """Average the last checkpoints of a run."""
    paths = Run.open(args.folder).average(args.last)
    print(f"{args.folder / 'averaged'}: the mean of {', '.join(path.name for path in paths)}")
