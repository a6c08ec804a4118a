"""Code that serves the reader: narrow lines, imports and bookkeeping folded."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
WIDTH = 72
# The chapters that are narrow; the others are not there yet.
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
NARROW = sorted(path for each in SETTINGS["format"]["exclude"] for path in ROOT.glob(each))
EVERY_NARROW = pytest.mark.parametrize("path", NARROW, ids=lambda path: path.stem)


def in_sight(path: Path) -> list[str]:
    """The code that a page shows without a click."""
    cells = nbformat.read(path, as_version=4).cells
    folded = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
    return [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and not folded & set(cell.metadata.get("tags", []))
    ]


def bookkeeping(code: str) -> list[str]:
    """The imports of a cell, and the numbers that it hands to the text, outside of functions."""
    found = []
    for node in ast.parse(code).body:
        glued = isinstance(node, ast.Expr) and ast.unparse(node).startswith("glue(")
        if glued or isinstance(node, ast.Import | ast.ImportFrom):
            found.append(ast.unparse(node))
    return found


@EVERY_NARROW
def test_a_page_shows_no_line_that_is_cut_at_its_right(path):
    lines = [line for code in in_sight(path) for line in code.splitlines()]
    assert [line for line in lines if len(line) > WIDTH] == []


@EVERY_NARROW
def test_imports_and_bookkeeping_are_folded(path):
    shown = [code for code in in_sight(path) if code not in answers(path)]
    assert [line for code in shown for line in bookkeeping(code)] == []


def answers(path: Path) -> set[str]:
    """Code inside an answer, which stays closed until the reader opens it."""
    cells = nbformat.read(path, as_version=4).cells
    return {
        cell.source
        for cell in cells
        if cell.cell_type == "code" and cell.metadata.get("jupyter", {}).get("outputs_hidden")
    }


def test_the_narrow_chapters_are_formatted_at_their_width():
    assert len(NARROW) >= 14
    command = [sys.executable, "-m", "ruff", "format", "--check", "--line-length", str(WIDTH)]
    run = subprocess.run(
        [*command, *map(str, NARROW)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_bookkeeping_is_seen():
    assert bookkeeping("import math\nx = 1\nglue('x', x)") == ["import math", "glue('x', x)"]
    assert bookkeeping("def f():\n    import math\n    return glue\nf()") == []
