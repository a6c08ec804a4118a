"""From results to grades: who is missing, what lateness costs, what a person has decided."""

import csv
import json

import pytest
from grading.test_results import result

from transformer_course.errors import DataError
from transformer_course.grading.exports.counting import count, needs_look
from transformer_course.grading.exports.exporting import export
from transformer_course.grading.exports.rules import Rules, check_names, read_rules

LATE = """\
roster = "roster.csv"
times = "times.csv"

[late]
grace_minutes = 10
percent_per_day = 20
most_percent = 50

[late.deadlines]
small = 2026-11-20T12:00:00+01:00

[late.extensions]
eva = 2
"""


def rules(folder, text: str, **tables: str) -> Rules:
    """A class's file and its tables, read."""
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text(table)
    (folder / "class.toml").write_text(text)
    return read_rules(folder / "class.toml")


def scores(results, found: Rules) -> dict[str, float]:
    return {each["submission"]["id"]: each["score"] for each in count(results, found).results}


@pytest.mark.parametrize(
    ("time", "score"),
    [
        ("2026-11-20T11:59:00+01:00", 4.0),
        ("2026-11-20T12:10:00+01:00", 4.0),  # the last minute of grace
        ("2026-11-20T12:11:00+01:00", 3.2),  # the first day has begun
        ("2026-11-20T11:11:00+00:00", 3.2),  # the same instant
        ("2026-11-21T12:00:00", 3.2),  # in the deadline's own zone
        ("2026-11-21T12:01:00", 2.4),
        ("2026-12-01T12:00:00", 2.0),  # never more than half
    ],
)
def test_lateness_costs_a_part_for_each_day_begun(tmp_path, time, score):
    found = rules(tmp_path, LATE, roster="student\nada\neva\n", times=f"student,time\nada,{time}\n")
    (ada, _) = count([result(score=4.0)], found).results
    assert ada["score"] == score
    assert bool(ada.get("adjustments")) == (score < 4)
    days = {3.2: "1 day", 2.4: "2 days", 2.0: "11 days"}.get(score)
    said = [each["reason"] for each in ada.get("adjustments", ())]
    assert [f"Handed in late, {days} begun" in each for each in said] == [True] * bool(days)


def test_an_extension_is_whole_days_for_one_student(tmp_path):
    times = "student,time\nada,2026-11-22T11:00:00\neva,2026-11-22T11:00:00\n"
    found = rules(tmp_path, LATE, roster="student\nada\neva\n", times=times)
    assert scores([result(score=4.0), result("eva", score=4.0)], found) == {"ada": 2.4, "eva": 4}


def test_the_time_comes_from_moodle_s_worksheet_and_blackboard_s_names(tmp_path):
    moodle = (
        "Identifier,Full name,Grade,Last modified (submission),Last modified (grade)\n"
        'Participant 7,Ada,,"Friday, 20 November 2026, 1:00 PM",-\n'
        "Participant 8,Bob,,-,-\n"
    )
    text = LATE.replace("eva = 2", "").replace('times = "times.csv"\n', "")
    found = rules(tmp_path, text, roster=moodle)
    assert scores([result("7", score=4.0)], found) == {"7": 3.2, "8": 0.0}
    late = result("8", score=4.0)
    late["submission"]["path"] = "HW_8_attempt_2026-11-21-13-00-00_x.ipynb"
    assert scores([late], found)["8"] == 2.4
    found = rules(tmp_path, text, roster=moodle.replace("Friday, 20 November", "Freitag, 20. Nov"))
    with pytest.raises(DataError, match="of 7 cannot be read: download the worksheet with Moodle"):
        count([result("7")], found)


