"""Twenty submissions of a platform, sound ones and broken ones, from its zip to the last line."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from small_exercise import notebook, saved, submission

from transformer_course.commands import cli
from transformer_course.grading.grader.results_file import read

RIGHT = json.dumps(submission())
HALF = RIGHT[: len(RIGHT) // 2]
SOUND: list[tuple[str, bytes]] = [  # what it is called, and what is in it; each earns 4 points
    ("work.ipynb", RIGHT.encode()),
    ("WORK.IPYNB", RIGHT.encode()),
    ("work (2).ipynb", RIGHT.encode()),
    ("work", RIGHT.encode()),  # the extension is gone
    ("work.ipynb.txt", RIGHT.encode()),
    ("work.ipynb.json", RIGHT.encode()),
    ("Übung 1.ipynb", RIGHT.encode("utf-8-sig")),  # a byte order mark
    ("work-utf16.ipynb", RIGHT.encode("utf-16")),
    ("work-crlf.ipynb", json.dumps(submission(), indent=1).replace("\n", "\r\n").encode()),
]
BROKEN: list[tuple[str, bytes, str]] = [  # and words of what the person who grades reads
    ("cut.ipynb", HALF.encode(), "Not JSON"),
    ("empty.ipynb", b"", "The file is empty"),
    ("null.ipynb", b"null", "Expected a notebook"),
    ("zeros.ipynb", bytes(1000), "Not JSON"),
    ("page.ipynb", b"<!DOCTYPE html><title>Log in</title>", "Not JSON"),
    ("script.py", b"def double(x): return 2 * x", "No notebook (.ipynb) was handed in"),
    ("essay.docx", b"PK\x03\x04", "No notebook (.ipynb) was handed in"),
    ("scan.pdf", b"%PDF-1.7", "No notebook (.ipynb) was handed in"),
    ("packed.tar.gz", b"\x1f\x8b", "Of archives only a .zip is opened"),
    ("other.ipynb", json.dumps(submission(name="other")).encode(), "It says it is 'other'"),
    ("cells.ipynb", b'{"cells": 3, "nbformat": 4, "nbformat_minor": 5}', "No list of cells"),
]


def moodle(number: int, name: str) -> str:
    """A participant's member of Moodle's zip."""
    return f"Ada L{number}_{number}_assignsubmission_file_/{name}"


def canvas(number: int, name: str) -> str:
    """A student's member of Canvas's zip."""
    return f"lada{number}_{number}_{number + 7000}_{name}"


def nbgrader(number: int, name: str) -> str:
    """A student's file in nbgrader's folders."""
    return f"submitted/{number}/ps1/{name}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "packed"), [(moodle, True), (canvas, True), (moodle, False), (nbgrader, False)]
)
def test_of_twenty_submissions_each_gets_its_line_and_the_broken_ones_a_reason(
    tmp_path, capsys, named, packed
):
    files = [(name, data) for name, data in SOUND] + [(name, data) for name, data, _ in BROKEN]
    members = {named(1000 + n, name): data for n, (name, data) in enumerate(files)}
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    whole: Path = tmp_path / ("in.zip" if packed else "in")
    if packed:
        whole.write_bytes(kept.getvalue())
    else:
        zipfile.ZipFile(kept).extractall(whole)
    out, source = tmp_path / "results.jsonl", saved(tmp_path / "small.ipynb", notebook())
    options = ["--exercise", source, "--out", out, "--isolation", 1, "--allow-unsafe"]
    with pytest.raises(SystemExit, match="2"):  # a person should look
        cli.main(["grade", *map(str, [whole, *options])])
    said = capsys.readouterr().err
    results = {each["submission"]["id"]: each for each in read(out)}
    assert sorted(results) == [str(1000 + n) for n in range(20)]
    given = {name: results[str(1000 + n)]["score"] for n, (name, _) in enumerate(files)}
    assert given == {name: 4.0 * (n < len(SOUND)) for n, (name, _) in enumerate(files)}
    for number, (name, _, words) in enumerate(BROKEN, 1000 + len(SOUND)):
        told = results[str(number)]
        assert words in told["message"], (name, told["message"])
        assert told["submission"]["path"] in said, name
