"""The panel without a kernel: what a learner sees after each click."""

import json
import random
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import jupytext
import nbformat
import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from transformer_course.errors import DataError
from transformer_course.grading.exercises import magics
from transformer_course.grading.exercises.checking import Checker, Row, telling_first
from transformer_course.grading.exercises.exercise import load, parse
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.panel import Panels, drawing, saved
from transformer_course.grading.panel import attempt as attempts
from transformer_course.grading.panel import panels as panel_module

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "exercises" / "sources").glob("*.md"))


def cell(code: str, course: dict | None = None, **nbgrader) -> dict:
    about = {"schema_version": 3, "grade": False, "solution": False, "locked": True, "task": False}
    metadata = {"course": course} if course else {}
    if nbgrader:
        metadata["nbgrader"] = about | nbgrader
    return nbformat.v4.new_code_cell(code, metadata=metadata)


def solution(name: str, kind: str, code: str, **more) -> dict:
    about = {"question": name, "kind": kind, "title": f"The {name}", "difficulty": 2, "minutes": 3}
    about |= {"hints": ["an idea", "a step", "`a line`"], **more}
    return cell(code, about, grade_id=name, solution=True, locked=False)


def check(name: str, aspect: str, points: int, code: str) -> dict:
    about = {"question": name, "title": f"the {aspect}"}
    return cell(code, about, grade_id=f"{name}-{aspect}", grade=True, points=points)


