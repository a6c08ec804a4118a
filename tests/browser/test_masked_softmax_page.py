"""MaskedSoftmax in a real browser: its numbers are Python's, by mouse and by keyboard."""

import math
from pathlib import Path

import numpy as np
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import MaskedSoftmax

TITLES = ["Scores", "Masked scores", "Weights", "Rows"]
WORDS = {"NaN": math.nan, "−∞": -math.inf, "−1e9": -1e9}


widget = opens(MaskedSoftmax, ".tc-masked-softmax")


def shown(widget: Locator, number: int) -> np.ndarray:
    """One table as a reader sees it."""
    rows = widget.locator("table").nth(number).locator("tbody tr")
    texts = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return np.array(
        [[WORDS.get(x) or float(x.replace("−", "-")) for x in row] for row in texts], dtype=float
    )


def check_numbers(widget: Locator, **traits) -> None:
    """All four tables are Python's for these traits."""
    expected = MaskedSoftmax(**traits)
    for number, table in enumerate(expected.tables()):
        np.testing.assert_allclose(shown(widget, number), table.cells, atol=0.00501)
    heads = widget.locator("table").first.locator("thead th").all_inner_texts()
    assert [head.split()[1] for head in heads] == expected.names()


def test_every_switch_by_mouse_shows_pythons_numbers(widget):
    opened = widget()
    check_numbers(opened)
    opened.get_by_label("Masked scores become").select_option("−1e9")
    check_numbers(opened, fill="-1e9")
    opened.get_by_label("Causal mask").uncheck()
    check_numbers(opened, fill="-1e9", causal=False)
    opened.get_by_label("Causal mask").check()
    opened.get_by_label("Padding").press("ArrowRight")
    opened.get_by_label("Padding").press("ArrowRight")
    opened.get_by_label("at the").select_option("start")
    check_numbers(opened, fill="-1e9", pads=2, side="start")
    opened.get_by_label("Stored in").select_option("float16")
    check_numbers(opened, fill="-1e9", pads=2, side="start", half=True)
    opened.get_by_label("Mask", exact=True).select_option("after softmax")
    check_numbers(opened, place="after", pads=2, side="start")
    opened.get_by_label("Mask", exact=True).select_option("after, then divided by the sum")
    check_numbers(opened, place="renormalized", pads=2, side="start")


def test_the_leak_meter_turns_by_keyboard(widget):
    opened = widget()
    leak = opened.locator(".tc-why").last
    expect(leak).to_contain_text("No leak: token 4 is hidden from 3 rows")
    opened.get_by_label("Mask", exact=True).press("ArrowDown")
    expect(leak).to_contain_text("its key moves the output of row 1, 2, 3.")
    check_numbers(opened, place="after")
    expect(opened.locator("table").nth(3).locator(".tc-wrong")).to_have_count(3)
    opened.get_by_label("its scores by").press("Home")
    check_numbers(opened, place="after", change=-5.0)
    opened.get_by_label("Change token").press("ArrowDown")
    check_numbers(opened, place="after", change=-5.0, token=4)
    expect(leak).to_contain_text("token 5 is hidden from 4 rows")


def test_the_sentence_names_the_wrong_rows(widget):
    opened = widget()
    said = opened.locator(".tc-why").first
    expect(said).to_have_text("All five rows are right.")
    opened.get_by_label("Masked scores become").select_option("0")
    weights = MaskedSoftmax(fill="0").tables()[2].cells
    for i in range(4):
        expect(said).to_contain_text(
            f"row {i + 1}: {weights[i, i + 1 :].sum():.2f} goes to masked tokens"
        )
    expect(opened.locator("table").nth(2).locator(".tc-wrong")).to_have_count(20)


def test_wrong_rows_have_a_mark_that_nothing_chosen_has(widget):
    cell = widget(MaskedSoftmax(fill="0")).locator("table").nth(2).locator("td:has(span)").first
    look = """(node, mark) => {
      node.className = mark;
      const {outlineStyle, outlineColor, boxShadow} = getComputedStyle(node);
      return [outlineStyle === "none" ? "" : outlineColor, boxShadow];
    }"""
    assert cell.get_attribute("class") == "tc-wrong"
    wrong, feeds, picked, plain = (
        cell.evaluate(look, mark) for mark in ("tc-wrong", "tc-feed", "tc-pick", "")
    )
    assert wrong[0]
    assert wrong not in (feeds, picked, plain)
    assert not any(wrong[0] in each for each in (*feeds, *picked))


def test_the_chapter_promises_no_field_that_is_not_there(widget):
    chapter = Path(__file__).parents[2] / "book/text/03-2-3-three-uses-of-attention.md"
    [said] = [line for line in chapter.read_text().splitlines() if "table of scores" in line]
    opened = widget()
    assert opened.locator("table input, table [contenteditable]").count() == 0
    assert "edit" not in said
    assert opened.get_by_role("button", name=said.split("*")[1]).count() == 1


def test_new_scores_are_drawn_and_everything_follows(widget):
    opened = widget()
    opened.get_by_role("button", name="New scores").click()
    scores = shown(opened, 0)
    assert not np.array_equiv(scores, MaskedSoftmax().scores)
    check_numbers(opened, scores=scores)


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(MaskedSoftmax(), views=[0, 0]).locator(".tc-masked-softmax").all()
    first.get_by_label("Causal mask").uncheck()
    second.get_by_label("Padding").press("End")
    for view in (first, second):
        check_numbers(view, causal=False, pads=4)


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(MaskedSoftmax(pads=2, side="start"), **window)
    for fill in ("−∞", "−1e9"):
        opened.get_by_label("Masked scores become").select_option(fill)
        check_page(opened.page)
        tables = opened.locator(".tc-op")
        assert not any(tables.evaluate_all("all => all.map(x => x.scrollWidth > x.clientWidth)"))


def test_print_shows_four_tables_and_the_verdict_without_controls(widget):
    opened = widget()
    opened.page.emulate_media(media="print")
    assert opened.locator(".tc-bar:visible").count() == 0
    expect(opened.locator("table:visible")).to_have_count(4)
    expect(opened.locator(".tc-why:visible")).to_have_count(2)
