"""`transformer-course grade` as a learner and an instructor type it, and what it refuses."""

import json
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from grading.test_results import result
from small_exercise import DOUBLE, notebook, saved, submission

from transformer_course.commands import cli
from transformer_course.commands import grade as grade_command
from transformer_course.grading.exercises.exercise import load
from transformer_course.grading.grader import catalog
from transformer_course.grading.grader.catalog import Catalog, load_all
from transformer_course.grading.grader.reporting import Tally, explained
from transformer_course.grading.grader.result import MISSED, SUSPECT
from transformer_course.grading.grader.results_file import line_of, read
from transformer_course.grading.grader.submission import Submission
from transformer_course.grading.processes.isolation import Isolation, IsolationError

FAST = ("--isolation", "1", "--allow-unsafe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """An exercise's source, and a class of five."""
    folder = tmp_path_factory.mktemp("class")
    saved(folder / "sources" / "small.ipynb", notebook())
    saved(folder / "in" / "ada" / "small.ipynb", submission())
    saved(folder / "in" / "bob" / "small.ipynb", submission({"double": DOUBLE}))
    saved(folder / "in" / "eve" / "small.ipynb", "{")
    saved(folder / "in" / "fay" / "other.ipynb", submission(name="other"))
    saved(folder / "in" / "gus" / "small.ipynb", submission({}))
    return folder


def grade(*arguments: object) -> int:
    """The exit code of the command."""
    try:
        return cli.main(["grade", *map(str, arguments)])
    except SystemExit as stop:
        return int(str(stop.code))


def refused(capsys, *arguments: object) -> str:
    """The one line of a refusal."""
    assert grade(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err


@pytest.mark.slow
def test_a_class_is_graded_and_graded_on(folder, tmp_path, capsys):
    out = tmp_path / "results.jsonl"
    options = ["--exercise", folder / "sources", "--out", out, "--workers", 2, *FAST]
    assert grade(folder / "in", *options) == 2  # two of them need a person
    said = capsys.readouterr()
    assert "ada: small, 4 of 4 points\n" in said.out
    assert "bob: small, 3 of 4 points\n" in said.out
    assert "eve: small, 0 of 4 points, unreadable. Not JSON: Expecting property name" in said.out
    assert said.err.startswith("5 submissions in ")
    assert "3 graded, 1 unreadable, 1 wrong exercise; 7 of 20 points" in said.err
    assert "2 need a look:\n" in said.err
    assert "in/fay/other.ipynb: It says it is 'other'; graded here: small." in said.err
    assert {each["submission"]["id"]: each["score"] for each in read(out)} == {
        "ada": 4,
        "bob": 3,
        "eve": 0,
        "fay": 0,
        "gus": 0,
    }
    with open(out, "ab") as file:
        file.write(b'{"schema":"course-result/1","torn')
    (folder / "in" / "gus" / "small.ipynb").write_text(json.dumps(submission()))
    csv = ["--export", "csv", "--to", tmp_path / "grades.csv"]
    assert grade(folder / "in", *options, *csv) == 2  # the two still do
    said = capsys.readouterr()
    assert said.out == "gus: small, 4 of 4 points\n"
    assert "4 done before, 1 graded" in said.err
    assert "2 need a look:\n" in said.err
    assert "in/fay/other.ipynb: It says it is 'other'; graded here: small." in said.err
    assert "grades.csv: 5 rows" in said.err
    assert len(list(read(out))) == 6
    assert "gus,,small,graded,4.0" in (tmp_path / "grades.csv").read_text()


@pytest.mark.slow
def test_shards_merge_to_the_whole(folder, tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as file:
        for number in range(10):
            file.writestr(f"s{number}.ipynb", json.dumps(submission({})))
    for part in ("1/2", "2/2"):
        options = ["--exercise", folder / "sources", "--shard", part, "--json", *FAST]
        assert grade(tmp_path / "in.zip", *options) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert Counter(each["submission"]["id"] for each in lines) == Counter(
        f"s{number}" for number in range(10)
    )


@pytest.mark.slow
def test_a_learner_s_own_notebook_gets_a_line_for_each_question_and_check(folder, capsys):
    path = folder / "in" / "bob" / "small.ipynb"
    assert grade(path, "--self", "--isolation", 1, "--exercise", folder / "sources") == 0
    assert capsys.readouterr().out == (
        "small, 3 of 4 points\n"
        "  3 of 3  double\n"
        "    1 of 1  double-one, as it should be\n"
        "    2 of 2  double-more, as it should be\n"
        "  0 of 1  answer: Not attempted yet.\n"
    )


@pytest.mark.slow
def test_a_notebook_of_an_unknown_exercise_gets_no_score_but_the_known_names(
    folder, tmp_path, capsys
):
    two = tmp_path / "sources"
    for name in ("small", "tiny"):
        saved(two / f"{name}.ipynb", notebook(name))
    path, out = folder / "in" / "fay" / "other.ipynb", tmp_path / "r.jsonl"
    assert grade(path, "--exercise", two, "--out", out, *FAST) == 2
    said = "wrong exercise. It says it is 'other'; graded here: small, tiny."
    assert capsys.readouterr().out == f"other: {path}, {said}\n"
    assert grade("--from", out, "--export", "feedback", "--to", tmp_path / "feedback") == 0
    page = (tmp_path / "feedback" / "other.html").read_text()
    assert "It says it is" in page
    assert "0 of 0" not in page


@pytest.mark.slow
def test_of_ones_own_several_notebooks_and_folders_are_graded_each_once(tmp_path, capsys):
    for name in ("small", "tiny"):
        saved(tmp_path / "sources" / f"{name}.ipynb", notebook(name))
    mine = tmp_path / "mine"
    one = saved(mine / "small.ipynb", submission({"double": DOUBLE}))
    saved(mine / "more" / "tiny.ipynb", submission(name="tiny"))
    saved(mine / "torn.ipynb", "{")
    (mine / "small.progress.json").write_text("{}")
    (mine / "README.md").write_text("Notes.")
    options = ["--self", "--isolation", 1, "--exercise", tmp_path / "sources"]
    assert grade(one, mine, *options, "--out", tmp_path / "r.jsonl") == 2  # one cannot be read
    lines = [line for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    small, torn, tiny = lines
    assert (small, tiny) == ("small, 3 of 4 points", "tiny, 4 of 4 points")
    assert "torn.ipynb, unreadable" in torn
    assert len(list(read(tmp_path / "r.jsonl"))) == 3


def test_self_is_for_notebooks_of_ones_own(folder, tmp_path, capsys):
    said = refused(capsys, folder / "in", "--self", "--exercise", folder / "sources")
    assert "small.ipynb in several folders: --self is for notebooks of your own" in said
    ours = tmp_path / "Ada_1_assignsubmission_file_" / "small.ipynb"
    saved(ours, submission())
    said = refused(capsys, tmp_path, "--self", "--exercise", folder / "sources")
    assert "holds the work of several people" in said


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("none.ipynb", "none.ipynb: expected a notebook, a folder or a zip; there is no such file"),
        ("empty", "no notebook (.ipynb) in "),
        ("all.zip", "all.zip: --self takes notebooks and folders, so unpack it first"),
    ],
)
def test_a_bad_path_beside_ones_own_is_named_before_anything_is_graded(
    folder, tmp_path, capsys, bad, said
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("Notes.")
    (tmp_path / "all.zip").write_bytes(b"PK")
    out = tmp_path / "r.jsonl"
    out.write_text("")
    good = folder / "in" / "bob" / "small.ipynb"
    options = ["--self", "--exercise", folder / "sources", "--out", out]
    assert said in refused(capsys, good, tmp_path / bad, *options)
    assert out.read_text() == ""


def test_others_code_is_not_run_with_too_little_between(folder, capsys, monkeypatch):
    said = refused(capsys, folder / "in", "--isolation", 1, "--exercise", folder / "sources")
    assert "isolation level 1 of 3, and other people's code needs 2: grade on another" in said
    assert "--allow-unsafe to run their code with your rights" in said

    weak = Isolation(level=1, refused={"3": "no namespaces", "2": "no Landlock"})
    monkeypatch.setattr(grade_command, "probe", lambda force: weak)
    said = refused(capsys, folder / "in", "--exercise", folder / "sources")
    assert "needs 2 (3: no namespaces; 2: no Landlock): grade on" in said

    def nothing(force):
        raise IsolationError("isolation of level 3 cannot be had here")

    monkeypatch.setattr(grade_command, "probe", nothing)
    options = ["--isolation", 3, "--exercise", folder / "sources"]
    assert "isolation of level 3 cannot be had here" in refused(capsys, folder / "in", *options)


def test_what_cannot_be_graded_or_exported_is_said(folder, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    sources = ["--exercise", folder / "sources"]
    known = saved(tmp_path / "r.jsonl", line_of(result()) + "\n")
    csv = ["--export", "csv"]
    twice = saved(tmp_path / "twice" / "again.ipynb", notebook()).parent
    twice = [*sources, "--exercise", twice]
    for arguments, words in [
        ([], "expected submissions to grade, or --from RESULTS with --export"),
        (["--from", known], "--from needs --export and --to"),
        ([folder / "in", "--from", known], "expected submissions to grade, or --from"),
        (["--from", known, *csv], "--export csv needs --to PATH"),
        ([folder / "in", *csv, "--to", "x.csv"], "needs --to PATH, and results in --out or --from"),
        (["--from", tmp_path / "no", *csv, "--to", "x"], "No such file or directory"),
        ([tmp_path / "no.ipynb", *sources], "there is no such file"),
        ([tmp_path / "empty", *sources], "no notebook (.ipynb) in "),
        ([folder / "in", "--exercise", tmp_path / "empty"], "name their sources with --exercise"),
        ([folder / "in", "--exercise", tmp_path / "no.md"], "No such file or directory"),
        ([folder / "in", *twice], "exercise small is there 2 times, not once"),
        ([folder / "in", "--pattern", "x", *sources], "expected a group (?P<student>...)"),
    ]:
        assert words in refused(capsys, *arguments), arguments


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--shard", "0/4", "expected a part such as 1/4, got '0/4'"),
        ("--shard", "5/4", "expected a part such as 1/4"),
        ("--shard", "half", "expected a part such as 1/4"),
        ("--workers", "0", "expected a number from 1 to 1024, got '0'"),
        ("--limit-seconds", "-1", "expected seconds from 0 to 86400, got '-1'"),
        ("--limit-seconds", "nan", "expected seconds from 0 to 86400"),
        ("--total-seconds", "x", "expected seconds from 0 to 86400"),
        ("--memory", "3", "expected at least 256M, such as 3G, got '3'"),
        ("--memory", "1M", "expected at least 256M"),
        ("--memory", f"{'9' * 400}G", "expected at least 256M, such as 3G, got '9999"),
    ],
)
def test_options_say_what_they_take(folder, capsys, option, value, words):
    assert grade(folder / "in", f"{option}={value}") == 2
    assert words in capsys.readouterr().err


def test_memory_is_given_in_words(folder, monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(
        grade_command, "grade_all", lambda found, settings, n: seen.append(settings) or []
    )
    options = ["--exercise", folder / "sources", "--memory", "1.5G", "--limit-seconds", 2, *FAST]
    assert grade(folder / "in", *options) == 0
    assert (seen[0].limits.memory, seen[0].limits.seconds) == (3 << 29, 2.0)
    assert seen[0].limits.total_seconds == 60


def test_a_second_file_of_a_student_adds_nothing_to_the_sum():
    tally = Tally()
    for each in (result(score=1.0), result(sha256="bb"), result("bob", score=2.0)):
        tally.count(each)
    assert "3 graded; 5 of 8 points; isolation" in tally.summary(Isolation(level=3))


def test_a_flag_is_told_in_words_and_by_its_name():
    tally = Tally()
    tally.count(result(flags=["duplicated:double"]))
    tally.count(result("bob", flags=["forbidden:torch.add", "forbidden:unwatched", "second_try"]))
    said = tally.summary(Isolation(level=3))
    assert "in/ada.ipynb: double has several answers, of which the last one counted (dup" in said
    assert "torch.add is forbidden and was called or is named (forbidden:torch.add); what" in said
    assert "second_try" not in said
    known = {*SUSPECT, *MISSED}
    assert {each for each in known if explained(f"{each}:x") == f"{each}:x"} == set()


def test_a_class_s_file_with_an_exercise_that_is_none_is_refused(folder, tmp_path, capsys):
    late = "[late]\npercent_per_day = 5\n[late.deadlines]\n{} = 2026-11-20T12:00:00Z"
    rules = saved(tmp_path / "class.toml", late.format("smal"))
    known = saved(tmp_path / "r.jsonl", line_of(result()) + "\n")
    sources = ["--exercise", folder / "sources", "--class", rules]
    csv = ["--export", "csv", "--to", tmp_path / "x.csv"]
    for arguments in ([folder / "in", *sources], ["--from", known, "--class", rules, *csv]):
        said = refused(capsys, *arguments)
        assert "--class, late.deadlines: there is no exercise smal; did you mean small?" in said
    for name in ("small", "01-scaled-attention"):
        saved(rules, late.format(name))
        assert grade("--from", known, "--class", rules, *csv) == 0


def test_a_terminal_obeys_no_submission(folder, capsys, monkeypatch):
    evil = "\x1b[2J\x1b]0;owned\x07\rall passed"
    rows = [result()["tests"][0] | {"message": evil}]
    odd = result(f"ada{evil}", tests=rows, status="unreadable", message=evil)
    monkeypatch.setattr(grade_command, "grade_all", lambda *_: [odd])
    path = folder / "in" / "ada"
    assert grade(path, "--self", "--exercise", folder / "sources", "--isolation", 1) == 2
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "all passed" in text
        assert not {"\x1b", "\x07", "\r"} & set(text)


def test_sources_written_as_text_need_jupytext(folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "x.md").write_text("# x")
    monkeypatch.setitem(sys.modules, "jupytext", None)
    said = refused(capsys, folder / "in", "--exercise", tmp_path / "x.md")
    assert "pip install jupytext, or name notebooks (.ipynb)" in said


def test_of_the_course_only_what_is_handed_in_is_read(monkeypatch):
    read = []
    monkeypatch.setattr(catalog, "load", lambda path: read.append(path.stem) or load(path))
    known = Catalog(load_all())
    assert read == []
    names = list(known.known)
    for _ in range(2):
        assert known.find(Submission(exercise=names[4])).exercise.name == names[4]
    assert known.find(Submission(exercise="other")) is None
    assert known.guess(f"in/{names[2]}.ipynb").exercise.name == names[2]
    assert read == [names[4], names[2]]
    assert [known.grader(name).exercise.name for name in names] == names
    assert sorted(read) == names  # each once


@pytest.mark.slow
def test_a_source_of_the_course_that_cannot_be_read_is_said(folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "small.md").write_text("# No exercise")
    monkeypatch.setattr(catalog, "PLACES", [tmp_path])
    said = refused(capsys, folder / "in" / "ada", *FAST)
    assert said.count("\n") == 1
    assert "small.md: expected the notebook's metadata to name its exercise" in said


def test_help_shows_an_example(capsys):
    assert grade("--help") == 0
    said = capsys.readouterr().out
    assert "example: transformer-course grade moodle.zip --out results.jsonl" in said
