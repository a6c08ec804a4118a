"""A cell's text as Python, line by line: for those who read it and do not run it.

Whoever runs a cell has IPython do this (`processes/shell.py`), in a process with limits. This here
takes time in proportion to the text, whoever wrote it.
"""

import re

RUN = ("time", "timeit", "capture", "prun")  # magics whose code is Python
MAGIC = re.compile(r"(\s*|[\w,\s]+=\s*)%(\w+)(.*)$")
OPTIONS = re.compile(r"(?:\s+-\w+(?:\s+\d+)?(?=\s))*\s*")
COMMAND = re.compile(r"(\s*|[\w,\s]+=\s*)!")
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


def plain(line: str) -> str:
    """One line as Python."""
    if found := MAGIC.match(line):
        front, name, code = found.groups()
        timed = name in RUN and not front.strip()
        return str(front) + (code[OPTIONS.match(code).end() :] if timed else "None")  # type: ignore[union-attr]
    if found := COMMAND.match(line):
        return f"{found[1]}None"
    return "None" if HELP.match(line) else line
