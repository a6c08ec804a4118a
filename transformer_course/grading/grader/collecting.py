"""Submissions as they lie: files, folders, zips of a learning platform, nbgrader's folders."""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from transformer_course.errors import DataError
from transformer_course.grading.grader.archives import (
    ARCHIVES,
    SKIPPED,
    archive,
    reading,
    refuse,
)
from transformer_course.grading.grader.reading import read_file
from transformer_course.grading.grader.submission import Submission

MOODLE = re.compile(r"(?P<name>[^/]*)_(?P<student>\d+)_assignsubmission_[a-z]+(_|/|$)")
CANVAS = re.compile(r"^(?P<name>[^/_ ]+)_(?P<late>LATE_)?(?P<student>\d{2,})_\d{3,}_[^/]+$")
BLACKBOARD = re.compile(r"_(?P<student>[^/_]+)_attempt_\d{4}(-\d\d){5}(_[^/]+|\.txt)$")
NBGRADER = re.compile(r"(^|/)submitted/(?P<student>[^/]+)/[^/]+/[^/]+$")


def collect(
    inputs: Sequence[Path],
    pattern: str | None = None,
    *,
    student: str | None = None,
    exercises: Collection[str] = (),
    roster: Collection[str] = (),
) -> Iterator[Submission]:
    """Every submission in the files, folders and zips given, in order of their names.

    All of it is the `student`'s, where one is named. Else whose it is follows from `pattern`, a
    regular expression with a group (?P<student>...) that is searched in the path below the input;
    else from a platform's layout; else from the `roster`, where a part of the path stands on it;
    else it is the path, without parts that name one of the `exercises`: never are two students of
    one input one. No file is left out in silence: what cannot be a notebook, and is all that
    somebody handed in, is found too and says why when it is read.

    Raises:
        DataError: an input does not exist or is another archive, the pattern has no such group, or
            two places are one student on the roster.
    """
    whose = Whose(pattern, student, exercises, roster)
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
    if path.is_dir():
        return submissions(folder(path), whose)
    if path.suffix.lower() == ".zip":
        return submissions(archive(path), whose)
    read = partial(read_file, path)
    found = Submission(path=str(path), inside=path.name, read=read)
    whose.look_at([found])
    return iter([whose.named(found)])


class Whose:
    """Tells from a path whose submission it is."""

    def __init__(
        self,
        pattern: str | None = None,
        student: str | None = None,
        exercises: Collection[str] = (),
        roster: Collection[str] = (),
    ) -> None:
        try:
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            raise DataError(f"--pattern {pattern!r} is no regular expression: {error}") from None
        if self.pattern and "student" not in self.pattern.groupindex:
            raise DataError(
                f"--pattern {pattern!r}: expected a group (?P<student>...), such as "
                r"'(?P<student>[^/]+)/[^/]+\.ipynb$'"
            )
        self.student = student
        names = {word for name in exercises for word in (name, name.split("-")[0])}
        known = "|".join(map(re.escape, sorted(names, reverse=True)))
        self.exercise = re.compile(rf"({known or '(?!)'})(-Copy\d+| ?\(\d+\))*", re.IGNORECASE)
        self.roster = {student.lower(): student for student in roster}
        self.shared: set[PurePosixPath] = set()
        self.places: dict[str, dict[str, str]] = {}

    def look_at(self, files: Iterable[Submission]) -> None:
        """Learn which folders hold several notebooks, or zips, that are named after no exercise."""
        self.places = {}
        paths = [PurePosixPath(each.inside) for each in files]
        alike = Counter(
            (path.parent, path.suffix.lower()) for path in paths if not self.is_exercise(path.stem)
        )
        self.shared = {
            folder
            for (folder, kind), count in alike.items()
            if count > 1 and kind in (".ipynb", ".zip")
        }

    def named(self, found: Submission) -> Submission:
        """The same, with its student, whose name is text in UTF-8 whatever the file's is."""
        inside = found.inside
        if self.student:
            return replace(found, student=self.student)
        if self.pattern:
            match = self.pattern.search(inside)
            if match and match["student"]:
                return replace(found, student=text(match["student"]))
            read = partial(refuse, "the --pattern finds no student in its path")
            return replace(found, student=text(inside), read=read)
        for layout in (NBGRADER, MOODLE, CANVAS, BLACKBOARD):
            if match := layout.search(found.path if layout is NBGRADER else inside):
                about = match.groupdict()
                name, late = text(about.get("name") or ""), bool(about.get("late"))
                return replace(found, student=text(about["student"]), name=name, late=late)
        return replace(found, student=text(self.by_path(PurePosixPath(inside))))

    def by_path(self, path: PurePosixPath) -> str:
        """The student on the roster; else folders, and the file's name where it tells them."""
        cut = path.name.lower().find(".ipynb")
        folders, stem = path.parts[:-1], path.name[:cut] if cut > 0 else path.stem
        kept = [part for part in folders if not self.is_exercise(part)]
        parts = [*kept, stem]
        for end in range(len(parts), 0, -1):
            for start in range(end):
                if found := self.roster.get("/".join(parts[start:end]).lower()):
                    if is_notebook(path.name):
                        self.keep_apart(found, "/".join(parts[:end]), stem)
                    return found
        if (not kept or path.parent in self.shared) and not self.is_exercise(stem):
            kept.append(stem)
        return "/".join(kept) or stem

    def keep_apart(self, student: str, place: str, stem: str) -> None:
        """Refuse to take two places for one student, unless for two exercises. Raises DataError."""
        before = self.places.setdefault(student, {})
        match = self.exercise.fullmatch(stem)
        exercise = match[1].split("-")[0] if match else ""
        for other, there in before.items():
            if there != place and (other == exercise or not (other and exercise)):
                raise DataError(
                    f"{there} and {place} are both {student} on the roster: write {there} and "
                    f"{place} there, or, if they are one person, name their folders one by one"
                )
        before[exercise] = place

    def is_exercise(self, part: str) -> bool:
        """Whether a part of a path is an exercise's name and no more: 01-heads, 01-heads-Copy1, 01.

        In 01-heads-anna and anna-01-heads it is a person's.
        """
        return self.exercise.fullmatch(part) is not None


