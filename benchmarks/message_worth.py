"""What a message is worth: wrong answers repaired blind, from "wrong" alone and from its messages.

    python benchmarks/message_worth.py sheets runs/worth      # task sheets, in two forms
    python benchmarks/message_worth.py grade runs/worth       # the repaired answers, put back there

Whoever repairs sees one form of a task, no source and no check, and runs nothing. A repaired answer
counts if it passes all checks of its question, the hidden ones too.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from transformer_course.commands import record
from transformer_course.errors import DataError
from transformer_course.grading.exercises.checking import Checker, telling_first, worth_reading
from transformer_course.grading.exercises.exercise import load, source_of
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.wrong_answers import wrong_answers
from transformer_course.grading.panel.attempt import attempt
from transformer_course.grading.panel.panels import solutions

SOURCES = record.ROOT / "exercises" / "sources"
FORMS = ("wrong", "message")
EACH = 15  # tasks in a file
KINDS = ("code", "number")  # a guess is never wrong, and a choice is repaired by trying
HEAD = """\
# Repair {count} answers

Each task has a question and a wrong answer to it. Repair the answer without running anything and
without looking into the course. Write all repaired answers into one file, `answers/{name}.md`:
for each task its heading as it stands here, and below it one Python block with the whole cell.

    ## 01-scaled-attention/mix/1

    ```python
    def mix(scores, value):
        ...
    ```
"""


@cache
def checker(exercise: str) -> Checker:
    """An exercise with its hidden checks."""
    return Checker(load(SOURCES / f"{exercise}.md"))


def judged(exercise: str, question: str, answer: str) -> list[str]:
    """What the panel says of an answer whose neighbors are right: its messages, the first first."""
    trusted = checker(exercise)
    right = dict(solutions(trusted.exercise)) | {question: answer}
    student = LocalStudent()
    for cell in trusted.exercise.cells:
        if cell.role in ("setup", "solution"):
            try:
                student.execute(right.get(cell.name, cell.source), cell.name)
            except Exception as error:
                if cell.name != question:
                    raise
                return [f"The cell raised {type(error).__name__}: {error}"]
    rows, _ = attempt(trusted, trusted.exercise.questions[question], student.namespace)
    failed = [row for row in telling_first(rows) if row.status != "pass"]
    return [said for said in worth_reading(failed) if said] or [row.status for row in failed[:1]]


def candidates(exercise: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """An exercise's wrong answers: one of each question in turn, then a second one, and so on."""
    questions = checker(exercise).exercise.questions
    wrong = wrong_answers(SOURCES / f"{exercise}.md")
    by_question: dict[str, list[dict[str, Any]]] = {}
    for number, each in enumerate(wrong, 1):
        if questions[each.question].kind in KINDS:
            task = {"id": f"{exercise}/{each.question}/{number}", "answer": each.answer}
            by_question.setdefault(each.question, []).append(task)
    order = rng.sample(sorted(by_question), len(by_question))
    for tasks in by_question.values():
        rng.shuffle(tasks)
    for turn in range(max(map(len, by_question.values()))):
        yield from (by_question[name][turn] for name in order if turn < len(by_question[name]))


def chosen(count: int, seed: int, exercises: Sequence[str]) -> list[dict[str, Any]]:
    """Wrong answers from all exercises in turn, with what is said of each.

    An answer that calls what is forbidden is left out: that is a way around, not a mistake.
    """
    rng = random.Random(seed)
    waiting = [candidates(exercise, rng) for exercise in exercises]
    tasks: list[dict[str, Any]] = []
    while len(tasks) < count and waiting:
        for each in waiting[:]:
            task = next(each, None)
            if task is None:
                waiting.remove(each)
                continue
            exercise, question, _ = task["id"].split("/")
            task["said"] = judged(exercise, question, task["answer"])
            if not any("may not be called in this question" in said for said in task["said"]):
                tasks.append(task)
    rng.shuffle(tasks)
    return tasks[:count]


def prompt(exercise: str, question: str) -> str:
    """What a learner has read and run before the answer's cell."""
    texts: list[str] = []
    seen: list[str] = []  # the texts since the last answer
    code: list[str] = []
    earlier: list[str] = []
    for cell in checker(exercise).exercise.cells:
        if cell.role == "text":
            seen.append(cell.source)
        elif cell.role == "setup":
            code.append(cell.source)
        elif cell.name == question:
            break
        elif cell.role == "solution":
            texts, seen = texts or seen[:-1], []  # the introduction stays, without question 1
            earlier.append(cell.name)
    there = f"Right answers stand above: {', '.join(earlier)}." if earlier else ""
    set_up = "\n\n".join(code)
    parts = [*texts, f"Set-up that has been run:\n\n```python\n{set_up}\n```", there, *seen]
    return re.sub(r"^#+ ", "### ", "\n\n".join(filter(None, parts)), flags=re.MULTILINE)


