"""Prediction in a real browser: set by mouse and by keyboard, locked, and then the truth."""

import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Prediction

widget = opens(Prediction, ".tc-prediction")
BARS = {"labels": ["small", "large"], "truth": [10, 90], "unit": "%"}
CURVE = {"labels": [str(n) for n in range(1, 9)], "truth": [*range(10, 90, 10)], "curve": True}
CHOICE = {
    "labels": ["of the left", "of the right"],
    "truth": ["larger", "smaller"],
    "choices": ["smaller", "equal", "larger"],
}


def sliders(opened):
    return opened.get_by_role("slider")


def test_a_bar_is_dragged_and_moved_by_keys(widget):
    opened = widget(Prediction(**BARS))
    box = sliders(opened).first.bounding_box()
    opened.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 5)
    expect(sliders(opened).first).to_have_attribute("aria-valuenow", "25")
    sliders(opened).first.press("ArrowRight")
    expect(sliders(opened).first).to_have_attribute("aria-valuenow", "26")
    sliders(opened).first.press("End")
    expect(sliders(opened).first).to_have_attribute("aria-valuenow", "100")


def set_all(opened):
    """Every handle where it stands: a guess, too."""
    for each in sliders(opened).all():
        each.press("Enter")


def test_what_nobody_has_set_is_no_guess_and_is_not_locked(widget):
    opened = widget(Prediction(**BARS))
    lock = opened.get_by_role("button", name="Lock in")
    expect(sliders(opened).last).to_have_attribute("aria-valuetext", "not set yet")
    expect(opened.locator("data")).to_have_text(["–", "–"])
    for each in sliders(opened).all():  # a handle waits off the scale, on no answer
        knob, track = each.locator("i").bounding_box(), each.bounding_box()
        assert knob["x"] + knob["width"] / 2 < track["x"] - 8
    sliders(opened).first.press("ArrowRight")
    expect(opened.locator(".tc-why")).to_contain_text("One is left to set.")
    lock.press("Enter")
    assert "10 %" not in opened.inner_text()
    expect(opened.locator(".tc-track u").first).to_be_hidden()
    sliders(opened).last.press("Enter")
    expect(sliders(opened).last).to_have_attribute("aria-valuetext", "50 %")
    expect(lock).to_have_attribute("aria-disabled", "false")


def test_the_first_row_that_waits_is_a_slot_with_a_grip_to_drag_over_the_whole_scale(
    widget, window
):
    opened = widget(Prediction(labels=["a", "b", "c"], truth=[1, 2, 3]), **window)
    said = "all => all.map(it => getComputedStyle(it, '::after').content.slice(1, 5))"
    wide = "node => parseFloat(getComputedStyle(node, '::after').width) / node.offsetWidth"
    tracks = opened.locator(".tc-track")
    for n in range(3):
        told = tracks.evaluate_all(said)
        assert [row for row in range(3) if told[row] == "drag"] == [n]
        assert tracks.nth(n).evaluate(wide) > 0.9  # a hint of no value
        grip = tracks.nth(n).locator("i")
        box, label = grip.bounding_box(), opened.locator(".tc-guess > span").nth(n)
        assert "‹ ›" in grip.evaluate("node => getComputedStyle(node, '::before').content")
        assert box["width"] > box["height"] >= 24
        words = label.evaluate(
            "(p) => { const words = document.createRange(); words.selectNodeContents(p); "
            "return words.getBoundingClientRect().toJSON(); }"
        )
        assert words["right"] <= box["x"] - 4 or words["bottom"] <= box["y"]
        sliders(opened).nth(n).press("Enter")
    assert "drag" not in tracks.evaluate_all(said)
    check_page(opened.page)


def test_a_finger_drags_the_grip_from_off_the_scale_to_a_number(widget):
    opened = widget(Prediction(**BARS), width=390)
    grip, track = (
        opened.locator(name).first.bounding_box() for name in (".tc-track i", ".tc-track")
    )
    mouse, y = opened.page.mouse, grip["y"] + grip["height"] / 2
    mouse.move(grip["x"] + 5, y)
    mouse.down()
    mouse.move(track["x"] + 0.3 * track["width"], y, steps=3)
    mouse.up()
    expect(sliders(opened).first).to_have_attribute("aria-valuenow", "30")


