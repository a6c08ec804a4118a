"""An exercise graded in the page: its data in book/practice, its answer computed in Python."""

import html
import re
from pathlib import Path

import numpy as np
import traitlets

from transformer_course.pages import practice
from transformer_course.widgets.base import CourseWidget, Table


class PageExercise(CourseWidget, source="page_exercise"):
    """`PageExercise("03-3-feed-forward/zero-input")`: predict, fill, paint, choose, order, match.

    Full points on the first try, one fewer for each later one, at least one; an answer that was
    shown earns none. `work` holds what the reader has entered, and how it went.
    """

    exercise = traitlets.Dict(help="what to show and how to grade it").tag(sync=True)
    work = traitlets.Dict(help="entry, tries, hints, outcome, message").tag(sync=True)

    def __init__(self, name: str = "", folder: Path | str | None = None):
        """Without a name it shows a sample; `folder` is where the TOML files lie."""
        exercise = practice.find(name, folder) if name else practice.sample()
        super().__init__(exercise=practice.compute(exercise))

    def __repr__(self) -> str:
        return f'PageExercise("{self.exercise["id"]}")'

    def tables(self) -> list[Table]:
        """The answer in numbers: cells, or for each option, line or pair what is right."""
        of, title = self.exercise, self.exercise["title"]
        kind, answer = of["kind"], of["answer"]
        if kind in ("matrix", "mask"):
            return [Table(title, of["rows"], of["columns"], np.array(answer, dtype=float))]
        if kind == "number":
            return [Table(title, ["answer"], [of["unit"]], np.array([[answer]]))]
        rows = of.get("options") or of.get("lines") or of["lefts"]
        if kind == "choice":
            answer = [option["right"] for option in of["options"]]
        names = [str(n) for n in range(1, len(rows) + 1)]
        return [Table(title, names, ["answer"], np.array([[float(x)] for x in answer]))]

    def as_text(self) -> str:
        """The static twin in plain characters."""
        of = self.exercise
        asked = [f"- {line}" for line in self._asked()]
        answer = f"Answer: {of['shown']}"
        return "\n\n".join([repr(self), of["title"], of["prompt"], "\n".join(asked), answer])

    def as_html(self) -> str:
        """The static twin: the prompt and its options, then the answer and why."""
        of = self.exercise
        asked = "".join(f"<li>{_inline(line)}</li>" for line in self._asked())
        answer = f"<p><strong>Answer:</strong> {_inline(of['shown'])}</p>"
        if of["kind"] in ("matrix", "mask"):
            answer = "<p><strong>Answer:</strong></p>" + self._grid()
        return (
            f'<div class="course-static"><p><strong>Exercise: {_inline(of["title"])}</strong></p>'
            f"{_prose(of['prompt'])}{f'<ul>{asked}</ul>' if asked else ''}"
            f"{answer}{_prose(of['explanation'])}</div>"
        )

    def _asked(self) -> list[str]:
        """What there is to choose from, order or match."""
        of = self.exercise
        if of["kind"] == "match":
            return [*of["lefts"], "To be matched with: " + "; ".join(of["rights"])]
        lines = [of["lines"][n] for n in of["start"]] if of["kind"] == "order" else []
        return lines or [option["text"] for option in of.get("options", [])]

    def _grid(self) -> str:
        """A matrix or a mask as a table."""
        of = self.exercise
        cells = of.get("texts") or [["✓" if x else "·" for x in row] for row in of["answer"]]
        head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in of["columns"])
        rows = [
            f'<tr><th scope="row">{html.escape(name)}</th>'
            + "".join(f"<td>{cell}</td>" for cell in row)
            + "</tr>"
            for name, row in zip(of["rows"], cells, strict=True)
        ]
        head = f"<thead><tr><td></td>{head}</tr></thead>"
        return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _inline(text: str) -> str:
    parts = re.split(r"(`[^`]*`|\*[^*\s][^*]*\*)", html.escape(text.strip()))
    for n in range(1, len(parts), 2):
        tag = "code" if parts[n][0] == "`" else "em"
        parts[n] = f"<{tag}>{parts[n][1:-1]}</{tag}>"
    return "".join(parts)


def _prose(text: str) -> str:
    """Paragraphs, `code`, and blocks of code indented by four spaces, as the page has them."""
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        if block.startswith("    "):
            code = html.escape(re.sub("^ {4}", "", block, flags=re.MULTILINE))
            blocks.append(f"<pre><code>{code}</code></pre>")
        else:
            blocks.append(f"<p>{_inline(block)}</p>")
    return "".join(blocks)
