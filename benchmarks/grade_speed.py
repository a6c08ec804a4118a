"""What grading a notebook costs, beside the graders one would take instead.

    python benchmarks/grade_speed.py                 # ours alone, and a large class
    python benchmarks/grade_speed.py --peers         # and the others, from a venv of their own

Everyone grades the same notebooks of one exercise, full of right answers, without its panels,
which the others would run. Cost is processor time of everything that was started, and only what
one more submission adds: many at once minus one alone, so that nobody pays for starting.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from transformer_course.commands import record
from transformer_course.grading.exercises.exercise import Exercise, Notebook, load
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.walls import linux

HERE = Path(__file__).parent
PEERS_PYTHON = HERE / "peers" / "grading" / ".venv" / "bin" / "python"
EXERCISE = HERE.parent / "exercises" / "sources" / "01-scaled-attention.md"
CLASS = 2000

OTTER_TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
points = None


@test_case(points={points})
def test_it(env):
    exec(compile({source!r}, {name!r}, "exec"), dict(env))
"""
OTTER_API = """\
import sys
from otter.api import grade_submission

for path in sys.argv[2:]:
    print("total", grade_submission(path, sys.argv[1], quiet=True).total)
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of processor and clock, and the scores that came of it."""

    cpu: float
    wall: float
    scores: list[float]


def without_panels(notebook: Notebook) -> Notebook:
    """Without the cells that graders other than ours would run for nothing."""
    roles = [raw["metadata"].get("course", {}).get("role") for raw in notebook["cells"]]
    cells = [
        raw
        for raw, role in zip(notebook["cells"], roles, strict=True)
        if role not in ("panel", "widget")
    ]
    return {**notebook, "cells": cells}


def handed_in(exercise: Exercise, answered: bool) -> Notebook:
    """The learner's notebook with the author's answers or none, and no panels."""
    solutions = [cell for cell in exercise.cells if cell.role == "solution" and answered]
    right = {cell.name: cell.source for cell in solutions}
    notebook = released(exercise)
    for raw in notebook["cells"]:
        name = raw["metadata"].get("nbgrader", {}).get("grade_id")
        raw["source"] = right.get(name, raw["source"])
    return without_panels(notebook)


def measured(commands: Sequence[Sequence[str]], folder: Path) -> tuple[float, float]:
    """Processor seconds, with all that was started and ended, and seconds of the clock."""
    if sys.platform == "linux":
        linux.adopt_orphans()  # what outlives its parent is waited for, and counted, here
    before, started = processor_seconds(), time.perf_counter()
    for command in commands:
        with open(folder / "said", "a") as said:
            subprocess.run(
                command,
                cwd=folder,
                env=environment(command[0]),
                stdout=said,
                stderr=subprocess.STDOUT,
                check=True,
            )
    wall = time.perf_counter() - started
    return processor_seconds() - before, wall


