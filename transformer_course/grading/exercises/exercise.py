"""An exercise: a notebook in nbgrader's format whose `course` metadata say what a question is.

It is written as text (`exercises/sources/NAME.md`, MyST by jupytext) or read from a notebook.
"""

import ast
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec

from transformer_course.errors import DataError

Role = Literal["text", "setup", "solution", "check", "checks", "panel", "widget"]
Kind = Literal["code", "number", "choice", "prediction"]
Notebook = dict[str, Any]  # as in the file, nbformat 4
Text = str | int | float  # a title such as 2017 is a number in YAML
Kept = TypeVar("Kept")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell, and what it is for. `name` is its grade_id; `question` is the one it serves."""

    role: Role
    source: str
    name: str = ""
    question: str = ""
    title: str = ""
    points: float = 0.0

    @property
    def hidden(self) -> bool:
        """Whether some of a check is for the graded run alone."""
        return "### BEGIN HIDDEN TESTS" in self.source


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What the learner is asked, and what helps: the `course` metadata of the answer's cell.

    Points are those of its checks. `options` are a choice's, by letter.
    """

    name: str
    kind: Kind
    title: str
    difficulty: int
    minutes: int
    hints: tuple[str, ...]
    forbid: tuple[str, ...] = ()
    limit_seconds: float | None = None
    options: dict[str, str] = {}
    checks: tuple[Cell, ...] = ()

    @property
    def points(self) -> float:
        """The most it can earn."""
        return sum(check.points for check in self.checks)


class About(msgspec.Struct):
    """What the notebook's `course` metadata say."""

    exercise: str
    title: Text = ""
    section: Text = ""
    chapter: str = ""
    provides: tuple[str, ...] = ()


class Nbgrader(msgspec.Struct, frozen=True):
    """What nbgrader's metadata say of a cell, as far as it is used here."""

    grade_id: str = ""
    grade: bool = False
    solution: bool = False
    points: float = 0.0


class Metadata(msgspec.Struct, frozen=True):
    """A cell's metadata."""

    nbgrader: Nbgrader = Nbgrader()
    course: dict[str, Any] = {}


class RawCell(msgspec.Struct):
    """A cell as it is in the file."""

    cell_type: str
    source: str | list[str] = ""
    metadata: Metadata = Metadata()


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A notebook of questions. `version` changes whenever a cell of it changes."""

    name: str
    title: str
    section: str
    chapter: str
    provides: tuple[str, ...]
    cells: tuple[Cell, ...]
    questions: dict[str, Question]
    version: str
    notebook: Notebook = field(repr=False)

    @property
    def points(self) -> float:
        """The most it can earn."""
        return sum(question.points for question in self.questions.values())

    @property
    def checks(self) -> list[Cell]:
        """All checks, in their order in the notebook."""
        return [cell for cell in self.cells if cell.role == "check"]


def load(path: Path) -> Exercise:
    """Read an exercise from its text source (.md) or a notebook (.ipynb).

    Raises:
        DataError: the file is not an exercise; the message names the cell and what it needs.
    """
    try:
        if path.suffix == ".md":
            import jupytext  # noqa: PLC0415  authors have it, a grader of notebooks does without

            notebook = json.loads(json.dumps(jupytext.read(path)))
        else:
            notebook = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}: expected an exercise's source (.md) or notebook (.ipynb), and this is not "
            f"JSON: {error}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: expected an exercise's notebook, got {error}") from None
    return parse(notebook, str(path))


def parse(notebook: Notebook, path: str) -> Exercise:
    """The exercise a notebook holds. Raises DataError, as `load`."""
    about = notebook.get("metadata", {}).get("course") if isinstance(notebook, dict) else None
    if not isinstance(about, dict) or not isinstance(about.get("exercise"), str):
        raise DataError(
            f"{path}: expected the notebook's metadata to name its exercise, such as "
            "course: {exercise: 01-scaled-attention}"
        )
    about = valid(about, About, f"{path}, course metadata")
    found = valid(notebook.get("cells"), list[RawCell], f"{path}, cells")
    cells = tuple(read_cell(raw, f"{path}, cell {i}") for i, raw in enumerate(found, 1))
    questions = {
        cell.name: read_question(raw, cell, cells, f"{path}, question {cell.name}")
        for raw, cell in zip(found, cells, strict=True)
        if cell.role == "solution"
    }
    names = [cell.name for cell in cells if cell.name]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path}: grade_id {name} is there {names.count(name)} times, not once")
    for cell in cells:
        if cell.question and cell.question not in questions:
            raise DataError(
                f"{path}: {cell.name} belongs to question {cell.question}, but there is none; "
                f"the questions are {', '.join(questions)}"
            )
    text = json.dumps([[cell.role, cell.name, cell.points, cell.source] for cell in cells])
    return Exercise(
        name=about.exercise,
        title=str(about.title) or about.exercise,
        section=str(about.section),
        chapter=about.chapter,
        provides=about.provides,
        cells=cells,
        questions=questions,
        version="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        notebook=notebook,
    )


def source_of(raw: dict[str, Any]) -> str:
    """A cell's text, which a file may hold as one string or as lines."""
    source = raw.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def valid(data: Any, kind: type[Kept], where: str) -> Kept:
    """The data as this type. Raises DataError with the place in them that does not fit."""
    try:
        return msgspec.convert(data, kind, strict=False)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {str(error)[:1].lower()}{str(error)[1:]}") from None


def read_cell(raw: RawCell, where: str) -> Cell:
    """One cell and its role, from nbgrader's metadata and ours."""
    nbgrader, course = raw.metadata.nbgrader, raw.metadata.course
    name, source = nbgrader.grade_id, "".join(raw.source)
    if raw.cell_type != "code":
        return Cell(role="text", source=source)
    if "role" in course:
        if course["role"] not in ("checks", "panel", "widget"):
            raise DataError(f"{where}: role {course['role']!r} is not checks, panel or widget")
        return Cell(role=course["role"], source=source, name=name)
    if not name:
        raise DataError(f"{where}: a code cell needs nbgrader metadata with a grade_id, or a role")
    if nbgrader.solution:
        return Cell(role="solution", source=source, name=name, question=name)
    if not nbgrader.grade:
        return Cell(role="setup", source=source, name=name)
    question, title = course.get("question"), course.get("title")
    if not question or not title:
        raise DataError(f"{where}: check {name} needs course metadata: question and title")
    return Cell(
        role="check",
        source=source,
        name=name,
        question=question,
        title=title,
        points=nbgrader.points,
    )


def read_question(raw: RawCell, cell: Cell, cells: tuple[Cell, ...], where: str) -> Question:
    """What the metadata of a solution cell say of its question."""
    about = raw.metadata.course
    needed = {each.name for each in msgspec.structs.fields(Question) if each.required}
    if missing := needed - {"name"} - set(about):
        raise DataError(f"{where}: its course metadata lack {', '.join(sorted(missing))}")
    if about["kind"] not in get_args(Kind):
        raise DataError(f"{where}: kind {about['kind']!r} is not {', '.join(get_args(Kind))}")
    options = valid(about.get("options", {}), dict[str, Text], f"{where}, options")
    texts = {letter: str(text) for letter, text in options.items()}
    known = {"name": cell.name, "options": texts, "checks": ()}
    question = valid(about | known, Question, f"{where}, course metadata")
    checks = tuple(c for c in cells if c.role == "check" and c.question == cell.name)
    return msgspec.structs.replace(question, checks=checks)


def names_used(source: str) -> set[str]:
    """All names that a piece of code mentions."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
