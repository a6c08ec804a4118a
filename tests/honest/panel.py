"""A notebook in a kernel, as its learner has it, and what the panels say of each question there.

PYTHONPATH=tests python -m honest.panel   # every honest notebook: one line of JSON
"""

import argparse
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

from honest.grading import BRIEF, graded, notebooks
from honest.work import SOURCES, Work
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import load
from transformer_course.grading.grader.plan import Planner
from transformer_course.grading.grader.reading import parse
from transformer_course.grading.panel import attempt

Verdicts = dict[str, tuple[str, str]]  # by check: status and message
ELSEWHERE = ("lprun", "pip", "conda")  # magics that want more than the tests install
PATIENCE = 3  # seconds that a cell may compute until a learner interrupts it
HANDED_OUT = SOURCES.parent  # without hidden tests, as the panels have them


@cache
def ready(name: str) -> tuple[Checker, Planner]:
    """An exercise as it is handed out, its checks and its cells."""
    exercise = load(HANDED_OUT / f"{name}.ipynb")
    return Checker(exercise), Planner(exercise)


def said(work: Work) -> Verdicts:
    """What the panels say of a notebook whose cells were run, in a process for it alone."""
    ready(work.name)
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=sit_down, args=(work, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()


def sit_down(work: Work, pipe: Any) -> None:
    """Run the cells from the top, again what failed, and press every Check."""
    checker, planner = ready(work.name)
    warnings.simplefilter("ignore")
    os.environ["MPLBACKEND"] = "agg"
    with (
        tempfile.TemporaryDirectory() as folder,
        open(os.devnull, "w", errors="replace") as nowhere,
    ):
        os.chdir(folder)
        attempt.SECONDS *= 12  # the grader tries again, alone, what a busy machine let run out
        out, sys.stdout, sys.stderr = sys.stdout, nowhere, nowhere
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell.instance(config=config, ipython_dir=folder)
        shell.enable_gui = lambda *_: None
        for magic in ELSEWHERE:
            shell.register_magic_function(lambda *_: None, magic_name=magic)
        sys.path.insert(0, "")
        steps = planner.plan(parse(work.bytes()))[0]
        cells = [step.source for step in steps if step.check is None]
        signal.signal(signal.SIGPROF, signal.default_int_handler)
        failed = [cell for cell in cells if raised(ran(shell, cell))]
        for cell in failed:
            ran(shell, cell)
        found = {
            row.check.name: (row.status, row.message)
            for question in checker.exercise.questions.values()
            for row in attempt.attempt(checker, question, shell.user_ns)[0]
        }
        sys.stdout = out
        pipe.send(found)
    os._exit(0)


def ran(shell: InteractiveShell, cell: str) -> Any:
    """What becomes of a cell that computes so long and no longer."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return shell.run_cell(cell, store_history=True)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def raised(result: Any) -> bool:
    """Whether a cell did not come to its end, other than by the placeholder."""
    passed_over = (NotImplementedError, KeyboardInterrupt)
    return not result.success and not isinstance(result.error_in_exec, passed_over)


def differences(works: Sequence[Work], results: Sequence[dict[str, Any]]) -> list[str]:
    """Visible checks of which panel and grader say different things."""
    found = []
    for work, result in zip(works, results, strict=True):
        panel = said(work)
        for row in result["tests"]:
            ours, theirs = panel[row["id"]], (row["status"], row["message"])
            if (ours[0] == "pass") != (theirs[0] == "pass"):
                where = f"{result['submission']['id']}, {row['id']}"
                found.append(f"{where}: panel {ours}, grader {theirs}")
    return found


def exercises() -> list[str]:
    """Options that have notebooks graded by the visible checks alone."""
    return [
        word for path in sorted(HANDED_OUT.glob("*.ipynb")) for word in ("--exercise", str(path))
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Compare all notebooks on this processor; 1 if one check differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cause", action="append", help="only these")
    causes = parser.parse_args(argv).cause
    compared, checks, apart = 0, 0, []
    for seconds in (False, True):
        wanted = [each for each in notebooks(seconds) if not causes or each[0].name in causes]
        if wanted:
            options = ["--workers", "2", *exercises(), *(BRIEF if seconds else ())]
            found = graded(wanted, options)
            compared += len(wanted)
            checks += sum(len(each["tests"]) for each in found)
            apart += differences([work for _, work in wanted], found)
    print(json.dumps({"notebooks": compared, "visible_checks": checks, "differ": apart}))
    return int(bool(apart))


if __name__ == "__main__":
    sys.exit(main())