def test_the_time_comes_from_nbgrader_s_file_in_nbgrader_s_folder_alone(tmp_path):
    found = rules(tmp_path, LATE.replace('roster = "roster.csv"\ntimes = "times.csv"\n', ""))
    late = result(score=4.0)
    for folder, told, score in (
        ("submitted/ada/hw1", "2026-11-20 11:11:00.123456 UTC\n", 3.2),
        ("submitted/ada/hw1", "2026-11-20 10:59:00.000000 UTC\n", 4.0),
        ("inbox/ada/hw1", "2026-11-20 11:11:00.123456 UTC\n", 4.0),  # a student's own file
    ):
        (place := tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (place / "timestamp.txt").write_text(told)
        late["submission"]["path"] = str(place / "small.ipynb")
        assert scores([late], found) == {"ada": score}
    (place := tmp_path / "submitted/ada/hw1/timestamp.txt").write_text("Freitag")
    late["submission"]["path"] = str(place.with_name("small.ipynb"))
    with pytest.raises(DataError, match="got 'Freitag'; give the times in a table of their own"):
        count([late], found)


def test_late_by_an_unknown_time_costs_nothing_and_needs_a_look(tmp_path):
    found = rules(tmp_path, LATE.split("\n[late.ext")[0].split('"times.csv"\n')[1])
    late = result(score=4.0)
    late["submission"]["late"] = True
    (one,) = count([late], found).results
    assert (one["score"], needs_look(one)) == (4.0, True)
    grades = count([result(score=4.0)], found)
    assert grades.notes == ["1 submissions have no time, and are taken as in time"]


def test_what_a_platform_calls_late_needs_a_look_without_a_deadline(tmp_path):
    late = result(score=4.0)
    late["submission"]["late"] = True
    grades = count([late, result("bob")], Rules())
    assert [(each["score"], needs_look(each)) for each in grades.results] == [
        (4.0, True),
        (3.0, False),
    ]
    assert grades.notes == []


def test_of_several_files_one_that_could_be_read_goes_before_one_that_could_not():
    odd = result(sha256="bb", status="unreadable", message="no", score=0.0)
    (one,) = count([result(score=0.0), odd], Rules()).results
    assert one["status"] == "graded"


@pytest.mark.parametrize("line", ["ada,small,double,4.5,bonus", "ada,small,,5,bonus"])
def test_more_points_than_there_are_count_and_are_told(tmp_path, line):
    found = rules(tmp_path, 'overrides = "o.csv"', o=OVERRIDES + line + "\n")
    grades = count([result()], found)
    points = line.split(",")[3]
    assert grades.notes == [f"{tmp_path / 'o.csv'}, line 2: {points} points, and there are 4"]
    assert grades.results[0]["score"] == float(points)


def test_a_spreadsheet_s_semicolons_and_decimal_commas_are_read(tmp_path):
    table = "\ufeffstudent;exercise;question;points;reason\nada;small;double;3,5;Gut, so.\n"
    roster = 'student;name\nada;"Ada; Lovelace"\n'
    text = 'overrides = "o.csv"\nroster = "r.csv"'
    (one,) = count([result()], rules(tmp_path, text, o=table, r=roster)).results
    assert (one["score"], one["submission"]["name"]) == (3.5, "Ada; Lovelace")


def test_of_several_submissions_the_best_after_lateness_counts(tmp_path):
    found = rules(tmp_path, LATE.split("\n[late.ext")[0].split('"times.csv"\n')[1])
    soon, late = result(sha256="aa", score=3.0), result(sha256="bb", score=3.5)
    soon["submission"]["path"] = "HW_ada_attempt_2026-11-20-10-00-00_x.ipynb"
    late["submission"]["path"] = "HW_ada_attempt_2026-11-21-10-00-00_x.ipynb"
    assert scores([soon, late], found) == {"ada": 3.0}
    (said,) = count([soon, late], found).notes
    assert said == "1 handed in several files, of which the best counts: ada (2)"


def test_who_of_the_roster_handed_in_nothing_has_a_line(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"', roster="student,name\nbob,Bob\nada,Ada\n")
    grades = count([result(), result("eve")], found)
    states = [(each["submission"]["id"], each["status"]) for each in grades.results]
    assert states == [("bob", "missing"), ("ada", "graded"), ("eve", "graded")]
    assert [each["submission"]["id"] for each in grades.handed_in] == ["ada", "eve"]
    assert grades.notes == [
        "1 on the roster handed in nothing: bob",
        "1 are not on the roster: eve",
    ]
    assert not needs_look(grades.results[0])


def test_who_handed_in_one_exercise_of_two_is_named_with_the_other(tmp_path):
    found = rules(tmp_path, 'roster = "r.csv"', r="student\nada\nbob\neva\n")
    work = [result(), result("bob"), result("bob", exercise="large")]
    assert count(work, found).notes == [
        "1 on the roster handed in nothing: eva",
        "1 handed in other work, but not large: ada",
    ]


@pytest.mark.parametrize(
    ("more", "grade"),
    [("", ""), ("missing_is_zero = true\n", "0.0"), ('overrides = "o.csv"\n', "3.0")],
)
def test_a_table_s_grade_is_empty_for_who_handed_in_nothing_unless_it_is_decided(
    tmp_path, more, grade
):
    decided = "student,exercise,question,points,reason\nbob,small,,3,Shown in class.\n"
    found = rules(tmp_path, f'{more}roster = "r.csv"', r="student\nbob\nada\n", o=decided)
    path = tmp_path / "grades.csv"
    export("csv", [result()], path, found)
    bob, ada = csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())
    assert (bob["status"], bob["score"], bob["max_score"]) == ("missing", grade, "4.0")
    assert (bob["check-0"] == "") == (grade == "")
    assert (ada["score"], ada["check-0"]) == ("3.0", "0.0")


@pytest.mark.parametrize(
    ("more", "score"),
    [("", None), ("missing_is_zero = true\n", 0.0), ('overrides = "o.csv"\n', 3.0)],
)
def test_a_grade_without_work_goes_to_every_program_and_to_the_student(tmp_path, more, score):
    decided = "student,exercise,question,points,reason\nbob,small,,3,Shown in class.\n"
    found = rules(tmp_path, f'{more}roster = "r.csv"', r="student\nbob\nada\n", o=decided)
    for kind, name in (("lti", "lti.json"), ("gradescope", "scores"), ("feedback", "pages")):
        export(kind, [result()], tmp_path / name, found)
    given = [each["score"] for each in json.loads((tmp_path / "lti.json").read_text())]
    told = {each["userId"]: (each["scoreGiven"], each["comment"]) for each in given}
    reason = "Shown in class. " * (score == 3.0)
    expected = (score, f"{reason}Nothing was handed in.")
    assert told.get("bob") == (None if score is None else expected)
    bob = tmp_path / "scores" / "bob.json"
    assert bob.exists() == (score is not None)
    assert not bob.exists() or json.loads(bob.read_text())["score"] == score
    page = tmp_path / "pages" / "bob.html"
    assert page.exists() == (score is not None)
    assert not page.exists() or ("Shown in class." in page.read_text()) == (score == 3.0)


def test_a_file_that_is_no_notebook_is_a_hand_in_of_the_only_exercise():
    about = {"exercise": "", "tests": [], "max_score": 0.0, "score": 0.0}
    odd = result("bob", status="unreadable", message="no", **about)
    grades = count([result(), odd], Rules())
    assert [(each["exercise"], each["score"]) for each in grades.results] == [
        ("small", 3.0),
        ("small", 0.0),
    ]


OVERRIDES = "student,exercise,question,points,reason\n"


def test_an_override_survives_a_regrade(tmp_path):
    table = OVERRIDES + "ada,small,double,4,a typo of ours\n"
    found = rules(tmp_path, 'overrides = "o.csv"', o=table)
    odd = result(score=1.0, flags=["duplicated:double"])
    (one,) = count([odd], found).results
    assert (one["score"], [row["points"] for row in one["tests"]]) == (4.0, [0.0, 4.0])
    assert one["adjustments"] == [
        {"kind": "override", "question": "double", "points": 3.0, "reason": "a typo of ours"}
    ]
    assert needs_look(odd)
    assert not needs_look(one)  # a person has looked
    again = result(score=2.0, graded_at="2026-02-01T00:00:00.000+00:00")
    assert count([odd, again], found).results[0]["score"] == 4.0
    assert odd["score"] == 1.0  # the file's own lines stay as they are


def test_an_override_of_a_whole_exercise_is_the_last_word(tmp_path):
    text = LATE.split("\n[late.ext")[0] + '\n[columns]\n"small" = "x"\n'
    text = 'overrides = "o.csv"\n' + text
    found = rules(
        tmp_path,
        text,
        o=OVERRIDES + "ada,small,,3.5,ill\nbob,,,2,on paper\n",
        roster="student\nada\nbob\n",
        times="student,time\nada,2026-11-25T12:00:00\n",
    )
    assert scores([result(score=4.0)], found) == {"ada": 3.5, "bob": 2.0}


def test_what_could_not_be_read_is_decided_by_points_for_a_whole_exercise(tmp_path):
    lines = "ada,small,,3,on paper\nbob,small,double,3,on paper\n"
    found = rules(tmp_path, 'overrides = "o.csv"', o=OVERRIDES + lines)
    assert found.decides("ada", "")
    assert not found.decides("bob", "")  # of which exercise, nobody knows
    assert found.decides("bob", "small")
    assert not found.decides("eve", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("eve,small,double,1,x", r"o.csv, line 2: no result of eve"),
        ("ada,other,double,1,x", r"no result of ada in other; there are small"),
        ("ada,small,halve,1,x", r"line 2: small has no question halve; there are double"),
        ("ada,small,double,-1,x", r"expected points from 0 on, got '-1'"),
        ("ada,small,double,much,x", r"expected points from 0 on, got 'much'"),
        ("ada,small,double,1, ", r"expected a reason, which the student reads"),
        ("ada,small,double,1,x,y", r"line 2: more values than columns"),
    ],
)
def test_an_override_of_nothing_is_refused(tmp_path, line, message):
    with pytest.raises(DataError, match=message):
        count([result()], rules(tmp_path, 'overrides = "o.csv"', o=OVERRIDES + line + "\n"))