def submissions(files: Iterable[Submission], whose: Whose) -> Iterator[Submission]:
    """The notebooks among the files of a folder or zip, and who handed in none."""
    kept = []
    for file in files:
        parts = PurePosixPath(file.inside).parts
        if parts and not SKIPPED & set(parts) and not parts[-1].startswith((".", "~")):
            kept.append(file)
    whose.look_at(kept)
    others: dict[str, list[Submission]] = {}
    complete = set()
    for file in kept:
        found = whose.named(file)
        if is_notebook(found.inside) or found.inside.lower().endswith(ARCHIVES):
            complete.add(found.student)
            yield found
        else:
            others.setdefault(found.student, []).append(found)
    for student, theirs in others.items():
        if student not in complete:
            yield without_notebook(theirs)


def without_notebook(files: Sequence[Submission]) -> Submission:
    """What somebody handed in who handed in no notebook: one that lost its ending, or a refusal."""
    for each in files:
        name = PurePosixPath(each.inside).name.lower()
        if ".ipynb" in name or "." not in name:
            return each
    if isinstance(files[0].read, partial) and files[0].read.func is refuse:
        return files[0]
    names = ", ".join(PurePosixPath(each.inside).name for each in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    why = f"no notebook (.ipynb) was handed in, but {text(names)}{more}"
    return replace(files[0], read=partial(refuse, why))


def is_notebook(path: str) -> bool:
    """Whether a file's name is that of a notebook."""
    return path.lower().endswith(".ipynb")


def text(name: str) -> str:
    r"""A name as text that every program takes; a byte that is none in UTF-8 becomes \udcXX."""
    return name.encode("utf-8", "backslashreplace").decode()


def folder(path: Path) -> Iterator[Submission]:
    """The files below a folder, in order. Links to folders are not followed, but named."""
    for place, folders, files in os.walk(path):
        notebooks = {name for name in folders if is_notebook(name)}
        links = {name for name in folders if Path(place, name).is_symlink()} - notebooks
        empty = not files and not folders and place != str(path)
        folders[:] = sorted(set(folders) - notebooks - links - SKIPPED)
        for name in sorted([*files, *notebooks, *links, *([""] if empty else [])]):
            file = Path(place, name)
            read: Callable[[], bytes]
            if name in links:
                read = partial(refuse, "a link, which is not followed: hand in the folder itself")
            elif not name:
                read = partial(refuse, "nothing was handed in: the folder is empty")
            else:
                read = reading(name, partial(read_file, file))
            inside = file.relative_to(path).as_posix()
            yield Submission(path=str(file), inside=inside, read=read)
