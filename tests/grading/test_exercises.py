"""Every exercise: solutions earn all points, stubs none, wrong answers the right message."""

import ast
import io
import json
import math
import re
import textwrap
import tokenize
import tomllib
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest

from transformer_course.grading.exercises.checking import (
    Checker,
    Row,
    telling_first,
    worth_reading,
)
from transformer_course.grading.exercises.exercise import Exercise, load, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.exercises.wrong_answers import alike, heard, rows, wrong_answers
from transformer_course.grading.panel.panels import solutions
from transformer_course.grading.panel.saved import bound

FOLDER = Path(__file__).parents[2] / "exercises"
SOURCES = sorted((FOLDER / "sources").glob("*.md"))
LONG = ("14-decoding", "16-find-the-bug", "17-whole-model")  # whole models run in these
GRADED = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG))
    for path in SOURCES
]
every_exercise_graded = pytest.mark.parametrize("exercise", GRADED, indirect=True)


@pytest.fixture(scope="module", params=SOURCES, ids=lambda path: path.stem)
def exercise(request: pytest.FixtureRequest) -> Exercise:
    return load(request.param)


@pytest.fixture(scope="module")
def checker(exercise: Exercise) -> Checker:
    return Checker(exercise)


def test_a_source_has_the_name_of_its_exercise():
    """The grader goes by it, and reads a source only when a submission is of it."""
    assert len(SOURCES) == len(list(FOLDER.glob("*.ipynb"))) > 0
    assert [load(path).name for path in SOURCES] == [path.stem for path in SOURCES]


def of(exercise: Exercise) -> Path:
    return FOLDER / "sources" / f"{exercise.name}.md"


def graded(checker: Checker, answers: dict[str, str], questions: set[str]) -> list[Row]:
    """What the checks of these questions say when the cells of the answers are replaced."""
    return [
        row
        for name in checker.exercise.questions
        if name in questions
        for row in rows(checker, answers, name)
    ]


@every_exercise_graded
def test_the_solution_earns_every_point(exercise, checker):
    rows = graded(checker, {}, set(exercise.questions))
    assert [(row.check.name, row.message) for row in rows if row.status != "pass"] == []
    assert sum(row.points for row in rows) == exercise.points > 0


def test_the_stub_earns_nothing_and_is_called_not_attempted(exercise, checker):
    stubs = {raw["id"]: source_of(raw) for raw in released(exercise)["cells"]}
    rows = graded(
        checker, {name: stubs[name] for name in exercise.questions}, set(exercise.questions)
    )
    assert {row.check.name: row.status for row in rows} == {
        check.name: "not_attempted" for check in exercise.checks
    }


@pytest.mark.slow
def test_each_wrong_answer_gets_its_own_message(exercise, checker):
    for wrong in wrong_answers(of(exercise)):
        found = rows(checker, {wrong.question: wrong.answer}, wrong.question)
        guess = exercise.questions[wrong.question].kind == "prediction"  # never wrong, but told
        failed = {row.check.name: row.message for row in found if guess or row.status != "pass"}
        said = f"{wrong.question}, {wrong.name}: {failed}"
        assert wrong.fails in failed, said
        assert wrong.message in failed[wrong.fails], said


@pytest.mark.slow
def test_every_wrong_answer_is_told_by_a_visible_check_and_its_cause_is_read(exercise):
    """The visible part is complete: whoever passes it has solved the question."""
    unseen, unread = [], []
    for wrong, found in heard(of(exercise)):
        name = (wrong.question, wrong.name)
        if found[0].status == "pass" and exercise.questions[wrong.question].kind != "prediction":
            unseen.append(name)
        read = " ".join(worth_reading(found))
        (row,) = (row for row in found if row.check.name == wrong.fails)
        if row.rank < 2 and wrong.message not in read and row.advice not in read:
            unread.append(name)
    assert (unseen, unread) == ([], [])


@pytest.mark.slow
def test_what_is_another_mistake_hears_another_message(exercise):
    """And what is marked as the same mistake does hear the same."""
    assert alike(of(exercise)) == []


@every_exercise_graded
def test_a_right_answer_in_another_style_earns_every_point(exercise, checker):
    text = of(exercise).with_suffix(".toml").read_text()
    for right in tomllib.loads(text).get("right", []):
        rows = graded(checker, {right["question"]: right["answer"]}, {right["question"]})
        refused = [(right["name"], row.message) for row in rows if row.status != "pass"]
        assert refused == [], right["question"]


@pytest.mark.slow
def test_a_search_that_calls_a_wrong_step_is_told_to_mend_the_step_first():
    source = FOLDER / "sources" / "14-decoding.md"
    checker = Checker(load(source))
    told = []
    for wrong in wrong_answers(source):
        endless = wrong.name == "one list for all"  # living grows as it is gone through
        if wrong.question == "beam-step" and not endless:
            found = telling_first(rows(checker, {"beam-step": wrong.answer}, "beam-search"))
            told += [row.message for row in found[:1] if row.status != "pass"]
    assert len(told) > 10
    assert [said for said in told if not said.startswith("Your `beam_step` fails its own")] == []


@pytest.mark.slow
@pytest.mark.parametrize("step", ["None", "lambda *_: None"])
def test_a_search_that_is_wrong_by_itself_hears_so_and_one_that_needs_no_step_is_right(step):
    checker = Checker(load(FOLDER / "sources" / "14-decoding.md"))
    solved = dict(solutions(checker.exercise))
    own = solved["beam-step"].replace("beam_step", "own_step")
    search = own + "\n\n\n" + solved["beam-search"].replace("beam_step", "own_step")
    answers = {"beam-step": f"beam_step = {step}", "beam-search": search}
    assert {row.status for row in rows(checker, answers, "beam-search")} == {"pass"}
    wrong = solved["beam-search"] + "\n\n\ndef beam_search(table, limit, beam, alpha): return []"
    (first, *_) = telling_first(rows(checker, {"beam-search": wrong}, "beam-search"))
    assert first.message.startswith("With a beam of 1 one sentence is to be found, and your list")


