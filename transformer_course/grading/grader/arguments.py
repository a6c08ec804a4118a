"""The options of `transformer-course grade`, and what their values may be."""

import argparse
import re
from pathlib import Path

from transformer_course.grading.exports.exporting import EXPORTS


def add(parser: argparse.ArgumentParser) -> None:
    """What `transformer-course grade` takes."""
    option = parser.add_argument
    option(
        "submissions", nargs="*", type=Path, metavar="SUBMISSION", help="notebook, folder or zip"
    )
    option("--exercise", type=Path, action="append", metavar="PATH", help="source; default: all")
    option("--out", type=Path, metavar="FILE", help="append results here; those there are kept")
    option("--json", action="store_true", help="print results as lines of JSON")
    option("--self", action="store_true", dest="own", help="a notebook of your own, on any system")
    option("--pattern", metavar="REGEX", help="finds (?P<student>...) in a submission's path")
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
    option("--from", type=Path, dest="results", metavar="FILE", help="results to export")
    option("--export", choices=EXPORTS, help="what to make of all results")
    option("--to", type=Path, metavar="PATH", help="where the export goes")


def shard(text: str) -> tuple[int, int]:
    """One part of a number of parts, such as 1/4."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    index, count = (int(each) for each in match.groups()) if match else (0, 0)
    if not 1 <= index <= count:
        raise argparse.ArgumentTypeError(f"expected a part such as 1/4, got {text!r}")
    return index, count


def seconds(text: str) -> float:
    """A time above 0, and at most a day."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 86_400:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 86400, got {text!r}")
    return found


def size(text: str) -> int:
    """Bytes, such as 3G or 512M."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([MG])(?:i?B)?", text)
    found = int(float(match[1]) * {"M": 1 << 20, "G": 1 << 30}[match[2]]) if match else 0
    if found < 256 << 20:
        raise argparse.ArgumentTypeError(f"expected at least 256M, such as 3G, got {text!r}")
    return found


def count(text: str) -> int:
    """A number of processes."""
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, got {text!r}")
    return int(text)
