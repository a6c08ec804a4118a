"""MaskedSoftmax in a real browser: its numbers are Python's, by mouse and by keyboard."""

import math

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.pages import browser as tools
from transformer_course.widgets import MaskedSoftmax

TITLES = ["Scores", "Masked scores", "Weights", "Output"]
WORDS = {"NaN": math.nan, "−∞": -math.inf, "−1e9": -1e9}


unopened = opens(MaskedSoftmax, ".tc-masked-softmax")


@pytest.fixture
def widget(unopened):
    """The widget, with its fold open."""

    def unfolded(*given, **window) -> Locator:
        opened = unopened(*given, **window)
        opened.locator("summary").click()
        return opened

    return unfolded


def put_mask(widget: Locator, place: str) -> None:
    widget.get_by_role("button", name=place, exact=True).click()


def table_of(widget: Locator, number: int) -> Locator:
    title = widget.page.get_by_text(TITLES[number], exact=True)
    return widget.locator("table").filter(has=title)


def shown(widget: Locator, number: int) -> np.ndarray:
    """One table as a reader sees it."""
    rows = table_of(widget, number).locator("tbody tr")
    texts = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell =>"
        " cell.querySelector('input')?.value ?? cell.textContent))"
    )
    return np.array(
        [[WORDS.get(x) or float(x.replace("−", "-")) for x in row] for row in texts], dtype=float
    )


def check_numbers(widget: Locator, **traits) -> None:
    """All four tables are Python's for these traits."""
    expected = MaskedSoftmax(**traits)
    for number, table in enumerate(expected.tables()):
        np.testing.assert_allclose(shown(widget, number), table.cells, atol=0.00501)
    heads = table_of(widget, 0).locator("thead th").all_inner_texts()
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
    put_mask(opened, "after softmax")
    check_numbers(opened, place="after", pads=2, side="start")
    put_mask(opened, "after, then divided by the sum")
    check_numbers(opened, place="renormalized", pads=2, side="start")


def test_the_leak_meter_turns_by_keyboard(widget):
    opened = widget()
    leak = opened.locator(".tc-leakage")
    expect(leak).to_contain_text("No leak: “the”, “cat” and “sat” may not see “on”")
    opened.get_by_role("button", name="after softmax", exact=True).press("Enter")
    expect(leak).to_contain_text(
        "yet a change of it moves their outputs: softmax counted its score"
    )
    check_numbers(opened, place="after")
    wrong = table_of(opened, 3).locator(".tc-wrong")
    told = ["0.22 0.05 0.05", "0.44 0.57 0.57", "0.77 0.71 0.71", "0.71"]
    assert wrong.all_inner_texts() == " ".join(told).split()
    assert opened.locator("th.tc-leaky").all_text_contents() == ["the", "cat", "sat"]
    expect(opened.locator(".tc-short")).to_have_count(4)  # "on" leaks nothing, but falls short
    opened.get_by_label("A new key changes its scores by").press("Home")
    check_numbers(opened, place="after", change=-5.0)
    opened.get_by_role("button", name="4 on").press("ArrowDown")
    expect(opened.get_by_role("button", name="5 mats")).to_be_focused()
    check_numbers(opened, place="after", change=-5.0, token=4)
    expect(leak).to_contain_text("“the”, “cat”, “sat” and “on” may not see “mats”")


def test_the_sentence_names_the_wrong_rows(widget):
    opened = widget()
    said = opened.locator("details .tc-why")
    expect(said).to_have_text("All five rows are right.")
    opened.get_by_label("Masked scores become").select_option("0")
    weights = MaskedSoftmax(fill="0").tables()[2].cells
    for i in range(4):
        expect(said).to_contain_text(
            f"row {i + 1}: {weights[i, i + 1 :].sum():.2f} goes to masked tokens"
        )
    expect(table_of(opened, 2).locator(".tc-wrong")).to_have_count(20)


def test_wrong_rows_are_named_in_bold_and_in_a_color_that_nothing_chosen_has(widget):
    table = table_of(widget(MaskedSoftmax(fill="0")), 2)
    look = """row => {
      const {fontWeight, color} = getComputedStyle(row.querySelector("th"));
      return Number(fontWeight) < 600 ? "" : color;
    }"""
    *wrong, right = table.locator("tbody tr").evaluate_all(f"rows => rows.map({look})")
    assert right == ""
    assert len({*wrong}) == 1
    chosen = (
        table.locator("td")
        .nth(1)
        .evaluate(
            """node => ["tc-pick", "tc-feed"].map((mark) => {
          node.className = mark;
          return getComputedStyle(node).boxShadow;
        })"""
        )
    )
    assert wrong[0]
    assert not any(wrong[0] in shadow for shadow in chosen)


def test_a_bar_beside_each_sum_is_as_long_as_the_sum(widget):
    for cell in widget(MaskedSoftmax(place="after")).locator(".tc-sums > span").all():
        width = cell.evaluate("node => getComputedStyle(node).getPropertyValue('--sum')")
        assert float(width) == pytest.approx(float(cell.inner_text()), abs=0.0051)


