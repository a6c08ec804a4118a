"""Many submissions in several processes: none stops the others, none is lost."""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from small_exercise import ANSWER, DOUBLE, exercise, saved, submission

from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.grader import batch
from transformer_course.grading.grader.batch import Settings, grade_all
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.grader.result import key_of
from transformer_course.grading.grader.results_file import Results
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.isolation import probe
from transformer_course.grading.processes.warm_process import ZygoteError


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(
        exercises=[exercise()],
        isolation=probe(1),
        limits=Limits(seconds=1.5, total_seconds=3.0),
    )


def killer(path: Path) -> bytes:
    """A submission at which the checker itself dies."""
    os._exit(7)


def sleeper(path: Path) -> bytes:
    """One at which it never comes back."""
    time.sleep(600)
    return b""


@pytest.mark.slow
def test_each_submission_has_one_result_whatever_happens(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "GRACE", 1.0)
    monkeypatch.setattr(batch, "ALIVE", 0.2)
    for number in range(9):
        saved(tmp_path / f"s{number}.ipynb", submission() if number % 3 else "broken")
    found = list(collect([tmp_path]))
    harm = {"killer": killer, "sleeper": sleeper}
    for place, (student, read) in enumerate(harm.items(), 3):
        path = f"{student}.ipynb"
        read = partial(read, path)
        found.insert(place, Submission(student=student, path=path, inside=path, read=read))
    results = list(grade_all(found, settings, 2))
    by_student = {each["submission"]["id"]: each for each in results}
    assert len(results) == len(by_student) == 11
    assert by_student["killer"]["message"] == ("The grader failed: its process ended with code 7.")
    assert by_student["sleeper"]["message"] == "The grader failed: it took too long."
    statuses = [by_student[f"s{number}"]["status"] for number in range(9)]
    assert statuses == ["unreadable", "graded", "graded"] * 3
    assert by_student["s1"]["score"] == 4


@pytest.mark.slow
def test_what_was_done_before_is_passed_over(settings, tmp_path):
    saved(tmp_path / "ada.ipynb", submission())
    saved(tmp_path / "bob.ipynb", submission({"double": DOUBLE}))
    first = list(grade_all(collect([tmp_path]), settings))
    assert [each["score"] for each in first] == [4, 3]
    again = Settings(**{**vars(settings), "done": {key_of(first[0])}})
    assert [each and each["score"] for each in grade_all(collect([tmp_path]), again)] == [None, 3]


@pytest.mark.slow
def test_what_a_busy_machine_may_have_spoilt_is_tried_once_more_alone(settings, tmp_path):
    """The first time somebody else has the processor, the second time nobody."""
    busy = tmp_path / "busy"
    busy.touch()
    wait = f"import os, time\nif os.path.exists({str(busy)!r}):\n    time.sleep(60)\n"
    place = tmp_path / "in"
    saved(place / "ada.ipynb", submission({"double": wait + DOUBLE, "answer": ANSWER}))
    saved(place / "bob.ipynb", submission({"double": "while True: pass", "answer": ANSWER}))
    saved(place / "cleo.ipynb", submission())
    results = []
    for each in grade_all(collect([place]), settings, 1):
        results.append((each["submission"]["id"], each["score"], each["flags"]))
        busy.unlink(missing_ok=True)
    assert results[0] == ("cleo", 4, [])
    assert sorted(results[1:]) == [
        ("ada", 4, ["second_try"]),
        ("bob", 1, ["timeout:double", "second_try"]),
    ]


def test_a_machine_without_processes_for_students_is_said_at_once(settings, tmp_path, monkeypatch):
    saved(tmp_path / "ada.ipynb", submission())

    def refuse(isolation):
        raise ZygoteError("the warm process did not start: no memory")

    monkeypatch.setattr(batch, "Zygote", refuse)
    with pytest.raises(DataError, match="the warm process did not start: no memory"):
        list(grade_all(collect([tmp_path]), settings, 2))


@pytest.mark.slow
def test_no_process_is_left_when_a_run_is_broken_off(settings, tmp_path):
    for number in range(3):
        saved(tmp_path / f"s{number}.ipynb", submission())
    others = children()  # such as the server of the forks in which mutations are tried
    results = grade_all(collect([tmp_path]), settings, 2)
    next(results)
    mine = children() - others
    assert len(mine) >= 2
    results.close()
    until = time.monotonic() + 10
    while any(map(alive, mine)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, mine))


def children() -> set[psutil.Process]:
    """All processes below this one."""
    return set(psutil.Process().children(recursive=True))


def alive(each: psutil.Process) -> bool:
    """Whether it is still running; one that only waits to be waited for is not."""
    try:
        return each.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def held(path: Path, settings: Settings) -> None:
    """A run at whose first submission the checker hangs."""
    with Results(path / "r.jsonl"):
        found = Submission(student="ada", read=partial(hanging, path / "hangs"))
        list(grade_all([found], settings))


def hanging(mark: Path) -> bytes:
    mark.touch()
    time.sleep(600)
    return b""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a lock is not inherited")
def test_a_run_that_was_killed_holds_its_results_no_longer(settings, tmp_path):
    run = multiprocessing.get_context("fork").Process(target=held, args=(tmp_path, settings))
    run.start()
    within(60, (tmp_path / "hangs").exists)
    left = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.join()
    try:
        within(5, partial(free, tmp_path / "r.jsonl"))
    finally:
        for each in left:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def free(path: Path) -> bool:
    with suppress(DataError), Results(path):
        return True
    return False


def within(seconds: float, true: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)
