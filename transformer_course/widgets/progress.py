"""What the reader has done, by chapter, from what the browser remembers."""

import html
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from transformer_course.pages import practice
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.laboratory import question_ids


class Progress(CourseWidget, source="progress"):
    """Exercises done and points by chapter; save them to a file, bring them back, start anew.

    Nothing leaves the reader's machine: the browser's own storage holds it all.
    """

    chapters: traitlets.List = traitlets.List(help="title, page, exercises, turn").tag(sync=True)
    cards = traitlets.List(traitlets.Unicode(), help="the flash cards' ids").tag(sync=True)

    def __init__(self, folder: Path | str | None = None):
        place = practice.folder(folder)
        questions = {
            name: [{"id": one.id, "points": one.points} for one in exercises]
            for name, exercises in practice.chapters(place).items()
        }
        if folder is None:  # the laboratory's are decided by the reader's own runs
            questions["laboratory"] = [{"id": name, "points": 1} for name in question_ids()]
        turns = {name: turn for turn, name in enumerate(practice.as_read(questions))}
        super().__init__(
            chapters=[
                _chapter(name, exercises, place) | {"turn": turns[name]}
                for name, exercises in questions.items()
            ],
            cards=[card["id"] for card in practice.cards(place)],
        )

    def __repr__(self) -> str:
        return f"Progress({len(self.chapters)} chapters)"

    def tables(self) -> list[Table]:
        """How many exercises each chapter has, and their points."""
        counts = [[len(one["exercises"]), _points(one)] for one in self.chapters]
        names = [one["title"] for one in self.chapters]
        cells = np.array([*counts, np.sum(counts, axis=0)], dtype=float)
        return [Table("To be done", [*names, "all"], ["exercises", "points"], cells)]

    def as_text(self) -> str:
        """The static twin in plain characters."""
        lines = [
            f"{name}: {row[0]:.0f} exercises, {row[1]:.0f} points"
            for table in self.tables()
            for name, row in zip(table.rows, table.cells, strict=True)
        ]
        return "\n".join([repr(self), *lines])

    def as_html(self) -> str:
        """The static twin: the same as a table."""
        (table,) = self.tables()
        rows = "".join(
            f'<tr><th scope="row">{html.escape(name)}</th><td>{row[0]:.0f}</td>'
            f"<td>{row[1]:.0f}</td></tr>"
            for name, row in zip(table.rows, table.cells, strict=True)
        )
        return (
            '<div class="course-static"><table><thead><tr><td></td><th scope="col">exercises</th>'
            f'<th scope="col">points</th></tr></thead><tbody>{rows}</tbody></table></div>'
        )


class ProgressStrip(Progress, source="progress_strip"):
    """The same in one line of bars, a chapter each, and how many exercises are done."""


def _chapter(name: str, exercises: list[dict[str, Any]], place: Path) -> dict[str, Any]:
    there = (place.parent / f"{name}.ipynb").is_file()
    return {
        "title": practice.title(name, place),
        "page": name if there else "",
        "exercises": exercises,
    }


def _points(chapter: dict[str, Any]) -> int:
    return sum(one["points"] for one in chapter["exercises"])
