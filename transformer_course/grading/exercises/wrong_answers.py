"""The wrong answers beside an exercise's source: what each hears first, and which hear the same."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from transformer_course.errors import DataError
from transformer_course.grading.exercises import vary
from transformer_course.grading.exercises.checking import Checker, Row, always, telling_first
from transformer_course.grading.exercises.exercise import load, parse
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.releasing import released


class WrongAnswer(msgspec.Struct, frozen=True):
    """An answer, the check that it must fail, and words of the message that it must get.

    `same` names another wrong answer of the question that is the same mistake in other words.
    """

    question: str
    name: str
    fails: str
    message: str
    answer: str
    same: str = ""


def wrong_answers(source: Path) -> list[WrongAnswer]:
    """Those of NAME.toml beside NAME.md; none without such a file.

    Raises:
        DataError: the file is no such list; the message says where.
    """
    path = source.with_suffix(".toml")
    if not path.is_file():
        return []
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("wrong", [])
        return msgspec.convert(found, list[WrongAnswer])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{path}: {error}") from None


def rows(checker: Checker, answers: dict[str, str], question: str) -> list[Row]:
    """What a question's checks say with these answers in place of the cells of those names."""
    student = LocalStudent()
    for cell in checker.exercise.cells:
        if cell.role in ("setup", "solution"):
            try:
                student.execute(answers.get(cell.name, cell.source), cell.name)
            except Exception:
                if cell.name not in answers:
                    raise
    vary.of("")
    checks = checker.exercise.questions[question].checks
    return always([checker.run(check, student) for check in checks])


def heard(source: Path) -> Iterator[tuple[WrongAnswer, list[Row]]]:
    """Each wrong answer, and the rows that a learner's panel shows for it, in their order."""
    answers = wrong_answers(source)
    if not answers:
        return
    exercise = load(source)
    checker = Checker(parse(released(exercise), exercise.name))
    solved = {cell.name: cell.source for cell in exercise.cells if cell.role == "solution"}
    for wrong in answers:
        found = rows(checker, solved | {wrong.question: wrong.answer}, wrong.question)
        yield wrong, telling_first(found)


def alike(source: Path) -> list[str]:
    """A line for each message that several wrong answers of a question hear first.

    What is refused for a forbidden call is left out: that is a way around, and no mistake. So is
    what is marked as the same mistake, and there is a line if it does not hear the same.

    Raises:
        DataError: a mark names no other wrong answer of the question.
    """
    by_message: dict[tuple[str, str], list[str]] = defaultdict(list)
    said: dict[tuple[str, str], str] = {}
    marked: list[WrongAnswer] = []
    for wrong, (row, *_) in heard(source):
        said[wrong.question, wrong.name] = row.message
        if wrong.same:
            marked.append(wrong)
        elif "may not be called in this question" not in row.message:
            by_message[wrong.question, row.message].append(wrong.name)
    lines = [
        f"{question}: {' / '.join(names)}: {message}"
        for (question, message), names in by_message.items()
        if len(names) > 1
    ]
    for wrong in marked:
        other = said.get((wrong.question, wrong.same))
        if other is None or wrong.same == wrong.name:
            raise DataError(
                f"{source.with_suffix('.toml')}: expected `same` of {wrong.name!r} to name another "
                f"wrong answer to {wrong.question}, not {wrong.same!r}"
            )
        mine = said[wrong.question, wrong.name]
        if mine != other:
            lines.append(f"{wrong.question}: {wrong.name} is no longer as {wrong.same}: {mine}")
    return lines
