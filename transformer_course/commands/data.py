"""The verb `data`: download and verify."""

import argparse
import sys

from transformer_course import data


def fetch(args: argparse.Namespace) -> None:
    """Download and verify a data set, and say where it is."""
    folder = data.fetch(args.name, progress=sys.stderr.isatty())
    print(f"{args.name}: complete and verified in {folder}\n{data.describe(args.name)}")
