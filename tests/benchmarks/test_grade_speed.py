"""The comparison of graders itself: what it hands in, what it refuses, what it computes."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import grade_speed as bench
import pytest

from transformer_course.grading.exercises.exercise import load

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FORTRESS = Path(__file__).parents[1] / "hostile" / "exercise.md"


@pytest.fixture
def grader(tmp_path):
    """One that gives these scores, at these costs, in turn."""

    def make(*costs):
        class Scripted(bench.Grader):
            many = 3
            turns = iter(costs)

            def grade(self, count):
                return next(self.turns)

        return Scripted(load(FORTRESS), tmp_path)

    return make


def test_what_is_handed_in_has_answers_and_no_panels():
    exercise = load(bench.EXERCISE)
    assert any(cell.role == "panel" for cell in exercise.cells)
    solutions = {cell.name: cell.source for cell in exercise.cells if cell.role == "solution"}
    for answered in (True, False):
        cells = bench.handed_in(exercise, answered)["cells"]
        assert not any("panel" in str(raw["metadata"].get("course", {})) for raw in cells)
        found = {raw["id"]: raw["source"] for raw in cells if raw["id"] in solutions}
        assert (found == solutions) is answered
        assert found.keys() == solutions.keys()


def test_a_submission_costs_what_it_adds(grader):
    alone, together = bench.Cost(5.0, 9.0, [10.0]), bench.Cost(6.0, 13.0, [10.0] * 3)
    assert bench.added(grader(alone, together)) == {
        "cpu_seconds": 0.5,
        "wall_seconds": 2.0,
        "start_cpu_seconds": 5.0,
    }


def test_wrong_scores_stop_the_benchmark(grader):
    right = bench.Cost(1.0, 1.0, [10.0])
    with pytest.raises(RuntimeError, match="Scripted: .*, not .10.0. for each"):
        bench.added(grader(right, replace(right, scores=[10.0, 9.0, 10.0])))
    with pytest.raises(RuntimeError, match="gives .10.0. for a notebook without answers"):
        bench.check(grader(right))


def test_ratios_are_taken_within_a_round():
    keys = ("cpu_seconds", "wall_seconds", "start_cpu_seconds")
    rounds = [
        {name: dict.fromkeys(keys, value) for name, value in (("ours", a), ("peer", b))}
        for a, b in ((0.1, 4.0), (0.2, 9.0), (0.1, 5.0))
    ]
    found = bench.row("peer", rounds)
    assert found["times_ours"] == {"median": 45.0, "low": 40.0, "high": 50.0}
    assert found["per_minute_and_core"] == 12.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "nowhere/at/all.json"], "there is no folder nowhere/at"),
        (["--peers"], "the others need a venv of their own, see"),
        (["--rounds", "0"], "invalid choice: 0"),
        (["--class", "many"], "invalid int value: 'many'"),
    ],
)
def test_a_wrong_argument_gets_one_line(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(bench, "PEERS_PYTHON", Path("nowhere/bin/python"))
    with pytest.raises(SystemExit) as stopped:
        bench.main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_it_runs_from_end_to_end(tmp_path):
    small = "import sys, grade_speed; grade_speed.Ours.many = 3; sys.exit(grade_speed.main())"
    out = tmp_path / "grade.json"
    command = [sys.executable, "-c", small, "--rounds", "1", "--class", "0", "--out", str(out)]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert "CPU-s a submission" in done.stdout
    assert out.exists()


@pytest.mark.parametrize(
    ("score", "count", "message"),
    [
        (24, 2, "2 lines for 1 students, not 2"),
        (3, 1, "not every submission of the class got all points"),
    ],
)
def test_a_class_that_is_not_graded_in_full_stops_the_benchmark(
    monkeypatch, tmp_path, score, count, message
):
    lines = f'{{"submission": {{"id": "s0000"}}, "score": {score}}}\n' * count
    writes = [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"]
    monkeypatch.setattr(bench, "grade_command", lambda _, out: [*writes, str(out), lines])
    with pytest.raises(RuntimeError, match=message):
        bench.whole_class(load(bench.EXERCISE), tmp_path, count)
