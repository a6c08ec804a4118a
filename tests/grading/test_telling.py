"""Which messages of a question are read, and an answer that is always the same."""

import pytest
import small_exercise as small

from transformer_course.grading.exercises import telling
from transformer_course.grading.exercises.checking import (
    OTHERWISE,
    Checker,
    Row,
    telling_first,
    worth_reading,
)
from transformer_course.grading.exercises.exercise import Cell, Exercise, parse
from transformer_course.grading.exercises.wrong_answers import rows
from transformer_course.grading.panel import drawing

CHECK = Cell(role="check", source="", name="double-one", question="double", points=1)
ALWAYS = "Your answer returned {} every time, whatever it was given. not twice {}"


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    """A question with three checks, none of which is passed by the same value as another."""
    more = [
        small.check(f"double-{n}", "double", f"check_double(double, {n})\ncheck_double(double, 0)")
        for n in (5, 7)
    ]
    cells = [*small.CELLS[:-1], *more, small.CELLS[-1]]
    return parse(small.notebook(cells=cells), "small")


@pytest.mark.parametrize(
    ("failed", "read"),
    [
        ([(0, "The root is missing."), (2, "Off by 3. Compare.")], ["The root is missing.", ""]),
        ([(1, "Of shape (2,)."), (2, "Off by 3.")], ["Of shape (2,).", ""]),
        ([(0, "No root."), (1, "Of shape (2,).")], ["No root.", "Of shape (2,)."]),
        ([(2, "Off by 3."), (2, "Off by 4.")], ["Off by 3.", "Off by 4."]),
        ([(2, "Off by 3. A root?"), (2, "Off by 4.5. A root?")], ["Off by 3. A root?", ""]),
        ([(0, "No root."), (0, f"{OTHERWISE}: No root.")], ["No root.", ""]),
        ([(-1, "Always 0. No."), (0, "It finds none.")], ["Always 0. No.", ""]),
    ],
)
def test_what_a_message_above_has_told_is_left_out(failed, read):
    found = [Row(check=CHECK, status="fail", rank=rank, message=said) for rank, said in failed]
    assert worth_reading(found) == read
    assert drawing.rows(found).count("tc-message") == sum(said != "" for said in read)


def test_what_is_open_and_what_passes_with_a_word_is_read_beside_a_mistake():
    found = [
        Row(check=CHECK, status="fail", message="No root."),
        Row(check=CHECK, status="not_reached", message="Not tried.", rank=2),
        Row(check=CHECK, status="pass", message="Measured: 3.", rank=2),
    ]
    assert worth_reading(found) == ["No root.", "Not tried.", "Measured: 3."]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("return 3", ALWAYS.format("3", 1)),
        ("return False", ALWAYS.format("False", 1)),
        ("return 'x'", ALWAYS.format("'x'", 1)),
        ("return []", ALWAYS.format("[]", 1)),
        ("return None", f"{telling.RETURN} not twice 1"),
        ("return None if x < 7 else 4", "not twice 1"),  # not always
        ("return torch.tensor([-0.0 * x])", ALWAYS.format("0", 1)),
        ("return torch.tensor(0.1)", ALWAYS.format("0.1", 1)),
        ("return torch.tensor(9_090_911.0 + x)", "not twice 1"),  # large, and not one value
        ("return 3 if x < 7 else 4", "not twice 1"),  # not always
        ("return [3]", "not twice 1"),  # not single
        ("return 2 * x if x != 7 else 4", "not twice 7"),  # it passes elsewhere
    ],
)
def test_an_answer_that_returned_one_value_every_time_hears_so_first(exercise, code, said):
    found = telling_first(
        rows(Checker(exercise), {"double": f"def double(x):\n    {code}"}, "double")
    )
    assert found[0].message == said
    assert [row.rank for row in found if row.rank < 0] == [-1] * said.startswith("Your")


def test_an_answer_that_is_right_may_return_one_value_every_time():
    cells = [
        *small.CELLS[:-3],
        *(small.check(f"double-{n}", "double", "assert double(3) == 6") for n in range(4)),
    ]
    checker = Checker(parse(small.notebook(cells=cells), "small"))
    assert {row.message for row in rows(checker, {}, "double")} == {""}


@pytest.mark.parametrize("code", ["return 3", "return 3 * x"])
def test_the_grader_says_the_same(exercise, warm, tmp_path, code):
    answer = f"def double(x):\n    {code}"
    made = small.submission({"double": answer})
    made["cells"] = [raw for raw in made["cells"] if "double-" not in raw["id"]]
    result = small.grade_one(exercise, small.saved(tmp_path / "a.ipynb", made), warm())
    graded = [test["message"] for test in result["tests"] if test["qid"] == "double"]
    assert graded == [row.message for row in rows(Checker(exercise), {"double": answer}, "double")]


@pytest.mark.parametrize(
    ("code", "rank", "message"),
    [
        ("raise checks.Always('It says yes to all.')", -1, "It says yes to all."),
        ("assert double(1) == 3, 'The root is missing.'", 0, "The root is missing."),
        ("checks.shape(double(1), (2,))", 1, "The result should have the shape (2,), and has ()"),
        ("raise checks.Off('two shifts differ.')", 2, "Two shifts differ."),
        ("assert double(1) == 3", 2, "This does not hold."),
    ],
)
def test_what_a_check_raises_says_how_much_its_message_tells(code, rank, message):
    cells = [*small.CELLS[:-3], small.check("double-one", "double", code)]
    (row,) = rows(Checker(parse(small.notebook(cells=cells), "small")), {}, "double")
    assert (row.rank, row.message) == (rank, message)


def test_of_two_that_explain_everything_the_first_is_read():
    found = [Row(check=CHECK, status="fail", rank=-1, message=said) for said in ("All.", "None.")]
    assert worth_reading(found) == ["All.", ""]
