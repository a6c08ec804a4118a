"""What the widgets of the course share: checked matrices, a stable text form, a static twin."""

import html
import math
from typing import Any, NamedTuple

import anywidget
import numpy as np
import traitlets

from transformer_course.widgets.sources import module, style


class Table(NamedTuple):
    """One table of a widget's static twin: a title, names of rows and columns, the numbers.

    A cell that is a text stands as it is.
    """

    title: str
    rows: list[str]
    columns: list[str]
    cells: np.ndarray


class Matrix(traitlets.TraitType):
    """Rows of numbers (or of booleans) of one fixed shape; tensors and arrays are welcome."""

    def __init__(self, default: list[list], limit: float | None = None, **kwargs: Any):
        """`limit` is the largest size a number may have; without it the cells are booleans."""
        self.shape, self.limit = (len(default), len(default[0])), limit
        super().__init__(default, **kwargs)

    def validate(self, obj: traitlets.HasTraits, value: Any) -> list[list]:
        """Copy to plain lists, so that no two widgets share one."""
        rows = value.tolist() if hasattr(value, "tolist") else value
        if not self.fits(rows):
            raise traitlets.TraitError(f"{self.name}: expected {self.wanted}, got {rows!r}")
        cell = bool if self.limit is None else float
        return [[cell(x) for x in row] for row in rows]

    @property
    def wanted(self) -> str:
        """What a value has to be, in words."""
        cells = "True (may attend) or False"
        if self.limit is not None:
            cells = f"numbers from {-self.limit:g} to {self.limit:g}"
        return f"{self.shape[0]} lists of {self.shape[1]} {cells}"

    def fits(self, rows: Any) -> bool:
        """Whether these are lists of the right lengths with nothing but good cells in them."""
        height, width = self.shape
        if not isinstance(rows, list | tuple) or len(rows) != height:
            return False
        if any(not isinstance(row, list | tuple) or len(row) != width for row in rows):
            return False
        return all(self.good(cell) for row in rows for cell in row)

    def good(self, cell: Any) -> bool:
        """Whether one cell is a boolean, or a finite number within the limit."""
        is_bool = isinstance(cell, bool | np.bool_)
        if self.limit is None or is_bool:
            return self.limit is None and is_bool
        number = isinstance(cell, int | float | np.integer | np.floating)
        return number and math.isfinite(cell) and abs(cell) <= self.limit


class CourseWidget(anywidget.AnyWidget):
    """A widget whose text form holds no address, with its numbers as tables where nothing moves.

    `class Name(CourseWidget, source="name")` takes its browser code from name.js and name.css.
    """

    _esm_name = ""

    def __init_subclass__(cls, source: str = "", **kwargs: Any):
        if source:
            cls._esm_name = f"{source}.js"
            cls._esm = module(cls._esm_name)
            cls._css = style(cls._esm_name)
        super().__init_subclass__(**kwargs)

    def tables(self) -> list[Table]:
        """The numbers it shows, computed in Python: for PDF, GitHub and readers without scripts."""
        return []

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def as_text(self) -> str:
        """The static twin in plain characters."""
        return "\n\n".join([repr(self), *map(text_table, self.tables())])

    def as_html(self) -> str:
        """The static twin as HTML tables."""
        tables = "".join(map(html_table, self.tables()))
        return f'<div class="course-static">{tables}</div>'

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return data | {"text/plain": self.as_text(), "text/html": self.as_html()}, metadata


def number(x: float | str) -> str:
    """Two decimals, and no minus before a zero."""
    text = x if isinstance(x, str) else f"{x:.2f}"
    return "0.00" if text == "-0.00" else text


def text_table(table: Table) -> str:
    """One table in columns of equal width."""
    left = max(len(name) for name in table.rows)
    cells = [[number(x) for x in row] for row in table.cells]
    width = 2 + max(len(text) for row in [table.columns, *cells] for text in row)
    lines = [" " * left + "".join(name.rjust(width) for name in table.columns)]
    for name, row in zip(table.rows, cells, strict=True):
        lines.append(name.ljust(left) + "".join(text.rjust(width) for text in row))
    return "\n".join([table.title, *(f"  {line}" for line in lines)])


def html_table(table: Table) -> str:
    """One table with a caption and scoped headings."""
    columns = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table.columns)
    rows = []
    for name, row in zip(table.rows, table.cells, strict=True):
        cells = "".join(f"<td>{html.escape(number(x))}</td>" for x in row)
        rows.append(f'<tr><th scope="row">{html.escape(name)}</th>{cells}</tr>')
    return (
        f"<table><caption>{html.escape(table.title)}</caption>"
        f"<thead><tr><td></td>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
