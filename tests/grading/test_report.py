"""The report on a class: its numbers by hand, its page whole, and nobody's markup in it."""

import json
import random
import re
from math import sqrt
from statistics import fmean, pstdev

import pytest
from grading.test_feedback import EVIL, Tags
from grading.test_results import result
from not_run import NEEDS_CHROMIUM
from small_exercise import exercise, saved, submission

from transformer_course.grading.exports import overview
from transformer_course.grading.exports.exporting import export
from transformer_course.grading.exports.rules import Rules
from transformer_course.grading.grader.reading import digest
from transformer_course.pages import browser


def answered(student: str, points: dict[str, float], **more) -> dict:
    """A graded result with a check of one point for each question."""
    row = result()["tests"][0]
    rows = [
        row
        | {"id": f"{name}-1", "qid": name, "title": name, "points": got, "max": 1.0}
        | {"status": "pass" if got else "fail", "message": "" if got else f"wrong {name}"}
        for name, got in points.items()
    ]
    total = sum(points.values())
    return result(student, tests=rows, score=total, max_score=float(len(rows)), **more)


@pytest.fixture
def results() -> list[dict]:
    """Forty students; the second question is right for the strong, the third by chance."""
    draw = random.Random(0)
    return [
        answered(
            f"s{number:02}",
            {
                "easy": float(number > 4),
                "sharp": float(number >= 20),
                "blind": float(draw.random() < 0.5),
            },
        )
        for number in range(40)
    ]


def test_item_rest_is_the_point_biserial_correlation_with_the_rest(results):
    found = {each["name"]: each for each in overview.of_questions(results)}
    for name, each in found.items():
        own = [row["points"] for r in results for row in r["tests"] if row["qid"] == name]
        rest = [r["score"] - points for r, points in zip(results, own, strict=True)]
        right = [score for score, got in zip(rest, own, strict=True) if got]
        wrong = [score for score, got in zip(rest, own, strict=True) if not got]
        apart = (fmean(right) - fmean(wrong)) / pstdev(rest)
        assert each["item_rest"] == pytest.approx(apart * sqrt(fmean(own) * (1 - fmean(own))))
        assert each["difficulty"] == pytest.approx(fmean(own))
    assert found["sharp"]["item_rest"] > 0.2 > abs(found["blind"]["item_rest"])


def test_upper_lower_is_the_difference_of_the_tails():
    points, totals = [0.0] * 10 + [2.0] * 10, [float(number) for number in range(20)]
    assert overview.upper_lower(points, totals, 2.0) == 1.0
    assert overview.upper_lower(points[::-1], totals, 2.0) == -1.0
    assert overview.upper_lower([1.0] * 20, totals, 2.0) == 0.0


def test_discrimination_is_not_told_where_it_says_nothing(results):
    for each in overview.of_questions(results[:9]):
        assert each["item_rest"] is each["upper_lower"] is None
    (flat, _) = overview.of_questions(
        [answered(str(number), {"flat": 1.0, "x": number % 2}) for number in range(20)]
    )
    assert flat["item_rest"] is None


def test_the_histogram_counts_each_score_once():
    assert overview.histogram([0, 0.4, 1, 2, 3.9, 4, 4, 5, -1], 4) == [2, 1, 1, 0, 0, 1, 0, 0, 0, 4]
    tenths = [number / 10 for number in range(11)]
    assert overview.histogram(tenths, 1.0) == [1] * 9 + [2]


def page(folder, results, **more) -> str:
    export("report", results, folder / "report.html", **more)
    return (folder / "report.html").read_text()


def words(text: str) -> str:
    """What the page says, with a space between any two cells."""
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", text, flags=re.DOTALL).split())


