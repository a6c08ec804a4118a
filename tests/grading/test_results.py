"""A file of results: whole lines, whatever happens; nothing graded twice; shards that merge."""

import json
import multiprocessing
import os
import signal
import sys

import pytest

from transformer_course.errors import DataError
from transformer_course.grading.grader.results_file import Results, best, line_of, read


def result(student="ada", sha256="aa", score=3.0, status="graded", **more) -> dict:
    """A line of results as the engine makes it, of two checks."""
    rows = [
        {
            "id": f"check-{i}",
            "qid": "double",
            "title": f"the {i}th",
            "points": score if i else 0.0,
            "max": 4.0 * i,
            "hidden": bool(i),
            "status": "pass" if i and score else "fail",
            "message": "" if i and score else "not twice 1",
            "secs": 0.01,
        }
        for i in range(2)
    ]
    return {
        "schema": "course-result/1",
        "exercise": "small",
        "exercise_version": "sha256:1",
        "submission": {
            "id": student,
            "name": "",
            "path": f"in/{student}.ipynb",
            "sha256": sha256,
            "late": False,
        },
        "status": status,
        "score": score,
        "tests": rows,
        "cells": [],
        "flags": [],
        "stdout_tail": "",
        "max_score": 4.0,
        "runner": {"version": "0.1.0", "torch": "2", "isolation": {"level": 3}},
        "secs": 0.05,
        "graded_at": "2026-01-01T00:00:00.000+00:00",
    } | more


def test_a_second_run_knows_what_was_done(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    with Results(path) as results:
        assert results.done == set()
        results.add(result())
        results.add(result("bob", status="error"))
    with Results(path) as results:
        assert results.done == {("ada", "aa", "sha256:1", "0.1.0")}
        results.add(result("bob"))
    assert [each["submission"]["id"] for each in read(path)] == ["ada", "bob", "bob"]


def test_a_torn_line_is_cut_off_and_what_stands_before_it_stays(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = line_of(result()) + "\n"
    for torn in (whole[:200], whole + line_of(result("bob"))[:-1], whole[:10]):
        path.write_text(torn)
        with Results(path) as results:
            results.add(result("eve"))
        assert [each["submission"]["id"] for each in read(path)][-1] == "eve"
        assert len(list(read(path))) == torn.count("\n") + 1
    path.write_text(whole + "x" * 200_000)
    with Results(path) as results:
        assert len(results.done) == 1
    assert path.read_text() == whole


def test_a_run_that_is_killed_leaves_whole_lines(tmp_path):
    path = tmp_path / "results.jsonl"
    process = multiprocessing.get_context("fork").Process(target=write_for_ever, args=(path,))
    process.start()
    while not path.exists() or path.stat().st_size < 20_000:
        assert process.is_alive()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with Results(path):
        assert len(list(read(path))) > 10


def write_for_ever(path):
    with Results(path) as results:
        while True:
            results.add(result())


def test_a_file_that_holds_something_else_is_left_alone(tmp_path):
    path = tmp_path / "notebook.ipynb"
    path.write_text('{"cells": []}')
    with pytest.raises(DataError, match="holds no results.*name another --out"):
        Results(path)
    assert path.read_text() == '{"cells": []}'


def test_two_runs_do_not_write_at_once(tmp_path):
    whose = f", process {os.getpid()}" if sys.platform == "linux" else ""
    said = rf"another run writes to .*r\.jsonl{whose}: wait"
    with Results(tmp_path / "r.jsonl"), pytest.raises(DataError, match=said):
        Results(tmp_path / "r.jsonl")
    with Results(tmp_path / "r.jsonl"):
        pass


@pytest.mark.parametrize("line", ["{}", "[1]", "x", '{"schema":"course-result/1"}', '{"schema":3}'])
def test_a_line_that_is_no_result_is_named(tmp_path, line):
    path = tmp_path / "results.jsonl"
    path.write_text(f"{line_of(result())}\n\n{line}\n")
    with pytest.raises(DataError, match="line 3: expected a line of results, got"):
        list(read(path))


def test_text_of_any_kind_fits_a_line(tmp_path):
    path = tmp_path / "results.jsonl"
    odd = "名前\u2028\n\ud800\x00é"
    with Results(path) as results:
        results.add(result(odd))
    (found,) = read(path)
    assert found["submission"]["id"] == odd
    assert path.read_bytes().count(b"\n") == 1
    assert json.loads(path.read_bytes()) == found


def test_the_last_grading_of_a_submission_and_the_best_submission_count():
    found = best(
        [
            result(sha256="aa", score=4.0),
            result(sha256="aa", score=1.0, exercise_version="sha256:2"),  # graded again
            result(sha256="bb", score=3.0),
            result(sha256="cc", score=2.0),
            result("bob", score=0.0),
        ]
    )
    counted = [(each["submission"], each["score"]) for each in found]
    assert [(about["id"], score, about["sha256"]) for about, score in counted] == [
        ("ada", 3.0, "bb"),
        ("bob", 0.0, "aa"),
    ]