def test_an_axis_has_its_numbers_and_its_unit_and_no_words_for_its_ends(widget, window):
    opened = widget(Prediction(**BARS), **window)
    expect(opened.locator(".tc-unit")).to_have_text("%")
    assert not re.search("smaller|larger", opened.inner_text())
    numbers = opened.locator(".tc-scale").bounding_box()
    track = opened.locator(".tc-track").last.bounding_box()
    assert abs(numbers["x"] - track["x"]) < 1
    assert abs(numbers["width"] - track["width"]) < 1


def test_the_way_from_the_guess_to_what_was_measured_is_drawn_from_one_to_the_other(widget, window):
    opened = widget(Prediction(**BARS, guess=[40.0, 60.0], locked=True), **window)
    for n in range(2):
        track = opened.locator(".tc-track").nth(n)
        way, yours, real = (track.locator(f"> {name}").bounding_box() for name in "siu")
        middles = [box["x"] + box["width"] / 2 for box in (yours, real)]
        assert abs(way["x"] - min(middles)) < 1
        assert abs(way["x"] + way["width"] - max(middles)) < 1
        assert abs(yours["width"] - yours["height"]) < 1  # a grip no more
        assert yours["height"] < real["height"]


def test_nothing_tells_the_truth_before_the_lock(widget):
    opened = widget(Prediction(**BARS))
    set_all(opened)
    expect(opened.locator(".tc-track u").first).to_be_hidden()
    assert "90" not in opened.inner_text()
    opened.get_by_role("button", name="Lock in").click()
    expect(opened.locator(".tc-track u").first).to_be_visible()
    expect(opened.locator(".tc-why")).to_have_text(re.compile(r"^0 of 2 close"))
    expect(sliders(opened).first).to_have_attribute("aria-valuetext", "50 %, measured 10 %")


def test_the_focus_is_a_ring_around_the_handle_over_no_name(widget, window):
    for traits in (BARS, CURVE):
        slider = sliders(widget(Prediction(**traits), **window)).first
        slider.press("Enter")
        ring = "node => getComputedStyle(node).outlineStyle"
        assert slider.evaluate(ring) == "none"
        assert slider.locator("i").evaluate(ring) == "solid"


def test_before_the_lock_its_foot_is_no_taller_than_the_longest_answer(widget, window):
    for traits in (BARS, CURVE, CHOICE):
        opened = widget(Prediction(**traits, why=WHY), **window)
        room = "node => node.offsetHeight"
        before = opened.locator(".tc-foot").evaluate(room)
        words = opened.locator(".tc-foot").evaluate("node => node.scrollHeight")
        assert words <= before <= (160 if window["width"] < 600 else 100)


def test_short_choices_stand_in_one_row(widget):
    opened = widget(Prediction(**CHOICE))
    boxes = opened.get_by_role("group", name="of the left").locator(".tc-check")
    assert len({box.bounding_box()["y"] for box in boxes.all()}) == 1


def test_what_is_locked_stays(widget):
    opened = widget(Prediction(**BARS))
    set_all(opened)
    opened.get_by_role("button", name="Lock in").press("Enter")
    sliders(opened).first.press("ArrowRight")
    expect(sliders(opened).first).to_have_attribute("aria-valuenow", "50")
    box = sliders(opened).last.bounding_box()
    opened.page.mouse.click(box["x"] + 5, box["y"] + 5)
    expect(sliders(opened).last).to_have_attribute("aria-valuenow", "50")


def test_a_curve_is_drawn_in_one_stroke(widget):
    opened = widget(Prediction(**CURVE))
    boxes = [each.bounding_box() for each in sliders(opened).all()]
    mouse = opened.page.mouse
    for n, box in enumerate(boxes):
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * (n + 1) / 10)
        if n == 0:
            mouse.down()
    mouse.up()
    values = [float(each.get_attribute("aria-valuenow")) for each in sliders(opened).all()]
    assert values == sorted(values, reverse=True)
    assert abs(values[0] - 90) < 3
    assert abs(values[-1] - 20) < 3


