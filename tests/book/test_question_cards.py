"""A question, what it is answered with, and its answer are one card, named as a reader would."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import question_cards
from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node


def box(text: str, kind: type = exercise_node) -> nodes.Element:
    """As sphinx_exercise leaves it."""
    return kind("", nodes.title("", text), nodes.section(), label=text, ids=[text], names=[text])


def answer(to: str) -> solution_node:
    return solution_node("", nodes.title("", f"Solution to {to}"), target_label=to)


def made(*children: nodes.Element) -> nodes.Element:
    page = nodes.section("", *children)
    question_cards.MakeCards.run(SimpleNamespace(document=page))
    return page


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("Exercise (Predict: a row)", "Predict", "A row"),
        (" (Cheaper?)", "Question", "Cheaper?"),
        ("Exercise (f(x) (again))", "Question", "f(x) (again)"),
        ("Exercise", "Question", ""),
    ],
)
def test_a_box_says_what_it_wants_and_then_what_of(text, kind, title):
    assert question_cards.name(box(text)) == (kind, title)


def test_questions_are_counted_and_guesses_are_not():
    page = made(
        box("(a)", exercise_enumerable_node),
        box("(Predict: b)"),
        box("(c)", exercise_enumerable_node),
    )
    kickers = [each.children[0].children[0].astext() for each in page.children]
    assert kickers == ["Question 1", "Predict", "Question 2"]
    assert [each["ids"] for each in page.children] == [["(a)"], ["(Predict: b)"], ["(c)"]]


@pytest.mark.parametrize(("between", "cards"), [(0, 1), (1, 1), (2, 0)])
def test_an_answer_joins_its_question_when_one_cell_at_most_lies_between(between, cards):
    cells = [nodes.container("", nodes.paragraph("", "cell")) for _ in range(between)]
    page = made(nodes.paragraph(), box("(a)"), *cells, answer("(a)"), nodes.paragraph())
    found = [each for each in page.children if question_cards.CARD in each.get("classes", [])]
    assert len(found) == cards
    assert [len(each.children) for each in found] == [2 + between] * cards
    assert all(child.parent is each for each in found for child in each.children)
    assert page.astext().count("Answer to Question: a") == 1


TEXTS = sorted((Path(__file__).parents[2] / "book" / "text").glob("0*.md"))
TO_MEND = {"05-3-rate-and-run": ["train-predict-average"]}
GUESS = re.compile(r"{exercise} Predict.*?\n:label: (\S+)\n(.*?){solution-start} \1\n", re.DOTALL)
CELL = re.compile(r"```{code-cell}(.*?)\n```\n", re.DOTALL)


def apart(text: str) -> list[str]:
    """The guesses with more than one cell in sight, or a word, between question and answer."""
    found = []
    for label, between in GUESS.findall(text):
        between = between.split("\n```\n", 1)[1]
        seen = [cell for cell in CELL.findall(between) if "remove-cell" not in cell]
        if len(seen) > 1 or CELL.sub("", between).strip("`\n "):
            found.append(label)
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_question_its_guess_and_its_answer_stand_together(path):
    assert apart(path.read_text(encoding="utf-8")) == TO_MEND.get(path.stem, [])


@pytest.mark.parametrize("between", ["words\n", "```{code-cell}\nx\n```\n"])
def test_words_or_code_in_a_card_are_seen(between):
    cell = "```{code-cell}\nPrediction()\n```\n"
    text = "```{exercise} Predict: x\n:label: a\nHow?\n```\n%s%s```{solution-start} a\n"
    assert apart(text % ("", cell)) == []
    assert apart(text % (between, cell)) == ["a"]


def test_theorems_begin_with_one_in_each_chapter():
    numbers = {"one": {"theorem": {"a": (1,)}}, "two": {"theorem": {"c": (9,), "b": (7,)}}}
    question_cards.count_anew(SimpleNamespace(), SimpleNamespace(toc_fignumbers=numbers))
    assert [each["theorem"] for each in numbers.values()] == [{"a": (1,)}, {"b": (1,), "c": (2,)}]
