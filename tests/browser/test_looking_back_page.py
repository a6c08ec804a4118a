"""LookingBack in a real browser: word after word, with the weights that Python has."""

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import LookingBack, Writing

widget = opens(LookingBack, ".tc-looking")
TWO = [
    Writing("abc", "abc", np.eye(3), "axc"),
    Writing("letters", "letters", np.full((7, 7), 1 / 7), "letrets"),
]


def test_it_writes_one_word_after_the_other(widget):
    opened, [text] = widget(LookingBack(step=0)), LookingBack().writings
    written = opened.locator("[role=group] > button")
    for step, (word, row) in enumerate(zip(text["wrote"], text["weights"], strict=True)):
        expect(written.nth(step).locator("span")).to_be_visible()
        expect(written.nth(step)).to_have_text(word)
        most = int(np.argmax(row))
        looks = "most at" if row[most] >= 25 else "at nothing in particular: most gets"
        told = f"looks {looks} “{text['read'][most]}” ({row[most]}\u00a0%)"
        last = step == len(text["wrote"]) - 1
        expect(opened.locator(".tc-why")).to_contain_text("All is written." if last else told)
        expect(opened.locator("path.tc-past")).to_have_count(0 if last else step)
        opened.get_by_role("button", name="Next").press("ArrowRight")
    opened.get_by_role("button", name="Next").press("Home")
    expect(written.nth(1).locator("span")).to_be_hidden()
    expect(written.nth(1)).to_have_attribute("aria-label", "not yet")


def test_two_writers_stand_around_what_was_read(widget):
    opened = widget(LookingBack(TWO, step=2))
    expect(opened.locator(".tc-sum")).to_have_text(
        "Right so far: 3 of 3 looking back, only 2 from one vector."
    )
    expect(opened.locator("svg text")).to_have_text("one vector")
    expect(opened.get_by_text("Two writers copy a word")).to_be_visible()
    other, read, wrote = (opened.locator(".tc-row").nth(n) for n in range(3))
    rows = [row.locator("> :visible") for row in (other, read, wrote)]
    assert ["".join(row.all_inner_texts()) for row in rows] == ["axc", "abc", "abc"]
    expect(opened.locator(".tc-off")).to_have_text("x")
    expect(other).to_have_attribute("aria-label", "From one vector: a x c")
    tops = [row.bounding_box()["y"] for row in (other, read, wrote)]
    assert tops == sorted(tops)
    for row in rows[1:]:
        places = [[box.bounding_box()["x"] for box in each.all()] for each in (rows[0], row)]
        assert places[0] == pytest.approx(places[1], abs=1)


DRAWN = """lines => lines.map(line => {
  const ends = [0, line.getTotalLength()].map(at => line.getPointAtLength(at));
  return ends.map(({ x, y }) => [x, y]);
})"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_line_goes_from_each_written_word_to_what_it_looks_at(widget, width):
    opened, [text] = widget(LookingBack(step=4), width=width), LookingBack().writings
    around = opened.locator(".tc-figure").bounding_box()
    drawn = opened.locator(".tc-figure path").evaluate_all(DRAWN)
    rows = [*text["weights"][:4], text["weights"][4]]
    pairs = [(n, int(np.argmax(row))) for n, row in enumerate(rows)]
    for (n, at), ends in zip(pairs, drawn, strict=False):  # the weaker ones of the last follow
        for node, (x, y) in zip(("button", "li"), ends, strict=True):
            box = opened.locator(f".tc-row > {node}").nth(n if node == "button" else at)
            box = box.bounding_box()
            assert -1 <= x - (box["x"] - around["x"]) <= box["width"] + 1
            assert -1 <= y - (box["y"] - around["y"]) <= box["height"] + 1


def test_a_shorter_word_ends_where_it_ends(widget):
    opened = widget(LookingBack(TWO))
    next_one = opened.get_by_role("button", name="Next")
    next_one.press("End")
    expect(opened.locator(".tc-place")).to_have_text("3 of 3")
    expect(next_one).to_have_attribute("aria-disabled", "true")
    opened.get_by_role("button", name="Back", exact=True).click()
    expect(opened.locator(".tc-place")).to_have_text("2 of 3")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("writings", [(), TWO[1:], TWO[:1]])
def test_its_height_stays(widget, writings, width):
    opened, heights = widget(LookingBack(writings), width=width), []
    for _ in range(14):
        heights.append(opened.bounding_box()["height"])
        opened.get_by_role("button", name="Next").press("ArrowRight")
    assert max(heights) - min(heights) <= 2


def test_it_is_accessible_and_fits_its_window(widget, window):
    check_page(widget(LookingBack(TWO, step=1), **window).page)
    check_page(widget(LookingBack(step=4), **window).page)
