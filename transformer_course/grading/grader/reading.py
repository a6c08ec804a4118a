"""A submission as it comes: a file that nobody vetted, read without trust or outputs."""

import hashlib
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

from transformer_course.grading.grader.submission import Step, Submission

MAX_BYTES = 100 << 20
MAX_CELLS = 2000
MAX_CHARACTERS = 500_000  # of one cell, and four times as many in all
MAX_BRACKETS = 4_000_000  # opening ones: each becomes an object in memory
PANELS = re.compile(r"""\bPanels\(["']([\w.-]{1,100})["']""")
UNKNOWN = Submission()


class UnreadableError(Exception):
    """There is no notebook in the file. The message says why, for learner and instructor."""


def read_file(path: Path) -> bytes:
    """The bytes of a regular file. Links are not followed, and nothing waits for a pipe.

    Raises:
        UnreadableError: it is something else, too large, or may not be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise UnreadableError("a symbolic link, which is not followed: hand in the file itself")
        if not stat.S_ISREG(path.stat().st_mode):
            kind = "a folder" if path.is_dir() else "a pipe or a device"
            raise UnreadableError(f"expected a notebook, got {kind}")
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            size = os.fstat(file.fileno()).st_size
            return within_limit(file.read(MAX_BYTES + 1) if size <= MAX_BYTES else b"", size)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"the file cannot be read: {reason}") from None


def within_limit(data: bytes, size: int) -> bytes:
    """The data, unless it is larger than a notebook may be. Raises UnreadableError."""
    if max(len(data), size) > MAX_BYTES:
        raise UnreadableError(
            f"{max(len(data), size) >> 20} MB, more than {MAX_BYTES >> 20} MB: "
            "clear the outputs (Edit, Clear Outputs of All Cells), save, and hand in again"
        )
    return data


def digest(data: bytes) -> str:
    """The sha256 that a result names its submission by."""
    return hashlib.sha256(data).hexdigest()


def parse(data: bytes, submission: Submission = UNKNOWN) -> Submission:
    """With the code cells of a notebook of format 3, 4, or a later one that still looks like it.

    Raises:
        UnreadableError: it is not a notebook.
    """
    if data.count(b"{") + data.count(b"[") > MAX_BRACKETS:
        raise UnreadableError(f"more than {MAX_BRACKETS:,} lists and objects: clear the outputs")
    try:
        notebook = json.loads(data)
    except RecursionError:
        raise UnreadableError("lists nested too deep for a notebook") from None
    except ValueError as error:
        what = "the file is empty" if not data.strip() else f"not JSON: {error}"
        raise UnreadableError(f"{what}; is it the saved .ipynb file?") from None
    if not isinstance(notebook, dict):
        raise UnreadableError(f"expected a notebook, got a JSON {type(notebook).__name__}")
    metadata = a_dict(notebook.get("metadata"))
    about, language = a_dict(metadata.get("course")), a_dict(metadata.get("language_info"))
    found = cells_of(notebook)
    if len(found) > MAX_CELLS:
        raise UnreadableError(f"{len(found):,} cells, more than {MAX_CELLS:,}")
    cells = [
        read_cell(raw, index)
        for index, raw in enumerate(found, 1)
        if is_code(raw, index) or was_code(raw)
    ]
    total = sum(len(cell.source) for cell in cells)
    if total > 4 * MAX_CHARACTERS:
        raise UnreadableError(f"{total:,} characters of code, more than {4 * MAX_CHARACTERS:,}")
    return replace(
        submission,
        exercise=text(about.get("exercise")) or named_by(cells),
        version=text(about.get("version")),
        python=text(language.get("version")),
        cells=cells,
    )


def named_by(cells: list[Step]) -> str:
    """The exercise whose panels a notebook shows; "" if it shows none."""
    found = (PANELS.search(cell.source) for cell in cells)
    return next((match[1] for match in found if match), "")


def cells_of(notebook: dict[str, Any]) -> list[Any]:
    """The cells, which format 3 keeps in worksheets."""
    sheets = notebook.get("worksheets")
    if "cells" not in notebook and isinstance(sheets, list):
        parts = [a_dict(sheet).get("cells") for sheet in sheets]
    else:
        parts = [notebook.get("cells")]
    if not all(isinstance(part, list) for part in parts):
        form = json.dumps(notebook.get("nbformat"))[:20]
        raise UnreadableError(f"no list of cells (the file's nbformat is {form}, 4 is expected)")
    return [raw for part in parts for raw in part or ()]


def is_code(raw: Any, index: int) -> bool:
    """Whether this is a cell of code. Raises UnreadableError if it is no cell at all."""
    if not isinstance(raw, dict):
        raise UnreadableError(f"cell {index} is a JSON {type(raw).__name__}, not a cell")
    return raw.get("cell_type") == "code"


def was_code(raw: dict[str, Any]) -> bool:
    """Whether this was handed out as an answer's cell of code, and is one of text by now."""
    about = a_dict(a_dict(raw.get("metadata")).get("nbgrader"))
    return about.get("solution") is True and about.get("cell_type", "code") == "code"


def read_cell(raw: dict[str, Any], index: int) -> Step:
    """A cell, its text as one string or as lines, called `input` in format 3."""
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise UnreadableError(f"the source of cell {index} is not text")
    if len(source) > MAX_CHARACTERS:
        raise UnreadableError(
            f"cell {index} has {len(source):,} characters, more than {MAX_CHARACTERS:,}"
        )
    about = a_dict(a_dict(raw.get("metadata")).get("nbgrader"))
    count = raw.get("execution_count")
    return Step(
        index=index,
        name=text(about.get("grade_id")),
        id=text(raw.get("id")),
        count=count if type(count) is int else None,
        code=is_code(raw, index),
        source=text(source),
    )


def a_dict(found: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return found if isinstance(found, dict) else {}


def text(found: Any) -> str:
    """The value if it is text, without halves of characters, which nothing can encode."""
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""
