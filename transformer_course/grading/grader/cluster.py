"""Grade on a Dask cluster: each task grades one part of the submissions by the same command."""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from transformer_course.errors import DataError
from transformer_course.grading.grader.results_file import HELD

WAIT = 2.0  # seconds between two looks whether a part's file is free

if TYPE_CHECKING:
    from distributed import Client


def grade_on(
    client: "Client",
    submissions: Sequence[Path],
    out: Path,
    *,
    parts: int | None = None,
    options: Sequence[str] = (),
) -> list[Path]:
    """Grade in parts on the client's workers; returns the parts' files of results.

    The submissions and the folder `out` have to be on a disk that all workers share. A part whose
    worker dies goes to another one, which takes what is left of it; called again after a failure,
    it grades only what is missing. `options` are those of the command,
    such as ["--exercise", "sources"]. Merge with `cat out/*.jsonl > results.jsonl`.

    Raises:
        DataError: a part could not be graded; the message is the command's.
    """
    parts = parts or 4 * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    out.mkdir(parents=True, exist_ok=True)
    files = [out.resolve() / f"part-{number}-of-{parts}.jsonl" for number in range(1, parts + 1)]
    paths = [str(path.resolve()) for path in submissions]
    commands = [
        [*paths, "--shard", f"{number}/{parts}", "--out", str(file), *options]
        for number, file in enumerate(files, 1)
    ]
    done: list[tuple[int, str]] = client.gather(client.map(grade_part, commands, pure=False))
    for file, (code, said) in zip(files, done, strict=True):
        if code not in (0, 2) or "transformer-course: error:" in said:  # 2 is also "have a look"
            raise DataError(f"{file.name}, exit code {code}: {said.strip()}")
    return [file for file in files if file.exists()]


def grade_part(arguments: Sequence[str]) -> tuple[int, str]:
    """Run the command on a worker; its exit code and what it said on standard error.

    Where a worker was killed, its command may live on for a while and hold the part's file: what
    it still grades is graded, so whoever comes next waits and takes the rest.
    """
    command = [sys.executable, "-m", "transformer_course", "grade", *arguments]
    while True:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        if HELD not in done.stderr:
            return done.returncode, done.stderr
        time.sleep(WAIT)


def main() -> None:
    """Grade on a Dask cluster: what is not an option here is one of `transformer-course grade`."""
    from distributed import Client  # noqa: PLC0415  an extra

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("scheduler", help="its address, such as tcp://10.0.0.1:8786")
    parser.add_argument(
        "submissions", nargs="+", type=Path, help="on a disk that all workers share"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the parts, there too")
    parser.add_argument("--parts", type=int, help="default: 4 for each worker")
    args, options = parser.parse_known_args()
    try:
        with Client(args.scheduler) as client:
            parts = {"parts": args.parts, "options": options}
            files = grade_on(client, args.submissions, args.out, **parts)
    except (DataError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
    print(f"{len(files)} parts in {args.out}")


if __name__ == "__main__":
    main()
