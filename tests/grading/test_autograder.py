"""Gradescope's zip: its scripts run as they are, in a folder laid out as Gradescope lays it out."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from small_exercise import notebook, saved, submission

from transformer_course.commands.cli import main


@pytest.fixture(scope="module")
def autograder(tmp_path_factory) -> Path:
    """/autograder, with this Python in the place of the one that setup.sh installs."""
    folder = tmp_path_factory.mktemp("gradescope")
    source = saved(folder / "small.ipynb", notebook())
    assert main(["release", str(source), "--autograder", str(folder / "it.zip")]) == 0
    home = folder / "autograder"
    (home / "submission").mkdir(parents=True)
    with zipfile.ZipFile(folder / "it.zip") as archive:
        archive.extractall(home / "source")
        assert all(archive.getinfo(name).external_attr >> 16 & 0o111 for name in SCRIPTS)
    shutil.copy(home / "source" / "run_autograder", home)  # as Gradescope does
    (home / "venv" / "bin").mkdir(parents=True)
    python = home / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return home


SCRIPTS = ("setup.sh", "run_autograder")


def graded(home: Path, files: dict[str, str]) -> dict:
    """What Gradescope reads after a submission of these files."""
    for path in (home / "submission").iterdir():
        path.unlink()
    for name, text in files.items():
        saved(home / "submission" / name, text)
    environment = {"PATH": os.environ["PATH"], "AUTOGRADER": str(home)}
    subprocess.run(["bash", home / "run_autograder"], env=environment, check=False, timeout=120)
    assert [path.name for path in (home / "results").iterdir()] == ["results.json"]
    return json.loads((home / "results" / "results.json").read_text())


def test_the_zip_holds_what_grading_needs_at_the_versions_here(autograder):
    wanted = (autograder / "source" / "requirements.txt").read_text().split()
    assert f"numpy=={version('numpy')}" in wanted
    assert f"torch=={version('torch').split('+')[0]}" in wanted
    for name in SCRIPTS:
        subprocess.run(["bash", "-n", autograder / "source" / name], check=True)


@pytest.mark.slow
def test_a_submission_whatever_its_file_s_name_gets_its_points(autograder):
    found = graded(autograder, {"my answers (2).ipynb": json.dumps(submission())})
    assert found["score"] == 4
    assert [test["status"] for test in found["tests"]] == ["passed"] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no notebook (.ipynb) in submission"),
        ({"a.docx": "my work"}, "No notebook (.ipynb) was handed in, but a.docx."),
        ({"a.ipynb": "{"}, "Not JSON"),
    ],
)
def test_every_submission_gets_a_result_that_says_why(autograder, files, said):
    found = graded(autograder, files)
    assert found["score"] == 0
    assert said in found["output"]


def test_release_says_what_it_makes(tmp_path, capsys):
    source = saved(tmp_path / "small.ipynb", notebook())
    assert main(["release", str(source)]) == 2
    assert "expected --out FOLDER" in capsys.readouterr().err