def test_each_output_stands_beside_what_the_change_makes_of_it(widget):
    opened = widget(MaskedSoftmax(place="after"))
    rows = MaskedSoftmax(place="after").tables()[3].cells
    wanted = [f"{before:.2f} → {after:.2f}" for before, after in rows[:, [1, 4]]]
    assert opened.locator(".tc-outputs > span").all_inner_texts() == wanted
    expect(opened.locator(".tc-outputs [data-row=leak]")).to_have_text(wanted[:3])
    put_mask(opened, "before softmax")
    hidden = MaskedSoftmax().tables()[3].cells[:3, 1]
    held = opened.locator(".tc-outputs [data-row=held]")
    expect(held).to_have_text([f"{before:.2f}" for before in hidden])


def test_any_score_can_be_edited_by_typing_and_by_arrow_keys(widget):
    opened = widget()
    scores = np.array(MaskedSoftmax().scores)
    for i, j, x in ((0, 0, -2.25), (3, 1, 4), (4, 4, 0)):
        cell = opened.get_by_label(f"score of query {i + 1} with key {j + 1}")
        cell.fill(str(x))
        cell.press("Enter")
        scores[i, j] = x
    opened.get_by_label("score of query 3 with key 2").press("ArrowUp")
    scores[2, 1] += 0.5
    check_numbers(opened, scores=scores)
    cell.fill("many")
    cell.press("Enter")
    expect(opened.locator(".tc-message")).to_contain_text("“many” is not a number")
    expect(cell).to_have_value("0")
    check_numbers(opened, scores=scores)


def test_what_is_masked_is_hatched_whatever_its_number(widget):
    look = "cell => [getComputedStyle(cell).backgroundImage.split('(')[0], cell.dataset.kind]"
    opened = widget()
    corner = table_of(opened, 1).locator("tbody tr").first.locator("td").last
    assert corner.evaluate(look) == ["repeating-linear-gradient", "off"]
    color = "cell => getComputedStyle(cell).backgroundColor"
    blank = corner.evaluate(color)
    opened.get_by_label("Masked scores become").select_option("0")
    assert corner.evaluate(look) == ["repeating-linear-gradient", "pos"]
    assert corner.evaluate(color) == blank  # 0 has no color
    put_mask(opened, "after softmax")
    assert corner.evaluate(look) == ["repeating-linear-gradient", "pos"]
    assert corner.evaluate(color) != blank


def test_a_leak_is_an_arrow_to_each_row_that_it_reaches(widget):
    opened = widget()
    picture = opened.locator(".tc-flow")
    ends = picture.locator("i").evaluate_all("all => all.map(x => x.dataset.kind)")
    assert ends == ["held"] * 3 + ["heard"] * 2
    expect(picture.locator(".tc-leak")).to_have_count(0)
    expect(picture.locator(".tc-held")).to_have_count(3)
    expect(picture.get_by_text("leak")).to_be_hidden()
    expect(picture).to_have_attribute("aria-label", "From “4 on”: no leak; the mask holds.")
    put_mask(opened, "after softmax")
    expect(picture.locator(".tc-leak")).to_have_count(3)
    expect(picture.locator(".tc-held")).to_have_count(0)
    expect(picture.locator("[data-kind=leak]")).to_have_count(3)
    expect(picture.get_by_text("leak")).to_be_visible()
    said = "From “4 on”: a leak to the output of 1 the, 2 cat, 3 sat."
    expect(picture).to_have_attribute("aria-label", said)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_press_moves_the_picture_or_what_is_below_it(unopened, width):
    opened = unopened(width=width)
    heights = []
    for place in "before softmax", "after softmax", "after, then divided by the sum":
        put_mask(opened, place)
        for token in "1 the", "3 sat", "5 mats":
            opened.get_by_role("button", name=token).click()
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_each_line_ends_beside_the_row_of_weights_that_it_feeds(unopened):
    for width in tools.WIDTHS.values():
        opened = unopened(width=width)
        middles = [
            opened.locator(part).evaluate_all(
                "all => all.map(x => x.getBoundingClientRect()).map(r => r.top + r.height / 2)"
            )
            for part in (".tc-keys button", ".tc-flow i", ".tc-heat[aria-label=Weights] tbody tr")
        ]
        np.testing.assert_allclose(middles[1:], [middles[0]] * 2, rtol=0, atol=1.5)


def test_new_scores_are_drawn_and_everything_follows(widget):
    opened = widget()
    opened.get_by_role("button", name="New scores").click()
    scores = shown(opened, 0)
    assert not np.array_equiv(scores, MaskedSoftmax().scores)
    check_numbers(opened, scores=scores)


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(MaskedSoftmax(), views=[0, 0]).locator(".tc-masked-softmax").all()
    for view in (first, second):
        view.locator("summary").click()
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


def test_print_shows_four_tables_and_the_verdict_without_controls(unopened):
    opened = unopened()
    opened.page.emulate_media(media="print")
    assert opened.locator(".tc-bar:visible").count() == 0
    expect(opened.locator("table:visible")).to_have_count(4)
    expect(opened.locator(".tc-why:visible")).to_have_count(2)