def processor_seconds() -> float:
    """What all that this process has started took, once it has ended."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(program: str) -> dict[str, str]:
    """One thread each; the course's package; the venv's own programs first."""
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    threads = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    return {**os.environ, **threads, "PYTHONPATH": str(HERE.parent), "PATH": path}


class Grader:
    """Someone who grades: `grade(count)` in a fresh folder, and what that cost."""

    many = 5
    answered = True

    def __init__(self, exercise: Exercise, folder: Path) -> None:
        self.exercise, self.folder = exercise, folder
        self.prepare()

    def prepare(self) -> None:
        """What is done once for a class."""

    def grade(self, count: int) -> Cost:
        """Grade this many."""
        raise NotImplementedError

    def submissions(self, folder: Path, count: int, form: str) -> list[Path]:
        """Write the notebooks, each with a line of its own."""
        notebook, paths = handed_in(self.exercise, self.answered), []
        for number in range(count):
            path = folder / form.format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            last = notebook["cells"][-1]
            mine = {**last, "id": "own", "cell_type": "markdown", "metadata": {}}
            mine["source"] = f"Student {number}"
            extra = {key: mine[key] for key in ("id", "cell_type", "metadata", "source")}
            cells = [*notebook["cells"], extra]
            path.write_text(json.dumps({**notebook, "cells": cells}))
            paths.append(path)
        return paths


def grade_command(submissions: Path, out: Path) -> list[str]:
    """As on the command line."""
    grade = [sys.executable, "-m", "transformer_course", "grade", str(submissions)]
    return [*grade, "--exercise", str(EXERCISE), "--out", str(out)]


class Ours(Grader):
    """`transformer-course grade`."""

    many = 200

    def grade(self, count: int) -> Cost:
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            self.submissions(folder / "submitted", count, "s{:04}.ipynb")
            out = folder / "results.jsonl"
            cpu, wall = measured([grade_command(folder / "submitted", out)], folder)
            found = [json.loads(line) for line in out.read_text().splitlines()]
            self.isolation = found[0]["runner"]["isolation"]["level"]
            return Cost(cpu, wall, [each["score"] for each in found])


class Nbgrader(Grader):
    """`nbgrader autograde`, in one batch."""

    def prepare(self) -> None:
        source = self.folder / "source" / "task" / "task.ipynb"
        source.parent.mkdir(parents=True)
        source.write_text(json.dumps(with_ids(without_panels(self.exercise.notebook))))
        (self.folder / "nbgrader_config.py").write_text(
            'c = get_config()\nc.CourseDirectory.course_id = "course"\n'
        )
        self.call("generate_assignment", "task", "--create")

    def call(self, *words: str) -> tuple[float, float]:
        """One of nbgrader's commands."""
        program = str(PEERS_PYTHON.parent / "nbgrader")
        return measured([[program, *words]], self.folder)

    def grade(self, count: int) -> Cost:
        for name in ("submitted", "autograded"):
            subprocess.run(["rm", "-rf", str(self.folder / name)], check=True)
        self.submissions(self.folder / "submitted", count, "s{:04}/task/task.ipynb")
        cpu, wall = self.call("autograde", "task", "--force")
        self.call("export", "--to", "grades.csv")
        rows = (self.folder / "grades.csv").read_text().splitlines()
        place = rows[0].split(",").index("score")
        names = {f"s{number:04}" for number in range(count)}
        scores = [float(row.split(",")[place]) for row in rows[1:] if names & set(row.split(","))]
        return Cost(cpu, wall, scores)


class Otter(Grader):
    """otter's grading without a container, in one process: its Python interface."""

    many = 4

    def prepare(self) -> None:
        tests = self.folder / "tests"
        tests.mkdir(parents=True)
        for check in self.exercise.checks:
            name = check.name.replace("-", "_")
            text = OTTER_TEST.format(name=name, points=check.points, source=check.source)
            (tests / f"{name}.py").write_text(text)
        self.archive = self.folder / "autograder.zip"
        words = ["generate", "-t", str(tests), "-o", str(self.archive), "--no-environment"]
        measured([[str(PEERS_PYTHON.parent / "otter"), *words]], self.folder)

    def notebooks(self, count: int) -> list[str]:
        """Paths; the checks' own cells are in the archive, so the notebooks go without."""
        paths = self.submissions(self.folder / "submitted", count, "s{:04}.ipynb")
        for path in paths:
            notebook = json.loads(path.read_text())
            notebook["cells"] = [
                raw
                for raw in notebook["cells"]
                if not raw["metadata"].get("nbgrader", {}).get("grade")
            ]
            path.write_text(json.dumps(notebook))
        return [str(path) for path in paths]

    def grade(self, count: int) -> Cost:
        paths = self.notebooks(count)
        (self.folder / "said").unlink(missing_ok=True)
        command = [str(PEERS_PYTHON), "-c", OTTER_API, str(self.archive), *paths]
        cpu, wall = measured([command], self.folder)
        said = (self.folder / "said").read_text().splitlines()
        return Cost(cpu, wall, [float(x.split()[1]) for x in said if x.startswith("total ")])


