"""What other programs get: spreadsheets without formulas, Gradescope, LTI."""

import csv
import json

import pytest
from grading.test_results import result

from transformer_course.errors import DataError
from transformer_course.grading.exports.exporting import export
from transformer_course.grading.exports.platforms import file_name

# The fields of https://gradescope-autograders.readthedocs.io/en/latest/specs/
TOP = {"score", "execution_time", "output", "output_format", "test_output_format"} | {
    "test_name_format",
    "visibility",
    "stdout_visibility",
    "extra_data",
    "tests",
}
TEST = {"score", "max_score", "status", "name", "number", "output", "visibility", "extra_data"}


def table(path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_spreadsheet_has_a_row_for_each_student_and_a_column_for_each_check(tmp_path):
    path = tmp_path / "grades.csv"
    assert export("csv", [result(), result("bob", score=0.0)], path) == f"{path}: 2 rows"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # for spreadsheets, as UTF-8
    ada, bob = table(path)
    assert (ada["student"], ada["score"], ada["check-1"], ada["check-0"]) == (
        "ada",
        "3.0",
        "3.0",
        "0.0",
    )
    assert (bob["score"], bob["max_score"], bob["needs_human"]) == ("0.0", "4.0", "False")


def test_several_exercises_share_the_columns_that_all_have(tmp_path):
    path = tmp_path / "grades.csv"
    export("csv", [result(), result(exercise="other")], path)
    rows = table(path)
    assert [row["exercise"] for row in rows] == ["other", "small"]
    assert "check-1" not in rows[0]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", '=HYPERLINK("http://x")', "\n=1"],
)
def test_no_cell_is_taken_for_a_formula(tmp_path, text):
    about = result()["submission"] | {"id": text, "name": text, "path": text}
    export("csv", [result(submission=about, flags=[text])], tmp_path / "grades.csv")
    (row,) = table(tmp_path / "grades.csv")
    for name in ("student", "name", "path", "flags"):
        assert row[name] == f"'{text}"


def test_gradescope_gets_the_fields_it_documents(tmp_path):
    results = [result(), result(exercise="other", status="unreadable", message="Empty.", score=0.0)]
    export("gradescope", results, tmp_path / "results.json")
    found = json.loads((tmp_path / "results.json").read_text())
    assert set(found) == TOP
    assert (found["score"], found["execution_time"], found["output"]) == (
        3.0,
        0.1,
        "ada.ipynb could not be read. Empty. Hand in your notebook as Jupyter saves it, "
        "a file that ends in .ipynb.",
    )
    assert (found["visibility"], found["stdout_visibility"]) == ("visible", "hidden")
    assert len(found["tests"]) == 4
    for test in found["tests"]:
        assert set(test) == TEST
        assert test["status"] in ("passed", "failed")
        assert test["score"] <= test["max_score"]
    assert [test["number"] for test in found["tests"]] == ["1.1", "1.2", "2.1", "2.2"]
    assert sum(test["score"] for test in found["tests"]) == found["score"]


def test_gradescope_gets_a_file_for_each_student(tmp_path):
    results = [result(), result("../../bob")]
    export("gradescope", results, tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 2
    with pytest.raises(DataError, match="is one file, for 2 students: name a folder"):
        export("gradescope", results, tmp_path / "results.json")


def test_lti_gets_scores_that_say_how_far_they_are(tmp_path):
    odd = result("bob", flags=["protocol_violation"])
    failed = result("eve", status="error", score=0.0, message="The grader failed: x")
    nothing = result("fay", status="wrong_exercise", exercise="", max_score=0.0, message="no")
    export("lti", [result(), odd, failed, nothing], tmp_path / "lti.json")
    scores = [each["score"] for each in json.loads((tmp_path / "lti.json").read_text())]
    assert [(each["userId"], each["gradingProgress"]) for each in scores] == [
        ("ada", "FullyGraded"),
        ("bob", "PendingManual"),
        ("eve", "Failed"),
    ]
    assert scores[0] == {
        "userId": "ada",
        "scoreGiven": 3.0,
        "scoreMaximum": 4.0,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "timestamp": "2026-01-01T00:00:00.000+00:00",
        "comment": "Not passed: double (the 0th).",
    }
    export("lti", [result(tests=[])], tmp_path / "lti.json")
    assert json.loads((tmp_path / "lti.json").read_text())[0]["score"]["comment"] == (
        "Everything passed."
    )


def test_nothing_to_export_is_said(tmp_path):
    with pytest.raises(DataError, match="no results to export"):
        export("csv", [], tmp_path / "x.csv")


def test_a_student_s_file_stays_in_its_folder_and_is_nobody_else_s():
    names = [
        "ada",
        "index",
        "Ada",
        "a/da",
        "../ada",
        "a da",
        "a_da",
        ".",
        "",
        "é",
        "名",
        "x" * 999,
        "x" * 998,
    ]
    files = [file_name(name) for name in names]
    assert files[0] == "ada"
    assert len({name.lower() for name in files}) == len(names)
    assert all(
        name and len(name) < 80 and name.replace("_", "").replace("-", "").isascii()
        for name in files
    )
    assert "index" not in files  # the page of the class
    assert not any("/" in name or "." in name for name in files)