def test_the_page_says_what_a_class_got_wrong_and_what_needs_a_look(tmp_path, results):
    odd = answered("zoe", {"easy": 0.0}, flags=["duplicated:easy"])
    again = {**odd, "exercise": "another"}  # who needs two looks for one reason is named once
    why = "easy has several answers, of which the last one counted (duplicated:easy)"
    assert overview.to_look_at([odd, again]) == {why: ["zoe"]}
    named = odd | {"submission": odd["submission"] | {"name": "Zoe Z."}}
    assert overview.to_look_at([named]) == {why: ["zoe Zoe Z."]}
    text = words(page(tmp_path, [*results, odd]))
    assert f"{why} zoe" in text
    assert re.search(r"zoe 0 of \d points? needs a look", text)
    assert "41 graded, mean" in text
    assert "sharp , 20 wrong wrong sharp (20)" in text
    assert re.search(r"sharp 49 % 0\.\d\d 1\.00", text)
    assert "s07 2 of 3 points" in text or "s07 1 of 3 points" in text


def test_a_student_s_remarks_name_the_exercise_where_there_are_several():
    change = {"kind": "late", "question": "", "points": -0.5, "reason": "Handed in late"}
    late, other = result(adjustments=[change]), result(exercise="other")
    for own, said in (
        ([late], "-0.5 Handed in late"),
        ([late, other], "small: -0.5 Handed in late"),
    ):
        (row,) = overview.of_students({"ada": own})
        assert row["remarks"] == [said]


def test_the_page_is_whole_asks_for_nothing_and_holds_nobody_s_markup(tmp_path):
    about = result()["submission"] | {"id": EVIL, "name": EVIL, "path": EVIL}
    rows = [row | {"message": EVIL, "title": EVIL, "qid": EVIL} for row in result()["tests"]]
    odd = result(submission=about, tests=rows, flags=[f"duplicated:{EVIL}"], exercise=EVIL)
    text = page(tmp_path, [odd, result("bob", status="unreadable", message=EVIL)])
    tags = Tags(text)
    assert not {"script", "img", "link", "iframe"} & {tag for tag, _ in tags.found}
    assert not any(name.startswith("on") for _, each in tags.found for name in each)
    assert not re.search(r"https?:|@import|url\(", text)
    policy = next(a["content"] for tag, a in tags.found if "http-equiv" in a)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert text.count("</style>") == 1
    assert "alert(1)" in tags.text


def test_hints_and_likeness_are_read_where_the_work_lies(tmp_path):
    results = []
    for name in ("ada", "bob", "eve"):
        answer = "def double(x):\n    return " + (
            "sum([x, x][::-1]) or {'a': (x, 3), 'b': [x, 4, 5]}['a'][0] * 2 - 0"
            if name != "eve"
            else "2 * x"
        )
        path = saved(tmp_path / name / "small.ipynb", submission({"double": answer}))
        saved(path.with_name("extra.ipynb"), submission({"double": answer}))
        panels = {"exercises/small/double": {"tries": 4, "hints": 1, "shown": False}}
        if name == "ada":
            saved(path.with_name("progress.json"), json.dumps({"version": 1, "panels": panels}))
        if name == "bob":
            saved(path.with_name("progress.json"), '{"panels": [1]}')
        about = {"id": name, "name": "", "path": str(path), "late": False}
        results.append(result(submission=about | {"sha256": digest(path.read_bytes())}))
    text = words(page(tmp_path, results, exercises=[exercise()]))
    assert "double 1 4 100 % 0 %" in text
    assert "ada and bob 100 %" in text
    assert "Of 3 notebooks compared." in text
    (tmp_path / "eve" / "small.ipynb").write_text("something else")
    text = words(page(tmp_path, results, exercises=[exercise()]))
    assert "Of 2 notebooks compared, 1 not found where they were." in text


@NEEDS_CHROMIUM
@pytest.mark.slow
def test_the_page_is_as_wide_as_a_telephone_and_has_no_barrier(tmp_path, results):
    export("report", results, tmp_path / "report.html", Rules())
    with browser.chromium() as chromium, browser.open_page(chromium, width=390) as page:
        asked = browser.requests(page)
        page.goto((tmp_path / "report.html").as_uri())
        assert browser.overflow(page) == 0
        assert len(asked) == 1
        smallest = page.evaluate(
            "Math.min(...[...document.querySelectorAll('text')]"
            ".map(each => each.getBoundingClientRect().height))"
        )
        assert smallest >= 12
        assert browser.axe_violations_in_both_themes(page) == []