@pytest.mark.parametrize("head", ["percent_per_day = 1\n[late.deadlines]", "[columns]"])
def test_an_exercise_that_is_none_is_refused_where_a_class_s_file_names_it(tmp_path, head):
    value = '"x"' if "columns" in head else "2026-11-20T12:00:00Z"
    text = f"[late]\n{head}\n01-smal = {value}"
    with pytest.raises(DataError, match="there is no exercise 01-smal; did you mean 01-small?"):
        check_names(rules(tmp_path, text), {"01-small", "02-other"})
    with pytest.raises(DataError, match="there is no exercise 01-smal; name its source with --ex"):
        check_names(rules(tmp_path, text), {"02-other"})
    check_names(rules(tmp_path, text), {"01-smal"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rooster = 3", "unknown field `rooster`"),
        ("[late]\npercent_per_day = 120", "expected percent_per_day from 0 to 100, got 120"),
        (
            "[late.deadlines]\nsmall = 2026-11-20T12:00:00Z",
            "there are deadlines and no percent_per_day; write percent_per_day = 0",
        ),
        ("[late.deadlines]\nsmall = 2026-11-20T12:00:00", "expected a time with its zone, such as"),
        ("late = ", "class.toml: "),
        (
            'roster = "r.csv"',
            "expected Moodle's grading worksheet, .* got the columns name; download .* English",
        ),
        ('roster = "s.csv"', "line 3: ada is there twice"),
        ('roster = "e.csv"', "it has no students"),
        ('times = "r.csv"', "expected the columns student, time; there is no student, time"),
        ('times = "t.csv"', "line 2: expected a time such as 2026-11-20T23:59:00, got 'soon'"),
        ('roster = "s1.csv"\n[late.extensions]\nbob = 1', "extensions: not on the roster: bob"),
    ],
)
def test_a_class_s_file_that_cannot_be_meant_is_refused(tmp_path, text, message):
    tables = {
        "r": "name\nAda\n",
        "s": "student\nada\nada\n",
        "s1": "student\nada\n",
        "e": "student\n",
        "t": "student,time\nada,soon\n",
    }
    with pytest.raises(DataError, match=message):
        rules(tmp_path, text, **tables)
