"""The learner's notebook: what nbgrader's `generate_assignment` makes, without nbgrader.

A test holds that both make the same, cell by cell.
"""

import copy
import hashlib
from collections.abc import Sequence
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import Exercise, Notebook, source_of

STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


def released(exercise: Exercise) -> Notebook:
    """The exercise without solutions and hidden tests, its fixed cells locked."""
    notebook = copy.deepcopy(exercise.notebook)
    metadata = notebook["metadata"]
    notebook["metadata"] = {
        key: metadata[key] for key in ("course", "kernelspec") if key in metadata
    }
    notebook["metadata"]["course"]["version"] = exercise.version
    notebook["nbformat"], notebook["nbformat_minor"] = 4, 5
    seen: dict[str, int] = {}
    for raw in notebook["cells"]:
        source = source_of(raw)
        about = raw["metadata"].get("nbgrader", {})
        digest = hashlib.sha1(source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        raw["id"] = about.get("grade_id") or f"{digest}-{seen[digest]}"
        where = f"{exercise.name}, cell {raw['id']}"
        if about.get("solution"):
            source = without("SOLUTION", source, STUB, where)
        raw["source"] = without("HIDDEN TESTS", source, (), where)
        if raw["cell_type"] == "code":
            raw["outputs"], raw["execution_count"] = [], None
        if about:
            raw["metadata"]["deletable"] = False
            if not about["solution"]:
                raw["metadata"]["editable"] = False
            about["checksum"] = checksum(raw)
            about["cell_type"] = raw["cell_type"]
    return notebook


def without(part: str, source: str, stub: Sequence[str], where: str) -> str:
    """A cell's text without what stands between the lines that begin and end a part."""
    kept: list[str] = []
    inside = False
    for line in source.split("\n"):
        begins, ends = f"### BEGIN {part}" in line, f"### END {part}" in line
        if begins == inside and (begins or ends):
            raise DataError(f"{where}: each ### BEGIN {part} needs one ### END {part} after it")
        if begins:
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + each for each in stub]
        elif not inside and not ends:
            kept.append(line)
        inside = begins or (inside and not ends)
    if inside:
        raise DataError(f"{where}: there is no ### END {part} after ### BEGIN {part}")
    return "\n".join(kept)


def checksum(raw: dict[str, Any]) -> str:
    """nbgrader's own, which its validation of a submission compares."""
    about = raw["metadata"]["nbgrader"]
    grade, solution = about["grade"], about["solution"]
    locked = not solution and (grade or about["locked"])
    parts = [raw["source"], raw["cell_type"], grade, solution, locked, about["grade_id"]]
    parts += [float(about["points"])] if grade else []
    return hashlib.md5("".join(map(str, parts)).encode()).hexdigest()