def test_a_column_that_the_stroke_left_out_waits_at_the_foot(widget):
    opened = widget(Prediction(**CURVE))
    boxes = [each.bounding_box() for each in sliders(opened).all()]
    dots = opened.locator(".tc-track i")
    unseen = "all => all.filter(it => getComputedStyle(it).opacity === '0').length"
    assert dots.evaluate_all(unseen) == len(boxes)  # none is a hint before the first stroke
    mouse = opened.page.mouse
    mouse.move(boxes[2]["x"] + 3, boxes[2]["y"] + boxes[2]["height"] / 2)
    mouse.down()
    mouse.move(boxes[-1]["x"] + 3, boxes[-1]["y"] + boxes[-1]["height"] / 2)
    mouse.up()
    expect(opened.locator(".tc-why")).to_contain_text("2 are left to set.")
    assert dots.evaluate_all(unseen) == 0
    foot = boxes[0]["y"] + boxes[0]["height"]
    at = dots.first.bounding_box()
    assert abs(at["y"] + at["height"] / 2 - foot) < 2


def test_a_stroke_from_one_column_beside_the_edge_takes_the_edge_along_once(widget):
    opened = widget(Prediction(**CURVE, across="steps ago"))
    expect(opened.get_by_text("steps ago")).to_be_visible()
    boxes = [each.bounding_box() for each in sliders(opened).all()]
    mouse = opened.page.mouse
    for part in (0.4, 0.8):
        mouse.move(boxes[1]["x"] + 3, boxes[1]["y"] + boxes[1]["height"] * part)
        mouse.down()
        mouse.move(boxes[-2]["x"] + 3, boxes[-2]["y"] + boxes[-2]["height"] * part)
        mouse.up()
    values = [float(each.get_attribute("aria-valuenow")) for each in sliders(opened).all()]
    assert values == [60, *[20] * (len(values) - 2), 60]  # what was set is left alone
    expect(opened.locator(".tc-why")).to_contain_text("Sure?")


def test_a_quick_stroke_leaves_no_column_out(widget):
    opened = widget(Prediction(**CURVE))
    boxes = [each.bounding_box() for each in sliders(opened).all()]
    mouse = opened.page.mouse
    mouse.move(boxes[0]["x"] + 3, boxes[0]["y"] + boxes[0]["height"] * 0.9)
    mouse.down()
    mouse.move(boxes[-1]["x"] + 3, boxes[-1]["y"] + boxes[-1]["height"] * 0.2)
    mouse.up()
    values = [float(each.get_attribute("aria-valuenow")) for each in sliders(opened).all()]
    assert values == [10, 20, 30, 40, 50, 60, 70, 80]
    opened.get_by_role("button", name="Lock in").click()
    expect(opened.locator(".tc-why")).to_contain_text("8 of 8 close")


WHY = "Each step turns every pair of numbers by its own angle, and the fast pairs soon point away."


@pytest.mark.parametrize("traits", [BARS, CURVE, CHOICE], ids=["bars", "curve", "choice"])
def test_the_reason_comes_with_the_verdict_and_its_place_was_kept_free(widget, window, traits):
    bare = widget(Prediction(**traits), **window).bounding_box()["height"]
    opened = widget(Prediction(**traits, why=WHY), **window)
    height, reason = opened.bounding_box()["height"], opened.locator(".tc-because")
    set_all(opened)
    for group in opened.get_by_role("group").all():
        group.get_by_role("radio").first.check()
    assert WHY not in opened.inner_text()
    expect(reason).to_have_text("")
    opened.get_by_role("button", name="Lock in").click()
    expect(reason).to_have_text(WHY)
    said, foot = opened.locator(".tc-why"), opened.locator(".tc-foot").bounding_box()
    expect(said).to_have_attribute("aria-live", "polite")
    expect(said).to_contain_text(WHY)
    spare = foot["height"] - said.evaluate(
        "(p) => { const words = document.createRange(); words.selectNodeContents(p); "
        "return words.getBoundingClientRect().height; }"
    )
    assert 0 <= spare < 64  # its padding, and a line or two that another guess may take
    assert opened.bounding_box()["height"] == height >= bare
    check_page(opened.page)


