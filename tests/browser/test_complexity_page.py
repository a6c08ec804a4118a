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


def check(widget: Locator, n=100, d=512, k=3, r=32, projections=False, layers=5) -> None:
    """All that the folded table shows is Python's, the best of each column bold; and the pictures
    say the same."""
    widget.locator("details").evaluate("node => { node.open = true }")
    names = list(NAMES)[:layers]
    expected = costs(n, d, k, r, projections)
    whole = costs(n, d, k, r, True)  # the scale of the bars stays when a part is left out
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
        told(
            widget.locator(f".tc-{name}"),
            expected[name],
            max(e[0] for e in map(whole.get, names)),
        )


def told(layer: Locator, cost, most: int) -> None:
    """A layer's picture: the lengths of its bar and of its path, in words and as it is drawn."""
    hops = layer.locator(".tc-far").text_content()
    way = layer.locator(".tc-way").get_attribute("d")
    stays = re.findall(r"M[^vM]+v7", way)  # a mark of its own for each hop to where it stands
    assert len({*stays}) == len(stays)
    some = way.count("M") > 1
    layers = f"{len(stays)} layer{'s' if len(stays) > 1 else ''}"
    still = f"; in {layers} the signal stays put" if stays and some else ""
    if "recurrent" in layer.get_attribute("class"):
        still = ", the first into the layer" if cost.path > 1 else ""
        waits = f"waits {cost.path - 1:,} step{'s' if cost.path > 2 else ''}"
        expect(layer.locator(".tc-waits")).to_have_text(waits if cost.path > 1 else "")
    first = "tc-attention" in layer.get_attribute("class")
    lead = "Path: " if first else ""  # the first lane names its marks
    assert re.fullmatch(r"[\d.,]+( \w+)? multiply-adds", layer.locator("span").first.inner_text())
    assert hops == f"{lead}{cost.path:,} hop{'s' if cost.path > 1 else ''}{still}"
    steps = layer.locator(".tc-steps").text_content()
    assert steps.startswith("Time, downward: ") == first
    assert steps.removeprefix("Time, downward: ").startswith(
        f"{cost.sequential:,} step{'s' if cost.sequential > 1 else ''}"
    )
    assert ("one after another" in steps) == (cost.sequential > 1)
    assert way.count("M") == (cost.path if cost.path <= 160 else 1)
    share = layer.locator("i").evaluate("bar => parseFloat(bar.style.width)")
    assert share == pytest.approx(100 * cost.operations / most, rel=1e-4)


@pytest.mark.parametrize("width", [1280, 390])
def test_what_the_projections_add_is_a_part_of_the_bar_and_told_below_it(show, width):
    widget = show(Complexity(), width=width).locator(".tc-complexity")
    part = widget.locator(".tc-attention .tc-part")
    expect(part).to_be_empty()
    height = widget.bounding_box()["height"]
    widget.get_by_label("Count the projections").check()
    bare, whole = (costs(100, 512, 3, 32, projections=own) for own in (False, True))
    added = whole["attention"].operations - bare["attention"].operations
    expect(part).to_have_text("105 million in projections")
    assert f"{added:,}".startswith("104,8")
    share = "bar => parseFloat(bar.style.getPropertyValue('--own'))"
    shares = [layer.evaluate(share) for layer in widget.locator(".tc-layer i:visible").all()]
    assert shares == pytest.approx([100 * added / whole["attention"].operations, 0, 0])
    expect(widget.locator(".tc-recurrent .tc-part")).to_be_empty()
    assert abs(widget.bounding_box()["height"] - height) <= (0 if width == 1280 else 2)


def test_the_crossing_is_marked_on_the_line_and_around_the_bar_of_attention(show):
    widget = show(Complexity(n=512)).locator(".tc-complexity")
    own = widget.locator(".tc-attention i")
    ratio = """bar => parseFloat(bar.parentElement.style.getPropertyValue("--equal"))
        / parseFloat(bar.style.width)"""
    assert own.evaluate(ratio) == pytest.approx(1, rel=1e-4)  # at n = d they are equal
    expect(widget.locator(".tc-length")).to_contain_text("equal work at n = d")
    crossing(widget).press("ArrowRight")
    assert own.evaluate(ratio) == pytest.approx(768 / 512, rel=1e-4)
    widget.get_by_label("Count the projections").check()
    expect(widget.locator(".tc-length")).not_to_contain_text("equal")


@pytest.mark.parametrize(
    ("n", "own", "told"),
    [
        (100, False, "about a fifth"),
        (512, False, ""),
        (4000, False, "7.8 times"),
        (100, True, "2.2 times"),
    ],
)
def test_the_chart_says_at_its_dot_how_many_times_as_much(show, n, own, told):
    widget = show(Complexity(n=n, projections=own)).locator(".tc-complexity")
    expect(widget.locator(".tc-ratio")).to_have_text(told)
    bare = costs(n, 512, 3, 32, projections=own)
    if told[0:1].isdigit():
        times = bare["attention"].operations / bare["recurrent"].operations
        assert float(told.split()[0]) == pytest.approx(times, rel=0.01)
    gap = widget.locator(".tc-gap").get_attribute("d")
    equal, curve = map(float, re.fullmatch(r"M[\d.]+ ([\d.]+)V([\d.]+)", gap).groups())
    decades = math.log10(bare["recurrent"].operations / bare["attention"].operations)
    assert curve - equal == pytest.approx(17 * decades, abs=0.01)  # a line is 17 units


def compromises(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="compromises")


