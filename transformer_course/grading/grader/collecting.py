"""Submissions as they lie: files, folders, zips of a learning platform, nbgrader's folders."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from transformer_course.errors import DataError
from transformer_course.grading.grader.archives import (
    ARCHIVES,
    PACKED,
    archive,
    refuse,
)
from transformer_course.grading.grader.reading import read_file
from transformer_course.grading.grader.submission import Submission

SKIPPED = {"__MACOSX", ".ipynb_checkpoints", ".git"}
MOODLE = re.compile(r"(?P<name>[^/]*)_(?P<student>\d+)_assignsubmission_[a-z]+(_|/|$)")
CANVAS = re.compile(r"^(?P<name>[^/_ ]+)_(?P<late>LATE_)?(?P<student>\d{2,})_\d{3,}_[^/]+$")
NBGRADER = re.compile(r"(^|/)submitted/(?P<student>[^/]+)/[^/]+/[^/]+$")


def collect(inputs: Sequence[Path], pattern: str | None = None) -> Iterator[Submission]:
    """Every submission in the files, folders and zips given, in order of their names.

    Whose it is follows from the layout, or from `pattern`, a regular expression with a group
    (?P<student>...) that is searched in the path below the input. What cannot be a notebook,
    such as a zip in a zip, is found too, and says why when it is read.

    Raises:
        DataError: an input does not exist or is another archive, or the pattern has no such group.
    """
    whose = Whose(pattern)
    for path in inputs:
        if not path.exists() and not path.is_symlink():
            raise DataError(
                f"{path}: expected a notebook, a folder or a zip; there is no such file"
            )
        if path.is_file() and path.suffix.lower() in ARCHIVES[1:]:
            raise DataError(
                f"{path}: expected a notebook (.ipynb), a folder or a .zip; "
                "unpack this archive and name its folder"
            )
    return (found for path in inputs for found in within(path, whose))


def within(path: Path, whose: "Whose") -> Iterator[Submission]:
    """The submissions in one input."""
    if path.is_dir() and not path.is_symlink():
        return submissions(folder(path), whose)
    if path.suffix.lower() == ".zip":
        return submissions(archive(path), whose)
    read = partial(read_file, path)
    return iter([whose.named(Submission(path=str(path), inside=path.name, read=read))])


class Whose:
    """Tells from a path whose submission it is."""

    def __init__(self, pattern: str | None) -> None:
        try:
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            raise DataError(f"--pattern {pattern!r} is no regular expression: {error}") from None
        if self.pattern and "student" not in self.pattern.groupindex:
            raise DataError(
                f"--pattern {pattern!r}: expected a group (?P<student>...), such as "
                r"'(?P<student>[^/]+)/[^/]+\.ipynb$'"
            )

    def named(self, found: Submission) -> Submission:
        """The same, with its student."""
        inside = found.inside
        if self.pattern:
            match = self.pattern.search(inside)
            if match and match["student"]:
                return replace(found, student=match["student"])
            read = partial(refuse, "the --pattern finds no student in its path")
            return replace(found, student=inside, read=read)
        for layout in (NBGRADER, MOODLE, CANVAS):
            if match := layout.search(found.path if layout is NBGRADER else inside):
                about = match.groupdict()
                name, late = about.get("name") or "", bool(about.get("late"))
                return replace(found, student=about["student"], name=name, late=late)
        parts = PurePosixPath(inside).parts
        return replace(found, student=parts[0] if len(parts) > 1 else PurePosixPath(inside).stem)


def submissions(files: Iterable[Submission], whose: Whose) -> Iterator[Submission]:
    """The notebooks among the files of a folder or zip, and who handed in none."""
    others: dict[str, Submission] = {}
    complete = set()
    for file in files:
        parts = PurePosixPath(file.inside).parts
        if not parts or SKIPPED & set(parts) or parts[-1].startswith((".", "~")):
            continue
        found = whose.named(file)
        if found.inside.lower().endswith((".ipynb", *ARCHIVES)):
            complete.add(found.student)
            yield found
        elif found.name:  # a learning platform's layout: every file is of one student
            others.setdefault(found.student, found)
    for student, found in others.items():
        if student not in complete:
            read = partial(refuse, "no notebook (.ipynb) was handed in, but this file")
            yield replace(found, read=read)


def folder(path: Path) -> Iterator[Submission]:
    """The files below a folder, in order. Links to folders are not followed."""
    for place, folders, files in os.walk(path):
        notebooks = [name for name in folders if name.lower().endswith(".ipynb")]
        folders[:] = sorted(set(folders) - set(notebooks) - SKIPPED)
        for name in sorted([*files, *notebooks]):
            file = Path(place, name)
            packed = name.lower().endswith(ARCHIVES)
            read = partial(refuse, PACKED) if packed else partial(read_file, file)
            inside = file.relative_to(path).as_posix()
            yield Submission(path=str(file), inside=inside, read=read)
