"""The page for instructors: its commands do what it says, its promises have tests."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from transformer_course.commands import main
from transformer_course.grading.exercises.exercise import load, source_of
from transformer_course.grading.exercises.releasing import released

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
SOURCE = ROOT / "exercises" / "sources" / "01-scaled-attention.md"


def commands(heading: str) -> list[str]:
    """The lines of a section's blocks of shell."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture
def run(monkeypatch, capsys):
    """Types a command in a folder, and gives what it says.

    Ours is called in this process, which has loaded already what it needs.
    """

    def typed(command: str, folder: Path) -> str:
        if not command.startswith("transformer-course "):
            return in_a_shell(command, folder)
        monkeypatch.chdir(folder)
        assert main(shlex.split(command)[1:]) == 0, command
        return "".join(capsys.readouterr())

    return typed


def in_a_shell(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def answered(*, right: bool) -> str:
    """A learner's notebook with all answers of the solution, or none."""
    exercise = load(SOURCE)
    notebook = released(exercise)
    solutions = {cell.name: cell.source for cell in exercise.cells if cell.role == "solution"}
    for raw in notebook["cells"]:
        raw["source"] = solutions.get(raw["id"], source_of(raw)) if right else source_of(raw)
    return json.dumps(notebook)


@pytest.fixture
def course(tmp_path):
    (tmp_path / "exercises").symlink_to(ROOT / "exercises")
    return tmp_path


@pytest.mark.slow
def test_a_class_is_released_to_graded_and_given_back_as_the_page_says(course, run):
    [release] = commands("Hand out")
    in_a_shell(release, course)
    assert (course / "handout" / "01-scaled-attention.ipynb").exists()
    (course / "submissions").mkdir()
    for name, right in (("anna", True), ("ben", False)):
        (course / "submissions" / f"{name}.ipynb").write_text(answered(right=right))
    [grade] = commands("Grade")
    run(grade, course)
    assert "2 done before" in run(grade, course)
    for line in commands("Give back"):
        run(line, course)
    with open(course / "grades.csv", newline="") as file:
        scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"anna": load(SOURCE).points, "ben": 0.0}
    assert "anna" in (course / "feedback" / "index.html").read_text()


@pytest.mark.slow
def test_an_nbgrader_course_gets_its_scores_as_the_page_says(course, run):
    pytest.importorskip("nbgrader")
    lines = [line for line in commands("With nbgrader") if not line.startswith("pip ")]
    for line in lines:
        if " grade submitted" in line:
            home = course / "submitted" / "anna" / "ps1"
            home.mkdir(parents=True)
            (home / "01-scaled-attention.ipynb").write_text(answered(right=True))
        run(line, course)
    [row] = csv.DictReader((course / "grades.csv").read_text().splitlines())
    assert (row["student_id"], float(row["score"])) == ("anna", load(SOURCE).points)


def test_every_promise_names_a_test_that_exists():
    named = re.findall(r"`(test_\w+)`", PAGE)
    defined = "\n".join(p.read_text() for p in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 15
    assert [name for name in named if f"def {name}(" not in defined] == []
