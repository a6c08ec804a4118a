"""Submissions as they lie: files, folders, zips of a learning platform, nbgrader's folders."""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import NoReturn

from transformer_course.errors import DataError
from transformer_course.grading.reading import (
    MAX_BYTES,
    UnreadableError,
    read_file,
    within_limit,
)
from transformer_course.grading.submissions import Found

MAX_MEMBERS = 100_000  # of one zip
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")
PACKED = "an archive among the submissions is not opened: unpack it and grade what is in it"
SKIPPED = {"__MACOSX", ".ipynb_checkpoints", ".git"}
MOODLE = re.compile(r"(?P<name>[^/]*)_(?P<student>\d+)_assignsubmission_[a-z]+(_|/|$)")
CANVAS = re.compile(r"^(?P<name>[^/_ ]+)_(?P<late>LATE_)?(?P<student>\d{2,})_\d{3,}_[^/]+$")
NBGRADER = re.compile(r"(^|/)submitted/(?P<student>[^/]+)/[^/]+/[^/]+$")

Reader = Callable[[], bytes]
Member = tuple[str, str, Reader]  # path below the input, whole path, how to read it


def collect(inputs: Sequence[Path], pattern: str | None = None) -> Iterator[Found]:
    """Every submission in the files, folders and zips given, in order of their names.

    Whose it is follows from the layout, or from `pattern`, a regular expression with a group
    (?P<student>...) that is searched in the path below the input. What cannot be a notebook,
    such as a zip in a zip, is found too, and says why when it is read.

    Raises:
        DataError: an input does not exist, or the pattern has no such group.
    """
    whose = Whose(pattern)
    for path in inputs:
        if not path.exists() and not path.is_symlink():
            raise DataError(
                f"{path}: expected a notebook, a folder or a zip; there is no such file"
            )
    return (found for path in inputs for found in within(path, whose))


def within(path: Path, whose: "Whose") -> Iterator[Found]:
    """The submissions in one input."""
    if path.is_dir() and not path.is_symlink():
        return submissions(folder(path), whose)
    if path.suffix.lower() == ".zip":
        return submissions(archive(path), whose)
    return iter([whose.found(path.name, str(path), partial(read_file, path))])


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

    def found(self, inside: str, path: str, read: Reader) -> Found:
        """The submission at `inside`, its path below the input."""
        if self.pattern:
            match = self.pattern.search(inside)
            if not match or not match["student"]:
                read = partial(refuse, "the --pattern finds no student in its path")
            student = match["student"] if match and match["student"] else inside
            return Found(student=student, path=path, inside=inside, read=read)
        for layout in (NBGRADER, MOODLE, CANVAS):
            if match := layout.search(path if layout is NBGRADER else inside):
                about = match.groupdict()
                return Found(
                    student=about["student"],
                    path=path,
                    inside=inside,
                    read=read,
                    name=about.get("name") or "",
                    late=bool(about.get("late")),
                )
        parts = PurePosixPath(inside).parts
        student = parts[0] if len(parts) > 1 else PurePosixPath(inside).stem
        return Found(student=student, path=path, inside=inside, read=read)


def submissions(members: Iterable[Member], whose: Whose) -> Iterator[Found]:
    """The notebooks among the files of a folder or zip, and who handed in none."""
    others: dict[str, Found] = {}
    complete = set()
    for inside, path, read in members:
        parts = PurePosixPath(inside).parts
        if not parts or SKIPPED & set(parts) or parts[-1].startswith((".", "~")):
            continue
        found = whose.found(inside, path, read)
        if inside.lower().endswith((".ipynb", *ARCHIVES)):
            complete.add(found.student)
            yield found
        elif found.name:  # a learning platform's layout: every file is of one student
            others.setdefault(found.student, found)
    for student, found in others.items():
        if student not in complete:
            read = partial(refuse, "no notebook (.ipynb) was handed in, but this file")
            yield replace(found, read=read)


def folder(path: Path) -> Iterator[Member]:
    """The files below a folder, in order. Links to folders are not followed."""
    for place, folders, files in os.walk(path):
        notebooks = [name for name in folders if name.lower().endswith(".ipynb")]
        folders[:] = sorted(set(folders) - set(notebooks) - SKIPPED)
        for name in sorted([*files, *notebooks]):
            file = Path(place, name)
            packed = name.lower().endswith(ARCHIVES)
            read = partial(refuse, PACKED) if packed else partial(read_file, file)
            yield file.relative_to(path).as_posix(), str(file), read


def archive(path: Path) -> Iterator[Member]:
    """The files in a zip, in order. Nothing is extracted, so no name can lead outside."""
    try:
        if not path.is_file():
            raise UnreadableError("expected a zip file")
        infos = opened(path).infolist()
        if len(infos) > MAX_MEMBERS:
            raise UnreadableError(f"{len(infos):,} files in one zip, more than {MAX_MEMBERS:,}")
    except Exception as error:
        yield path.name, str(path), partial(refuse, f"the zip cannot be read: {error}")
        return
    finally:
        opened.cache_clear()  # other processes read it, each through a file of its own
    for index, info in sorted(enumerate(infos), key=lambda each: each[1].filename):
        if not info.is_dir():
            packed = info.filename.lower().endswith(ARCHIVES)
            read = partial(refuse, PACKED) if packed else partial(read_member, path, index)
            inside = info.filename.replace("\\", "/").lstrip("/")
            yield inside, f"{path}/{inside}", read


@lru_cache(maxsize=2)
def opened(path: Path) -> zipfile.ZipFile:
    """A zip, open for reading one member after the other."""
    return zipfile.ZipFile(path)


def read_member(path: Path, index: int) -> bytes:
    """One file of a zip, unpacked in memory and no further than a notebook may go.

    Raises:
        UnreadableError: it is encrypted, damaged, or too large.
    """
    info = opened(path).infolist()[index]
    if info.flag_bits & 1:
        raise UnreadableError("it is encrypted: ask for it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(f"packed by a method (number {info.compress_type}) not read here")
    within_limit(b"", info.file_size)
    try:
        with opened(path).open(info) as file:
            return within_limit(file.read(MAX_BYTES + 1), 0)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise UnreadableError(f"damaged in the zip: {error}") from None


def refuse(reason: str) -> NoReturn:
    """Instead of reading what cannot be read."""
    raise UnreadableError(reason)
