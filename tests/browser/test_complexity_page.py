"""Complexity in a real browser: its counts are Python's, by mouse and by keyboard."""

from itertools import pairwise

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import Complexity
from transformer_course.widgets.complexity import NAMES, costs

SIZES = {"million": 1e6, "billion": 1e9, "trillion": 1e12}


def value(text: str) -> float:
    number, *unit = text.replace(",", "").split()
    return float(number) * (SIZES[unit[0]] if unit else 1)


def check(widget: Locator, n=100, d=512, k=3, r=32, projections=False, layers=5) -> None:
    """All that the table shows is Python's, and the best of each column is bold."""
    names = list(NAMES)[:layers]
    expected = costs(n, d, k, r, projections)
    best = [min(column) for column in zip(*(expected[name] for name in names), strict=True)]
    assert widget.locator("tbody tr:visible").count() == layers
    for name in names:
        words = widget.page.get_by_text(NAMES[name], exact=True)
        cells = widget.get_by_role("row").filter(has=words).get_by_role("cell")
        shown = [value(text) for text in cells.all_inner_texts()]
        assert shown == pytest.approx(list(expected[name]), rel=0.006)
        assert shown[1:] == list(expected[name][1:])
        bold = cells.evaluate_all("all => all.map(one => one.classList.contains('tc-least'))")
        assert bold == [a == b for a, b in zip(expected[name], best, strict=True)]


def compromises(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="compromises")


def length(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Length n")


def crossing(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Width d, at the crossing")


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_controls_answer_the_keyboard_with_pythons_counts(show):
    page = show(Complexity())
    widget = page.locator(".tc-complexity")
    check(widget, layers=3)
    compromises(widget).press("Enter")
    check(widget)
    widget.get_by_label("Width d", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    check(widget, d=384)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(crossing(widget)).to_be_focused()
    page.keyboard.press("ArrowRight")
    check(widget, d=512)
    page.keyboard.press("Tab")
    expect(length(widget)).to_be_focused()
    page.keyboard.press("ArrowRight")
    check(widget, n=110)
    page.keyboard.press("Tab")
    expect(compromises(widget)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    check(widget, n=110, k=15)
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    check(widget, n=110, k=15, r=2)
    length(widget).press("End")
    check(widget, n=128_000, k=15, r=2)
    expect(widget).to_contain_text("16.4 billion, 65.5 GB")
    widget.get_by_label("Count the projections").press("Space")
    check(widget, n=128_000, k=15, r=2, projections=True)
    expect(crossing(widget)).to_be_hidden()  # with its projections attention is never cheaper
    length(widget).press("Home")
    check(widget, n=1, k=15, r=2, projections=True)
    compromises(widget).press("Enter")
    check(widget, n=1, k=15, r=2, projections=True, layers=3)


def test_the_length_and_the_crossing_are_dragged_on_the_chart(show):
    widget = show(Complexity()).locator(".tc-complexity")
    mouse = widget.page.mouse
    box = widget.locator("svg.tc-chart").first.bounding_box()
    mouse.move(*middle(length(widget)))
    mouse.down()
    mouse.move(box["x"] + 5, box["y"] + 60)
    check(widget, n=1, layers=3)
    mouse.move(box["x"] + box["width"] - 2, box["y"] + 60)
    mouse.up()
    check(widget, n=128_000, layers=3)
    x, y = middle(crossing(widget))
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 300, y)
    mouse.up()
    check(widget, n=128_000, d=4096, layers=3)
    mouse.click(box["x"] + box["width"] * 52 / 366, box["y"] + 40)
    check(widget, n=1, d=4096, layers=3)


@pytest.mark.parametrize("width", [1280, 390])
def test_every_line_has_its_name_at_its_end_and_no_names_meet(show, width):
    widget = show(Complexity(), width=width).locator(".tc-complexity")
    compromises(widget).click()
    for d, projections in ((512, False), (4096, True), (64, True)):
        widget.get_by_label("Width d", exact=True).fill({512: "6", 4096: "12", 64: "0"}[d])
        widget.get_by_label("Count the projections").set_checked(projections)
        for chart, lines in zip(widget.locator("svg.tc-chart").all(), (4, 5), strict=True):
            frame = chart.bounding_box()
            boxes = [one.bounding_box() for one in chart.locator(".tc-ends text:visible").all()]
            assert len(boxes) == lines
            tops = sorted(box["y"] for box in boxes)
            assert min(b - a for a, b in pairwise(tops)) > 12
            right = max(box["x"] + box["width"] for box in boxes)
            assert right <= frame["x"] + frame["width"] + 0.5
            assert tops[0] >= frame["y"] - 0.5


def test_a_setting_between_the_stops_is_shown_as_it_is(show):
    widget = show(Complexity(n=12_345, d=500, r=33)).locator(".tc-complexity")
    compromises(widget).click()
    check(widget, n=12_345, d=500, r=33)
    expect(length(widget)).to_have_attribute("aria-valuetext", "12,345")


def test_two_views_stay_together(show):
    first, second = show(Complexity(), views=[0, 0]).locator(".tc-complexity").all()
    compromises(second).click()
    second.get_by_label("Kernel k").press("ArrowRight")
    second.get_by_label("Count the projections").check()
    check(first, k=4, projections=True, layers=3)


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(Complexity(n=100_000, d=4096), **window)
    check_page(page)
    compromises(page.locator(".tc-complexity")).click()
    check_page(page)


def test_print_keeps_the_table_and_the_chart(show):
    widget = show(Complexity()).locator(".tc-complexity")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    check(widget, layers=3)
    for chart in widget.locator("svg.tc-chart").all():
        expect(chart).to_be_visible()