def stub(exercise: str, question: str) -> str:
    """The answer's cell as it was given out."""
    cells = checker(exercise).exercise.notebook["cells"]
    raw = next(c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == question)
    return re.sub(r" *### BEGIN SOLUTION.*?### END SOLUTION", "", source_of(raw), flags=re.DOTALL)


def sheet(task: dict[str, Any], form: str) -> str:
    """One task: the prompt, the wrong answer, and "wrong" or its messages."""
    exercise, question, _ = task["id"].split("/")
    said = "\n".join(f"- {each}" for each in task["said"])
    return (
        f"## {task['id']}\n\n{prompt(exercise, question)}\n\n"
        f"The cell to fill:\n\n```python\n{stub(exercise, question).strip()}\n```\n\n"
        f"The answer:\n\n```python\n{task['answer'].strip()}\n```\n\n"
        + ("This is wrong.\n" if form == "wrong" else f"The panel says:\n\n{said}\n")
    )


def write_sheets(folder: Path, tasks: list[dict[str, Any]]) -> list[Path]:
    """The sheets of both forms, `EACH` tasks in a file, and tasks.json for the grading."""
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    (folder / "tasks.json").write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    written = []
    for form in FORMS:
        for first in range(0, len(tasks), EACH):
            part, name = tasks[first : first + EACH], f"{form}-{first // EACH + 1}"
            text = "\n\n".join(sheet(task, form) for task in part)
            head = HEAD.format(count=len(part), name=name)
            written.append(folder / f"{name}.md")
            written[-1].write_text(f"{head}\n\n{text}", encoding="utf-8")
    return written


def repaired(path: Path, known: set[str]) -> dict[str, str]:
    """The answers of a file by task.

    Raises:
        DataError: a heading names no task of this folder, or has no Python block.
    """
    found = {}
    for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        block = re.search(r"^```(?:python|py)?\n(.*?)^```", rest, flags=re.MULTILINE | re.DOTALL)
        if name.strip() not in known or block is None:
            what = "has no Python block" if block is None else "is no task of tasks.json"
            raise DataError(f"{path.name}: {name.strip()!r} {what}")
        found[name.strip()] = block[1]
    return found


def grade(folder: Path) -> dict[str, Any]:
    """Both shares, and of each task in which form it was repaired. Raises DataError."""
    try:
        tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"there is no {folder / 'tasks.json'}: write the sheets first") from None
    rows = {task["id"]: {"task": task["id"], "said": task["said"]} for task in tasks}
    counts = {form: [0, 0] for form in FORMS}
    for form in FORMS:
        for path in sorted((folder / "answers").glob(f"{form}-*.md")):
            for name, answer in repaired(path, set(rows)).items():
                exercise, question, _ = name.split("/")
                good = not judged(exercise, question, answer)
                rows[name].setdefault(form, []).append(good)
                counts[form] = [counts[form][0] + good, counts[form][1] + 1]
    if not all(answered for _, answered in counts.values()):
        raise DataError(
            f"{folder / 'answers'} needs wrong-N.md and message-N.md, as the sheets say"
        )
    shares = {
        form: {"repaired": good, "of": answered, "share": round(good / answered, 3)}
        for form, (good, answered) in counts.items()
    }
    return {**shares, "tasks": list(rows.values())}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("sheets", "grade"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="of the sheets")
    parser.add_argument("--by", default="not said", help="who repaired, for the result file")
    parser.add_argument(
        "--exercises", nargs="*", default=[p.stem for p in sorted(SOURCES.glob("*.md"))]
    )
    args = parser.parse_args(argv)
    try:
        if args.step == "sheets":
            for path in write_sheets(args.folder, chosen(args.count, args.seed, args.exercises)):
                print(path)
            return 0
        found = grade(args.folder)
    except DataError as error:
        print(f"message_worth.py: error: {error}", file=sys.stderr)
        return 2
    what = "wrong answers repaired blind, from the word wrong alone and from the panel's messages"
    command = f"python {Path(__file__).relative_to(record.ROOT).as_posix()}"
    commands = [f"{command} sheets FOLDER --seed {args.seed}", f"{command} grade FOLDER"]
    print(record.write("message_worth", what, commands, repaired_by=args.by, **found))
    for form in FORMS:
        print(f"{form}: {found[form]['repaired']} of {found[form]['of']} repaired")
    return 0


if __name__ == "__main__":
    sys.exit(main())
