"""Complexity in a real browser: its counts are Python's, by mouse and by keyboard."""

import math
import re
from itertools import combinations

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import Complexity
from transformer_course.widgets.complexity import NAMES, costs

SIZES = {"million": 1e6, "billion": 1e9, "trillion": 1e12}


def value(text: str) -> float:
    number, *unit = text.replace(",", "").split()
    return float(number) * (SIZES[unit[0]] if unit else 1)


VIEWS = ("Path", "Steps", "Work")


def open_view(widget: Locator, name: str) -> None:
    widget.get_by_role("button", name=name, exact=True).click()


def check(widget: Locator, n=100, d=512, k=3, r=32, projections=False, layers=5) -> None:
    """All that the folded table shows is Python's, the best of each column bold; and the pictures
    say the same."""
    widget.locator("details").evaluate("node => { node.open = true }")
    names = list(NAMES)[:layers]
    expected = costs(n, d, k, r, projections)
    whole = costs(n, d, k, r, True)  # the scale of the bars stays when a part is left out
    most = max(whole[name].operations for name in names)
    best = [min(column) for column in zip(*(expected[name] for name in names), strict=True)]
    assert widget.locator("tbody tr:visible").count() == layers
    for name in names:
        words = widget.page.locator("th").get_by_text(NAMES[name], exact=True)
        cells = widget.get_by_role("row").filter(has=words).get_by_role("cell")
        shown = [value(text) for text in cells.all_inner_texts()]
        assert shown == pytest.approx(list(expected[name]), rel=0.006)
        assert shown[1:] == list(expected[name][1:])
        bold = cells.evaluate_all("all => all.map(one => one.classList.contains('tc-least'))")
        assert bold == [a == b for a, b in zip(expected[name], best, strict=True)]
        lane, weight = widget.locator(f".tc-{name}").all()
        told(lane, expected[name])
        bare = costs(n, d, k, r)[name].operations
        parts = weight.locator("i, small").evaluate_all(
            "all => all.map(bar => parseFloat(bar.style.width))"
        )
        own = whole[name].operations - bare
        assert parts == pytest.approx([100 * bare / most, 100 * own / most], rel=1e-4)
        work = weight.locator(".tc-counter > *").all_text_contents()
        assert value(" ".join(work).strip()) == pytest.approx(expected[name].operations, rel=0.006)


def told(lane: Locator, cost) -> None:
    """A lane's number, and as many hops drawn."""
    number, unit = lane.locator(".tc-counter > *").all_text_contents()
    hops = unit.startswith("hop")
    total = cost.path if hops else cost.sequential
    assert number == f"{total:,}"
    assert unit == ("hop" if hops else "step") + ("s" if total > 1 else "")
    if hops:
        way = lane.locator(".tc-way").get_attribute("d")
        assert way.count("M") == (total if total <= 160 else 1)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_frame_keeps_its_height_in_every_view(show, width):
    widget = show(Complexity(), width=width).locator(".tc-complexity")
    heights = set()
    for name in VIEWS:
        open_view(widget, name)
        heights.add(widget.bounding_box()["height"])
        shown = widget.locator(".tc-layer").filter(visible=True)
        expect(shown).to_have_count(3)
    widget.get_by_label("Count the projections").check()
    length(widget).press("End")
    heights.add(widget.bounding_box()["height"])
    for name in VIEWS:
        open_view(widget, name)
        heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_what_the_projections_add_is_outlined_until_it_is_counted(show):
    widget = show(Complexity()).locator(".tc-complexity")
    open_view(widget, "Work")
    weight = widget.locator(".tc-works .tc-attention")
    expect(weight.locator("span").first).to_have_text("2n²d")
    own = widget.locator(".tc-works small").filter(visible=True, has_text="projections")
    expect(own).to_have_count(1)  # the other layers have none
    dashed = "bar => getComputedStyle(bar).borderTopStyle === 'dashed'"
    assert own.evaluate(dashed)
    before = own.bounding_box()
    widget.get_by_label("Count the projections").check()
    expect(weight.locator("span").first).to_have_text("2n²d + 4nd²")
    assert not own.evaluate(dashed)
    assert own.bounding_box() == before


