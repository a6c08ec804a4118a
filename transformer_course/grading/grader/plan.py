"""What is run for a submission: the exercise's own fixed cells, the learner's answers, the rest."""

from collections.abc import Iterator
from dataclasses import replace

from transformer_course.grading.exercises.exercise import Exercise, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.grader.submission import Step, Submission


class Planner:
    """An exercise, made ready once to put any number of submissions in order."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        cells = [raw for raw in released(exercise)["cells"] if raw["cell_type"] == "code"]
        self.handed_out = {str(raw["id"]): tidy(source_of(raw)) for raw in cells}
        self.named = {cell.name: cell.role for cell in exercise.cells if cell.name}
        self.fixed = {
            text for name, text in self.handed_out.items() if self.named.get(name) != "solution"
        }

    def fits(self, submission: Submission) -> bool:
        """Whether a notebook that does not name its exercise is this one, by its cells' names."""
        return any(self.named.get(cell.name) == "solution" for cell in submission.cells)

    def plan(self, submission: Submission) -> tuple[list[Step], list[str]]:
        """The steps and what is odd about the notebook.

        The first cell with a name is the one that counts, unless it was left as handed out.
        Cells without a name stay behind the named cell they follow. Fixed cells are the
        exercise's own, wherever the submission has lost or changed them.
        """
        chosen: dict[str, Step] = {}
        extras: dict[str, list[Step]] = {}
        flags: list[str] = []
        same_version = submission.version in ("", self.exercise.version)
        after = ""
        for cell in submission.cells:
            role, text = self.named.get(cell.name), tidy(cell.source)
            if role is None:
                if text and text not in self.fixed:
                    extras.setdefault(after, []).append(replace(cell, name=""))
                continue
            after = cell.name
            untouched = text == self.handed_out[cell.name]
            if role != "solution":
                if same_version and not untouched:
                    flags.append(f"edited:{cell.name}")
            elif cell.name not in chosen or self.left(chosen[cell.name]):
                chosen[cell.name] = cell
            elif not untouched and text != tidy(chosen[cell.name].source):
                flags.append(f"duplicated:{cell.name}")
        if not same_version:
            flags.append("other_version")
        return list(self.steps(chosen, extras)), list(dict.fromkeys(flags))

    def left(self, cell: Step) -> bool:
        """Whether an answer's cell is as it was handed out."""
        return tidy(cell.source) == self.handed_out[cell.name]

    def steps(self, chosen: dict[str, Step], extras: dict[str, list[Step]]) -> Iterator[Step]:
        """All cells in the order in which they run."""
        yield from extras.get("", ())
        for cell in self.exercise.cells:
            if cell.role == "setup":
                yield Step(kind="setup", name=cell.name, source=cell.source)
            elif cell.role == "check":
                yield Step(kind="check", name=cell.name, source=cell.source, check=cell)
            elif cell.name in chosen:
                yield replace(chosen[cell.name], kind="answer")
            yield from extras.get(cell.name, ()) if cell.name else ()


def tidy(source: str) -> str:
    """A cell's text without what editors change by themselves."""
    lines = source.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
