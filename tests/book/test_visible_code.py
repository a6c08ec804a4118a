"""Code that serves the reader: narrow lines, imports and bookkeeping folded."""

import ast
import builtins
import re
import subprocess
import symtable
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
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))
EVERY_CHAPTER = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
HIDDEN = {"remove-input", "remove-cell"}
OF_A_WIDGET = {"laboratory": {"laboratory"}}  # the widget on top, as the text there says
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


def names(code: str) -> tuple[set[str], set[str]]:
    """What code reads of the notebook's names, and what it makes."""
    made: set[str] = set()
    read: set[str] = set()

    def walk(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                read.add(symbol.get_name())
            if table is top and (symbol.is_assigned() or symbol.is_imported()):
                made.add(symbol.get_name())
        for child in table.get_children():
            walk(child)

    top = symtable.symtable(re.sub(r"^%.*$", "", code, flags=re.MULTILINE), "cell", "exec")
    walk(top)
    return read, made


@EVERY_CHAPTER
def test_what_code_in_sight_names_is_made_in_sight_or_in_a_fold(path):
    known = set(dir(builtins)) | OF_A_WIDGET.get(path.stem, set())
    shown, strange = in_sight(path), {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or HIDDEN & set(cell.metadata.get("tags", [])):
            continue
        read, made = names(cell.source)
        if cell.source in shown and (unknown := read - known - made):
            strange[cell.source.splitlines()[0]] = unknown
        known |= made
    assert strange == {}


def test_a_name_from_nowhere_is_seen():
    assert names("import math as m\nx = [y for y in z]\ndef f(a):\n    return a + b + x") == (
        {"z", "b", "x"},
        {"m", "x", "f"},
    )


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