@pytest.mark.slow
def test_a_model_that_is_wrong_in_one_place_loses_the_points_of_that_place_alone():
    source = FOLDER / "sources" / "17-whole-model.md"
    checker = Checker(load(source))
    solved = dict(solutions(checker.exercise))["model"]
    wrong = {"model": solved.replace("layer(x, src_mask)", "layer(x)")}
    failed = {row.check.name for row in rows(checker, wrong, "model") if row.status != "pass"}
    assert failed == {"model-encode", "model-trained"}
    exchanged = solved.replace("(x, memory, tgt_mask, src_mask)", "(x, memory, src_mask, tgt_mask)")
    told = [row.message for row in rows(checker, {"model": exchanged}, "greedy")]
    assert all(said.startswith("Your model of question 4 raises RuntimeError") for said in told)
    assert len(told) == 2


class Forgotten(ast.NodeTransformer):
    """What was returned is worked out, and dropped."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.Expr(node.value or ast.Constant(None))


@pytest.mark.slow
def test_a_forgotten_return_is_told_first_and_as_that(exercise, checker):
    told = {}
    for name, solved in solutions(exercise):
        if exercise.questions[name].kind == "code":
            tree = ast.parse(solved)
            asked = bound(next(c.source for c in exercise.cells if c.name == name))
            for node in tree.body:  # a helper of the solution's own keeps its return
                if getattr(node, "name", "") in asked:
                    Forgotten().visit(node)
            found = rows(checker, {name: ast.unparse(tree)}, name)
            told[name] = telling_first(found)[0].message
    assert {name: said for name, said in told.items() if "did you forget" not in said} == {}


def test_there_are_enough_wrong_answers(exercise):
    least = {"code": 5, "number": 3, "prediction": 2, "choice": 2}
    wrong = wrong_answers(of(exercise))
    assert {each.question for each in wrong} <= set(exercise.questions)
    assert len({(each.question, each.name) for each in wrong}) == len(wrong)
    few = {
        name: count
        for name, question in exercise.questions.items()
        if (count := sum(each.question == name for each in wrong)) < least[question.kind]
    }
    assert few == {}


def test_every_question_has_three_hints_and_a_hidden_test(exercise):
    for question in exercise.questions.values():
        assert len(set(question.hints)) == 3, question.name
        assert question.points > 0, question.name
        assert question.kind != "code" or any(check.hidden for check in question.checks), (
            question.name
        )


def statements(code: str) -> list[list[str]]:
    """The tokens of each statement, as far as the code can be read."""
    found: list[list[str]] = [[]]
    with suppress(tokenize.TokenError, IndentationError):
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.NEWLINE:
                found.append([])
            elif token.string.strip() and token.string != "return":
                found[-1].append(token.string)
    return [each for each in found if each]


def given_away(hint: str, solution: str) -> list[str]:
    """Statements of the solution of which a hint holds more than half, word by word."""
    spans = re.findall(r"`([^`]+)`", hint)
    shown = [token for span in spans for line in statements(span) for token in [*line, ""]]
    lines = statements(solution)
    runs = [
        SequenceMatcher(None, line, shown, autojunk=False).find_longest_match().size
        for line in lines
    ]
    return [
        " ".join(line)
        for line, run in zip(lines, runs, strict=True)
        if run > 8 and run > len(line) / 2
    ]


def test_a_hint_that_holds_a_line_of_the_solution_is_found():
    solution = "exp = np.exp(x - x.max())\nreturn exp / exp.sum(axis=-1, keepdims=True)"
    assert given_away("Take `exp / exp.sum(axis=-1, keepdims=True)`.", solution)
    assert not given_away("`np.exp`, then `sum` with `axis=-1, keepdims=True`.", solution)


def test_no_hint_is_the_solution(exercise, checker):
    """Not a line of code, no number that is right, and not the text of the right option."""
    solved = dict(solutions(exercise))
    for name, question in exercise.questions.items():
        if question.kind == "code":
            cell = next(cell.source for cell in exercise.cells if cell.name == name)
            parts = re.findall(r"### BEGIN SOLUTION\n(.*?)\n *### END SOLUTION", cell, re.DOTALL)
            code = "\n".join(map(textwrap.dedent, parts))
            assert [given_away(hint, code) for hint in question.hints] == [[], [], []], name
        elif question.kind == "choice":
            space: dict = {}
            exec(solved[name], space)
            (right,) = (each for each in space.values() if isinstance(each, str))
            said = " ".join(question.hints).lower()
            assert question.options[right].lower() not in said, name
        else:
            variable = solved[name].split(" = ")[0]
            spans = re.findall(r"`([^`]+)`|(\d[\d.,_]*\d|\d)", " ".join(question.hints))
            for text in {span or number.replace(",", "") for span, number in spans}:
                with suppress(SyntaxError, NameError):
                    value = eval(text, {"math": math, "np": np})
                    if not isinstance(value, int | float):
                        continue
                    for row in graded(checker, {name: f"{variable} = {value!r}"}, {name}):
                        right = row.status == "pass" and "Measured" not in row.message
                        assert not right, (name, text)
                        assert "Your guess is" not in row.message, (name, text)


def test_the_learner_s_notebook_is_up_to_date(exercise):
    path = FOLDER / f"{exercise.name}.ipynb"
    assert path.exists(), "run `make exercises`"
    assert json.loads(path.read_text(encoding="utf-8")) == released(exercise), (
        "run `make exercises`"
    )