@pytest.mark.parametrize(
    ("n", "own", "told"),
    [
        (100, False, "about a fifth"),
        (512, False, "the same"),
        (4000, False, "7.8 times"),
        (100, True, "2.2 times"),
    ],
)
def test_the_dots_stand_on_the_curve_and_where_both_are_the_same(show, n, own, told):
    widget = show(Complexity(n=n, projections=own)).locator(".tc-complexity")
    open_view(widget, "Work")
    expect(widget.locator(".tc-ratio")).to_have_text(told)
    bare = costs(n, 512, 3, 32, projections=own)
    times = bare["attention"].operations / bare["recurrent"].operations
    if told[0].isdigit():
        assert float(told.split()[0]) == pytest.approx(times, rel=0.01)
    # Its heights are those of the ticks beside it: a line for each factor of ten.
    ticks = {
        text.text_content(): float(text.get_attribute("y")) - 4
        for text in widget.locator(".tc-tick[text-anchor=end]").all()
    }
    decade = ticks["same"] - ticks["10 ×"]
    assert ticks["1/1,000"] - ticks["1,000 ×"] == 6 * decade
    places = [
        [float(x) for x in re.findall(r"[\d.]+", dot(widget).get_attribute("transform"))]
        for dot in (length, crossing)
    ]
    assert places[1][1] == ticks["same"]
    assert ticks["same"] - places[0][1] == pytest.approx(decade * math.log10(times), abs=0.06)
    curve = widget.locator(".tc-curve").get_attribute("d")
    points = [tuple(map(float, each.split())) for each in curve[1:].split("L")]
    near = min(points, key=lambda point: abs(point[0] - places[0][0]))
    assert abs(near[1] - places[0][1]) < 2


def compromises(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="compromises")


def length(widget: Locator) -> Locator:
    return widget.locator(".tc-length").get_by_label("Length n")


def crossing(widget: Locator) -> Locator:
    return widget.locator(".tc-length").get_by_label("Width d")


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_controls_answer_the_keyboard_with_pythons_counts(show):
    page = show(Complexity())
    widget = page.locator(".tc-complexity")
    check(widget, layers=3)
    compromises(widget).press("Enter")
    check(widget)
    stops = widget.get_by_label("Length n").first
    stops.press("ArrowRight")
    check(widget, n=110)
    expect(widget.locator(".tc-control data").first).to_have_text("110 words")
    widget.get_by_role("button", name="Steps").press("Enter")
    check(widget, n=110)
    widget.get_by_role("button", name="Work").press("Enter")
    crossing(widget).focus()
    page.keyboard.press("ArrowLeft")
    check(widget, n=110, d=384)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(length(widget)).to_be_focused()
    page.keyboard.press("ArrowRight")
    check(widget, n=130)
    page.keyboard.press("Tab")
    expect(compromises(widget)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    check(widget, n=130, k=15)
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    check(widget, n=130, k=15, r=2)
    length(widget).press("End")
    check(widget, n=128_000, k=15, r=2)
    expect(widget).to_contain_text("16.4 billion, 65.5 GB")
    widget.get_by_label("Count the projections").press("Space")
    check(widget, n=128_000, k=15, r=2, projections=True)
    length(widget).press("Home")
    check(widget, n=1, k=15, r=2, projections=True)
    compromises(widget).press("Enter")
    check(widget, n=1, k=15, r=2, projections=True, layers=3)


def test_the_length_and_the_crossing_are_dragged_in_the_chart(show):
    widget = show(Complexity()).locator(".tc-complexity")
    open_view(widget, "Work")
    mouse = widget.page.mouse
    chart = widget.locator(".tc-length")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    mouse.move(*middle(length(widget)))
    mouse.down()
    mouse.move(box["x"] + 2, box["y"] + 10)
    mouse.move(box["x"] + box["width"] - 2, box["y"] + 10)
    mouse.up()
    check(widget, n=128_000, layers=3)
    chart.scroll_into_view_if_needed()
    x, y = middle(crossing(widget))
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 300, y)
    mouse.up()
    check(widget, n=128_000, d=4096, layers=3)
    box = chart.bounding_box()
    mouse.click(box["x"] + 3, box["y"] + 30)
    check(widget, n=1, d=4096, layers=3)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("own", [False, True])
def test_no_words_of_the_chart_meet_or_leave_it(show, width, own):
    for n, d in ((1, 64), (7, 4096), (100, 512), (512, 512), (128_000, 64), (4000, 4096)):
        widget = show(Complexity(n=n, d=d, projections=own), width=width).locator(".tc-complexity")
        open_view(widget, "Work")
        chart = widget.locator(".tc-length")
        wide = chart.evaluate("chart => chart.viewBox.baseVal.width")
        # Without the line in the background's color around them.
        boxes = chart.locator("text:visible").evaluate_all(
            """all => all.map(one => one.getBBox())
                .map(({x, y, width, height}) => [x, x + width, y + 2, y + height - 2])"""
        )
        for left, right, *_ in boxes:
            assert left >= -0.5
            assert right <= wide + 0.5
        for a, b in combinations(boxes, 2):
            apart = a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
            assert apart, (n, d, a, b)


