"""What is graded again: after other limits, by reason, by question, by student."""

from dataclasses import asdict

import pytest
from grading.test_results import result
from small_exercise import notebook, saved, submission

from transformer_course.commands import cli
from transformer_course.errors import DataError
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.grader.regrading import Again
from transformer_course.grading.grader.results_file import Results, best, read, standing

FAST = ("--isolation", "1", "--allow-unsafe")


def limited(status: str, limits: Limits, **more) -> dict:
    """A result in which one check ended like this, under these limits."""
    one = result(**more)
    one["tests"][0] |= {"status": status}
    one["runner"] |= {"limits": asdict(limits)}
    return one


@pytest.mark.parametrize("status", ["timeout", "memory", "not_reached"])
def test_what_a_limit_stopped_is_graded_again_when_the_limit_is_another(status):
    one = limited(status, Limits())
    assert not Again([], Limits())(one)
    assert Again([], Limits(seconds=20.0))(one)
    assert not Again([], Limits(seconds=20.0))(limited("fail", Limits()))
    assert not Again([], Limits(seconds=20.0))(limited(status, Limits()) | {"status": "unreadable"})


def test_a_result_is_asked_for_by_reason_question_or_student():
    one = limited("died", Limits(), flags=["edited:setup", "forbidden:softmax"])
    for what in ("look", "all", "died", "edited", "forbidden", "question=double", "student=ada"):
        assert Again([what], Limits())(one), what
    for what in ("timeout", "protocol_violation", "question=answer", "student=bob"):
        assert not Again([what], Limits())(one), what
    assert not Again(["look"], Limits())(result())


def test_a_word_that_means_nothing_is_named_with_what_there_is():
    again = Again(["student=anna"], Limits())
    again(result())
    with pytest.raises(DataError, match="--regrade student=anna: no result has that; there are "):
        again.check([result()])
    with pytest.raises(DataError, match="there are student=ada"):
        again.check([result()])
    with pytest.raises(DataError, match="editd: no result has that; .*edited.*unreadable"):
        Again(["editd"], Limits()).check([result(flags=["edited:setup"])])
    Again(["timeout"], Limits()).check([])  # a reason that there may be, and is not


def test_a_failure_of_the_grader_stands_until_its_file_is_graded(tmp_path):
    gone = result(sha256="", exercise="", status="error", score=0.0)
    assert standing([gone, result("bob")])[-1] == gone
    assert best([gone, result()]) == [result()]
    with Results(tmp_path / "r.jsonl") as results:
        results.add(gone)
        results.add(result())
    with Results(tmp_path / "r.jsonl") as results:
        assert results.before == [result()]


@pytest.mark.slow
def test_one_student_is_graded_again_and_the_last_result_counts(tmp_path, capsys):
    source = saved(tmp_path / "sources" / "small.ipynb", notebook())
    for name in ("ada", "bob"):
        saved(tmp_path / "in" / f"{name}.ipynb", submission())
    out = tmp_path / "r.jsonl"
    argv = ["grade", tmp_path / "in", "--exercise", source, "--out", out, *FAST]
    assert cli.main(list(map(str, argv))) == 0
    assert cli.main(list(map(str, [*argv, "--regrade", "student=bob"]))) == 0
    assert capsys.readouterr().out.count("bob: small, 4 of 4 points") == 2
    assert [each["submission"]["id"] for each in read(out)] == ["ada", "bob", "bob"]
    with pytest.raises(DataError, match="no result has that"), Results(out) as results:
        Again(["student=eve"], Limits()).check(results.before)
