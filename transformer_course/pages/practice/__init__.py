"""Page exercises as data: read book/practice/*.toml, check every field, compute every answer.

An author's mistake is one line that names the file, the exercise and the field. Read the files
in this order: tables (what may be written), setups (its Python), answers and states (what the page
gets). Here is where the exercises are found.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformer_course.pages.practice.setups import Setup
from transformer_course.pages.practice.states import compute
from transformer_course.pages.practice.tables import (
    KINDS,
    Card,
    Exercise,
    PracticeError,
    checked,
    exercise,
    naming,
)

__all__ = [
    "FOLDER",
    "KINDS",
    "Exercise",
    "PracticeError",
    "as_read",
    "cards",
    "chapters",
    "compute",
    "find",
    "folder",
    "read",
    "sample",
    "title",
]

LATER = ("03-1-encoder-decoder-stacks", "02-background")  # on a first reading, in this order
BEFORE_THEM = "03-3-feed-forward"
FOLDER: Path | None = None  # set it where the search from the working folder finds nothing


def folder(given: Path | str | None = None) -> Path:
    """Where the exercises lie: `given`, FOLDER, or book/practice at or above the working folder."""
    chosen = given or FOLDER
    if chosen:
        if not Path(chosen).is_dir():
            raise PracticeError(
                f"no folder {chosen}: expected the folder with the exercises' TOML files"
            )
        return Path(chosen)
    for place in (here := Path.cwd(), *here.parents):
        for found in (place / "book" / "practice", place / "practice"):
            if found.is_dir() and (found.parent.name == "book"):
                return found
    raise PracticeError(
        f"no book/practice at or above {here}: run inside a checkout of the course, "
        "or name the folder, PageExercise(..., folder=...) or practice.FOLDER = ..."
    )


def read(path: Path) -> list[Exercise]:
    """The exercises of one file, each with its full id; every field checked, nothing computed."""
    found: dict[str, Exercise] = {}
    for number, table in enumerate(_tables(path, "exercise"), start=1):
        name = table.get("id")
        with naming(f"{path.name}, exercise {name if type(name) is str else f'number {number}'}"):
            one = exercise(table)
            if one.id in found:
                raise PracticeError("id: used twice in this file")
        found[one.id] = one
        one.id = f"{path.stem}/{one.id}"
    return list(found.values())


def sample() -> Exercise:
    """What is shown where no exercise is named."""
    return read(Path(__file__).with_name("sample.toml"))[0]


def _tables(path: Path, kind: str) -> list[dict[str, Any]]:
    """The tables of a TOML file that holds one kind of table and nothing else."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PracticeError(f"{path.name}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise PracticeError(f"{path.name}: expected text in UTF-8") from None
    tables = content.pop(kind, [])
    if content or not isinstance(tables, list) or not tables:
        extra = f", got {', '.join(content)}" if content else ""
        raise PracticeError(f"{path.name}: expected [[{kind}]] tables and nothing else{extra}")
    return tables


def chapters(given: Path | str | None = None) -> dict[str, list[Exercise]]:
    """Every chapter's exercises, in the order of the files' names."""
    files = sorted(folder(given).glob("*.toml"))
    return {path.stem: read(path) for path in files if path.stem != "cards"}


def as_read(names: Iterable[str]) -> list[str]:
    """Chapters in the paper's order, as one reads them first: 3.1 and 2 after 3.3."""
    names = list(names)
    first = [name for name in names if name not in LATER]
    at = first.index(BEFORE_THEM) + 1 if BEFORE_THEM in first else len(first)
    return [*first[:at], *(name for name in LATER if name in names), *first[at:]]


def find(name: str, given: Path | str | None = None) -> Exercise:
    """The exercise called "CHAPTER/name"."""
    chapter, slash, own = name.partition("/")
    if not (slash and chapter and own):
        raise PracticeError(f'exercise {name!r}: expected "CHAPTER/name"')
    place = folder(given)
    path = place / f"{chapter}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in place.glob("*.toml"))) or "none"
        raise PracticeError(f"exercise {name!r}: no {chapter}.toml in {place} (there: {known})")
    found = {one.id: one for one in read(path)}
    if name not in found:
        names = ", ".join(full.partition("/")[2] for full in found)
        raise PracticeError(f"exercise {name!r}: not in {path.name}, which has {names}")
    return found[name]


def cards(given: Path | str | None = None) -> list[dict[str, str]]:
    """The flash cards of cards.toml: id, topic, front, back, their numbers computed."""
    path = folder(given) / "cards.toml"
    if not path.is_file():
        raise PracticeError(f"no {path.name} in {path.parent}: expected [[card]] tables")
    found: dict[str, dict[str, str]] = {}
    for number, table in enumerate(_tables(path, "card"), start=1):
        with naming(f"{path.name}, card {table.get('id', f'number {number}')}"):
            card = checked(Card, table)
            if card.id in found:
                raise PracticeError("id: expected words of a-z, 0-9 joined by -, each id once")
            setup = Setup(card.setup)
            texts = {field: setup.fill(field, getattr(card, field)) for field in ("front", "back")}
        found[card.id] = {"id": card.id, "topic": card.topic} | texts
    return list(found.values())


def title(chapter: str, given: Path | str | None = None) -> str:
    """A chapter's heading; where there is no such chapter yet, its name as words."""
    path = folder(given).parent / "text" / f"{chapter}.md"
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    number, _, words = chapter.partition("-")
    return f"{number.lstrip('0')} {words.replace('-', ' ').capitalize()}"
