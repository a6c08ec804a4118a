"""Feedback pages: they say what was found, show no test, and carry no one's markup."""

import re
from html.parser import HTMLParser

from grading.test_results import result
from small_exercise import exercise, grade_one, saved, submission

from transformer_course.grading.exports.exporting import export

EVIL = "</style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Tags(HTMLParser):
    """The tags and attributes that a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def pages(folder, results) -> dict[str, str]:
    export("feedback", results, folder)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_student_reads_points_messages_and_failed_cells(tmp_path):
    cells = [{"index": 4, "id": "double", "error": "NameError: name 'x' is not defined (line 1)"}]
    found = pages(tmp_path, [result(cells=cells, flags=["other_version"])])
    text = Tags(found["ada.html"]).text
    assert "Feedback for ada" in text
    assert "3 of 4 points" in text
    assert "the 1th pass, 3 of 4 points" in text
    assert "not twice 1" in text
    assert "Cell 4: NameError: name 'x' is not defined (line 1)" in text
    assert "another version of the exercise" in text


def test_what_was_not_graded_says_why_and_lists_no_checks(tmp_path):
    one = result(status="unreadable", message="The file is empty.", score=0.0)
    text = Tags(pages(tmp_path, [one])["ada.html"]).text
    assert "ada.ipynb could not be read. The file is empty. Hand in your notebook" in text
    assert "of 4 points" not in text
    assert "the 1th" not in text


def test_pages_are_whole_and_ask_for_nothing(tmp_path):
    for text in pages(tmp_path, [result(), result("bob")]).values():
        tags = Tags(text).found
        assert ("html", {"lang": "en"}) in tags
        assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags}
        assert not re.search(r"https?:|@import|url\(", text)
        policy = next(a["content"] for tag, a in tags if "http-equiv" in a)
        assert policy == "default-src 'none'; style-src 'unsafe-inline'"
        assert "prefers-color-scheme: dark" in text


def test_nothing_a_student_writes_becomes_markup(tmp_path):
    about = result()["submission"] | {"id": EVIL, "name": EVIL, "path": EVIL}
    rows = [row | {"message": EVIL, "title": EVIL, "qid": EVIL} for row in result()["tests"]]
    odd = result(submission=about, tests=rows, cells=[{"index": 1, "id": EVIL, "error": EVIL}])
    broken = result("bob", status="unreadable", message=EVIL, exercise=EVIL)
    found = pages(tmp_path, [odd, broken, result("\ud800")])
    assert len(found) == 3
    for text in found.values():
        tags = Tags(text)
        assert not {"script", "img"} & {tag for tag, _ in tags.found}
        assert not any(name.startswith("on") for _, each in tags.found for name in each)
        assert text.count("</style>") == 1
    assert sum(Tags(text).text.count("alert(1)") for text in found.values()) >= 8


def test_the_folder_that_is_handed_out_holds_students_pages_alone(tmp_path):
    assert set(pages(tmp_path, [result(), result("bob")])) == {"ada.html", "bob.html"}


def test_a_student_reads_why_points_were_changed(tmp_path):
    change = {"kind": "override", "question": "double", "points": -2.0, "reason": "done in class"}
    text = Tags(pages(tmp_path, [result(adjustments=[change])])["ada.html"]).text
    assert "double: done in class (-2)" in text
    assert "double 3 of 4 points, from your instructor" in text
    assert "the 1th pass" in text
    assert "the 1th pass," not in text


def test_a_student_who_answered_twice_reads_which_one_counted(tmp_path):
    text = Tags(pages(tmp_path, [result(flags=["duplicated:double"])])["ada.html"]).text
    assert "several answers in your notebook; the last one counted" in text


def test_a_failure_of_the_grader_is_not_the_student_s_to_read(tmp_path):
    failed = result(status="error", message="The grader failed: KeyError: 3", score=0.0)
    text = Tags(pages(tmp_path, [failed])["ada.html"]).text
    assert "ada.ipynb could not be graded yet: your instructor will look at it." in text
    assert "KeyError" not in text


def test_lateness_that_took_nothing_has_no_sign(tmp_path):
    change = {"kind": "late", "question": "", "points": -0.0, "reason": "late"}
    text = Tags(pages(tmp_path, [result(adjustments=[change])])["ada.html"]).text
    assert "late (0)" in text


def test_messages_are_read_as_in_the_panel_and_a_passed_prediction_has_its_own(tmp_path):
    first, second = result()["tests"]
    rows = [
        first | {"status": "pass", "message": "Your guess is right. Measured: 0."},
        second | {"status": "fail", "message": "A constant is *added*: `x * y * z`, <b>."},
    ]
    text = pages(tmp_path, [result(tests=rows)])["ada.html"]
    assert "Measured: 0." in text
    assert "is <em>added</em>: <code>x * y * z</code>, &lt;b&gt;." in text


def test_the_hidden_test_is_not_shown(tmp_path, warm):
    made = submission({"double": "def double(x):\n    return 2 * min(x, 9)"})
    graded = grade_one(exercise(), saved(tmp_path / "ada.ipynb", made), warm(1))
    assert (graded["status"], graded["tests"][1]["status"]) == ("graded", "fail"), graded
    for text in pages(tmp_path / "out", [graded]).values():
        assert "not twice 1234567" in text  # what the author lets it say
        assert "secret" not in text
        assert "check_double" not in text


def test_a_question_stands_once_with_its_title_and_says_each_thing_once(tmp_path):
    about = {"qid": "mix", "question": "Shares", "points": 0.0, "max": 2.0, "status": "fail"}
    rows = [
        result()["tests"][1] | about | {"title": "sums", "message": "Off by 2.", "rank": 2},
        result()["tests"][1] | about | {"title": "rows", "message": "No root.", "rank": 0},
    ]
    text = Tags(pages(tmp_path, [result(tests=rows)])["ada.html"]).text
    assert text.count("Shares") == 1
    assert "Shares 0 of 4 points" in text
    assert "mix" not in text
    assert "Off by 2." not in text
    assert text.index("rows") < text.index("No root.") < text.index("sums")


def test_results_of_an_older_version_have_their_question_by_name(tmp_path):
    text = Tags(pages(tmp_path, [result()])["ada.html"]).text
    assert "double 3 of 4 points" in text
    assert "not twice 1" in text