def test_where_the_axis_leaves_numbers_out_it_is_cut_and_that_is_said(widget, window):
    far = {"labels": ["0", "1", "2", "5", "9"], "truth": [90, 80, 70, 60, 50], "curve": True}
    opened = widget(Prediction(**far, across="steps"), **window)
    cuts = opened.locator(".tc-cut")
    expect(cuts).to_have_count(2)
    expect(opened.locator(".tc-across")).to_have_text("steps, not to scale")
    boxes = [each.bounding_box() for each in sliders(opened).all()]
    for cut, left, right in zip(cuts.all(), boxes[2:], boxes[3:], strict=False):
        box = cut.bounding_box()
        assert left["x"] + left["width"] / 2 < box["x"] < right["x"] + right["width"] / 2
        assert abs(box["y"] + box["height"] / 2 - left["y"] - left["height"]) < 2
    check_page(opened.page)
    even = widget(Prediction(**CURVE, across="steps"), **window)
    expect(even.locator(".tc-across")).to_have_text("steps")
    expect(even.locator(".tc-cut")).to_have_count(0)


def test_the_frame_keeps_its_height_when_it_is_locked(widget, window):
    for traits in (BARS, CURVE, CHOICE):
        opened = widget(Prediction(**traits), **window)
        before = opened.bounding_box()["height"]
        set_all(opened)
        for group in opened.get_by_role("group").all():
            group.get_by_role("radio").first.check()
        opened.get_by_role("button", name="Lock in").click()
        expect(opened).to_have_class(re.compile("tc-locked"))
        assert opened.bounding_box()["height"] == before


def test_a_choice_is_made_by_keys_and_locked_when_each_row_has_one(widget):
    opened = widget(Prediction(**CHOICE))
    left = opened.get_by_role("group", name="of the left").get_by_role("radio")
    right = opened.get_by_role("group", name="of the right").get_by_role("radio")
    lock = opened.get_by_role("button", name="Lock in")
    left.first.press("Space")
    lock.press("Enter")
    expect(lock).to_have_attribute("aria-disabled", "true")
    expect(left.first).to_be_enabled()
    right.first.press("Space")
    right.first.press("ArrowDown")
    expect(right.nth(1)).to_be_checked()
    right.nth(1).press("ArrowUp")
    assert "true" not in opened.inner_text()
    lock.press("Enter")
    expect(left.first).to_be_disabled()
    expect(opened.locator(".tc-why")).to_have_text("1 of 2 came out as you said.")
    expect(opened.locator(".tc-right").first).to_contain_text("✓ measured")


def test_a_choice_of_two_halves_is_made_by_both_and_graded_as_one(widget, window):
    both = ["sum 1, out", "sum 1, counts", "sum below 1, out", "sum below 1, counts"]
    traits = {"labels": ["before", "after"], "truth": [both[1], both[2]], "choices": both}
    opened = widget(Prediction(**traits), **window)
    lock, height = opened.get_by_role("button", name="Lock in"), opened.bounding_box()["height"]
    before, after = (opened.get_by_role("group", name=name) for name in traits["labels"])
    before.get_by_label("sum 1").check()
    after.get_by_label("sum below 1").check()
    after.get_by_label("out").check()
    expect(lock).to_have_attribute("aria-disabled", "true")
    before.get_by_label("out").check()
    check_page(opened.page)
    lock.click()
    expect(opened.locator(".tc-why")).to_have_text("1 of 2 came out as you said.")
    expect(before.locator(".tc-yours:not(.tc-right)")).to_have_text("out✗ your guess")
    expect(before.locator(".tc-right")).to_have_text(["sum 1✓ your guess", "counts✓ measured"])
    assert opened.bounding_box()["height"] == height


@pytest.mark.parametrize("traits", [BARS, CURVE, CHOICE], ids=["bars", "curve", "choice"])
@pytest.mark.parametrize("locked", [False, True])
def test_it_is_accessible_and_fits_its_window(widget, window, traits, locked):
    guess = {"guess": [1.0] * len(traits["truth"]), "locked": True} if locked else {}
    check_page(widget(Prediction(**traits, **guess), **window).page)


def test_in_the_systems_own_colors_a_scale_and_its_button_are_still_seen(widget):
    opened = widget(Prediction(**BARS))
    opened.page.emulate_media(forced_colors="active")
    line = "each => getComputedStyle(each, '::before').backgroundColor"
    ink = opened.evaluate("each => getComputedStyle(each).color")
    assert opened.locator(".tc-track").last.evaluate(line) == ink
    edge = "each => getComputedStyle(each, '::before').borderTopColor"
    assert opened.locator(".tc-track").first.evaluate(edge) == ink
    button = opened.get_by_role("button", name="Lock in")
    assert button.evaluate("each => getComputedStyle(each).borderTopWidth") == "1px"