def length(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Length n")


def crossing(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Width d")


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_controls_answer_the_keyboard_with_pythons_counts(show):
    page = show(Complexity())
    widget = page.locator(".tc-complexity")
    check(widget, layers=3)
    compromises(widget).press("Enter")
    check(widget)
    crossing(widget).focus()
    page.keyboard.press("ArrowLeft")
    check(widget, d=384)
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
    expect(widget.locator(".tc-side").first).to_be_hidden()  # then attention is never cheaper
    length(widget).press("Home")
    check(widget, n=1, k=15, r=2, projections=True)
    compromises(widget).press("Enter")
    check(widget, n=1, k=15, r=2, projections=True, layers=3)


def test_the_length_and_the_crossing_are_dragged_on_the_line(show):
    widget = show(Complexity()).locator(".tc-complexity")
    mouse = widget.page.mouse
    line = widget.locator(".tc-length")
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    mouse.move(*middle(length(widget)))
    mouse.down()
    mouse.move(box["x"] + 2, box["y"] + 10)
    mouse.move(box["x"] + box["width"] - 2, box["y"] + 10)
    mouse.up()
    check(widget, n=128_000, layers=3)
    line.scroll_into_view_if_needed()
    x, y = middle(crossing(widget))
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 300, y)
    mouse.up()
    check(widget, n=128_000, d=4096, layers=3)
    box = line.bounding_box()
    mouse.click(box["x"] + 3, box["y"] + 30)
    check(widget, n=1, d=4096, layers=3)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_words_of_a_picture_meet_or_leave_it(show, width):
    for n, d in ((1, 64), (7, 4096), (100, 512), (128_000, 64), (4000, 4096)):
        widget = show(Complexity(n=n, d=d), width=width).locator(".tc-complexity")
        compromises(widget).click()
        for picture in widget.locator("svg").all():
            frame = picture.bounding_box()
            words = picture.locator("text:visible").all()
            boxes = [one.bounding_box() for one in words]
            for box in boxes:
                assert box["x"] >= frame["x"] - 0.5
                assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 0.5
            for a, b in combinations(boxes, 2):
                apart = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                apart |= a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]
                assert apart, (n, d, a, b)


def test_a_signal_arrives_in_attention_at_once_and_in_recurrence_last(show):
    widget = show(Complexity()).locator(".tc-complexity")
    sent = widget.locator(".tc-layer:visible .tc-sent")
    assert sent.locator("visible=true").count() == 0
    widget.page.emulate_media(reduced_motion="no-preference")
    widget.get_by_role("button", name="Send a signal").click()
    widget.page.wait_for_timeout(700)
    places = "all => all.map(one => Number(one.getAttribute('cx')))"
    attention, recurrent, convolution = sent.evaluate_all(places)
    assert recurrent < convolution < attention
    hop = widget.locator(".tc-recurrent .tc-far")
    assert 0 < int(re.fullmatch(r"(\d+) of 100 hops", hop.text_content())[1]) < 100
    widget.page.wait_for_timeout(5200)
    # Each says when it was there.
    arrived = [f"arrived after {hops}" for hops in ("1 hop", "100 hops", "50 hops")]
    expect(widget.locator(".tc-layer:visible .tc-far")).to_have_text(arrived)
    done = widget.locator(".tc-layer:visible .tc-done")
    assert done.locator("visible=true").count() == 3
    assert len({round(x) for x in sent.evaluate_all(places)}) == 1
    length(widget).press("ArrowRight")
    assert sent.locator("visible=true").count() == 0
    expect(hop).to_have_text("110 hops, the first into the layer")


@pytest.mark.parametrize("width", [1280, 390])
def test_words_of_an_arrival_stay_in_the_picture(show, width):
    for n, d, r in ((100, 512, 60), (7, 512, 4), (128_000, 64, 32)):
        widget = show(Complexity(n=n, d=d, r=r), width=width).locator(".tc-complexity")
        compromises(widget).click()
        widget.get_by_role("button", name="Send a signal").click()
        for picture in widget.locator(".tc-layer svg").all():
            frame, box = (x.bounding_box() for x in (picture, picture.locator(".tc-far")))
            assert picture.locator(".tc-far").text_content().startswith("arrived after ")
            assert box["x"] >= frame["x"] - 0.5
            assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 0.5


def test_no_word_of_the_line_stands_in_the_ring_of_a_dot(show, window):
    widget = show(Complexity(), **window).locator(".tc-complexity")
    for n, d in (("Home", "End"), ("End", "Home"), ("PageDown", "PageUp")):
        length(widget).press(n)
        crossing(widget).press(d)
        words = [one.bounding_box() for one in widget.locator(".tc-length text:visible").all()]
        for dot in (length(widget), crossing(widget)):
            ring = dot.locator(".tc-halo").bounding_box()
            for box in words:
                aside = box["x"] > ring["x"] + ring["width"] or box["x"] + box["width"] < ring["x"]
                under = box["y"] > ring["y"] + ring["height"] - 1
                assert aside or under or box["y"] + box["height"] < ring["y"] + 1


def test_the_steps_say_what_a_word_reads(show):
    widget = show(Complexity()).locator(".tc-complexity")
    expect(widget.locator(".tc-attention .tc-steps")).to_contain_text("each reads all 100")
    kernel = widget.locator(".tc-contiguous .tc-steps")
    expect(kernel).to_have_text("1 step, all at once; each reads itself and the 2 before")
    compromises(widget).click()
    widget.get_by_label("Kernel k").press("Home")
    expect(kernel).to_contain_text("itself and the one before")


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


def test_print_keeps_the_pictures(show):
    widget = show(Complexity()).locator(".tc-complexity")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    assert widget.locator("svg:visible").count() == 4
