"""Files that nobody vetted: formats, sizes, and things that are no files."""

import json
import os

import pytest
from small_exercise import submission

from transformer_course.grading.grader import reading
from transformer_course.grading.grader.reading import UnreadableError, parse, read_file


def encoded(**notebook) -> bytes:
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": []} | notebook).encode()


def one(**cell) -> bytes:
    return encoded(cells=[{"cell_type": "code", "metadata": {}, "source": "x = 1"} | cell])


def test_a_released_notebook_is_read():
    found = parse(json.dumps(submission()).encode())
    assert found.exercise == "small"
    assert found.version.startswith("sha256:")
    assert [cell.name for cell in found.cells][:2] == ["setup", "double"]
    assert all(cell.index for cell in found.cells)


def test_format_3_keeps_cells_in_worksheets_and_code_in_input():
    cell = {"cell_type": "code", "input": ["a = 1\n", "b = 2"], "language": "python"}
    sheets = [{"cells": [cell]}, {"cells": [{**cell, "input": "c = 3"}]}]
    found = parse(json.dumps({"nbformat": 3, "worksheets": sheets}).encode())
    assert [cell.source for cell in found.cells] == ["a = 1\nb = 2", "c = 3"]


def test_a_later_format_is_read_if_it_still_has_cells():
    assert len(parse(one().replace(b'"nbformat": 4', b'"nbformat": 6')).cells) == 1
    with pytest.raises(UnreadableError, match="no list of cells .the file's nbformat is 6"):
        parse(b'{"nbformat": 6, "parts": []}')


@pytest.mark.parametrize(
    "cell",
    [
        {"metadata": None},
        {"metadata": {"nbgrader": []}},
        {"metadata": {"nbgrader": {"grade_id": 3}}},
        {"metadata": {"nbgrader": {"grade_id": ["a"]}}},
    ],
)
def test_metadata_that_say_nothing_are_no_obstacle(cell):
    (found,) = parse(one(**cell)).cells
    assert (found.name, found.source) == ("", "x = 1")


def test_metadata_without_a_schema_version_still_name_the_cell():
    (found,) = parse(one(metadata={"nbgrader": {"grade_id": "a", "solution": True}})).cells
    assert found.name == "a"


def test_names_and_text_of_any_alphabet_are_kept_and_broken_ones_mended():
    (found,) = parse(one(source="größe = '名前'", metadata={"nbgrader": {"grade_id": "é"}})).cells
    assert (found.source, found.name) == ("größe = '名前'", "é")
    (found,) = parse(one(source="x = '\ud800'")).cells
    assert found.source == "x = '?'"
    assert parse(json.dumps({"cells": []}).encode("utf-16")).cells == []
    assert parse(b"\xef\xbb\xbf" + encoded()).cells == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"print(1)", "not JSON"),
        (b'{"cells": [', "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b"[1, 2]", "expected a notebook, got a JSON list"),
        (b"[" * 200_000, "nested too deep"),
        (b"1" * 5000, "not JSON: Exceeds the limit"),
        (encoded(cells=None), "no list of cells"),
        (encoded(cells=["x"]), "cell 1 is a JSON str, not a cell"),
        (one(source=3), "the source of cell 1 is not text"),
        (one(source=["a", 3]), "the source of cell 1 is not text"),
    ],
)
def test_what_is_no_notebook_says_why(data, reason):
    with pytest.raises(UnreadableError, match=reason):
        parse(data)


def test_what_is_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MAX_CELLS", 3)
    with pytest.raises(UnreadableError, match="4 cells, more than 3"):
        parse(encoded(cells=[{"cell_type": "markdown", "source": ""}] * 4))
    monkeypatch.setattr(reading, "MAX_CHARACTERS", 10)
    with pytest.raises(UnreadableError, match="cell 1 has 11 characters, more than 10"):
        parse(one(source="x" * 11))
    cell = {"cell_type": "code", "source": "x" * 10}
    monkeypatch.setattr(reading, "MAX_CELLS", 9)
    with pytest.raises(UnreadableError, match="50 characters of code, more than 40"):
        parse(encoded(cells=[cell] * 5))
    monkeypatch.setattr(reading, "MAX_BRACKETS", 2)
    with pytest.raises(UnreadableError, match="more than 2 lists and objects"):
        parse(one())


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.ipynb"
    with open(path, "wb") as file:
        file.truncate(reading.MAX_BYTES + (1 << 20))
    with pytest.raises(UnreadableError, match="101 MB, more than 100 MB: clear the outputs"):
        read_file(path)


def test_links_folders_and_pipes_are_not_followed_opened_or_waited_for(tmp_path):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "secret")
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name, reason in (
        ("link", "a symbolic link, which is not followed"),
        ("folder", "expected a notebook, got a folder"),
        ("pipe", "expected a notebook, got a pipe"),
        ("missing", "the file cannot be read: No such file"),
    ):
        with pytest.raises(UnreadableError, match=reason):
            read_file(tmp_path / f"{name}.ipynb")


def test_a_link_that_appears_after_the_look_is_not_followed_either(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "secret")
    monkeypatch.setattr(type(tmp_path), "is_symlink", lambda path: False)
    with pytest.raises(UnreadableError, match="cannot be read: Too many levels of symbolic links"):
        read_file(tmp_path / "link.ipynb")
