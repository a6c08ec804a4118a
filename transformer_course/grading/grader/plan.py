"""What is run for a submission: the exercise's fixed cells, and the learner's in their order."""

import re
from collections.abc import Iterator
from dataclasses import replace

from transformer_course.grading.exercises.exercise import Cell, Exercise, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.grader.submission import Step, Submission

MADE = re.compile(r"^(?:async +)?(?:def|class) +(\w+)|^(\w+) *(?::[^=\n]*)?=(?!=)", re.MULTILINE)


class Planner:
    """An exercise, made ready once to put any number of submissions in order."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        cells = [raw for raw in released(exercise)["cells"] if raw["cell_type"] == "code"]
        self.handed_out = {str(raw["id"]): tidy(source_of(raw)) for raw in cells}
        self.named = {cell.name: cell for cell in exercise.cells if cell.name}
        self.place = {cell.name: i for i, cell in enumerate(exercise.cells) if cell.name}
        self.by_text = {text: name for name, text in self.handed_out.items()}
        self.answers = {
            name: made(text)
            for name, text in self.handed_out.items()
            if self.role(name) == "solution"
        }
        self.setups = [cell for cell in exercise.cells if cell.role == "setup"]
        self.first = min(self.place[name] for name in self.answers) if self.answers else 0

    def role(self, name: str) -> str:
        """What a cell that was handed out is for; "" for a panel, a picture and checks' helpers."""
        return self.named[name].role if name in self.named else ""

    def identified(self, cell: Step) -> str:
        """Which handed-out cell this is: by its id, else its metadata, else its text; or ""."""
        if cell.id in self.named:
            return cell.id
        return cell.name if cell.name in self.named else self.by_text.get(tidy(cell.source), "")

    def evidence(self, submission: Submission) -> int:
        """How many of the exercise's answers and checks a notebook has that may not name it."""
        found = {self.identified(cell) for cell in submission.cells}
        return sum(self.role(name) in ("solution", "check") for name in found)

    def question(self, cell: Step) -> str:
        """The question that a cell of unknown origin answers, by the names that it makes; or ""."""
        names = made(cell.source)
        return next((name for name, own in self.answers.items() if own & names), "")

    def turned(self, submission: Submission) -> set[str]:
        """Questions whose answer stands in a cell of text, which the key M or R makes of it."""
        named = [(self.identified(cell), cell) for cell in submission.cells]
        known = {
            name or self.question(cell)
            for name, cell in named
            if cell.code and tidy(cell.source) != self.handed_out.get(name)
        }
        return {name for name, cell in named if not cell.code and name in self.answers} - known

    def plan(self, submission: Submission) -> tuple[list[Step], list[str]]:
        """The steps and what is odd about the notebook.

        They run as Jupyter runs them, from the top, so that of two definitions the last one counts.
        Before that come answers that were left as handed out, which thus replace nothing, and
        before these all of the set-up that stands above one of them. What is left of an answer in
        a cell of text runs as code if there is no other one. A set-up is the exercise's own; where
        the learner's differs, it runs behind that. Checks come last.
        """
        flags: list[str] = []
        same_version = submission.version in ("", self.exercise.version)
        waiting = list(self.setups)
        stubs: list[Step] = []
        steps: list[Step] = []
        turned = self.turned(submission)
        for cell in submission.cells:
            name, text = self.identified(cell), tidy(cell.source)
            if not cell.code and name not in turned:
                continue
            role, untouched = self.role(name), text == self.handed_out.get(name)
            if role == "check" or (role == "setup" and not untouched):
                flags += [f"edited:{name}"] if same_version and not untouched else []
            if role == "setup":
                steps += self.set_up(waiting, self.place[name])
            if not cell.code and not untouched:
                flags.append(f"not_code:{name}")
            if role == "solution" and untouched:
                stubs.append(replace(cell, name=name, kind="answer"))
            elif text and not untouched and role != "check":
                question = name if role == "solution" else self.question(cell)
                steps += self.set_up(waiting, self.place.get(question, -1))
                steps.append(replace(cell, name=question, kind="answer" if question else "extra"))
        steps += self.set_up(waiting, len(self.exercise.cells))
        if not same_version:
            flags.append("other_version")
        checks = [
            Step(kind="check", name=cell.name, source=cell.source, check=cell)
            for cell in self.exercise.checks
        ]
        last = max([self.first, *(self.place[stub.name] for stub in stubs)])
        start = [step for step in steps if self.leads(step, last)]
        rest = [step for step in steps if not self.leads(step, last)]
        flags += duplicated(rest)
        return [*start, *stubs, *rest, *checks], list(dict.fromkeys(flags))

    def leads(self, step: Step, last: int) -> bool:
        """Whether this is a set-up cell from before that place: it may need no answer."""
        return step.kind == "setup" and self.place[step.name] < last

    def set_up(self, waiting: list[Cell], place: int) -> Iterator[Step]:
        """The set-up cells that come before a place in the exercise, or at it, and have not run."""
        while waiting and self.place[waiting[0].name] <= place:
            cell = waiting.pop(0)
            yield Step(kind="setup", name=cell.name, source=cell.source)


def duplicated(steps: list[Step]) -> Iterator[str]:
    """A flag for each question that has two answers, of which the last one counts."""
    seen: dict[str, dict[str, str]] = {}
    for step in steps:
        if step.kind == "answer":
            known = seen.setdefault(step.name, {})
            for name in made(step.source):
                if known.setdefault(name, tidy(step.source)) != tidy(step.source):
                    yield f"duplicated:{step.name}"


def made(source: str) -> set[str]:
    """The functions, classes and variables that a cell makes, as far as its lines tell."""
    return {name for pair in MADE.findall(source) for name in pair if name}


def tidy(source: str) -> str:
    """A cell's text without what editors change by themselves."""
    lines = source.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
