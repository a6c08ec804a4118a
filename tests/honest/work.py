"""A learner's finished notebook of any exercise, on which things can be done to it."""

import copy
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from transformer_course.grading.exercises.exercise import Exercise, load, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.panel.panels import solutions

SOURCES = Path(__file__).parents[2] / "exercises" / "sources"
NAMES = sorted(path.stem for path in SOURCES.glob("*.md"))
Raw = dict[str, Any]


@cache
def exercise(name: str) -> Exercise:
    """An exercise of the course."""
    return load(SOURCES / f"{name}.md")


@dataclass
class Work:
    """A notebook with every answer right; what it has `earned` changes only where that is said."""

    name: str
    notebook: dict[str, Any] = field(init=False)
    earned: float = field(init=False)
    data: bytes | None = None  # instead of the notebook, where the file itself is odd

    def __post_init__(self) -> None:
        self.exercise = exercise(self.name)
        self.notebook = json.loads(json.dumps(released(self.exercise)))
        self.earned = self.exercise.points
        right = dict(solutions(self.exercise))
        for count, raw in enumerate(self.cells, 1):
            raw["source"] = right.get(raw["id"], raw["source"])
            if raw["cell_type"] == "code":
                raw["execution_count"] = count
        about = {"name": "python", "version": "3.11.7", "file_extension": ".py"}
        self.notebook["metadata"]["language_info"] = about  # as JupyterLab saves it

    @property
    def cells(self) -> list[Raw]:
        return self.notebook["cells"]

    def bytes(self) -> bytes:
        """The file."""
        return json.dumps(self.notebook).encode() if self.data is None else self.data

    def answers(self, *kinds: str) -> list[Raw]:
        """The cells of the answers of these kinds, or of all."""
        known = self.exercise.questions
        return [
            raw
            for raw in self.cells
            if raw["id"] in known and (not kinds or known[raw["id"]].kind in kinds)
        ]

    def cell(self, name: str) -> Raw:
        return next(raw for raw in self.cells if raw["id"] == name)

    def panel_of(self, answer: Raw) -> Raw:
        """The cell below an answer that shows its panel."""
        return self.cells[self.cells.index(answer) + 1]

    def stub(self, name: str) -> str:
        """The cell as it was handed out."""
        return next(source_of(raw) for raw in released(self.exercise)["cells"] if raw["id"] == name)

    def head(self, source: str, *kinds: str) -> None:
        """Put code at the head of answers, so that they are lost where it fails."""
        for raw in self.answers(*kinds or ("code",)):
            raw["source"] = f"{source}\n\n\n{raw['source']}"

    def tail(self, source: str, *kinds: str) -> None:
        """Put code below answers; NAME stands for what the answer defines."""
        for raw in self.answers(*kinds or ("code",)):
            raw["source"] += "\n\n\n" + source.replace("NAME", defined(raw))

    def add(self, source: str, before: Raw | None = None, after: Raw | None = None, **about: Any):
        """A cell of the learner's own; at the end of the notebook if no place is said."""
        raw = {"cell_type": "code", "execution_count": None, "outputs": [], "source": source}
        raw |= {"id": f"own-{len(self.cells)}", "metadata": {}, **about}
        place = len(self.cells)
        if before is not None:
            place = self.cells.index(before)
        elif after is not None:
            place = self.cells.index(after) + 1
        self.cells.insert(place, raw)
        return raw

    def copied(self, raw: Raw, source: str, **place: Raw) -> Raw:
        """A copy as JupyterLab makes it: the same metadata and a new id."""
        return self.add(source, metadata=copy.deepcopy(raw["metadata"]), **place)


def defined(raw: Raw) -> str:
    """The last function or class that an answer makes, or else its variable."""
    lines = source_of(raw).splitlines()
    made = [line for line in lines if line.startswith(("def ", "class ", "async def "))]
    if made:
        return made[-1].split("(")[0].split(":")[0].split()[-1]
    return next(line.split(" = ")[0] for line in lines if " = " in line and line[0].isalpha())
