"""What students handed in, read once more where it lies, beside its result."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from transformer_course.grading.grader.archives import archive, reading
from transformer_course.grading.grader.collecting import CANVAS
from transformer_course.grading.grader.reading import UnreadableError, digest, parse, read_file
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.submission import Submission

PROGRESS = "progress.json"  # the file in which a learner's panel keeps tries and hints


def files_of(results: list[Result]) -> dict[str, Submission]:
    """The files beside the results' submissions, in a folder or in a zip, by their paths."""
    found: dict[str, Submission] = {}
    for place in dict.fromkeys(map(place_of, results)):
        if place and place.is_dir():
            for file in place.iterdir():
                read = reading(file.name, partial(read_file, file))
                found[str(file)] = Submission(path=str(file), inside=file.name, read=read)
        elif place:
            found |= {each.path: each for each in archive(place)}
    return found


def place_of(result: Result) -> Path | None:
    """The zip that a submission is in, or else its folder."""
    path = Path(result["submission"]["path"])
    return next((each for each in path.parents if each.is_dir() or each.is_file()), None)


def notebooks(results: list[Result], files: dict[str, Submission]) -> dict[str, Submission]:
    """The cells of what was graded, by student: only where the file still is what it was."""
    found = {}
    for result in results:
        about = result["submission"]
        with suppress(UnreadableError, KeyError, OSError):
            data = files[about["path"]].read()
            if digest(data) == about["sha256"]:
                found[about["id"]] = parse(data, replace(files[about["path"]], student=about["id"]))
    return found


def progress(results: list[Result], files: dict[str, Submission]) -> Iterator[dict[str, Any]]:
    """What the panels of each student remember, by question, where it was handed in."""
    for result in results:
        with suppress(UnreadableError, OSError, ValueError, RecursionError):
            data = json.loads(beside(result["submission"]["path"], files).read())
            panels = data["panels"] if isinstance(data, dict) else None
            if isinstance(panels, dict):
                name = f"exercises/{result['exercise']}/"
                yield {
                    key.removeprefix(name): each
                    for key, each in panels.items()
                    if key.startswith(name) and isinstance(each, dict)
                }


def beside(path: str, files: dict[str, Submission]) -> Submission:
    """The progress file of a submission: in its folder, or with its Canvas name."""
    place = PurePosixPath(path)
    if each := files.get(str(place.with_name(PROGRESS))):
        return each
    if match := CANVAS.search(place.name):
        mark = f"_{match['student']}_"
        for other, each in files.items():
            if other.endswith(PROGRESS) and mark in PurePosixPath(other).name:
                return each
    raise UnreadableError("no progress file was handed in")
