"""From a file to its result: read it, find its exercise, grade it. No submission raises."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from transformer_course import __version__
from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.exercises.exercise import Exercise, load
from transformer_course.grading.grader.reading import UnreadableError, digest, parse
from transformer_course.grading.grader.result import (
    Ending,
    Key,
    Result,
    nothing,
    result_of,
    runner_of,
)
from transformer_course.grading.grader.run import Grader
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.warm_process import Zygote

PLACES = [Path(__file__).parents[i] / "exercises" / "sources" for i in (3, 2)]  # clone, wheel
SOURCES = (".md", ".ipynb")


class Catalog:
    """The exercises that submissions may be of, made ready when one is.

    A source that has not been read yet has the name of its exercise.
    """

    def __init__(self, exercises: Sequence[Exercise | Grader | Path]) -> None:
        self.known = {name_of(each): each for each in exercises}

    def grader(self, name: str) -> Grader:
        """The grader of an exercise. Raises DataError, as `load`."""
        found = self.known[name]
        if isinstance(found, Path):
            found = load(found)
        if isinstance(found, Exercise):
            found = self.known[name] = Grader(found)
        return found

    def find(self, submission: Submission) -> Grader | None:
        """The exercise of a notebook, by its own word or else by the cells that it has."""
        if submission.exercise:
            known = submission.exercise in self.known
            return self.grader(submission.exercise) if known else None
        every = [self.grader(name) for name in self.known]
        best = max(every, key=lambda each: each.planner.evidence(submission))
        return best if best.planner.evidence(submission) else None

    def guess(self, path: str) -> Grader | None:
        """The exercise that a file which tells nothing is for: the only one, or by its name."""
        named = [name for name in self.known if name in path or len(self.known) == 1]
        return self.grader(max(named, key=len)) if named else None

    def grade(
        self, found: Submission, zygote: Zygote, limits: Limits, done: Collection[Key] = ()
    ) -> Result | None:
        """The result of one submission; None if it is among those done before."""
        start = perf_counter()
        submission, grader, problem = self.open(found)
        exercise = grader.exercise if grader else None
        version = exercise.version if exercise else ""
        if Key(submission.student, submission.sha256, version, __version__) in done:
            return None
        if problem:
            outcome = nothing(exercise, *problem)
        else:
            assert grader is not None
            try:
                outcome = grader.grade(submission, zygote, limits)
            except Exception as error:
                what = f"The grader failed: {type(error).__name__}: {error}"
                outcome = nothing(exercise, "error", what)
        runner = runner_of(zygote.isolation, limits)
        return result_of(submission, exercise, outcome, runner, perf_counter() - start)

    def open(
        self, found: Submission
    ) -> tuple[Submission, Grader | None, tuple[Ending, str] | None]:
        """The submission, read; its exercise; and what speaks against grading it, if anything."""
        submission = found
        try:
            data = found.read()
            submission = replace(found, sha256=digest(data))
            submission = parse(data, submission)
        except UnreadableError as error:
            return submission, self.guess(found.path), ("unreadable", sentence(str(error)))
        except Exception as error:
            what = f"The grader failed to read it: {type(error).__name__}: {error}"
            return submission, self.guess(found.path), ("error", what)
        if grader := self.find(submission):
            return submission, grader, None
        is_this = (
            f"It says it is {submission.exercise[:80]!r}"
            if submission.exercise
            else ("No cell of it belongs to a question")
        )
        what = f"{is_this}; graded here: {', '.join(self.known)}."
        return submission, self.guess(found.path), ("wrong_exercise", what)


def name_of(each: Exercise | Grader | Path) -> str:
    """The name of an exercise, which is also that of its source."""
    if isinstance(each, Path):
        return each.stem
    return each.name if isinstance(each, Exercise) else each.exercise.name


def names_of(paths: Sequence[Path] = ()) -> set[str]:
    """Names of exercises: of the course's, of those at these paths and of what lies beside them."""
    places = [*PLACES, *(path if path.is_dir() else path.parent for path in paths)]
    files = (file for place in places for file in place.glob("*") if file.suffix in SOURCES)
    return {file.stem for file in files}


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def load_all(paths: Sequence[Path] = ()) -> Sequence[Exercise | Path]:
    """Read exercises: files, or folders of them (of an .md and an .ipynb there, the .md).

    Those of the course, where no others are named, are left for the `Catalog` to read.

    Raises:
        DataError: one of them cannot be read, or there is none.
    """
    files: list[Path] = []
    for path in paths or [place for place in PLACES if place.is_dir()][:1]:
        found = sorted(path.glob("*.md")) or sorted(path.glob("*.ipynb"))
        files += found if path.is_dir() else [path]
    if not files:
        where = ", ".join(map(str, paths)) or f"{PLACES[0]}, where the course has its own"
        raise DataError(f"no exercise in {where}: name their sources with --exercise")
    try:
        if any(path.suffix == ".md" for path in files):
            import jupytext  # noqa: F401, PLC0415  once, before there are several processes
    except ImportError:
        raise DataError(
            "exercises written as .md are read by jupytext, which is not here: pip install "
            "jupytext, or name notebooks (.ipynb) with --exercise"
        ) from None
    if not paths:
        return files
    exercises = [load(path) for path in files]
    names = [each.name for each in exercises]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"exercise {name} is there {names.count(name)} times, not once")
    return exercises
