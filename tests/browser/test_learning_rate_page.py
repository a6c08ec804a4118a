"""LearningRate in a real browser: its numbers are the package's, by mouse and by keyboard."""

import itertools
import re

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.training import noam_rate
from transformer_course.widgets import LearningRate


def peak(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Warm-up")


def check(widget: Locator, d_model: int, warmup: int) -> None:
    """All that is shown is the package's."""
    expect(peak(widget)).to_have_attribute("aria-valuenow", str(warmup))
    told = widget.locator("[aria-live]")
    expect(told).to_contain_text(f"Warm-up {warmup:,} (peak ")
    number = re.split("[,)]", told.inner_text().split(" (peak ")[1])[0]
    assert float(number) == pytest.approx(noam_rate(warmup, d_model, warmup), rel=0.006)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_controls_answer_the_keyboard_with_the_packages_rates(show):
    page = show(LearningRate(d_model=512))
    widget = page.locator(".tc-rate")
    check(widget, 512, 1000)
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(peak(widget)).to_be_focused()  # the one control; the other widths stand below
    page.keyboard.press("Tab")
    expect(widget.get_by_label("Rate as for width, d_model")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    check(widget, 256, 1000)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    check(widget, 256, 1100)
    page.keyboard.press("End")
    check(widget, 256, 16_000)


def test_the_peak_is_dragged_as_far_as_the_widget_takes_it(show):
    widget = show(LearningRate(d_model=512, view="start")).locator(".tc-rate")
    mouse = widget.page.mouse
    box = widget.locator("svg").first.bounding_box()
    pixel = box["width"] / 316
    at = lambda step: box["x"] + (52 + 252 * step / 21_000) * pixel  # noqa: E731
    mouse.move(*middle(peak(widget)))
    mouse.down()
    mouse.move(at(6000), box["y"] + 80)
    check(widget, 512, 6000)
    mouse.move(box["x"] - 50, box["y"] + 80)
    check(widget, 512, 100)
    mouse.up()
    mouse.move(at(10_000), box["y"] + 40)
    check(widget, 512, 100)


def test_the_loss_is_the_nearest_that_was_measured_and_says_so(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    told, words = widget.locator(".tc-legend"), widget.locator("[aria-live]")
    curves = LearningRate().measured["curves"]

    def last(width, warmup):
        [found] = [c for c in curves if (c["width"], c["warmup"]) == (width, warmup)]
        return f"{found['loss'][-1] + 1e-9:.2f}"

    expect(told).to_contain_text("width 512 and warm-up 1,000;")
    ends = f": quick, loss {last(512, 1000)}. The paper’s rate: loss {last(512, 4000)}."
    expect(told).to_contain_text("At this width no recorded rate is too high.")
    expect(words).to_contain_text(ends)
    widget.get_by_label("d_model").fill("128")
    peak(widget).press("End")
    expect(told).to_contain_text("width 64 and warm-up 16,000;")
    expect(words).to_contain_text(f"Nearest run, 16,000: too slow, loss {last(64, 16_000)}.")
    drawn = widget.locator(".tc-result polyline").last  # yours, over all others
    expect(drawn).to_have_class("tc-hue1")
    expect(drawn).to_have_attribute("stroke-width", "3")
    widget.page.wait_for_timeout(400)
    points = [each.split(",") for each in drawn.get_attribute("points").split()]
    assert len(points) == len(curves[0]["loss"])
    slow = next(c for c in curves if (c["width"], c["warmup"]) == (64, 16_000))["loss"]
    heights = [float(y) for _, y in points]
    assert (heights[-1] - heights[0]) / (270 - 52) * 4.5 == pytest.approx(
        slow[0] - slow[-1], abs=0.01
    )


def test_what_ends_badly_is_named_at_its_end(show, window):
    widget = show(LearningRate(), **window).locator(".tc-rate")
    names = widget.locator(".tc-result .tc-marks text").filter(has_text=re.compile("[a-z]"))
    said = ["warm-up", "1,000 yours", "the paper’s", "100 too high", "16,000 too slow"]
    expect(names).to_have_text(said)
    boxes = sorted((box["y"], box["height"]) for box in map(Locator.bounding_box, names.all()))
    for (y, height), (below, _) in itertools.pairwise(boxes):
        assert y + 0.75 * height < below
    chart = widget.locator(".tc-result svg").bounding_box()
    for box in map(Locator.bounding_box, names.all()):
        assert box["x"] + box["width"] <= chart["x"] + chart["width"]
    peak(widget).press("Home")
    expect(names).to_have_text(["warm-up", "100 yours", "the paper’s", "16,000 too slow"])


def test_both_charts_have_the_recorded_steps_and_what_ends_badly_has_its_rate_too(show):
    widget = show(LearningRate()).locator(".tc-rate")
    rate, loss = widget.locator("svg.tc-chart").all()
    for chart in (rate, loss):
        expect(chart.locator(".tc-axis").first).to_contain_text("1,600")
    # Step for step: steps 0 and 800 are as far apart in both.
    across = [
        [chart.locator(".tc-axis").first.locator("text", has_text=each) for each in ("0", "800")]
        for chart in (rate, loss)
    ]
    gaps = [middle(end.first)[0] - middle(start.first)[0] for start, end in across]
    assert gaps[0] == pytest.approx(gaps[1], rel=0.02)
    assert rate.bounding_box()["width"] == pytest.approx(loss.bounding_box()["width"], abs=0.5)
    expect(rate.locator(".tc-marks")).to_contain_text("100 too high")
    expect(rate.locator(".tc-marks")).to_contain_text("16,000 too slow")
    expect(rate.locator("polyline")).to_have_count(4)  # yours, the paper's, too high, too slow
    expect(widget.locator(".tc-band")).to_be_hidden()
    expect(widget.locator(".tc-legend")).to_contain_text("Recorded with this rate: width 32")
    expect(widget.locator(".tc-legend")).not_to_contain_text("too high")  # 100 steps up is
    widget.get_by_label("Show").select_option("20,000 steps")
    expect(widget.locator(".tc-band")).to_be_visible()
    peak(widget).press("ArrowRight")
    expect(widget.locator(".tc-legend")).to_contain_text("The nearest recorded run: width 32")


def test_a_view_of_all_steps_keeps_the_peak(show):
    widget = show(LearningRate(d_model=512, view="log")).locator(".tc-rate")
    check(widget, 512, 1000)
    widget.get_by_label("Show").select_option("20,000 steps")
    check(widget, 512, 1000)


def test_two_views_stay_together(show):
    page = show(LearningRate(d_model=512), views=[0, 0])
    first, second = page.locator(".tc-rate").all()
    peak(second).press("Home")
    check(first, 512, 100)


def test_the_frame_keeps_its_height(show, window):
    widget = show(LearningRate(d_model=512), **window).locator(".tc-rate")
    heights = {widget.bounding_box()["height"]}
    for width, key in (("32", "Home"), ("960", "End"), ("512", "PageDown")):
        widget.get_by_label("d_model").fill(width)
        peak(widget).press(key)
        heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LearningRate(view="log"), **window)
    check_page(page)


def test_print_keeps_the_curves_and_the_words(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    widget.page.emulate_media(media="print")
    expect(widget.locator("svg, .tc-why").filter(visible=True)).to_have_count(3)
