"""Grades and feedback back to Moodle and Canvas, in the forms that their importers read."""

import csv
import re
import zipfile

import pytest
from grading.test_counting import rules
from grading.test_results import result

from transformer_course.errors import DataError
from transformer_course.grading.exports.exporting import export

MOODLE = """\
Identifier,Full name,Grade,Maximum Grade,Last modified (submission),Last modified (grade),\
Feedback comments
Participant 7,Ada_de L/ove,,100.00,-,-,
Participant 8,Bob,,100.00,-,-,
"""
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),Homework small (12),Final Score
    Points Possible,,,,,5,8,
"Lovelace, Ada",7,u7,ada@x,A,3,,3
"Brown, Bob",8,u8,bob@x,A,4,,4
"Student, Test",,,,A,,,
"""


def table(path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pages(path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_moodle_s_worksheet_is_filled_in_on_its_own_scale(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"', roster=MOODLE)
    said = export("moodle", [result("7")], tmp_path / "up", found)
    ada, bob = table(tmp_path / "up" / "grades.csv")
    assert (ada["Identifier"], ada["Grade"], bob["Grade"]) == ("Participant 7", "75", "")
    assert ada["Feedback comments"] == "small: 3 of 4 points. Not passed: double (the 0th)."
    assert list(ada) == MOODLE.splitlines()[0].split(",")
    assert "4 points are 100 there" in said
    assert "1 on the roster handed in nothing: 8" in said


def test_a_decision_is_told_with_its_reason(tmp_path):
    table_of = "student,exercise,question,points,reason\n7,small,,4,Shown in class.\n"
    text = 'roster = "roster.csv"\noverrides = "o.csv"'
    found = rules(tmp_path, text, roster=MOODLE, o=table_of)
    export("moodle", [result("7")], tmp_path / "up", found)
    told = table(tmp_path / "up" / "grades.csv")[0]["Feedback comments"]
    assert told.startswith("small: 4 of 4 points. Shown in class. Not passed")
    export("csv", [result("7")], tmp_path / "grades.csv", found)
    assert "Shown in class. (+1)" in (tmp_path / "grades.csv").read_text()


def test_a_scale_is_read_in_every_spelling_and_one_that_is_none_is_refused(tmp_path):
    for old, new in (
        ("100.00", '"50,0"'),
        ("Maximum Grade,", "Maximum grade,"),
        ("Maximum Grade,", "maximum GRADE,"),
    ):
        found = rules(tmp_path, 'roster = "roster.csv"', roster=MOODLE.replace(old, new))
        export("moodle", [result("7")], tmp_path / "up", found)
        grade = table(tmp_path / "up" / "grades.csv")[0]["Grade"]
        assert grade == ("37.5" if old == "100.00" else "75")
    said = r"expected a number in the column Maximum grade of 7, got .*: let the assignment be"
    for old, new in (("100.00", ""), ("100.00", "Very good"), ("Maximum Grade", "Bestwertung")):
        found = rules(tmp_path, 'roster = "roster.csv"', roster=MOODLE.replace(old, new))
        with pytest.raises(DataError, match=said):
            export("moodle", [result("7")], tmp_path / "up", found)


UNREAD = {"status": "unreadable", "score": 0.0, "message": "Not JSON."}


def test_what_could_not_be_graded_has_no_grade_until_somebody_gives_points(tmp_path):
    text, table_of = 'roster = "roster.csv"', "student,exercise,question,points,reason\n"
    found = rules(tmp_path, text, roster=MOODLE)
    results = [result("7", **UNREAD), result("8", flags=["duplicated:double"])]
    said = export("moodle", results, tmp_path / "up", found)
    assert "1 could not be graded, give points as an override: 7\n" in said
    assert "1 need a look, which --export report explains: 8" in said
    ada, bob = table(tmp_path / "up" / "grades.csv")
    assert (ada["Grade"], bob["Grade"]) == ("", "75")
    assert ada["Feedback comments"] == (
        "small: 7.ipynb could not be read. Not JSON. Hand in your notebook as Jupyter saves it, "
        "a file that ends in .ipynb."
    )
    export("csv", results, tmp_path / "grades.csv", found)
    assert ",unreadable,,4.0," in (tmp_path / "grades.csv").read_text()
    export("lti", results, tmp_path / "lti.json", found)
    assert (tmp_path / "lti.json").read_text().count("scoreGiven") == 1
    decided = rules(
        tmp_path, f'{text}\noverrides = "o.csv"', roster=MOODLE, o=f"{table_of}7,small,,0,no"
    )
    said = export("moodle", results, tmp_path / "up", decided)
    assert "could not be graded" not in said
    assert table(tmp_path / "up" / "grades.csv")[0]["Grade"] == "0"


def test_canvas_s_column_stays_empty_for_what_could_not_be_graded(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"', roster=CANVAS)
    export("canvas", [result("7", **UNREAD), result("8")], tmp_path / "up", found)
    rows = table(tmp_path / "up" / "grades.csv")
    assert [row["Homework small (12)"] for row in rows] == ["8", "", "6", ""]


def test_a_question_that_a_person_decided_is_not_called_failed(tmp_path):
    table_of = "student,exercise,question,points,reason\n7,small,double,4,Shown in class.\n"
    text = 'roster = "roster.csv"\noverrides = "o.csv"'
    found = rules(tmp_path, text, roster=MOODLE, o=table_of)
    export("moodle", [result("7")], tmp_path / "up", found)
    told = table(tmp_path / "up" / "grades.csv")[0]["Feedback comments"]
    assert told == "small: 4 of 4 points. Shown in class. Everything passed."


def test_moodle_finds_the_student_in_the_name_of_each_page(tmp_path):
    """As its importer does: parts of the path, cut at underscores; the second is the participant.

    mod/assign/feedback/file/importziplib.php, is_valid_filename_for_import
    """
    found = rules(tmp_path, 'roster = "roster.csv"', roster=MOODLE)
    export("moodle", [result("7"), result("8")], tmp_path / "up", found)
    for name, student in zip(pages(tmp_path / "up" / "feedback.zip"), "78", strict=True):
        folder, file = name.split("/")
        _, participant, kind, plugin, _ = folder.split("_", 4)
        assert (participant, kind, plugin, file) == (
            student,
            "assignsubmission",
            "file",
            "feedback.html",
        )


def test_missing_work_is_zero_only_where_the_class_says_so(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"\nmissing_is_zero = true', roster=MOODLE)
    export("moodle", [result("7")], tmp_path / "up", found)
    assert table(tmp_path / "up" / "grades.csv")[1]["Grade"] == "0"
    assert len(pages(tmp_path / "up" / "feedback.zip")) == 1


def test_canvas_s_gradebook_keeps_its_identities_and_gets_the_exercise_s_column(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"', roster=CANVAS)
    results = [result("7"), result("8", score=0.0), result("7", exercise="other")]
    export("canvas", results, tmp_path / "up", found)
    rows = table(tmp_path / "up" / "grades.csv")
    ids = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert list(rows[0]) == [*ids, "other", "Homework small (12)"]
    assert [row["Homework small (12)"] for row in rows] == ["8", "6", "0", ""]
    assert [row["other"] for row in rows] == ["4", "3", "", ""]
    assert rows[1]["Student"] == "Lovelace, Ada"


def test_canvas_finds_user_and_attachment_in_the_name_of_each_page(tmp_path):
    """As its importer does: cut at underscores, the first two parts that are digits.

    app/models/assignment.rb, infer_comment_context_from_filename
    """
    found = rules(tmp_path, 'roster = "roster.csv"', roster=CANVAS)
    ada, bob = result("7"), result("8")
    ada["submission"]["path"] = "in.zip/lovelaceada_LATE_77_4567_small-1.ipynb"
    said = export("canvas", [ada, bob], tmp_path / "up", found)
    (name,) = pages(tmp_path / "up" / "feedback.zip")
    digits = [part for part in name.split("_") if re.fullmatch(r"\d+", part)]
    assert (digits[:2], name.endswith(".html")) == (["77", "4567"], True)
    assert "; left out, since not from Canvas's zip: 1" in said


@pytest.mark.parametrize(
    ("text", "roster", "message"),
    [
        ("", "", "expected --class FILE with roster = the gradebook, exported from Canvas"),
        ('roster = "roster.csv"', MOODLE, "fills in a table of Canvas's"),
        (
            'roster = "roster.csv"',
            CANVAS.replace("Quiz", "Small quiz"),
            "several columns for small: Small quiz .11., Homework small .12.; say which under",
        ),
        (
            'roster = "roster.csv"\n[columns]\nsmall = "Nothing"',
            CANVAS,
            "columns, small: the gradebook has no column 'Nothing'",
        ),
    ],
)
def test_a_gradebook_that_does_not_fit_is_refused(tmp_path, text, roster, message):
    with pytest.raises(DataError, match=message):
        export("canvas", [result("7")], tmp_path / "up", rules(tmp_path, text, roster=roster))


def test_a_column_can_be_named(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"\n[columns]\nsmall = "Quiz (11)"', roster=CANVAS)
    export("canvas", [result("7")], tmp_path / "up", found)
    assert table(tmp_path / "up" / "grades.csv")[1]["Quiz (11)"] == "3.75"


def test_lti_says_who_by_the_roster_s_sub(tmp_path):
    found = rules(tmp_path, 'roster = "roster.csv"', roster="student,sub\nada,uuid-1\nbob,\n")
    export("lti", [result()], tmp_path / "lti.json", found)
    assert '"userId": "uuid-1"' in (tmp_path / "lti.json").read_text()
    with pytest.raises(DataError, match=r"roster.csv: no sub for bob"):
        export("lti", [result(), result("bob")], tmp_path / "lti.json", found)
