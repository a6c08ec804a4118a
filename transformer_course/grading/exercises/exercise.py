"""An exercise: a notebook in nbgrader's format whose `course` metadata say what a question is.

It is written as text (`exercises/sources/NAME.md`, MyST by jupytext) or read from a notebook.
"""

import ast
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from transformer_course.errors import DataError

Role = Literal["text", "setup", "solution", "check", "checks", "panel", "widget"]
Kind = Literal["code", "number", "choice", "prediction"]
Notebook = dict[str, Any]  # as in the file, nbformat 4


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


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the learner is asked, and what helps. Points are those of its checks.

    `options` are a choice's, by letter.
    """

    name: str
    kind: Kind
    title: str
    difficulty: int
    minutes: int
    hints: tuple[str, ...]
    forbid: tuple[str, ...] = ()
    limit_seconds: float | None = None
    options: dict[str, str] = field(default_factory=dict)
    checks: tuple[Cell, ...] = ()

    @property
    def points(self) -> float:
        """The most it can earn."""
        return sum(check.points for check in self.checks)


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
    cells = tuple(read_cell(raw, f"{path}, cell {i}") for i, raw in enumerate(notebook["cells"], 1))
    questions = {
        cell.name: read_question(raw, cell, cells, f"{path}, question {cell.name}")
        for raw, cell in zip(notebook["cells"], cells, strict=True)
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
        name=about["exercise"],
        title=str(about.get("title", about["exercise"])),
        section=str(about.get("section", "")),
        chapter=str(about.get("chapter", "")),
        provides=tuple(about.get("provides", ())),
        cells=cells,
        questions=questions,
        version="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        notebook=notebook,
    )


def source_of(raw: dict[str, Any]) -> str:
    """A cell's text, which a file may hold as one string or as lines."""
    source = raw.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def read_cell(raw: dict[str, Any], where: str) -> Cell:
    """One cell and its role, from nbgrader's metadata and ours."""
    metadata = raw.get("metadata", {})
    nbgrader, course = metadata.get("nbgrader", {}), metadata.get("course", {})
    source = source_of(raw)
    if raw.get("cell_type") != "code":
        return Cell(role="text", source=source)
    if "role" in course:
        if course["role"] not in ("checks", "panel", "widget"):
            raise DataError(f"{where}: role {course['role']!r} is not checks, panel or widget")
        name = nbgrader.get("grade_id", "")
        return Cell(role=cast(Role, course["role"]), source=source, name=name)
    if not nbgrader.get("grade_id"):
        raise DataError(f"{where}: a code cell needs nbgrader metadata with a grade_id, or a role")
    name, question = nbgrader["grade_id"], course.get("question", "")
    if nbgrader.get("grade") and not nbgrader.get("solution"):
        if not question or not course.get("title"):
            raise DataError(f"{where}: check {name} needs course metadata: question and title")
        return Cell(
            role="check",
            source=source,
            name=name,
            question=question,
            title=course["title"],
            points=float(nbgrader.get("points", 0)),
        )
    if nbgrader.get("solution"):
        return Cell(role="solution", source=source, name=name, question=name)
    return Cell(role="setup", source=source, name=name)


def read_question(raw: dict[str, Any], cell: Cell, cells: tuple[Cell, ...], where: str) -> Question:
    """What the metadata of a solution cell say of its question."""
    about = raw["metadata"].get("course", {})
    missing = {"kind", "title", "difficulty", "minutes", "hints"} - set(about)
    if missing:
        raise DataError(f"{where}: its course metadata lack {', '.join(sorted(missing))}")
    if about["kind"] not in get_args(Kind):
        raise DataError(f"{where}: kind {about['kind']!r} is not {', '.join(get_args(Kind))}")
    return Question(
        name=cell.name,
        kind=about["kind"],
        title=about["title"],
        difficulty=int(about["difficulty"]),
        minutes=int(about["minutes"]),
        hints=tuple(about["hints"]),
        forbid=tuple(about.get("forbid", ())),
        limit_seconds=about.get("limit_seconds"),
        options={str(letter): str(text) for letter, text in about.get("options", {}).items()},
        checks=tuple(c for c in cells if c.role == "check" and c.question == cell.name),
    )


def names_used(source: str) -> set[str]:
    """All names that a piece of code mentions."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
