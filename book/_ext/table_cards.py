"""On a phone the rows of a wide table are cards; the style sheet does it, by its classes.

Each cell has the name of its column, short ones stand side by side, and parts of a table keep
their roles, which a browser forgets for what is not laid out as a table.
"""

from __future__ import annotations

import html
import re
from typing import Any

from sphinx.application import Sphinx

# How much a table of 358 px holds: letters of the longest words side by side, of a whole row.
WORDS, ROW_OF_THREE, ROW_OF_MORE = 43, 140, 85
SHORT, NAME = 14, 20  # a cell and its column's name, where two of them share a line
TABLE = re.compile(
    r'<table class="(?P<classes>(?:[\w-]+ )*table)">(?P<inside>.*?)</table>', flags=re.DOTALL
)
ROW = re.compile(r"<tr[^>]*>.*?</tr>", flags=re.DOTALL)
CELL = re.compile(r"<(?P<tag>t[hd])(?P<rest>[^>]*)>(?P<inside>.*?)</(?P=tag)>", flags=re.DOTALL)
UNSEEN = re.compile(r"<annotation.*?</annotation>|<[^>]+>", flags=re.DOTALL)
ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row"}


def mark(body: str) -> str:
    """A page's body in which tables too wide for a phone say so."""
    return TABLE.sub(_marked, body)


def too_wide(rows: list[list[str]]) -> bool:
    """Whether a table, its head first, does not fit or is a word a line at 390 px."""
    columns = list(zip(*rows, strict=True))
    if len(columns) < 3:
        return False
    words = sum(max(len(word) for cell in each for word in cell.split(" ")) for each in columns)
    row = max(sum(map(len, each)) for each in rows[1:])
    if len(columns) == 3:
        return row >= ROW_OF_THREE
    return words >= WORDS or row >= ROW_OF_MORE


def text(cell: str) -> str:
    """What one sees of a cell."""
    return re.sub(r"[\n ]+", " ", html.unescape(UNSEEN.sub("", cell))).strip(" ")


def _marked(found: re.Match[str]) -> str:
    rows = [[text(cell["inside"]) for cell in CELL.finditer(row)] for row in ROW.findall(found[0])]
    if "span=" in found[0] or len({len(row) for row in rows}) != 1 or len(rows) < 2:
        return found[0]
    return _cards(found, rows) if too_wide(rows) else found[0]


def kinds(rows: list[list[str]]) -> list[str]:
    """What each column is in a card: its head, maybe with a letter before it; short; or a line.

    A short one has another beside it: alone it would not stand under the other lines.
    """
    columns = [(head, max(map(len, cells))) for head, *cells in zip(*rows, strict=True)]
    heads = ["letter", "head"] if columns[0][1] <= 3 else ["head"]
    short = [len(head) <= NAME and most <= SHORT for head, most in columns]
    short[: len(heads)] = [False] * len(heads)
    beside = zip(short, [False, *short], [*short[1:], False], strict=False)
    paired = [here and (before or after) for here, before, after in beside]
    return heads + ["short" if each else "line" for each in paired[len(heads) :]]


def _cards(found: re.Match[str], rows: list[list[str]]) -> str:
    columns = list(zip(map(html.escape, rows[0]), kinds(rows), strict=True))

    def row(cells: re.Match[str]) -> str:
        left = iter(columns)

        def cell(each: re.Match[str]) -> str:
            name, kind = next(left)
            if each["tag"] == "th":
                return f'<th role="columnheader"{each["rest"]}>{each["inside"]}</th>'
            kind = kind if text(each["inside"]) else "none"
            about = f'role="cell" data-card="{kind}" data-name="{name}"'
            return f"<td {about}{each['rest']}>{each['inside']}</td>"

        return CELL.sub(cell, cells[0])

    inside = ROW.sub(row, found["inside"])
    for tag, role in ROLES.items():
        inside = re.sub(rf"<{tag}\b", f'<{tag} role="{role}"', inside)
    return f'<table role="table" class="course-cards {found["classes"]}">{inside}</table>'


def mark_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """The same for a page that is about to be written."""
    if body := context.get("body"):
        context["body"] = mark(body)
