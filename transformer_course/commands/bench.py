"""The verb `bench`: how fast the course is, beside others."""

import argparse
import subprocess
import sys
from pathlib import Path

from transformer_course.errors import DataError

BENCHMARKS = {
    "train": "benchmarks/train_speed.py",
    "decode": "benchmarks/decode_speed.py",
    "grade": "benchmarks/grade_speed.py",
    "page": "benchmarks/weigh.py",
}


def bench(args: argparse.Namespace) -> None:
    """Measure speed, beside other libraries with --peers, or weigh the site's pages."""
    script = Path(__file__).parents[2] / BENCHMARKS[args.what]
    if not script.exists():
        raise DataError(
            f"no {script}: the benchmarks are not part of the package, run them from a clone of "
            "the course installed with `pip install -e .`"
        )
    raise SystemExit(subprocess.call([sys.executable, str(script), *args.rest]))