class OtterRun(Otter):
    """`otter run`, which takes one notebook at a time."""

    many = 3

    def grade(self, count: int) -> Cost:
        program, scores, commands = str(PEERS_PYTHON.parent / "otter"), [], []
        for path in self.notebooks(count):
            Path(f"{path}-out").mkdir(exist_ok=True)
            commands += [[program, "run", "-a", str(self.archive), "-o", f"{path}-out", path]]
        cpu, wall = measured(commands, self.folder)
        for command in commands:
            results = json.loads((Path(command[5]) / "results.json").read_text())
            scores.append(sum(test.get("score", 0.0) for test in results["tests"]))
        return Cost(cpu, wall, scores)


GRADERS = {"nbgrader": Nbgrader, "otter, its API": Otter, "otter run": OtterRun}
VERSIONS = {"nbgrader": "0.9.6", "otter-grader": "7.0.0"}


def with_ids(notebook: Notebook) -> Notebook:
    """As nbformat wants the cells of format 4.5."""
    cells = [{**raw, "id": f"cell-{number}"} for number, raw in enumerate(notebook["cells"])]
    for raw in cells:
        if raw["cell_type"] == "code":
            raw |= {"outputs": [], "execution_count": None}
    return {**notebook, "cells": cells, "nbformat": 4, "nbformat_minor": 5}


def check(grader: Grader) -> None:
    """Make sure that a notebook without answers gets nothing, so that there is a difference.

    Raises:
        RuntimeError: if not.
    """
    grader.answered = False
    scores = grader.grade(1).scores
    grader.answered = True
    if scores != [0.0]:
        raise RuntimeError(f"{type(grader).__name__} gives {scores} for a notebook without answers")


def added(grader: Grader) -> dict[str, float]:
    """What one more submission costs: many minus one, by the number between.

    Raises:
        RuntimeError: not every submission got all points, so it is not the same work.
    """
    one, many = grader.grade(1), grader.grade(grader.many)
    wanted = [grader.exercise.points]
    for cost, count in ((one, 1), (many, grader.many)):
        if cost.scores != wanted * count:
            raise RuntimeError(f"{type(grader).__name__}: {cost.scores}, not {wanted} for each")
    between = grader.many - 1
    return {
        "cpu_seconds": (many.cpu - one.cpu) / between,
        "wall_seconds": (many.wall - one.wall) / between,
        "start_cpu_seconds": one.cpu,
    }


