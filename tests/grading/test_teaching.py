"""The page for instructors: its commands do what it says, its promises have tests."""

import csv
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from make_class import make

from transformer_course.commands import main
from transformer_course.commands.cli import build_parser
from transformer_course.grading.exercises.exercise import load, source_of
from transformer_course.grading.exercises.releasing import released

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
SOURCE = ROOT / "exercises" / "sources" / "01-scaled-attention.md"


def commands(heading: str) -> list[str]:
    """The lines of a section's blocks of shell."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", "").splitlines()]


@pytest.fixture
def run(monkeypatch, capsys):
    """Types a command in a folder, and gives what it says.

    Ours is called in this process, which has loaded already what it needs.
    """

    def typed(command: str, folder: Path, code: int = 0) -> str:
        if not command.startswith("transformer-course "):
            return in_a_shell(command, folder)
        monkeypatch.chdir(folder)
        try:
            found = main(shlex.split(command)[1:])
        except SystemExit as stop:
            found = stop.code
        said = "".join(capsys.readouterr())
        assert found == code, f"{command}\n{said}"
        return said

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


def block(language: str) -> str:
    """The page's one block in this language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_what_it_takes_is_as_the_page_says():
    exercises = [load(path) for path in SOURCE.parent.glob("*.md")]
    questions = [exercise.questions.values() for exercise in exercises]
    minutes = [sum(question.minutes for question in each) for each in questions]
    assert [len(exercises), {len(each) for each in questions}] == [19, {6}]
    said = f"nineteen notebooks of six questions, {min(minutes)} to {max(minutes)} minutes each"
    assert said in PAGE
    measured = json.loads((ROOT / "benchmarks" / "results" / "grade.json").read_text())
    whole, cores = measured["whole_class"], measured["hardware"]["cores"]
    time = f"{whole['lines']:,} submissions of one notebook were graded in"
    assert f"{time} {whole['wall_seconds'] / 60:.0f} minutes on" in PAGE
    assert cores == 2 < measured["load_average"]["before"]  # "two busy cores"
    limits = build_parser().parse_args(["grade", "handout"])
    cell, notebook = limits.limit_seconds, limits.total_seconds
    memory = limits.memory / 2**30
    assert f"A cell has {cell:g} seconds, a notebook {notebook:g}, a student {memory:g} GB" in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["moodle", "canvas"])
def test_a_class_is_released_to_graded_and_given_back_as_the_page_says(course, run, layout):
    [release] = commands("Hand out")
    in_a_shell(release, course)
    assert (course / "handout" / "01-scaled-attention.ipynb").exists()
    truth = make(course, 12, layout)
    (course / "class.toml").write_text(block("toml"))
    (course / "overrides.csv").write_text(block("text"))
    grade, *again = commands("Grade")
    assert "2 on the roster handed in nothing: 10008, 10009" in run(grade, course, code=2)
    assert "10 done before" in run(grade, course, code=2)  # one still needs a look
    assert "9 done before, 1 graded" in run(again[1], course, code=2)
    run(again[0], course, code=2)
    for line in commands("Look at the class") + commands("Give back"):
        run(line.replace("moodle", layout), course)
    scores = {row["student"]: row for row in rows(course / "grades.csv")}
    assert len(scores) == 12
    assert [name for name, row in scores.items() if row["status"] == "missing"] == truth["missing"]
    assert scores["10003"]["score"] == "12.0"
    assert scores["10002"]["adjustments"].startswith("The idea is right")  # and not with a sign
    assert ("10 % taken off" in scores["10004"]["adjustments"]) == (layout == "moodle")
    assert scores["10005"]["adjustments"] == "" or layout == "canvas"  # it has an extension
    filled = rows(course / "upload" / "grades.csv")
    name = {"moodle": "Grade", "canvas": "01-scaled-attention (4711)"}[layout]
    assert sum(row[name] != "" for row in filled) == 9 + (layout == "canvas")
    assert "The idea is right" in "".join(
        path.read_text() for path in (course / "feedback").glob("*.html")
    )
    assert "10010" in (course / "report.html").read_text()


@pytest.mark.slow
def test_the_autograder_is_made_as_the_page_says(course, run):
    [line] = commands("On Gradescope")
    assert "autograder.zip: 01-scaled-attention" in run(line, course)


@pytest.mark.slow
def test_a_cluster_grades_as_the_page_says(course, run):
    if not os.environ.get("CI"):
        pytest.importorskip("distributed")
    make(course, 12, "moodle")
    scheduler, worker, grade, cat = commands("On many machines")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    here = [("SCHEDULER", "127.0.0.1"), ("8786", port)]
    for old, new in here:
        scheduler, worker, grade = (each.replace(old, new) for each in (scheduler, worker, grade))
    with started(f"{scheduler} --dashboard-address :0", course), started(worker, course):
        in_a_shell(f"{grade} --exercise {SOURCE}", course)
    in_a_shell(cat, course)
    run("transformer-course grade --from results.jsonl --export csv --to grades.csv", course)
    assert len(rows(course / "grades.csv")) == 10


@contextmanager
def started(command: str, folder: Path) -> Iterator[None]:
    """A command that runs until the end of the block, and all that it has started."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        shlex.split(command),
        cwd=folder,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


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
