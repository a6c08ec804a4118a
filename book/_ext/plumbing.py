"""Cells without what serves the page alone.

`glue("name", value)` only carries a number from the code into the text. The notebooks keep it, and
run it; the pages show the code above it. A cell of nothing else shows its output alone. And where
cells that are folded away follow each other, the page folds them as one. A fold says what is in it.
"""

from __future__ import annotations

import ast

from docutils import nodes
from sphinx.application import Sphinx

MOST_NAMES = 3  # in the name of a fold


def _carries(statement: ast.stmt) -> bool:
    """Whether a statement is a call of glue, or a loop over nothing else."""
    if isinstance(statement, ast.For):
        return all(map(_carries, statement.body))
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "glue"


def _idle(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that only carry, those within loops and the like included."""
    found = []
    for each in statements:
        if _carries(each):
            found.append(each)
        elif isinstance(each, ast.For):  # one statement of it, at least, stays
            found += _idle(each.body)
    return found


def without_glue(code: str) -> str:
    """A cell's code without these statements; what is no Python comes back as it is."""
    try:
        idle = _idle(ast.parse(code).body)
    except SyntaxError:
        return code
    if not idle:
        return code
    gone = {n for each in idle for n in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    lines = [line for n, line in enumerate(code.splitlines(), 1) if n not in gone]
    return "\n".join(lines).strip("\n")


def drop_glue(app: Sphinx, doctree: nodes.document) -> None:
    """The same for each cell of a page that has been read."""
    for source in list(doctree.findall(nodes.container)):
        if source.get("nb_element") != "cell_code_source":
            continue
        for block in list(source.findall(nodes.literal_block)):
            kept = without_glue(block.rawsource or block.astext())
            if kept:
                block.rawsource = kept
                block.children = [nodes.Text(kept)]
            else:
                source.parent.remove(source)


def join_folded(app: Sphinx, doctree: nodes.document) -> None:
    """A folded cell that shows nothing goes into the folded cell right after it."""
    for cell in list(doctree.findall(_folded)):
        after = cell.next_node(descend=False, siblings=True)
        if after is None or not _folded(after) or len(cell.children) > 1:
            continue
        first, second = (next(each.findall(nodes.literal_block)) for each in (cell, after))
        second.rawsource = f"{first.rawsource}\n\n\n{second.rawsource}"
        second.children = [nodes.Text(second.rawsource)]
        cell.parent.remove(cell)


def what_is_in(code: str, *, shows: bool) -> str:
    """A fold's name: what its code draws, imports, defines or checks, or else prints."""
    if "plotting.show(" in code:
        return "Code of the figure"
    try:
        statements = ast.parse(code).body
    except SyntaxError:
        statements = []
    kinds = ast.FunctionDef | ast.ClassDef
    names = [each.name for each in statements if isinstance(each, kinds)]
    if any(isinstance(each, ast.Import | ast.ImportFrom) for each in statements):
        names.insert(0, "imports")
    if not names and any(isinstance(x, ast.Assert) for each in statements for x in ast.walk(each)):
        names.append("checks")
    if names:
        return f"Code: {', '.join(names[:MOST_NAMES])}{', …' if len(names) > MOST_NAMES else ''}"
    return "Code of what follows" if shows else "Code"


def name_folds(app: Sphinx, doctree: nodes.document) -> None:
    """Each folded cell is named, for who scans the page or hears it."""
    for cell in doctree.findall(nodes.container):
        if cell.get("prompt_show") != app.config.nb_code_prompt_show:
            continue  # not folded, or named by its author
        blocks = cell.children[0].findall(nodes.literal_block)
        code = "\n".join(block.astext() for block in blocks)
        cell["prompt_show"] = what_is_in(code, shows=len(cell.children) > 1)


def _folded(node: nodes.Node) -> bool:
    """Whether this is a cell whose code is there, and folded."""
    return (
        isinstance(node, nodes.container)
        and node.get("hide_mode") == "input"
        and node.children[0].get("nb_element") == "cell_code_source"
    )