def whole_class(exercise: Exercise, folder: Path, count: int) -> dict[str, Any]:
    """Many submissions in one run: one line each, and memory as it goes on."""
    ours = Ours(exercise, folder)
    paths = ours.submissions(folder / "class", count, "s{:04}.ipynb")
    out = folder / "class.jsonl"
    command = grade_command(paths[0].parent, out)
    started = time.perf_counter()
    samples: list[tuple[int, float]] = []
    with open(folder / "class.txt", "w") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, env=environment(command[0]), cwd=folder
        )
        while process.poll() is None:
            time.sleep(0.5)
            done = out.read_bytes().count(b"\n") if out.exists() else 0
            if 0 < done < count and (not samples or done >= samples[-1][0] + count // 40):
                samples.append((done, lasting_memory(process.pid)))
    wall = time.perf_counter() - started
    found = [json.loads(line) for line in out.read_text().splitlines()]
    students = {each["submission"]["id"] for each in found}
    if len(found) != count or len(students) != count:
        raise RuntimeError(f"{len(found)} lines for {len(students)} students, not {count}")
    if any(each["score"] != exercise.points for each in found):
        raise RuntimeError("not every submission of the class got all points")
    return {
        "submissions": count,
        "lines": len(found),
        "wall_seconds": round(wall, 1),
        "megabytes_after": [[done, round(megabytes, 1)] for done, megabytes in samples],
    }


def lasting_memory(root: int) -> float:
    """Resident megabytes of the processes below this one that are a second old or more."""
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    ticks = os.sysconf("SC_CLK_TCK")
    about = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            fields = (each / "stat").read_text().rpartition(")")[2].split()
            about[int(each.name)] = int(fields[1]), now - int(fields[19]) / ticks, int(fields[21])
        except OSError:
            continue
    below = {root}
    while more := {pid for pid, (parent, _, _) in about.items() if parent in below} - below:
        below |= more
    pages = sum(about[pid][2] for pid in below if pid in about and about[pid][1] > 1)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with an argument."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="grade_speed.py", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("--peers", action="store_true", help="measure the others, too")
    parser.add_argument("--rounds", type=int, choices=range(1, 10), default=3, help="default: 3")
    parser.add_argument("--class", type=int, dest="size", default=CLASS, metavar="N")
    parser.add_argument("--out", type=Path, help="default: results/grade.json")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write the result file."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = build_parser().parse_args(arguments)
    if args.out and not args.out.parent.is_dir():
        build_parser().error(f"--out {args.out}: there is no folder {args.out.parent}")
    if args.peers and not PEERS_PYTHON.exists():
        needs = HERE / "peers" / "grading" / "requirements.txt"
        build_parser().error(f"no {PEERS_PYTHON}: the others need a venv of their own, see {needs}")
    exercise, load_before = load(EXERCISE), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        graders: dict[str, Grader] = {}
        for peer, make in {"ours": Ours, **(GRADERS if args.peers else {})}.items():
            folder = Path(name, make.__name__)
            folder.mkdir()
            graders[peer] = make(exercise, folder)
            check(graders[peer])
        rounds: list[dict[str, dict[str, float]]] = []
        for number in range(args.rounds):
            order = list(graders) if number % 2 == 0 else list(graders)[::-1]
            rounds.append({peer: added(graders[peer]) for peer in order})
            print(*(f"{p} {rounds[-1][p]['cpu_seconds']:.4f}" for p in graders), sep=", ")
        whole = whole_class(exercise, Path(name), args.size) if args.size else None
        level = graders["ours"].isolation
    rows = [row(peer, rounds) for peer in graders]
    for each in rows:
        print(
            f"{each['name']:15} {each['cpu_seconds']['median']:8.4f} CPU-s a submission, "
            f"{each['per_minute_and_core']:7.1f} a minute and core, "
            f"{each['times_ours']['median']:.1f} times ours"
        )
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "grade",
        "what one more submission of the same notebook costs to grade, processor seconds of all "
        "processes, in alternated rounds; and a large class in one run",
        [f"python benchmarks/grade_speed.py {' '.join(arguments)}".strip()],
        exercise={"name": exercise.name, "version": exercise.version, "points": exercise.points},
        isolation=level,
        load_average={"before": load_before, "after": os.getloadavg()[0]},
        rounds=args.rounds,
        versions=VERSIONS if args.peers else {},
        rows=rows,
        whole_class=whole,
    )
    print(path)
    return 0


def row(peer: str, rounds: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """One grader's figures, and the ratio to ours within each round."""
    cpu = [each[peer]["cpu_seconds"] for each in rounds]
    return {
        "name": peer,
        "cpu_seconds": spread(cpu),
        "wall_seconds": spread([each[peer]["wall_seconds"] for each in rounds]),
        "start_cpu_seconds": spread([each[peer]["start_cpu_seconds"] for each in rounds]),
        "per_minute_and_core": round(60 / statistics.median(cpu), 1),
        "times_ours": spread(
            [each[peer]["cpu_seconds"] / each["ours"]["cpu_seconds"] for each in rounds]
        ),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    return {
        "median": round(statistics.median(values), 4),
        "low": round(min(values), 4),
        "high": round(max(values), 4),
    }


if __name__ == "__main__":
    sys.exit(main())
