"""Learners' notebooks: what nbgrader makes, and no learner's answer is lost."""

import json
from pathlib import Path

import pytest
from small_exercise import notebook, saved, submission

from transformer_course.commands.cli import main
from transformer_course.grading.exercises.releasing import checksum


@pytest.fixture
def source(tmp_path) -> Path:
    return saved(tmp_path / "sources" / "small.ipynb", notebook())


def release(source: Path, *options: object) -> int:
    out = source.parents[1] / "out"
    return main(["release", str(source), "--out", str(out), *map(str, options)])


def test_a_released_notebook_is_without_solutions_and_hidden_tests(source, capsys):
    assert release(source) == 0
    text = (source.parents[1] / "out" / "small.ipynb").read_text()
    assert json.loads(text) == submission({})
    assert "1234567" not in text
    assert "return 2 * x" not in text
    assert "small.ipynb: 2 questions, 4 points" in capsys.readouterr().out


def test_a_notebook_that_nobody_answered_is_made_anew(source):
    assert release(source) == 0
    target = source.parents[1] / "out" / "small.ipynb"
    made = json.loads(target.read_text())
    for raw in made["cells"]:
        raw["source"] = raw["source"].splitlines(keepends=True)  # as Jupyter saves it
    saved(target, made)
    changed = notebook()
    changed["cells"][1]["source"] = changed["cells"][1]["source"].replace("def", "# New\ndef")
    saved(source, changed)
    assert release(source) == 0
    assert "# New" in target.read_text()


def test_a_file_in_place_of_the_folder_is_refused_before_anything_is_said(source, capsys):
    (source.parents[1] / "out").write_text("mine")
    assert release(source) == 2
    said = capsys.readouterr()
    assert "out: expected a folder, and this is a file" in said.err
    assert said.out == ""
    assert (source.parents[1] / "out").read_text() == "mine"


def test_an_exercise_that_is_no_json_is_said_to_be_none(tmp_path, capsys):
    (tmp_path / "empty.ipynb").write_text("")
    assert main(["release", str(tmp_path / "empty.ipynb"), "--out", str(tmp_path / "out")]) == 2
    said = "expected an exercise's source (.md) or notebook (.ipynb), and this is not JSON"
    assert said in capsys.readouterr().err


def test_answers_are_not_overwritten_without_force(source, capsys):
    target = saved(source.parents[1] / "out" / "small.ipynb", submission())
    before = target.read_bytes()
    assert release(source) == 2
    said = capsys.readouterr().err
    assert "small.ipynb holds answers (double, answer): name another --out, or --force" in said
    assert target.read_bytes() == before
    assert release(source, "--force") == 0
    assert json.loads(target.read_text()) == submission({})
    assert [path.name for path in target.parent.iterdir()] == ["small.ipynb"]


@pytest.mark.parametrize("text", ["my notes", "[]", '{"cells": [3]}', '{"cells": [{}]}'])
def test_a_file_that_was_not_released_is_not_overwritten(source, capsys, text):
    target = saved(source.parents[1] / "out" / "small.ipynb", text)
    assert release(source) == 2
    assert (
        "small.ipynb holds answers (it is no notebook that was released)" in capsys.readouterr().err
    )
    assert target.read_text() == text


def test_an_exercise_is_not_released_over_its_source(source, capsys):
    assert main(["release", str(source), "--out", str(source.parent)]) == 2
    assert "--out names its own folder; name another" in capsys.readouterr().err


def test_a_checksum_changes_with_the_cell():
    raw = next(cell for cell in submission({})["cells"] if cell["id"] == "double")
    assert checksum(raw) == raw["metadata"]["nbgrader"]["checksum"]
    assert checksum(raw | {"source": raw["source"] + " "}) != checksum(raw)


def test_nothing_is_written_if_one_of_several_cannot_be(source, tmp_path, capsys):
    broken = saved(tmp_path / "broken.ipynb", "{}")
    assert main(["release", str(source), str(broken), "--out", str(tmp_path / "out")]) == 2
    assert "expected the notebook's metadata to name its exercise" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


WRONG = r"""
[[wrong]]
question = "double"
name = "{}"
fails = "double-one"
message = "not twice 1"
answer = "def double(x):\n    return {}"
"""


def test_wrong_answers_that_hear_the_same_message_are_listed(source, capsys):
    toml = source.with_suffix(".toml")
    toml.write_text("".join(map(WRONG.format, "abc", ("x", "3 * x", "max(2, 2 * x - 1)"))))
    assert release(source, "--messages") == 0
    assert "  double: a / b: not twice 1\n" in capsys.readouterr().out
    assert release(source) == 0
    assert "not twice" not in capsys.readouterr().out


def test_wrong_answers_that_are_marked_as_one_mistake_are_not_listed(source, capsys):
    toml = source.with_suffix(".toml")
    same = WRONG.replace("fails", 'same = "a"\nfails')
    toml.write_text(WRONG.format("a", "x") + same.format("b", "3 * x"))
    assert release(source, "--messages") == 0
    assert "double:" not in capsys.readouterr().out
    toml.write_text(WRONG.format("a", "x") + same.format("b", "2 * x + (x == 2)"))
    assert release(source, "--messages") == 0
    assert "  double: b is no longer as a: " in capsys.readouterr().out


def test_a_mark_that_names_no_wrong_answer_gets_one_line(source, capsys):
    same = WRONG.replace("fails", 'same = "c"\nfails')
    source.with_suffix(".toml").write_text(same.format("b", "3 * x"))
    assert release(source, "--messages") == 2
    assert "expected `same` of 'b' to name another wrong answer to double, not 'c'" in (
        capsys.readouterr().err
    )


def test_a_list_of_wrong_answers_with_a_mistake_gets_one_line(source, capsys):
    source.with_suffix(".toml").write_text('[[wrong]]\nquestion = "double"\n')
    assert release(source, "--messages") == 2
    assert "small.toml: Object missing required field `name`" in capsys.readouterr().err