def mine() -> dict:
    """An exercise of an instructor's own: code, a choice and a prediction."""
    solved = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
    cells = [
        cell("import torch", grade_id="setup"),
        solution(
            "double",
            "code",
            "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
            limit_seconds=0.5,
            forbid=["torch.add"],
        ),
        solution(
            "letter",
            "choice",
            "letter = ...\n" + solved.format('letter = "b"'),
            options={"a": "First", "b": "`Second`"},
        ),
        solution("guess", "prediction", "my_guess = ...\n" + solved.format("my_guess = 0.5")),
        cell("from transformer_course.grading.exercises import checks", {"role": "checks"}),
        check("double", "value", 1, "checks.close(double(torch.ones(2)), [2.0, 2.0], 'Twice.')"),
        check("double", "shape", 2, "checks.shape(double(torch.ones(2)), (2,))"),
        check(
            "letter",
            "letter",
            1,
            'checks.choice(letter, "q", checks.key("q", "b"), {"a": "No.", "b": ""})',
        ),
        check("guess", "measure", 2, "checks.predicted(my_guess, 0.5, 'It is half.', tol=0.1)"),
    ]
    course = {"exercise": "mine", "title": "Mine"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"course": course, "kernelspec": kernel})
    return json.loads(json.dumps(made))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Holds the learner's notebook and, as the package does, its source."""
    (tmp_path / "sources").mkdir()
    source = nbformat.from_dict(mine())
    source.metadata["jupytext"] = {"notebook_metadata_filter": "course"}
    jupytext.write(source, tmp_path / "sources" / "mine.md", fmt="md:myst")
    notebook = released(parse(mine(), "mine"))
    (tmp_path / "mine.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    monkeypatch.setattr(panel_module, "PLACES", [tmp_path])
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return tmp_path


@pytest.fixture
def start(folder):
    """Gives all panels in a notebook whose names are these; again, as after a restart."""

    def panels(**names) -> Panels:
        return Panels("mine", {"__name__": "__main__", "torch": torch, **names}, folder)

    return panels


@pytest.fixture
def shell(monkeypatch, tmp_path) -> InteractiveShell:
    """The notebook in which panels believe themselves to be."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = InteractiveShell()
    monkeypatch.setattr(panel_module, "running_shell", lambda: shell)
    return shell


def run(panels: Panels, code: str) -> None:
    """As a cell of the notebook."""
    panels.namespace.setdefault("In", [""]).append(code)
    exec(compile(code, "<cell>", "exec"), panels.namespace)


def statuses(panel) -> list[str]:
    return [row.status for row in panel.rows]


def test_at_first_it_says_what_to_do_and_what_there_is_to_earn(start):
    panel = start().show("double")
    assert "0 of 3 points" in panel.head.value
    assert "code, difficulty 2 of 5, 3 minutes" in panel.head.value
    assert "run it with Shift-Enter, then press Check" in panel.said.value
    assert panel.solution.layout.display == panel.asked.layout.display == "none"
    assert repr(panel) == "The double: 0 of 3 points"


def test_stress_and_code_are_shown_and_products_and_stars_left_alone():
    said = "Softmax is *not even*, *so*: `2 *x* y`, 2 * x * y, a*b*c, f(*args, **kwargs)"
    assert drawing.inline(said) == (
        "Softmax is <em>not even</em>, <em>so</em>: <code>2 *x* y</code>, 2 * x * y, a*b*c, "
        "f(*args, **kwargs)"
    )


@pytest.mark.parametrize(
    ("code", "ranks"),
    [
        ("    return 3 * x", {"value": 2, "shape": 0}),  # the shape holds
        ("    return 2 * x if x.requires_grad else x[None] * 2", {"value": 1, "shape": 1}),
        ("    return x @ x[:, None].T", {"value": 1, "shape": 1}),
    ],
)
def test_a_message_is_ranked_by_how_much_it_tells(start, code, ranks):
    panels = start()
    panel = panels.show("double")
    run(panels, f"def double(x):\n{code}")
    panel.check.click()
    assert {row.check.name.removeprefix("double-"): row.rank for row in panel.rows} == ranks


def test_the_message_that_tells_most_stands_first_and_what_passes_last(start):
    passed, *open_still = (
        Row(check=check, status=status)
        for check, status in zip(
            start().exercise.checks, ("pass", "not_attempted", "not_reached"), strict=False
        )
    )
    failed = [replace(passed, status="fail", message=str(rank), rank=rank) for rank in (2, 1, 0)]
    rows = telling_first([passed, *open_still, *failed])
    assert rows == [*reversed(failed), *open_still, passed]


def test_a_message_that_two_checks_give_is_shown_once(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return 2 * x, x")
    panel.check.click()
    assert [row.message for row in panel.rows] == [panel.rows[0].message] * 2
    assert panel.table.value.count("and is of type tuple") == 1


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("double = no_such_name", "NameError: name 'no_such_name' is not defined."),
        ("def double(x):\n    return 2 x", "SyntaxError: invalid syntax."),
    ],
)
def test_an_answer_whose_cell_raised_is_not_judged_by_the_one_before_without_a_word(
    folder, shell, cell, said
):
    panels = Panels("mine", folder=folder)
    panel = panels.show("double")
    shell.run_cell(cell)
    panel.check.click()
    told = f"The cell of your answer did not finish: it raised {said}"
    assert f"{told} Nothing is checked yet" in panel.said.value
    shell.run_cell("def double(x):\n    return 2 * x")
    panel.check.click()
    assert "did not finish" not in panel.said.value
    tries = panel.memory["tries"]
    shell.run_cell(cell)
    panel.check.click()
    assert f"{told} What is judged here was made before that." in panel.said.value
    assert panel.memory["tries"] == tries


@pytest.fixture
def untouched(shell, tmp_path) -> Panels:
    """Shift-Enter through a whole notebook as it was handed out."""
    panels = Panels("01-scaled-attention", folder=tmp_path)
    for each in panels.exercise.cells:
        if each.role in ("setup", "solution"):
            shell.run_cell(each.source, cell_id=each.name)
    return panels


@pytest.mark.parametrize("again", [False, True])  # once more through it, after the choice
def test_a_choice_needs_no_cell_and_is_judged_and_counted_though_its_stub_raised(
    untouched, shell, again
):
    panel = untouched.show("without-the-scale")
    panel.check.click()
    assert "Nothing is checked yet: choose an answer, then press Check." in panel.said.value
    panel.entry.radio.value = "a"
    if again:
        shell.run_cell(untouched.cell("without-the-scale").source, cell_id="without-the-scale")
    panel.check.click()
    assert statuses(panel) == ["fail"]
    assert panel.said.value.startswith('<p role="status">0 of 1 check passed. Read the message')
    assert panel.memory["tries"] == 1
    panel.entry.radio.value = "b"
    panel.check.click()
    assert (panel.points, panel.memory["tries"]) == (3, 2)


@pytest.mark.parametrize("entered", ["letter", "guess"])
def test_a_cell_that_raised_after_the_panel_was_used_is_told_of(folder, shell, entered):
    panels = Panels("mine", folder=folder)
    panel = panels.show(entered)
    name = "letter" if entered == "letter" else "my_guess"

    def enter(letter, number):
        if entered == "letter":
            panel.entry.radio.value = letter
            panel.check.click()
        else:
            panel.entry.field.value = number
            panel.entry.lock.click()

    shell.run_cell(f"{name} = c")
    enter("a", "0.1")
    assert "did not finish" not in panel.said.value  # the panel came later
    shell.run_cell(f"{name} = c")
    panel.run()
    told = "The cell of your answer did not finish: it raised NameError: name 'c' is not defined."
    assert f"{told} What is judged here was made before that." in panel.said.value
    shell.run_cell(f"{name} = {'b' if entered == 'letter' else 0.5!r}".replace("= b", "= 'b'"))
    panel.run()
    assert "did not finish" not in panel.said.value


@pytest.mark.parametrize(("cell", "said"), [(["c"], "of type list"), ("e", "expected one of 'a'")])
def test_what_is_no_letter_in_the_cell_is_judged_and_not_an_older_choice(start, cell, said):
    first = start().show("letter")
    first.entry.radio.value = "a"
    panel = start(letter=cell).show("letter")
    panel.check.click()
    assert said in panel.rows[0].message.lower()


def test_a_guess_needs_no_cell_and_is_judged_and_counted_though_its_stub_raised(untouched):
    panel = untouched.show("share-of-itself")
    panel.entry.field.value = "0.5"
    panel.entry.lock.click()
    assert panel.said.value.startswith('<p role="status">Your guess is locked in: 3 points.')
    assert (panel.points, panel.memory["tries"]) == (3, 1)


def test_of_an_untouched_cell_it_is_said_that_it_is_not_answered_yet(untouched, shell):
    panel = untouched.show("spread-at-start")
    panel.check.click()
    said = "This is not answered yet: the cell is as it was handed out. Nothing is checked yet"
    assert said in panel.said.value
    left = untouched.cell("spread-at-start").source.replace("...", "0.11")
    shell.run_cell(left, cell_id="spread-at-start")
    panel.check.click()
    assert "Your cell still raises NotImplementedError: delete that line and" in panel.said.value
    assert "That is a variance" in panel.table.value


@pytest.mark.parametrize(
    "answer",
    [
        "double: object = lambda x: 2 * x",
        "double, other = (lambda x: 2 * x), 1",
        "[*some, double] = [1, lambda x: 2 * x]",
    ],
)
def test_a_name_that_is_made_in_another_way_is_not_missed(folder, shell, answer):
    panel = Panels("mine", folder=folder).show("double")
    shell.run_cell(answer, cell_id="double")
    panel.check.click()
    assert "no longer makes" not in panel.said.value


def test_a_function_that_is_to_be_awaited_is_made_too():
    assert saved.bound("async def double(x):\n    return 2 * x") == {"double"}
    assert saved.bound("double: int") == set()
    assert saved.bound("double[place] = 3") == set()


def test_a_letter_without_quotes_is_told_how_to_write_it(folder, shell):
    panels = Panels("mine", folder=folder)
    panel = panels.show("letter")
    shell.run_cell("letter = 'a'", cell_id="letter")
    panel.check.click()
    shell.run_cell("letter = b", cell_id="letter")
    panel.check.click()
    assert 'Write the letter in quotes: <code>"b"</code>.' in panel.said.value
    assert panel.entry.note.value == ""  # nor is the letter of before to be written there


def test_a_letter_that_is_not_judged_is_not_asked_for_in_the_cell(folder, shell):
    panel = Panels("mine", folder=folder).show("letter")
    shell.run_cell("letter = 'a'", cell_id="letter")
    panel.check.click()
    shell.run_cell("letter = 'e'", cell_id="letter")
    panel.check.click()
    assert "got 'e'" in panel.table.value
    assert panel.entry.note.value == ""


def test_an_answer_that_lost_its_name_is_named(folder, shell):
    panels = Panels("mine", folder=folder)
    panel = panels.show("double")
    shell.run_cell("def double(x):\n    return 3 * x", cell_id="double")
    panel.check.click()
    shell.run_cell("def my_double(x):\n    return 2 * x", cell_id="double")
    panel.check.click()
    said = (
        "The cell above no longer defines <code>double</code>: an older value is still in the "
        "kernel. Is the name misspelled? Nothing is checked yet"
    )
    assert said in panel.said.value
    assert set(statuses(panel)) == {"not_attempted"}
    assert (panel.points, panel.memory["tries"]) == (2, 1)
    shell.run_cell("letter = 'a'", cell_id="another")
    panel.check.click()
    assert said in panel.said.value
    shell.run_cell("def double(x):\n    return 2 * x", cell_id="double")
    panel.check.click()
    assert "no longer" not in panel.said.value
    assert panel.points == 3


def stale(panel) -> bool:
    panel.check.click()
    return "an older value is still in the kernel" in panel.said.value


DOUBLE = "def double(x):\n    return 2 * x"


@pytest.mark.parametrize("name", [None, "double", "a-front-end-s-own"])
def test_a_misspelled_name_earns_nothing_for_an_older_value(folder, shell, name):
    panels = Panels("mine", folder=folder)
    panel = panels.show("double")
    shell.run_cell(DOUBLE, cell_id=name)
    shell.run_cell("def doubles(x):\n    return 2 * x", cell_id=name)
    assert stale(panel)
    assert panel.points == panel.memory["tries"] == 0
    shell.run_cell(DOUBLE, cell_id=name)
    assert not stale(panel)
    assert panel.points == 3


def test_an_answer_that_never_had_its_name_is_told_so(folder, shell):
    panel = Panels("mine", folder=folder).show("double")
    shell.run_cell("def doubles(x):\n    return 2 * x", cell_id="double")
    panel.check.click()
    said = "The cell above does not define <code>double</code>. Is the name misspelled?"
    assert said in panel.said.value


def test_a_docstring_tells_whose_cell_it_is(shell, tmp_path):
    panels = Panels("01-scaled-attention", folder=tmp_path)
    panel = panels.show("mix")
    shell.run_cell("import numpy as np")
    shell.run_cell(panels.solutions["mix"])
    shell.run_cell(panels.solutions["mix"].replace("def mix(", "def my_own("))
    assert stale(panel)
    panel = panels.show("spread-at-start")
    shell.run_cell("spread_at_start = 0.1")
    shell.run_cell("spread_of_start = 0.3")
    assert stale(panel)


@pytest.mark.parametrize(
    "other",
    [
        "half = 3",
        "def half(x):\n    return x / 2",
        "doubles = 3\nhalf = 4",  # more than the answer would make
        "def doubles(:",  # not to be read
        "%run no_such_file.py",
    ],
)
def test_a_cell_for_trials_makes_no_answer_stale(folder, shell, other):
    panel = Panels("mine", folder=folder).show("double")
    shell.run_cell(DOUBLE)
    shell.run_cell(other)
    assert not stale(panel)
    assert panel.points == 3


def test_a_name_that_another_cell_makes_is_not_stale(folder, shell):
    panel = Panels("mine", folder=folder).show("double")
    shell.run_cell(DOUBLE, cell_id="mine-below")
    shell.run_cell("doubles = 3", cell_id="double")
    assert not stale(panel)
    assert panel.points == 3


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from os.path import join as double, exists", {"double", "exists"}),
        ("import os.path", {"os"}),
        ("a, (b, *c) = d = 1, (2, 3)", {"a", "b", "c", "d"}),
        ("@f\nasync def g(x):\n    y = 1", {"g"}),
        ("class A:\n    b = 1\n    def c(self): pass", {"A"}),
        ("def f():\n    global x\n    x = 1", {"f", "x"}),
        ("with f() as a:\n    b: int = 1", {"a", "b"}),
        ("if (n := 3):\n    m = [k for k in range(n)]", {"n", "m"}),
        ("%matplotlib inline", None),
        ("%%time\nx = 1", {"x"}),
        ("from os import *", None),
        ("exec('x = 1')", None),
        ("x = ", None),
    ],
)
def test_the_names_that_a_cell_may_make(code, names):
    assert magics.defined(code) == names


def test_after_a_restart_it_is_said_which_cell_to_run_first(shell, tmp_path):
    panels = Panels("11-byte-pair-encoding", folder=tmp_path)
    panel = panels.show("learn")
    del shell.user_ns["exit"]
    shell.run_cell("def learn(words, num_merges):\n    pass\nprint(merge)", cell_id="learn")
    panel.check.click()
    said = "<code>merge</code> is your answer to question 3: its cell has to run first."
    assert f"NameError: name 'merge' is not defined. {said} " in panel.said.value
    shell.run_cell("def learn(words, num_merges):\n    pass\nCounter()", cell_id="learn")
    panel.check.click()
    said = "<code>Counter</code> comes from the set-up: run the cells at the top first, and then"
    assert said in panel.said.value


def test_the_answer_to_another_question_that_is_missed_is_named():
    panels = Panels("11-byte-pair-encoding", {})
    student = LocalStudent()
    student.execute("def learn(words, num_merges):\n    return [merge(words, 1)]", "cell 3")
    check = panels.exercise.questions["learn"].checks[0]
    said = Checker(panels.exercise).run(check, student).message
    assert said.endswith("`merge` is your answer to question 3: its cell has to run first.")


def test_time_that_the_processor_gave_to_others_does_not_run_out(start, monkeypatch):
    panels = start(sleep=time.sleep)
    panel = panels.show("double")
    run(panels, "def double(x):\n    sleep(0.7)\n    return 2 * x")
    panel.check.click()
    assert statuses(panel) == ["pass", "pass"]
    monkeypatch.setattr(attempts.time, "process_time", lambda: time.monotonic() / 4)
    run(panels, "def double(x):\n    while True: pass")
    panel.check.click()
    assert "But the machine was busy" in panel.rows[0].message
    assert "the same answer is no try" in panel.said.value


def test_a_name_from_a_cell_that_no_check_runs_is_said_to_be_from_there():
    notebook = mine()
    notebook["cells"].insert(1, cell("trial = 3", {"role": "widget"}))
    exercise = parse(notebook, "mine")
    student = LocalStudent()
    student.execute("def double(x):\n    return trial * x", "cell 3")
    assert Checker(exercise).run(exercise.checks[0], student).message == (
        "Your code raised NameError: name 'trial' is not defined (line 2 of your answer). Is "
        "`trial` from a cell for trials, or for a picture? No check runs those: make it in your "
        "answer."
    )


def test_a_name_of_the_set_up_that_is_gone_after_a_restart_is_said_to_be_from_there(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return torch.mul(x, 2)")
    del panels.namespace["torch"]
    panel.check.click()
    assert panel.rows[0].message == (
        "Your code raised NameError: name 'torch' is not defined (line 2 of your answer). The "
        "set-up makes `torch`: run the first cell of this notebook again, and then your answer."
    )


def test_what_was_not_tried_is_no_try(start):
    panels = start()
    panel = panels.show("double")
    panel.check.click()
    assert statuses(panel) == ["not_attempted", "not_attempted"]
    assert "<code>double</code> is not defined yet" in panel.table.value
    run(panels, "def double(x):\n    raise NotImplementedError()")
    panel.check.click()
    assert statuses(panel) == ["not_attempted", "not_attempted"]
    assert panel.memory["tries"] == 0
    assert "write your answer in the cell above" in panel.said.value


def test_a_wrong_answer_gets_its_message_and_part_of_the_points(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return 3 * x")
    panel.check.click()
    assert statuses(panel) == ["fail", "pass"]
    assert "✗" in panel.table.value
    assert "not right yet" in panel.table.value
    assert "Twice." in panel.table.value
    assert "✓" in panel.table.value
    assert (panel.points, panel.memory["tries"]) == (2, 1)
    assert "1 of 2 checks passed. Read the first message" in panel.said.value


def test_a_right_answer_earns_all_and_further_checks_are_free(start):
    panels = start()
    panel, summary = panels.show("double"), panels.summary()
    run(panels, "def double(x):\n    return 2 * x")
    panel.check.click()
    panel.check.click()
    assert (panel.points, panel.memory["tries"]) == (3, 1)
    assert "All checks pass: 3 points. Go on to the next question." in panel.said.value
    assert "3 of 6 points" in summary.table.value
    assert "✓ 3 of 3" in summary.table.value
    run(panels, "def double(x):\n    return x")
    panel.check.click()
    assert panel.points == 3


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("    return x @ x[:, None].T", "error", "There is no matrix product of shapes"),
        ("    return torch.add(x, x)", "error", "torch.add may not be called in this question"),
        ("    sys.exit(3)", "error", "Your code raised SystemExit: 3 (line 2 of your answer)"),
        ("    return x & x", "error", "raised NotImplementedError: `&`, `|` and `~` are for masks"),
        ("    return None", "fail", "did you forget `return`?"),
        ("    return x / 0 - x / 0", "fail", "2 of 2 values that are inf or nan"),
    ],
)
def test_what_goes_wrong_is_told_in_words(start, code, status, said):
    panels = start(sys=sys)
    panel = panels.show("double")
    run(panels, f"def double(x):\n{code}")
    panel.check.click()
    assert panel.rows[0].status == status
    assert said in panel.rows[0].message


@pytest.mark.parametrize(
    "loop",
    ["while True: pass", "while True:\n        try: x.sum()\n        except Exception: pass"],
)
def test_a_loop_without_end_comes_back_and_leaves_nothing_running(start, loop):
    panels = start()
    panel = panels.show("double")
    run(panels, f"def double(x):\n    {loop}")
    before, begun = threading.active_count(), time.perf_counter()
    panel.check.click()
    assert time.perf_counter() - begun < 3
    assert threading.active_count() == before
    assert statuses(panel) == ["timeout", "not_reached"]
    assert "time ran out" in panel.table.value
    assert "No result after 0.5 seconds. Does every loop end? It was stopped." in panel.table.value
    assert "Find what never ends" in panel.said.value
    assert panel.memory["tries"] == 1


@pytest.mark.slow
def test_what_cannot_be_stopped_is_left_behind_and_said(start):
    panels = start(sleep=time.sleep)
    panel = panels.show("double")
    run(panels, "def double(x):\n    sleep(4)\n    return torch.add(x, x)")
    panel.check.click()
    assert "It goes on in the background: restart the kernel." in panel.rows[0].message
    torch.add(torch.ones(1), torch.ones(1))
    (left,) = (
        thread
        for thread in threading.enumerate()
        if thread.daemon and thread.name[:6] == "Thread" and "work" in thread.name
    )
    left.join()


def test_checks_that_cannot_run_are_no_fault_of_the_answer(start, folder):
    panels = start()
    panel = panels.show("double")
    notebook = mine()
    notebook["cells"][0]["source"] = "import no_such_module"
    panels.exercise = parse(notebook, "mine")
    panel.check.click()
    said = "The checks could not run: ModuleNotFoundError: No module named 'no_such_module'"
    assert said in panel.said.value.replace("&#x27;", "'")
    assert not panel.check.disabled
    assert panel.memory["tries"] == 0


def test_what_an_answer_prints_is_caught_shown_and_bounded(start, capsys):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    print('<b>' * 10_000)\n    return 2 * x")
    panel.check.click()
    assert "Your code printed" in panel.printed.value
    assert "&lt;b&gt;&lt;b&gt;" in panel.printed.value
    assert "... and 26,001 more characters" in panel.printed.value
    assert capsys.readouterr().out == ""
    run(panels, "def double(x):\n    return 2 * x")
    panel.check.click()
    assert panel.printed.value == ""


def test_random_numbers_are_those_of_grading_and_the_notebooks_own_go_on(start):
    panels = start(np=np, random=random, seen=[])
    panel = panels.show("double")
    code = "seen.append((torch.rand(1).item(), np.random.rand(), random.random()))"
    run(panels, f"def double(x):\n    {code}\n    return 2 * x")
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    panel.check.click()
    panel.check.click()
    assert len(set(panels.namespace["seen"])) == 1
    torch.testing.assert_close(torch.get_rng_state(), states[0])
    np.testing.assert_array_equal(np.random.get_state()[1], states[1])
    assert random.getstate() == states[2]


def test_hints_come_one_by_one(start):
    panel = start().show("double")
    for shown in range(1, 4):
        panel.hint.click()
        assert panel.hints.value.count("<li>") == shown
    assert "<code>a line</code>" in panel.hints.value
    assert panel.hint.disabled
    assert panel.solution.layout.display == ""  # all hints are used


def test_a_solution_is_offered_after_two_failures_and_then_earns_nothing(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return 3 * x")
    panel.check.click()
    panel.check.click()  # the same answer is no other try
    assert panel.memory["tries"] == 1
    assert panel.solution.layout.display == "none"
    run(panels, "def double(x):\n    return 4 * x")
    panel.check.click()
    panel.solution.click()
    assert panel.asked.layout.display == ""
    assert panel.solved.value == ""
    panel.keep.click()
    assert panel.asked.layout.display == "none"
    panel.solution.click()
    panel.sure.click()
    assert "return 2 * x" in panel.solved.value
    assert "SOLUTION" not in panel.solved.value
    run(panels, "def double(x):\n    return 2 * x")
    panel.check.click()
    assert panel.points == 2  # as before
    assert "The solution was shown, so it earns nothing more" in panel.said.value


def test_whoever_has_solved_it_may_look_at_a_solution_for_nothing(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return x + x")
    panel.check.click()
    panel.solution.click()
    assert "return 2 * x" in panel.solved.value
    assert not panel.memory["shown"]


def test_after_a_solution_was_shown_panel_and_grading_say_whose_points_count(start, monkeypatch):
    panels = start()
    panel, summary = panels.show("double"), panels.summary()
    panel._reveal()
    run(panels, "def double(x):\n    return None")
    panel.check.click()
    said = "0 of 2 checks passed. The solution was shown: this question earns nothing more here."
    assert said in panel.said.value
    told = SimpleNamespace(stdout=f"{json.dumps(RESULT)}\n", stderr="")
    monkeypatch.setattr(saved.subprocess, "run", lambda *_, **__: told)
    summary.grade.click()
    said = "The solution was shown for: The double. The grader sees the file alone and counts that"
    assert said in summary.said.value


def test_without_a_source_there_is_no_solution_to_offer(start, folder):
    (folder / "sources" / "mine.md").unlink()
    panel = start().show("double")
    for _ in range(3):
        panel.hint.click()
    assert panel.solution.layout.display == "none"


def test_a_worse_answer_keeps_the_best_points_and_the_panel_says_so(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return 3 * x")
    panel.check.click()
    assert "so far" not in panel.said.value
    run(panels, "def double(x):\n    return None")
    panel.check.click()
    assert panel.points == 2
    assert (
        "0 of 2 checks passed. Your best so far, 2 points, is kept here; grading reads the cell."
        in panel.said.value
    )


def test_a_restart_loses_nothing(start):
    panels = start()
    panel = panels.show("double")
    run(panels, "def double(x):\n    return 3 * x")
    panel.check.click()
    panel.hint.click()
    again = start().show("double")
    assert (again.points, again.memory["tries"], again.memory["hints"]) == (2, 1, 1)
    assert again.hints.value == panel.hints.value
    assert "2 of 3 points, 1 try" in again.head.value


def test_a_choice_sets_the_variable_and_reminds_of_the_file(start):
    panels = start()
    panel = panels.show("letter")
    assert panel.entry.radio.options == (("a) First", "a"), ("b) Second", "b"))
    panel.check.click()
    assert statuses(panel) == ["not_attempted"]
    panel.entry.radio.value = "a"
    assert panels.namespace["letter"] == "a"
    panel.check.click()
    assert panel.rows[0].message == "No."
    assert panel.entry.note.value == ""  # a wrong one need not stand in the file
    panel.entry.radio.value = "b"
    assert panel.entry.note.value == ""  # not yet known to be right
    panel.check.click()
    assert 'Write <code>letter = "b"</code> in the cell above too' in panel.entry.note.value
    assert 'Write <code>letter = "b"</code>' in start().show("letter").entry.note.value
    panel.entry.radio.value = "a"
    assert panel.entry.note.value == ""
    run(panels, "letter = 'B'")  # in the cell: that is what counts
    panel.check.click()
    assert panel.entry.radio.value == "b"
    assert panel.points == 1
    assert panel.entry.note.value == ""  # it stands in the cell
    restarted = start(letter=...)  # the stub was run
    assert restarted.show("letter").entry.radio.value == "b"
    assert restarted.namespace["letter"] == "b"


@pytest.mark.parametrize("text", ["", "half", "nan", "inf", "1e999", "0,5"])
def test_what_is_no_number_locks_nothing(start, text):
    panel = start().show("guess")
    panel.entry.field.value = text
    panel.entry.lock.click()
    said = "Expected a number such as 12 or 0.5, got" if text else "Type your guess into the field"
    assert said in panel.entry.note.value
    assert not panel.entry.field.disabled
    assert panel.rows == []


def test_a_guess_is_locked_in_before_the_result_also_after_a_restart(start):
    panels = start()
    panel = panels.show("guess")
    assert panel.check.layout.display == "none"
    panel.entry.field.value = "0.9"
    panel.entry.lock.click()
    assert panels.namespace["my_guess"] == 0.9
    assert "Measured: 0.5. It is half." in panel.rows[0].message
    assert "✓" in panel.table.value
    assert "counts</span>: the measure (2 of 2 points)" in panel.table.value
    assert "Your guess is locked in: 2 points. See what was measured" in panel.said.value
    assert panel.entry.field.disabled
    assert panel.solution.layout.display == "none"  # a guess has none
    restarted = start(my_guess=0.5)  # the cell was changed afterwards
    again = restarted.show("guess")
    assert (again.entry.field.value, again.entry.lock.disabled) == ("0.9", True)
    assert "0.9 is locked in. Write <code>my_guess = 0.9</code>" in again.entry.note.value
    assert "run it, and save the notebook: grading reads the file" in again.entry.note.value
    run(restarted, "my_guess = 0.9")
    again.entry.ran()
    assert again.entry.note.value == "<p>0.9 is locked in.</p>"
    assert "Measured: 0.5. It is half." in again.table.value  # without a click
    assert "Your guess is locked in" in again.said.value
    assert "type a number" not in again.said.value
    assert restarted.namespace["my_guess"] == 0.9
    assert again.points == 2
    assert again.memory["tries"] == 1


@pytest.mark.parametrize("guess", [0.5, 0.9, 77])
def test_a_guess_earns_the_same_in_panel_and_grader_right_or_wrong(start, guess):
    panel = start().show("guess")
    panel.entry.field.value = str(guess)
    panel.entry.lock.click()
    student = LocalStudent({"my_guess": guess})
    graded = Checker(panel.panels.exercise).run(panel.question.checks[0], student)
    assert panel.points == graded.points == 2
    assert panel.rows[0].message == graded.message


def test_a_guess_that_an_older_version_took_and_this_one_cannot_is_unlocked(start, folder):
    panel = start().show("guess")
    panel.entry.field.value = "50"
    panel.entry.lock.click()
    assert panel.entry.field.disabled
    text = (folder / "mine.ipynb").read_text()
    (folder / "mine.ipynb").write_text(text.replace("tol=0.1)", "tol=0.1, least=0, most=1)"))
    again = start().show("guess")
    assert "A guess from 0 to 1 is expected, and this is 50." in again.table.value
    assert "Nothing is locked in yet" in again.said.value
    assert again.entry.note.value == ""
    assert not again.entry.field.disabled
    again.entry.field.value = "0.7"
    again.entry.lock.click()
    assert "Measured: 0.5" in again.table.value
    assert start().show("guess").entry.field.value == "0.7"


def test_a_guess_that_cannot_be_true_is_not_locked_in(start, folder):
    text = (folder / "mine.ipynb").read_text()
    (folder / "mine.ipynb").write_text(text.replace("tol=0.1)", "tol=0.1, least=0, most=1)"))
    panel = start().show("guess")
    panel.entry.field.value = "half"
    panel.entry.lock.click()
    panel.entry.field.value = "50"
    panel.entry.lock.click()
    assert "A guess from 0 to 1 is expected, and this is 50." in panel.table.value
    assert panel.entry.note.value == ""
    assert "Nothing is locked in yet" in panel.said.value
    assert not panel.entry.field.disabled
    panel.entry.field.value = "0.7"
    panel.entry.lock.click()
    assert "Measured: 0.5" in panel.table.value
    assert panel.entry.field.disabled


def test_a_guess_that_stands_in_the_cell_is_offered(start):
    panel = start(my_guess=0.5).show("guess")
    assert panel.entry.field.value == "0.5"
    panel.entry.lock.click()
    assert panel.points == 2


def test_a_guess_that_is_run_in_the_cell_later_comes_into_the_field(start):
    panels = start()
    panel = panels.show("guess")
    run(panels, "my_guess = 0.75")
    panels.ran("guess")
    assert panel.entry.field.value == "0.75"
    panel.entry.field.value = ""
    panel.entry.lock.click()  # with an empty field that of the cell counts
    assert (panels.namespace["my_guess"], panel.points) == (0.75, 2)
    assert panel.entry.note.value == "<p>0.75 is locked in.</p>"


def test_an_unknown_question_and_an_unknown_exercise_are_named(start, tmp_path, monkeypatch):
    with pytest.raises(DataError, match="there is no question 'x' in mine; it has double, letter"):
        start().show("x")
    monkeypatch.undo()
    with pytest.raises(DataError, match="there is no exercise 'x': expected one of 01-scaled"):
        Panels("x", {}, tmp_path)


def test_every_button_and_field_has_a_name(start):
    panels = start()
    for name in ("double", "letter", "guess"):
        panel = panels.show(name)
        for each in (panel.check, panel.hint, panel.solution, panel.sure, panel.keep):
            assert each.description
            assert each.tooltip
    assert panel.entry.field.description == "Guess"


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_of_the_course_has_panels_and_points_the_page_can_keep(name, tmp_path):
    panels = Panels(name, {}, tmp_path)
    source = load(ROOT / "exercises" / "sources" / f"{name}.md")
    assert set(panels.solutions) == set(source.questions)
    for question in source.questions.values():
        assert 0 < question.points <= 10  # the limit of widgets/store.js
        assert question.points == int(question.points)
        panel = panels.show(question.name)
        if question.kind in ("choice", "prediction"):
            assert panel.entry.variable in saved.bound(panels.cell(question.name).source)
        assert (question.kind == "choice") == bool(question.options)


@pytest.mark.slow
def test_the_wheel_carries_exercises_and_solutions(tmp_path):
    tree, unpacked, fresh = tmp_path / "tree", tmp_path / "unpacked", tmp_path / "fresh"
    left_out = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("transformer_course", "exercises"):
        shutil.copytree(ROOT / name, tree / name, ignore=left_out)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--no-index", "-w", tmp_path, tree], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(unpacked)
    fresh.mkdir()
    for name in NAMES:
        assert (unpacked / "transformer_course" / "exercises" / f"{name}.ipynb").is_file()
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r})\n"
        "from transformer_course.grading import panel\n"
        f"panels = panel.Panels({NAMES[0]!r}, {{}})\n"
        "assert set(panels.solutions) == set(panels.exercise.questions)\n"
        "print(panel.__file__)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=fresh, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(unpacked)


# ---- Summary ----


def upload(summary, text: str) -> None:
    """As FileUpload of ipywidgets 8 hands it over."""
    content = memoryview(text.encode())
    summary._read({"new": ({"name": "saved.json", "content": content},)})


def test_progress_goes_to_a_file_and_back(start, folder):
    panels = start()
    run(panels, "def double(x):\n    return 2 * x")
    panels.show("double").check.click()
    text = (folder / "progress.json").read_text()
    (folder / "progress.json").unlink()
    again = start()
    panel, summary = again.show("double"), again.summary()
    upload(summary, text)
    assert "1 question of the course, and adds 3 points here" in summary.said.value
    assert "3 of 3 points" in panel.head.value
    assert 'download="transformer-course-' in summary.link.value
    upload(summary, "{}")
    assert "was not read: expected version 1, got None. Nothing has changed." in summary.said.value
    summary._read({"new": {"a": {"metadata": {"name": "a"}, "content": b"x"}}})  # ipywidgets 7
    assert "was not read: it is not JSON" in summary.said.value


def test_the_file_is_found_as_jupyter_vs_code_or_the_folder_say(tmp_path, monkeypatch):
    for name in ("jupyter", "code", "mine"):
        (tmp_path / f"{name}.ipynb").touch()
    find = saved.notebook_file
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "jupyter.ipynb"))
    assert find("mine", tmp_path, {}).stem == "jupyter"
    monkeypatch.setenv("JPY_SESSION_NAME", "gone.ipynb")
    assert find("mine", tmp_path, {}).stem == "mine"
    monkeypatch.delenv("JPY_SESSION_NAME")
    told = {"__vsc_ipynb_file__": str(tmp_path / "code.ipynb")}
    assert find("mine", tmp_path, told).stem == "code"
    assert find("other", tmp_path, {}) is None


def test_without_a_file_it_says_what_to_do(start, folder):
    panels = start()
    (folder / "mine.ipynb").unlink()
    summary = panels.summary()
    summary.grade.click()
    assert "not to be found from here (in Colab there is none)" in summary.said.value


RESULT = {
    "score": 1,
    "max_score": 6,
    "status": "graded",
    "tests": [{"id": "double-value", "status": "pass", "message": ""}, {"id": "other"}],
}


def test_the_saved_file_is_graded_and_an_unsaved_answer_is_named(start, folder, monkeypatch):
    panels = start()
    commands = []

    def grader(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(stdout=f"words\n{json.dumps(RESULT)}\n", stderr="")

    monkeypatch.setattr(saved.subprocess, "run", grader)
    summary = panels.summary()
    summary.grade.click()
    assert "1 of 6 points for mine.ipynb as saved at" in summary.said.value
    assert "another answer" not in summary.said.value
    assert "passed" in summary.result.value
    assert commands[0][-2:] == ["--exercise", str(folder / "sources" / "mine.md")]
    run(panels, "def double(x):\n    return 2 * x")
    summary.grade.click()
    said = "another answer than you ran for: The double. Run that cell, or save the notebook"
    assert said in summary.said.value
    path = folder / "mine.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][1]["source"] = "def double(x):\n    return 2 * x\n"
    path.write_text(json.dumps(notebook))
    summary.grade.click()
    assert "another answer" not in summary.said.value


def test_what_stands_in_panels_alone_is_said_not_to_be_graded(start, folder, monkeypatch):
    told = SimpleNamespace(stdout=f"{json.dumps(RESULT)}\n", stderr="")
    monkeypatch.setattr(saved.subprocess, "run", lambda *_, **__: told)
    panels = start()
    letter, guess, summary = panels.show("letter"), panels.show("guess"), panels.summary()
    assert "still lack" not in summary.table.value
    letter.entry.radio.value = "b"
    letter.check.click()
    guess.entry.field.value = "0.9"
    guess.entry.lock.click()
    lines = ['<code>letter = "b"</code>', "<code>my_guess = 0.9</code>"]
    whole = (folder / "mine.ipynb").read_text()
    torn = json.loads(whole)
    next(raw for raw in torn["cells"] if raw["id"] == "letter")["source"] = 'letter = "b'
    (folder / "mine.ipynb").write_text(json.dumps(torn))
    summary.grade.click()
    assert f"save the notebook, and grade again: {', '.join(lines)}." in summary.said.value
    (folder / "mine.ipynb").write_text(whole)
    assert f"cells of the saved file. They still lack {', '.join(lines)}." in summary.table.value
    summary.grade.click()
    assert f"save the notebook, and grade again: {', '.join(lines)}." in summary.said.value
    for name, code in (("letter", "letter = 'B'"), ("guess", "my_guess = 0.9")):
        run(panels, code)
        panels.ran(name)
    assert "still lack" not in summary.table.value
    summary.grade.click()  # both have run, and are not saved
    assert "The file holds another answer than you ran for: The letter" in summary.said.value
    assert "in a panel alone" not in summary.said.value
    notebook = json.loads((folder / "mine.ipynb").read_text())
    for raw in notebook["cells"]:
        code = {"letter": "letter = 'B'", "guess": "my_guess = 0.9"}.get(raw["id"])
        raw["source"] = code or raw["source"]
    (folder / "mine.ipynb").write_text(json.dumps(notebook))
    summary.grade.click()
    assert summary.said.value.endswith("</p>")
    assert "The file holds" not in summary.said.value
    assert "in a panel alone" not in summary.said.value


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (SimpleNamespace(stdout="", stderr="a\nerror: too bad\n"), "it said: error: too bad"),
        (SimpleNamespace(stdout="[1]\n", stderr=""), "it said: [1]"),
        (SimpleNamespace(stdout="", stderr=""), "it said: nothing"),
        (saved.subprocess.TimeoutExpired("grade", 300), "no result within 300 seconds"),
    ],
)
def test_a_grader_without_a_result_is_quoted(start, monkeypatch, found, said):
    def run(*_: object, **__: object) -> SimpleNamespace:
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(saved.subprocess, "run", run)
    summary = start().summary()
    summary.grade.click()
    assert "mine.ipynb was not graded: the grader gave no result" in summary.said.value
    assert said in summary.said.value
    assert not summary.grade.disabled