def counters(widget: Locator) -> list[int]:
    shown = widget.locator(".tc-stack > :not([inert]) .tc-counter > b").filter(visible=True)
    return [int(text.replace(",", "")) for text in shown.all_text_contents()]


def test_a_signal_arrives_in_attention_at_its_first_hop_and_in_recurrence_last(show):
    widget = show(Complexity()).locator(".tc-complexity")
    sent = widget.locator(".tc-layer:visible .tc-sent")
    assert sent.locator("visible=true").count() == 0
    widget.page.emulate_media(reduced_motion="no-preference")
    widget.get_by_role("button", name="Send a signal").click()
    places = "all => all.slice(0, 3).map(one => Number(one.getAttribute('cx')))"
    widget.page.wait_for_timeout(300)
    assert counters(widget) == [0, 0, 0]  # the first hop of each can be seen
    attention, recurrent, convolution = sent.evaluate_all(places)
    assert recurrent < convolution < attention
    widget.page.wait_for_timeout(1200)
    attention, recurrent, convolution = counters(widget)
    assert attention == 1 < recurrent == convolution < 50  # as many hops at a time in each
    unit = widget.locator(".tc-recurrent .tc-counter > span").first
    expect(unit).to_have_text("of 100 hops")
    widget.page.wait_for_timeout(4500)
    # Each says that it was there.
    arrived = widget.locator(".tc-there > span")
    expect(arrived).to_have_text(["hop ✓", "hops ✓", "hops ✓"])
    assert counters(widget) == [1, 100, 50]
    assert widget.locator(".tc-done").locator("visible=true").count() == 3
    assert len({round(x) for x in sent.evaluate_all(places)}) == 1
    widget.get_by_label("Length n").first.press("ArrowRight")
    assert sent.locator("visible=true").count() == 0
    expect(unit).to_have_text("hops")


def test_the_layer_is_computed_at_once_in_attention_and_word_by_word_in_recurrence(show):
    widget = show(Complexity()).locator(".tc-complexity")
    open_view(widget, "Steps")
    assert counters(widget) == [1, 100, 1]
    tall = "all => all.slice(0, 3).map(one => one.getBBox().height)"
    attention, recurrent, convolution = widget.locator(".tc-time").evaluate_all(tall)
    assert attention == convolution < recurrent / 10
    widget.page.emulate_media(reduced_motion="no-preference")
    widget.get_by_role("button", name="Compute the layer").click()
    widget.page.wait_for_timeout(2000)
    attention, recurrent, convolution = counters(widget)
    assert attention == convolution == 1 < recurrent < 100
    assert widget.locator(".tc-sent").locator("visible=true").count() == 0
    widget.page.wait_for_timeout(4000)
    assert counters(widget) == [1, 100, 1]


def test_a_setting_between_the_stops_is_shown_as_it_is(show):
    widget = show(Complexity(n=12_345, d=500, r=33)).locator(".tc-complexity")
    compromises(widget).click()
    check(widget, n=12_345, d=500, r=33)
    open_view(widget, "Work")
    expect(length(widget)).to_have_attribute("aria-valuetext", "12,345")


def test_two_views_stay_together(show):
    first, second = show(Complexity(), views=[0, 0]).locator(".tc-complexity").all()
    compromises(second).click()
    second.get_by_label("Kernel k").press("ArrowRight")
    open_view(second, "Work")
    second.get_by_label("Count the projections").check()
    check(first, k=4, projections=True, layers=3)


@pytest.mark.parametrize("view", VIEWS)
def test_it_is_accessible_and_fits_its_window(show, window, view):
    page = show(Complexity(n=100_000, d=4096), **window)
    widget = page.locator(".tc-complexity")
    open_view(widget, view)
    check_page(page)
    compromises(widget).click()
    check_page(page)


def test_print_keeps_the_lanes_the_bars_and_the_chart(show):
    widget = show(Complexity()).locator(".tc-complexity")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    expect(widget.locator("svg").filter(visible=True)).to_have_count(4)
    expect(widget.locator(".tc-works i").filter(visible=True)).to_have_count(3)
