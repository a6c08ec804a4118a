"""progress.json: shared with the page, never lost, and never in the way."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from not_run import NEEDS_NODE

from transformer_course.grading.panel.progress import Progress, blank, merge, readable, text_of

ROOT = Path(__file__).parents[2]
SCORES = "exercises/01-scaled-attention/scaled-scores"
DONE = {"points": 3, "tries": 2, "when": "2026-11-21"}
PAGE = {  # what the page's export looks like
    "version": 1,
    "done": {"03-3-feed-forward/zero-input": {"points": 2, "tries": 1, "when": "2026-11-20"}},
    "cards": {"d-model": {"box": 2, "due": "2026-11-23", "since": "2026-11-20"}},
}


def earn(name: str, points: int = 3):
    return lambda progress: progress["done"].update({name: {**DONE, "points": points}})


def test_what_was_done_is_there_after_a_restart(tmp_path):
    path = tmp_path / "progress.json"
    Progress(path).change(earn(SCORES))
    assert Progress(path).read()["done"] == {SCORES: DONE}
    assert os.listdir(tmp_path) == ["progress.json"]


def test_two_notebooks_that_write_at_once_keep_each_others_entries(tmp_path):
    def work(notebook: int) -> None:
        progress = Progress(tmp_path / "progress.json")
        for question in range(20):
            progress.change(earn(f"exercises/{notebook}/{question}"))
            assert progress.note == ""

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Progress(tmp_path / "progress.json").read()["done"]) == 60


BROKEN = [
    ("", "it is not JSON"),
    ("[" * 100_000, "it is not JSON"),
    ("\xff", "it is not text in UTF-8"),
    ("[1]", "expected version 1, got None"),
    ('{"version": 2, "future": true}', "expected version 1, got 2"),
    ('{"version": true}', "expected version 1, got True"),
    ('{"version": 1, "done": 7}', "entries that cannot be read: 1"),
    (
        '{"version": 1, "done": {"../": {"points": 1, "tries": 1, "when": "2026-01-01"}}}',
        "be read: 1",
    ),
    (
        '{"version": 1, "done": {"a": {"points": 99, "tries": 1, "when": "2026-01-01"}}}',
        "be read: 1",
    ),
    (
        '{"version": 1, "panels": {"a": {"tries": "many"}, "b": 3, "c": {"hints": 1e999}}}',
        "be read: 3",
    ),
]


@pytest.mark.parametrize(("text", "said"), BROKEN, ids=range(len(BROKEN)))
def test_a_file_that_cannot_be_read_is_set_aside_and_nothing_is_lost(tmp_path, text, said):
    path = tmp_path / "progress.json"
    path.write_bytes(text.encode("latin-1"))
    progress = Progress(path)
    assert progress.read() == blank()
    progress.change(earn(SCORES))
    assert progress.note.startswith("progress.json: ")
    assert said in progress.note
    assert progress.note.endswith("It is kept as progress-aside-1.json.")
    assert (tmp_path / "progress-aside-1.json").read_bytes() == text.encode("latin-1")
    progress.change(earn("exercises/01/other"))
    assert progress.note == ""
    assert set(Progress(path).read()["done"]) == {SCORES, "exercises/01/other"}


def test_the_good_entries_of_a_damaged_file_go_on(tmp_path):
    path = tmp_path / "progress.json"
    path.write_text(json.dumps({"version": 1, "done": {SCORES: DONE, "x": {"points": -1}}}))
    progress = Progress(path)
    progress.change(lambda _: None)
    assert progress.read()["done"] == {SCORES: DONE}
    path.write_text("{")
    progress.change(lambda _: None)
    assert sorted(os.listdir(tmp_path)) == [
        "progress-aside-1.json",
        "progress-aside-2.json",
        "progress.json",
    ]


def test_where_nothing_can_be_written_it_lasts_until_the_kernel_stops(tmp_path):
    progress = Progress(tmp_path / "absent" / "progress.json")
    progress.change(earn(SCORES))
    progress.change(earn("exercises/01/other"))
    assert "cannot be kept in" in progress.note
    assert "it lasts until the kernel stops" in progress.note
    assert set(progress.read()["done"]) == {SCORES, "exercises/01/other"}
    (tmp_path / "absent").mkdir()
    progress.change(lambda _: None)
    assert progress.note == ""
    assert set(Progress(progress.path).read()["done"]) == {SCORES, "exercises/01/other"}


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    progress = Progress(path)
    progress.change(earn(SCORES))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    progress.change(earn("exercises/01/other"))
    assert "No space left on device" in progress.note
    assert set(json.loads(path.read_text())["done"]) == {SCORES}
    assert os.listdir(tmp_path) == ["progress.json"]


def test_the_pages_export_is_taken_over_and_kept(tmp_path):
    found, problem = readable(json.dumps(PAGE))
    assert problem == ""
    progress = Progress(tmp_path / "progress.json")
    progress.change(earn(SCORES))
    progress.change(lambda mine: merge(mine, found))
    progress.change(earn(SCORES, 4))
    kept = json.loads(progress.path.read_text())
    assert kept["done"] == PAGE["done"] | {SCORES: {**DONE, "points": 4}}
    assert kept["cards"] == PAGE["cards"]


def test_of_two_results_the_better_one_stays():
    mine, other = blank(), blank()
    mine["done"] = {"a": {**DONE, "points": 3}, "b": {**DONE, "points": 1}}
    other["done"] = {"a": {**DONE, "points": 2}, "b": {**DONE, "points": 2}}
    mine["panels"] = {"a": {"tries": 3, "hints": 0, "answer": "b"}}
    other["panels"] = {"a": {"tries": 1, "hints": 2, "shown": True, "answer": "c"}}
    merge(mine, other)
    assert {name: entry["points"] for name, entry in mine["done"].items()} == {"a": 3, "b": 2}
    assert mine["panels"] == {"a": {"tries": 3, "hints": 2, "shown": True, "answer": "b"}}


@NEEDS_NODE
def test_the_page_reads_the_file_with_all_its_points(tmp_path):
    progress = Progress(tmp_path / "progress.json")
    found, _ = readable(json.dumps(PAGE))
    progress.change(lambda mine: merge(mine, found))
    progress.change(earn(SCORES))
    progress.change(lambda mine: mine["panels"].update({SCORES: {"tries": 2, "hints": 1}}))
    store = ROOT / "transformer_course" / "widgets" / "store.js"
    code = (
        f"import {{ readProgress }} from {json.dumps(store.as_uri())};"
        "import { readFileSync } from 'node:fs';"
        f"const text = readFileSync({json.dumps(str(progress.path))}, 'utf8');"
        "console.log(JSON.stringify(readProgress(JSON.parse(text))));"
    )
    (tmp_path / "read.mjs").write_text(code)
    run = subprocess.run(["node", tmp_path / "read.mjs"], capture_output=True, text=True)
    read = json.loads(run.stdout)
    assert read["problem"] == ""
    assert read["progress"]["done"] == PAGE["done"] | {SCORES: DONE}
    assert read["progress"]["cards"] == PAGE["cards"]


def test_the_file_is_text_that_people_can_read():
    assert text_of(blank()).splitlines()[1] == ' "version": 1,'
