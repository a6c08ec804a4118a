"""A cell's text as Python, line by line: for those who read it and do not run it.

Whoever runs a cell has IPython do this (`processes/shell.py`), in a process with limits. This here
takes time in proportion to the text, whoever wrote it.
"""

import ast
import re

RUN = ("time", "timeit", "capture", "prun")  # magics whose code is Python
MAGIC = re.compile(r"(\s*|[\w,\s]+=\s*)%(\w+)(.*)$")
OPTIONS = re.compile(r"(?:\s+-\w+(?:\s+\d+)?(?=\s))*\s*")
COMMAND = re.compile(r"(\s*|[\w,\s]+=\s*)!")
UNTOLD = ("exec", "globals", "locals", "vars", "get_ipython")  # may make any name
NAMED = re.compile(r"^\s*%%?(\w+)", re.MULTILINE)
SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
HELP = re.compile(r"\s*(?:\?.*|[\w.]+\?\??)\s*$")


def to_python(source: str) -> str:
    """The Python that a cell stands for: what magics time or capture stays, commands go."""
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first][2:].partition(" ")[0].strip() not in RUN:
            return ""
        lines[first] = ""
    return "\n".join(map(plain, lines))


def defined(source: str) -> set[str] | None:
    """Every name that a cell may give a value to, in whatever way; None if that cannot be told."""
    if any(found[1] not in RUN for found in NAMED.finditer(source)):
        return None
    try:
        tree = ast.parse(to_python(source))
    except (SyntaxError, ValueError):
        return None
    names: set[str] = set()
    inner: set[int] = set()  # what a function, a class or a comprehension has for itself
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            names |= set(node.names)
        if id(node) in inner and not isinstance(node, ast.Global):
            inner |= {id(each) for each in ast.iter_child_nodes(node)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            inner |= {id(each) for each in node.body}
        elif isinstance(node, SCOPES):
            inner |= {id(each) for each in ast.iter_child_nodes(node)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if any(each.name == "*" for each in node.names):
                return None
            names |= {each.asname or each.name.split(".")[0] for each in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.Name) and node.id in UNTOLD:
            return None
    return names


def plain(line: str) -> str:
    """One line as Python."""
    if found := MAGIC.match(line):
        front, name, code = found.groups()
        timed = name in RUN and not front.strip()
        return str(front) + (code[OPTIONS.match(code).end() :] if timed else "None")  # type: ignore[union-attr]
    if found := COMMAND.match(line):
        return f"{found[1]}None"
    return "None" if HELP.match(line) else line
