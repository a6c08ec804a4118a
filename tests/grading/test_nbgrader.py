"""Stock nbgrader on the same exercises: it releases and grades them alike, and takes our grades."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from grading.test_results import result
from small_exercise import grade_one

from transformer_course.commands.cli import main
from transformer_course.errors import DataError
from transformer_course.grading.exercises.exercise import load, source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.exports.exporting import export
from transformer_course.grading.exports.gradebook import to_nbgrader
from transformer_course.grading.grader.results_file import line_of

if not os.environ.get("CI"):  # there its absence is a failure
    pytest.importorskip("nbgrader")

SOURCES = sorted((Path(__file__).parents[2] / "exercises" / "sources").glob("*.md"))
ONE = SOURCES[0].stem

pytestmark = pytest.mark.slow


def nbgrader(course: Path, *arguments: str) -> str:
    """Run one of its commands. It calls alembic by name, which lies beside our Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(
        command,
        cwd=course,
        env=os.environ | {"PATH": path, "HOME": str(course), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    """A course of nbgrader's with all exercises in one assignment, and one alone in another."""
    folder = tmp_path_factory.mktemp("course")
    for path in SOURCES:
        text = json.dumps(load(path).notebook)
        for assignment in ("all", "one") if path.stem == ONE else ("all",):
            target = folder / "source" / assignment / f"{path.stem}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    for assignment in ("all", "one"):
        nbgrader(folder, "generate_assignment", assignment, "--create")
    return folder


@pytest.mark.parametrize("name", [path.stem for path in SOURCES])
def test_a_release_is_nbgrader_s_own(course, name):
    """Cells, metadata and checksums are equal. Ids of cells are ours, so that they stay."""
    theirs = json.loads((course / "release" / "all" / f"{name}.ipynb").read_text())
    ours = released(load(course / "source" / "all" / f"{name}.ipynb"))
    assert len(theirs["cells"]) == len(ours["cells"])
    for their, our in zip(theirs["cells"], ours["cells"], strict=True):
        assert their | {"source": source_of(their), "id": ""} == our | {"id": ""}
    added = {"jupytext"} | {"language_info"}  # what the source had, and what nbgrader adds
    about = {key: each for key, each in theirs["metadata"].items() if key not in added}
    version = {"version": ours["metadata"]["course"]["version"]}
    assert about | {"course": about["course"] | version} == ours["metadata"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, Path]:
    """The solution and the notebook as handed out, as submissions."""
    folder = tmp_path_factory.mktemp("answers")
    exercise = load(next(path for path in SOURCES if path.stem == ONE))
    solution = released(exercise)
    for raw, known in zip(solution["cells"], exercise.notebook["cells"], strict=True):
        if known["metadata"].get("nbgrader", {}).get("solution"):
            raw["source"] = source_of(known)
    made = {"ada": solution, "bob": released(exercise)}
    for student, notebook in made.items():
        (folder / f"{student}.ipynb").write_text(json.dumps(notebook))
    return {student: folder / f"{student}.ipynb" for student in made}


def exported(course: Path, assignment: str) -> dict[str, tuple[float, float]]:
    """Score and maximum of each student, as `nbgrader export` tells them."""
    nbgrader(course, "export", "--to=grades.csv")
    with open(course / "grades.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == assignment]
    return {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in rows}


def test_our_grades_are_in_its_export(course, answers, warm, tmp_path, capsys):
    exercise = load(course / "source" / "one" / f"{ONE}.ipynb")
    results = {name: grade_one(exercise, path, warm(1)) for name, path in answers.items()}
    for student, graded in results.items():
        graded["submission"]["path"] = f"submitted/{student}/one/{ONE}.ipynb"
    (tmp_path / "r.jsonl").write_text("".join(line_of(each) + "\n" for each in results.values()))
    argv = ["grade", "--from", tmp_path / "r.jsonl", "--export", "nbgrader"]
    argv += ["--to", course / "gradebook.db"]
    assert main(list(map(str, argv))) == 0
    assert "gradebook.db: 2 submissions" in capsys.readouterr().err
    points = exercise.points
    assert exported(course, "one") == {"ada": (points, points), "bob": (0.0, points)}
    (tmp_path / "o.csv").write_text(
        f"student,exercise,question,points,reason\nbob,{ONE},,7,on paper\neve,{ONE},,5,by word\n"
    )
    (tmp_path / "r.csv").write_text("student\nada\nbob\neve\n")  # eve handed in nothing
    (tmp_path / "t.csv").write_text("student,time\nada,2026-01-02T12:00:00\n")
    (tmp_path / "class.toml").write_text(
        'roster = "r.csv"\noverrides = "o.csv"\ntimes = "t.csv"\n[late]\npercent_per_day = 25\n'
        f"[late.deadlines]\n{ONE} = 2026-01-02T11:00:00Z\n"
    )
    assert main(list(map(str, [*argv, "--class", tmp_path / "class.toml"]))) == 0
    given = {"ada": 0.75 * points, "bob": 7.0, "eve": 5.0}
    assert exported(course, "one") == {name: (score, points) for name, score in given.items()}


def test_its_own_autograder_agrees(course, answers):
    for student, path in answers.items():
        target = course / "submitted" / f"{student}-by-nbgrader" / "one" / f"{ONE}.ipynb"
        target.parent.mkdir(parents=True)
        target.write_bytes(path.read_bytes())
    nbgrader(course, "autograde", "one")
    points = load(course / "source" / "one" / f"{ONE}.ipynb").points
    grades = exported(course, "one")
    assert grades["ada-by-nbgrader"] == (points, points)
    assert grades["bob-by-nbgrader"] == (0.0, points)
    nbgrader(course, "generate_feedback", "one")
    page = course / "feedback" / "ada-by-nbgrader" / "one" / f"{ONE}.html"
    assert "BEGIN HIDDEN TESTS" in page.read_text()  # as the page for instructors warns


def test_a_gradebook_that_does_not_fit_is_refused(course, tmp_path):
    with pytest.raises(
        DataError, match=r"expected one assignment with the notebook small.ipynb, an"
    ):
        to_nbgrader([result()], course / "gradebook.db")
    twice = result(exercise=ONE)
    with pytest.raises(DataError, match="and it is in all, one: copy the exercise"):
        to_nbgrader([twice], course / "gradebook.db")
    twice["submission"]["path"] = f"submitted/ada/one/{ONE}.ipynb"
    with pytest.raises(DataError, match="differ in the checks"):
        to_nbgrader([twice], course / "gradebook.db")
    with pytest.raises(DataError, match=r"expected the gradebook.db of an nbgrader course"):
        export("nbgrader", [result()], tmp_path / "gradebook.db")
    (tmp_path / "gradebook.db").write_text("no database at all, though it has the name of one")
    with pytest.raises(DataError, match="is no gradebook of nbgrader"):
        export("nbgrader", [result()], tmp_path / "gradebook.db")


def test_without_nbgrader_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "nbgrader.api", None)
    with pytest.raises(DataError, match=r"pip install 'transformer-course\[instructor\]'"):
        export("nbgrader", [result()], tmp_path / "gradebook.db")
