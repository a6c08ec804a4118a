"""The loader of exercises and cards: each mistake of an author is one line with file and field."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from transformer_course.pages import practice
from transformer_course.pages.practice import PracticeError
from transformer_course.widgets import FlashCards, PageExercise, Progress

NUMBER = """
[[exercise]]
id = "one"
kind = "number"
title = "One"
prompt = "What is {n} halved?"
points = 2
difficulty = 1
minutes = 1
hints = ["Divide {n} by 2."]
setup = "n = 5"
answer = "n / 2"
explanation = "It is {answer}."
misconceptions = [{ answer = "n * 2", message = "Doubled, not halved: the answer is {answer}." }]
"""
HEAD = NUMBER.split("setup =")[0].replace("{n}", "5").replace('kind = "number"', 'kind = "KIND"')
REST = 'explanation = "So."\n'


def write(tmp_path: Path, text: str, name: str = "09-test.toml") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def of_kind(kind: str, fields: str) -> str:
    return HEAD.replace("KIND", kind) + REST + fields


def made(tmp_path: Path, text: str) -> dict:
    return PageExercise("09-test/one", write(tmp_path, text)).exercise


def test_a_number_is_computed_and_put_into_the_texts(tmp_path):
    state = made(tmp_path, NUMBER)
    assert (state["answer"], state["shown"], state["asks"]) == (2.5, "2.50", "to 2 decimals")
    assert state["prompt"] == "What is 5 halved?"
    assert state["hints"] == ["Divide 5 by 2."]
    assert state["explanation"] == "It is 2.50."
    assert state["misconceptions"][0]["message"].endswith("the answer is 2.50.")
    assert state["tolerance"] == pytest.approx(0.005, abs=1e-5)


@pytest.mark.parametrize("unit", ["", '\nunit = "steps"'])
def test_an_answer_brings_its_unit_once_and_keeps_the_space_behind_it(tmp_path, unit):
    text = of_kind("number", 'answer = "math.pi * 2"' + unit)
    state = made(tmp_path, text.replace('"So."', '"So {answer} steps."'))
    assert state["explanation"] == "So 6.28 steps."


@pytest.mark.parametrize(
    ("fields", "shown", "asks", "tolerance"),
    [
        ('answer = "np.int64(65_000_000)"', "65,000,000", "a whole number", 0),
        ('answer = "torch.tensor(0.5) * 3"\ndecimals = 1', "1.5", "to 1 decimal", 0.05001),
        ('answer = "math.pi * 100"\ntolerance = "2%"\ndecimals = 0', "314", "within 2 %", 6.2832),
        ('answer = "math.pi * 1"\ntolerance = 0.1\nunit = "s"', "3.14 s", "within 0.1", 0.1),
    ],
)
def test_what_is_asked_for_follows_from_decimals_and_tolerance(
    tmp_path, fields, shown, asks, tolerance
):
    state = made(tmp_path, of_kind("number", fields))
    assert (state["shown"], state["asks"]) == (shown, asks)
    assert state["tolerance"] == pytest.approx(tolerance, rel=1e-3)


def test_a_matrix_may_hold_what_json_cannot(tmp_path):
    fields = 'setup = "x = np.array([-math.inf, math.inf, math.nan, 0.25])"\nanswer = "x[None]"'
    state = made(tmp_path, of_kind("matrix", fields))
    assert state["answer"] == [["-inf", "inf", "nan", 0.25]]
    assert state["texts"] == [["-inf", "inf", "nan", "0.25"]]


GOOD = '{text = "a", right = true, why = "w"}'
BAD = GOOD.replace("true", "false")


def choice(*options: str) -> str:
    return of_kind("choice", f"options = [{', '.join(options)}]")


def match(second: str, more: str = "") -> str:
    return of_kind("match", f'pairs = [{{left = "a", right = "c"}}, {second}]\n{more}')


def mistaken(more: str) -> str:
    return f'misconceptions = [{{{more}, message = "m"}}]'


MISTAKES = [
    ("hello", "09-test.toml: not TOML: "),
    ("x = 1", "09-test.toml: expected [[exercise]] tables and nothing else, got x"),
    ("", "09-test.toml: expected [[exercise]] tables and nothing else"),
    (NUMBER * 2, "09-test.toml, exercise one, id: used twice in this file"),
    (NUMBER.replace('id = "one"\n', ""), "exercise number 1, id: missing (a number exercise"),
    (NUMBER.replace('"one"', '"09-test/one"'), "id: expected words of a-z, 0-9 joined by -"),
    (NUMBER.replace('"number"', '"essay"'), "kind: expected one of number, matrix, mask, choice"),
    (NUMBER.replace('prompt = "What is {n} halved?"', ""), "prompt: missing"),
    (NUMBER + 'color = "red"', "color: unknown for a number exercise; expected among id, kind"),
    (NUMBER.replace('"One"', '" "'), "title: expected text, got ' '"),
    (NUMBER.replace("points = 2", "points = 0"), "points: expected a whole number from 1 to 10"),
    (NUMBER.replace("minutes = 1", "minutes = 1.5"), "minutes: expected a whole number from 1"),
    (NUMBER.replace("difficulty = 1", "difficulty = true"), "difficulty: expected a whole number"),
    (NUMBER + "decimals = 7", "decimals: expected a whole number from 0 to 6, got 7"),
    (NUMBER.replace('["Divide {n} by 2."]', '"Divide"'), "hints: expected a list of texts"),
    (
        NUMBER.replace("[{ answer", "{ answer").replace(" }]", " }"),
        "misconceptions: expected a list of tables",
    ),
    (NUMBER + 'tolerance = "much"', "tolerance: expected a number like 0.01, or a share like"),
    (NUMBER + "tolerance = -1", "tolerance: expected a number like 0.01"),
    (NUMBER + "tolerance = 0.1\ndecimals = 0", "tolerance: 0.1 is smaller than the rounding to 0"),
    (
        NUMBER.replace("n * 2", "n / 2 + 0.001"),
        "misconceptions 1, answer: cannot be told from the answer",
    ),
    (
        NUMBER.replace("message =", "text ="),
        "misconceptions 1: expected answer, message, got answer, text",
    ),
    (NUMBER.replace('"n / 2"', '"2.5"'), "answer: expected a computation, got the typed value 2.5"),
    (NUMBER.replace('"n / 2"', '"float(-2.5)"'), "answer: expected a computation, got the typed"),
    (NUMBER.replace('"n / 2"', '"n /"'), "answer: SyntaxError"),
    (NUMBER.replace('"n / 2"', '"m / 2"'), "answer: NameError: name 'm' is not defined"),
    (NUMBER.replace('"n / 2"', '"[n]"'), "answer: expected one number, got list of shape (1,)"),
    (NUMBER.replace('"n / 2"', '"n * math.inf"'), "answer: expected a finite number, got inf"),
    (NUMBER.replace('"n = 5"', '"n = 1 / 0"'), "setup: ZeroDivisionError: division by zero"),
    (NUMBER.replace("What is {n}", "What is {k}"), "prompt: {k} is not a name of the setup"),
    (
        NUMBER.replace("What is {n}", "What is {answer}"),
        "prompt: {answer} belongs in the explanation",
    ),
    (NUMBER.replace("{n} halved", "{n:q} halved"), "prompt: {n:q}: "),
    (of_kind("matrix", 'answer = "[[1, 2], [3, 4]]"'), "answer: expected a computation"),
    (of_kind("matrix", 'answer = "np.array([[1, 2]])"'), "answer: expected a computation"),
    (
        of_kind("matrix", 'answer = "np.eye(13)"'),
        "expected a matrix of numbers of at most 12 by 12",
    ),
    (of_kind("matrix", 'answer = "np.eye(2)"\nrows = ["a"]'), "rows: expected 2 labels"),
    (
        of_kind("matrix", 'answer = "np.eye(2)"\n' + mistaken('answer = "np.eye(3)"')),
        "misconceptions 1, answer: expected the answer's shape (2, 2), got (3, 3)",
    ),
    (of_kind("mask", 'answer = "np.eye(2)"'), "answer: expected a matrix of booleans"),
    (choice(GOOD), "options: expected two or more, got 1"),
    (choice(BAD, BAD), "options: expected at least one that is right"),
    (
        choice(GOOD, GOOD.replace("true", '"1"')),
        "options 2, right: expected true, false or Python that gives a bool, got 1",
    ),
    (
        choice(GOOD.replace(', why = "w"', ""), GOOD),
        "options 1: expected right, text, why, got right, text",
    ),
    (choice(GOOD.replace('"w"', '""'), GOOD), "options 1, why: expected text, got ''"),
    (of_kind("order", 'lines = ["a", "b", "a"]'), "lines: expected three or more, all different"),
    (
        of_kind("order", 'lines = ["a", "b", "c"]\nneeds = [[1, 2]]'),
        "needs 1: expected line numbers [a, b]: line a needs line b, which comes first, got [1, 2]",
    ),
    (
        of_kind("order", 'lines = ["a", "b", "c"]\nneeds = "c"'),
        "needs: expected a list of line numbers [a, b]: line a needs line b, which comes first",
    ),
    (
        of_kind(
            "order", 'lines = ["a", "b", "c"]\nneeds = [[3, 1]]\n' + mistaken("before = [2, 1]")
        ),
        "misconceptions 1, before: line 2 does not need line 1",
    ),
    (
        of_kind("order", 'lines = ["a", "b", "c"]\n' + mistaken("before = [1, 2]")),
        "misconceptions 1, before: expected line numbers [a, b]",
    ),
    (
        of_kind("match", 'pairs = [{left = "a", right = "b"}]'),
        "pairs: expected two or more, with different left sides",
    ),
    (
        match('{left = "b"}'),
        "pairs 2: expected left and right, or left and value (Python), got left",
    ),
    (match('{left = "b", right = ""}'), "pairs 2: expected texts"),
    (match('{left = "b", right = "c"}'), "pairs: expected at least two different right sides"),
    (
        match('{left = "b", right = "d"}', mistaken("pair = [1, 1]")),
        "misconceptions 1, pair: expected [left, right]",
    ),
    (
        match('{left = "b", right = "d"}', mistaken("pair = [1, 5]")),
        "misconceptions 1, pair: [1, 5] is no wrong pair",
    ),
]


@pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[line[-40:] for _, line in MISTAKES])
def test_every_mistake_is_one_line_that_names_file_and_field(tmp_path, text, line):
    with pytest.raises(PracticeError, match=re.escape(line)) as caught:
        made(tmp_path, text)
    assert str(caught.value).startswith("09-test.toml")
    assert "\n" not in str(caught.value).strip()


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "09-test.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(PracticeError, match="^09-test.toml: expected text in UTF-8"):
        PageExercise("09-test/one", tmp_path)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("one", "exercise 'one': expected \"CHAPTER/name\""),
        ("08-x/one", "exercise '08-x/one': no 08-x.toml in "),
        ("09-test/two", "exercise '09-test/two': not in 09-test.toml, which has one"),
    ],
)
def test_an_unknown_exercise_is_refused_with_the_known_ones(tmp_path, name, line):
    with pytest.raises(PracticeError, match=re.escape(line)):
        PageExercise(name, write(tmp_path, NUMBER))


def test_the_folder_is_found_from_the_book_and_above_or_named(tmp_path, monkeypatch):
    place = tmp_path / "checkout" / "book" / "practice"
    place.mkdir(parents=True)
    for start in (place.parent.parent, place.parent, place):
        monkeypatch.chdir(start)
        assert practice.folder() == place
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PracticeError, match="^no book/practice at or above .*or name the folder"):
        practice.folder()
    monkeypatch.setattr(practice, "FOLDER", place)
    assert practice.folder() == place
    with pytest.raises(PracticeError, match="^no folder nowhere: expected the folder with the"):
        practice.folder("nowhere")


def test_random_numbers_are_the_same_each_time_and_the_callers_are_left_alone(tmp_path):
    text = of_kind("number", 'answer = "torch.rand(()).item()"\ndecimals = 6')
    torch.manual_seed(5)
    before = torch.rand(3)
    torch.manual_seed(5)
    answers = {made(tmp_path, text)["answer"] for _ in range(2)}
    assert len(answers) == 1
    torch.testing.assert_close(torch.rand(3), before)


def test_lines_and_partners_are_shuffled_the_same_way_each_time_and_never_right(tmp_path):
    text = of_kind("order", 'lines = ["a", "b", "c"]')
    state = made(tmp_path, text)
    assert state == made(tmp_path, text)
    assert sorted(state["start"]) == state["answer"] != state["start"]


def test_lines_that_may_change_places_are_never_shuffled_into_a_right_order(tmp_path):
    text = of_kind("order", 'lines = ["a", "b", "c"]\nneeds = [[3, 1]]')
    for name in "abcdefghij":
        text = text.replace('id = "', f'id = "{name}')
        (one,) = practice.read(write(tmp_path, text) / "09-test.toml")
        state = practice.compute(one)
        assert state["needs"] == [[2, 0]]
        assert state["start"].index(2) < state["start"].index(0)


def test_tables_hold_the_answer_in_numbers(tmp_path):
    match = 'pairs = [{left = "a", value = "1 + 1"}, {left = "b", right = "c"}]'
    widget = PageExercise("09-test/one", write(tmp_path, of_kind("match", match)))
    [table] = widget.tables()
    rights = widget.exercise["rights"]
    assert [rights[int(x)] for x in table.cells[:, 0]] == ["2", "c"]
    np.testing.assert_array_equal(PageExercise().tables()[0].cells, np.tri(3))


def test_the_static_twin_escapes_and_marks_up(tmp_path):
    text = NUMBER.replace("What is", "Is `<b>` *not* 2 * 3 * 4 of").replace('"One"', '"<i>"')
    html = PageExercise("09-test/one", write(tmp_path, text)).as_html()
    assert "<code>&lt;b&gt;</code> <em>not</em> 2 * 3 * 4" in html
    assert "Exercise: &lt;i&gt;" in html


# ---- Cards and progress ----

CARD = '[[card]]\nid = "a"\ntopic = "T"\nfront = "How many?"\nback = "{n:,}"\nsetup = "n = 10**3"\n'


def test_cards_are_read_with_their_numbers(tmp_path):
    widget = FlashCards(write(tmp_path, CARD, "cards.toml"))
    assert widget.cards == [{"id": "a", "topic": "T", "front": "How many?", "back": "1,000"}]
    assert "<td>1,000</td>" in widget.as_html()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CARD * 2, "cards.toml, card a, id: expected words of a-z, 0-9 joined by -, each id once"),
        (CARD + 'hue = "red"', "card a, hue: unknown; expected among id, topic, front"),
        (CARD.replace('"T"', '""'), "card a, topic: expected text, got ''"),
        (CARD.replace("{n:,}", "{m}"), "card a, back: {m} is not a name of the setup"),
        (CARD.replace("10**3", "1 / 0"), "card a, setup: ZeroDivisionError: division by zero"),
        ("[[exercise]]", "cards.toml: expected [[card]] tables and nothing else, got exercise"),
    ],
)
def test_a_mistake_in_a_card_is_one_line(tmp_path, text, line):
    with pytest.raises(PracticeError, match=re.escape(line)):
        FlashCards(write(tmp_path, text, "cards.toml"))


def test_missing_cards_are_named(tmp_path):
    with pytest.raises(PracticeError, match="^no cards.toml in .*expected .*card.* tables"):
        FlashCards(tmp_path)


def test_progress_lists_every_chapter_with_its_points(tmp_path):
    write(tmp_path, CARD, "cards.toml")
    widget = Progress(write(tmp_path, NUMBER, "09-test-of-words.toml"))
    [chapter] = widget.chapters
    assert chapter["title"] == "9 Test of words"
    assert chapter["page"] == ""
    assert chapter["exercises"] == [{"id": "09-test-of-words/one", "points": 2}]
    assert widget.cards == ["a"]
    assert "all: 1 exercises, 2 points" in widget.as_text()
    assert math.isclose(widget.tables()[0].cells[-1, 1], 2)


def test_the_books_own_chapters_have_their_titles_and_pages():
    chapters = {one["title"]: one["page"] for one in Progress().chapters}
    assert chapters["5.4 The loss, and dropout"] == "05-2-loss"


def pictured(code: str) -> str:
    return NUMBER.replace("explanation =", f"picture = '''{code}'''\nexplanation =")


def test_a_picture_is_drawn_from_the_setup_and_its_answer_lies_apart(tmp_path):
    lines = ["draw.height = 40", "draw.text(5, 20, n)", "draw.asked.text(9, 20, '?')"]
    code = "\n".join([*lines, "draw.told.text(9, 20, answer)"])
    state = made(tmp_path, pictured(code))
    tag, about, words, asked, told = json.loads(state["picture"])
    assert (tag, about["viewBox"]) == ("svg", "0 0 300 40")
    assert (words[0], words[1]["x"], words[2]) == ("text", "5", "5")
    assert (asked[1]["class"], asked[2][2]) == ("tc-asked", "?")
    assert (told[1]["class"], told[2][2]) == ("tc-told", "2.50")
    assert "picture" not in made(tmp_path, NUMBER)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("draw.text(0, 0, m)", "picture: NameError: name 'm' is not defined"),
        ("draw.text(0, 0, 'a', hue='red')", "hue: expected one of x, q, k, v"),
        ("draw.text(0, 0, 'a', size=9)", "size: expected 13 or more"),
        ("draw.text(0, 0, 'a', anchor='left')", "anchor: expected start, middle or end"),
        ("draw.box(0, 0, 9, 9, kind='thick')", "kind: expected solid, dashed or nothing"),
        ("draw.curve([(0, 0), (9, 9)], kind='thick')", "kind: expected solid, dashed or nothing"),
    ],
)
def test_a_picture_that_cannot_be_drawn_says_why(tmp_path, code, said):
    with pytest.raises(PracticeError, match=re.escape(said)) as error:
        made(tmp_path, pictured(code))
    assert str(error.value).startswith("09-test.toml, exercise one, picture: ")
