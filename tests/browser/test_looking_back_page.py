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
    written = opened.locator(".tc-columns button")
    for step, (word, row) in enumerate(zip(text["wrote"], text["weights"], strict=True)):
        expect(written.nth(step)).to_have_text(word)
        most = int(np.argmax(row))
        told = f"looks most at “{text['read'][most]}” ({row[most]}\u00a0%)"
        expect(opened.locator(".tc-why")).to_contain_text(told)
        opened.get_by_role("button", name="Next").press("ArrowRight")
    opened.get_by_role("button", name="Next").press("Home")
    expect(written.nth(1)).to_have_text("·")


def test_one_vector_is_another_writer(widget):
    opened = widget(LookingBack(TWO, step=2))
    expect(opened.locator(".tc-sum")).to_have_text("3 of 3 right.")
    opened.get_by_role("button", name="one vector").click()
    expect(opened.locator(".tc-sum")).to_have_text("2 of 3 right.")
    expect(opened.get_by_role("button", name="x, wrong")).to_be_visible()
    expect(opened.locator(".tc-map")).to_be_hidden()
    opened.get_by_role("button", name="looking back").click()
    expect(opened.locator(".tc-map")).to_be_visible()
    expect(opened.locator(".tc-copies")).to_be_hidden()


def test_both_copies_stand_under_what_was_read(widget):
    opened = widget(LookingBack(TWO, step=2, looks=False))
    rows = opened.locator(".tc-copies p")
    shown = [row.locator("i:visible").all_inner_texts() for row in rows.all()]
    assert ["".join(row) for row in shown] == ["abc", "abc", "axc"]
    expect(opened.locator(".tc-copies .tc-other")).to_have_text("x")
    expect(rows.nth(1).locator("output")).to_have_text("3 of 3 right.")
    expect(rows.nth(2).locator("output")).to_have_text("2 of 3 right.")


def test_each_look_stays_as_a_line_of_the_matrix(widget):
    opened, [text] = widget(LookingBack(step=3)), LookingBack().writings
    columns = len(text["read"])
    shown = opened.locator(".tc-map rect:not(.tc-mark)").evaluate_all(
        "cells => cells.map(cell => Number(cell.getAttribute('fill-opacity')))"
    )
    lines = [shown[n : n + columns] for n in range(0, len(shown), columns)]
    assert [lines[n] for n in range(4)] == [[w / 100 for w in row] for row in text["weights"][:4]]
    assert not any(any(line) for line in lines[4:])


def test_a_shorter_word_ends_where_it_ends(widget):
    opened = widget(LookingBack(TWO))
    next_one = opened.get_by_role("button", name="Next")
    next_one.press("End")
    expect(opened.locator(".tc-place")).to_have_text("3 of 3")
    expect(next_one).to_have_attribute("aria-disabled", "true")
    opened.get_by_role("button", name="Back", exact=True).click()
    expect(opened.locator(".tc-place")).to_have_text("2 of 3")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened, heights = widget(width=width), []
    for _ in range(14):
        heights.append(opened.bounding_box()["height"])
        opened.get_by_role("button", name="Next").press("ArrowRight")
    assert max(heights) - min(heights) <= 2


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(LookingBack(TWO, looks=False, step=1), **window)
    check_page(opened.page)
    opened.get_by_role("button", name="looking back").click()
    check_page(opened.page)
