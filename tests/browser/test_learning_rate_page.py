"""LearningRate in a real browser: its numbers are the package's, by mouse and by keyboard."""

import itertools
import math
import re

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.training import noam_rate
from transformer_course.widgets import LearningRate


def peak(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Warm-up")


def run(d_model: int, warmup: int) -> list[float]:
    curves = LearningRate().measured["curves"]
    [found] = [c for c in curves if (c["width"], c["warmup"]) == (d_model, warmup)]
    return found["loss"]


def check(widget: Locator, d_model: int, warmup: int) -> None:
    """All that is shown is the package's."""
    expect(peak(widget)).to_have_attribute("aria-valuenow", str(warmup))
    told = widget.locator("[aria-live]")
    # The rate reached, and the loss at the end: the two numbers after a step.
    expect(told).to_contain_text(
        re.compile(f" {run(d_model, warmup)[-1] + 1e-9:.2f}( at the end)?[,.]")
    )
    number = re.search(r"(?:peak of|climb is at) ([\d.]+)", told.inner_text())[1]
    rate = noam_rate(min(1600, warmup), d_model, warmup)
    assert float(number) == pytest.approx(rate, rel=0.006)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def points(line: Locator) -> list[tuple[float, float]]:
    pairs = line.get_attribute("points").split()
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in pairs)]


def test_the_controls_answer_the_keyboard_with_the_packages_rates(show):
    page = show(LearningRate(d_model=512))
    widget = page.locator(".tc-rate")
    check(widget, 512, 1000)
    page.keyboard.press("Tab")
    expect(peak(widget)).to_be_focused()  # the one control; the other widths stand below
    page.keyboard.press("Tab")
    expect(widget.get_by_label("Rate as for width, d_model")).to_be_focused()
    widget.get_by_label("Rate as for width, d_model").select_option("256")
    check(widget, 256, 1000)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    check(widget, 256, 4000)
    page.keyboard.press("End")
    check(widget, 256, 16_000)
    page.keyboard.press("ArrowRight")
    check(widget, 256, 16_000)
    page.keyboard.press("Home")
    check(widget, 256, 100)


def test_the_peak_is_dragged_from_circle_to_circle(show, window):
    widget = show(LearningRate(d_model=512), **window).locator(".tc-rate")
    mouse = widget.page.mouse
    circles = widget.locator(".tc-marks circle:not(.tc-mine)")
    expect(circles).to_have_count(4)
    first, last = middle(circles.first), middle(circles.last)
    mouse.move(*middle(peak(widget).locator("circle").last))
    mouse.down()
    mouse.move(last[0] - 5, last[1] + 60)
    check(widget, 512, 16_000)
    mouse.move(first[0] - 60, first[1])
    check(widget, 512, 100)
    mouse.up()
    mouse.move(*last)
    check(widget, 512, 100)
    mouse.click(*last)  # a press goes there too
    check(widget, 512, 16_000)


def test_one_line_goes_from_the_peak_through_the_loss_at_the_same_step(show, window):
    widget = show(LearningRate(), **window).locator(".tc-rate")
    [line] = widget.locator(".tc-cursor line").all()
    x = float(line.get_attribute("x1"))
    assert x == float(line.get_attribute("x2"))
    rates = points(widget.locator(".tc-lines polyline.tc-mine").first)
    loss = points(widget.locator(".tc-lines polyline.tc-mine").last)
    assert rates[1][0] == pytest.approx(x, abs=0.1)  # where the rate bends
    assert float(line.get_attribute("y1")) == pytest.approx(rates[1][1], abs=0.1)
    # The same step has the same place in both: a rate begins where the first mean stands.
    assert rates[0][0] == pytest.approx(loss[0][0], abs=0.1)
    ends = widget.locator(".tc-marks circle.tc-mine")
    expect(ends).to_have_count(2)  # at the end of the run, and on the line
    assert float(ends.last.get_attribute("cx")) == pytest.approx(x, abs=0.1)
    peak(widget).press("End")  # a peak after the run: no loss is known there
    expect(ends).to_have_count(1)


def test_the_loss_drawn_is_the_measured_one(show):
    widget = show(LearningRate(d_model=64, warmup=16_000)).locator(".tc-rate")
    drawn = widget.locator(".tc-lines polyline.tc-mine").last
    expect(drawn).to_have_css("stroke-width", "4px")
    heights = [y for _, y in points(drawn)]
    slow = run(64, 16_000)
    assert len(heights) == len(slow)
    assert (heights[-1] - heights[0]) / 182 * 4.5 == pytest.approx(slow[0] - slow[-1], abs=0.01)
    expect(widget.locator(".tc-legend")).to_contain_text("no recorded rate is too high.")
    widget.get_by_label("d_model").select_option("32")
    expect(widget.locator(".tc-legend")).not_to_contain_text("too high")  # 100 steps up is


def test_the_papers_rate_stands_clear_of_the_axis_and_of_a_much_larger_one(show, window):
    widget = show(LearningRate(warmup=100), **window).locator(".tc-rate")
    theirs = points(widget.locator(".tc-lines polyline.tc-paper").first)
    mine = points(widget.locator(".tc-lines polyline.tc-mine").first)
    floor = float(widget.locator("clipPath rect").first.get_attribute("y")) + 170
    assert floor - theirs[1][1] > 40
    assert theirs[1][1] - mine[1][1] > 40
    name = "the paper’s" if window["width"] > 600 else "paper"
    expect(widget.locator(".tc-marks text.tc-paper").first).to_have_text(name)


def ends(widget: Locator) -> Locator:
    return widget.locator(".tc-marks text:has(tspan)")


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_curves_are_named_at_their_ends(show, width):
    widget = show(LearningRate(), width=width).locator(".tc-rate")
    room = (width > 320) + (width > 600)
    said = [
        [
            f"{each['loss'][-1]:.2f} "
            + {100: "100", 400: "best", 1000: "yours", 4000: "4k", 16_000: "16k"}[each["warmup"]],
            f"{each['loss'][-1]:.2f} "
            + {400: "best", 1000: "yours"}.get(each["warmup"], f"{each['warmup']:,} up"),
            f"{each['loss'][-1]:.2f} {each['warmup']:,} steps up"
            + {400: ", best", 1000: ", yours"}.get(each["warmup"], ""),
        ][room]
        for each in LearningRate().measured["curves"]
        if each["width"] == 32
    ]
    said.append(["0.73 paper", "0.73 paper", "0.73 the paper’s"][room])
    assert sorted(ends(widget).all_text_contents()) == sorted(said)
    frame = widget.bounding_box()
    for d_model in ("32", "256", "512", "1024"):
        widget.get_by_label("d_model").select_option(d_model)
        peak(widget).press("Home")
        for _ in range(5):
            boxes = [name.bounding_box() for name in ends(widget).all()]
            for (y, height), (below, _) in itertools.pairwise(
                sorted((box["y"], box["height"]) for box in boxes)
            ):
                assert y + 0.75 * height < below
            assert max(box["x"] + box["width"] for box in boxes) < frame["x"] + frame["width"] - 4
            peak(widget).press("ArrowRight")
    peak(widget).press("ArrowLeft")
    widget.get_by_label("d_model").select_option("512")
    mine = widget.locator(".tc-marks text.tc-mine:has(tspan)")
    expect(mine).to_contain_text("0.73")  # the paper's own
    expect(mine).to_contain_text("yours")


PAINT = "all => all.map((one) => [getComputedStyle(one).stroke, getComputedStyle(one).strokeWidth])"
FILL = "all => all.map((one) => getComputedStyle(one).fill)"


def test_a_rate_and_its_loss_have_one_color_by_warm_up_and_yours_is_the_widest(show, window):
    widget = show(LearningRate(), **window).locator(".tc-rate")
    for d_model in ("32", "512"):
        widget.get_by_label("d_model").select_option(d_model)
        lines = widget.locator(".tc-lines polyline").evaluate_all(PAINT)
        half = len(lines) // 2
        assert lines[:half] == lines[half:]  # above the rates, below the losses
        assert len({color for color, _ in lines}) == half
        wide = [float(width[:-2]) for _, width in lines]
        assert sorted(wide)[-2:] == [4, 4]
        assert sorted(wide)[-3] <= 2
        # The words at the ends, and the warm-ups above the peaks, have the colors too.
        colors = [color for color, _ in lines[:half]]
        assert ends(widget).evaluate_all(FILL) == colors
        above = widget.locator(".tc-marks text:not([text-anchor])")
        expect(above).to_have_count(5)
        assert set(above.evaluate_all(FILL)) <= set(colors)


STRUCK = """(name) => {
  const { x, y, width, height } = name.getBBox();
  const lines = [...name.ownerSVGElement.querySelectorAll(".tc-lines g:first-child polyline")];
  const stem = name.ownerSVGElement.querySelector(".tc-cursor line");
  const points = [stem, ...lines].flatMap((line) => {
    const far = line.getTotalLength();
    return Array.from({ length: 2000 }, (_, n) => line.getPointAtLength((far * n) / 1999));
  });
  return points.filter((p) => p.x > x + 1 && p.x < x + width - 1
    && p.y > y + 3 && p.y < y + height - 4).length;
}"""


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_no_line_strikes_the_name_of_the_papers_rate(show, width):
    widget = show(LearningRate(), width=width).locator(".tc-rate")
    for d_model in ("32", "64", "256", "1024"):
        widget.get_by_label("d_model").select_option(d_model)
        peak(widget).press("Home")
        for _ in range(5):
            name = widget.locator(".tc-marks text.tc-paper").first
            assert name.evaluate(STRUCK) == 0, d_model
            peak(widget).press("ArrowRight")


def test_a_line_after_the_run_ends_above_the_words_that_say_so(show, window):
    widget = show(LearningRate(warmup=4000), **window).locator(".tc-rate")
    words = widget.locator(".tc-axis text", has_text="the run ends").bounding_box()
    line = widget.locator(".tc-cursor line").bounding_box()
    assert line["y"] + line["height"] <= words["y"]


def test_the_lowest_end_has_one_name(show):
    widget = show(LearningRate(warmup=400)).locator(".tc-rate")
    expect(ends(widget).last).to_have_text("0.16 400 steps up, yours")
    expect(widget.locator(".tc-marks text", has_text="best")).to_have_count(0)


def test_no_word_of_the_rate_stands_in_the_ring_of_the_peak(show, window):
    widget = show(LearningRate(), **window).locator(".tc-rate")
    for width in ("32", "512", "1024"):
        widget.get_by_label("d_model").select_option(width)
        peak(widget).press("Home")
        for _ in range(5):
            ring = peak(widget).locator(".tc-halo").bounding_box()
            x, y = ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2
            for name in widget.locator(".tc-marks text").all():
                box = name.bounding_box()
                aside = max(box["x"] - x, 0, x - box["x"] - box["width"])
                above = max(box["y"] - y, 0, y - box["y"] - box["height"])
                assert math.hypot(aside, above) + 2 >= ring["width"] / 2  # 2 around letters
            peak(widget).press("ArrowRight")
    # After the run no loss is known, so the line ends with the rate.
    line = widget.locator(".tc-cursor line")
    assert float(line.get_attribute("y2")) < float(
        widget.locator("clipPath rect").last.get_attribute("y")
    )


def test_a_new_run_is_drawn_from_left_to_right_and_ends_whole(show):
    page = show(LearningRate())
    widget = page.locator(".tc-rate")
    drawn = widget.locator("clipPath rect").last
    whole = float(drawn.get_attribute("width"))
    page.emulate_media(reduced_motion="no-preference")
    peak(widget).press("Home")
    expect(widget.locator(".tc-marks line")).to_have_count(1)  # from the rate to its loss
    expect(widget.locator(".tc-marks line")).to_have_count(0)
    assert float(drawn.get_attribute("width")) == pytest.approx(whole)


def test_two_views_stay_together(show):
    page = show(LearningRate(d_model=512), views=[0, 0])
    first, second = page.locator(".tc-rate").all()
    peak(second).press("Home")
    check(first, 512, 100)


def test_the_frame_keeps_its_height(show, window):
    widget = show(LearningRate(d_model=512), **window).locator(".tc-rate")
    heights = {widget.bounding_box()["height"]}
    for width, key in (("32", "Home"), ("1024", "End"), ("512", "ArrowLeft")):
        widget.get_by_label("d_model").select_option(width)
        peak(widget).press(key)
        heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LearningRate(warmup=100), **window)
    check_page(page)


def test_print_keeps_the_curves_and_the_words(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    widget.page.emulate_media(media="print")
    expect(widget.locator("svg, .tc-why").filter(visible=True)).to_have_count(2)


@pytest.mark.parametrize("warmup", [400, 16000])
def test_on_a_phone_all_words_end_with_the_chart_and_a_heading_hides_the_line(show, warmup):
    widget = show(LearningRate(warmup=warmup), width=390).locator(".tc-rate")
    over = widget.locator("svg.tc-chart").evaluate(
        """chart => [...chart.querySelectorAll("text")]
          .map((text) => [text.textContent, text.getBoundingClientRect().right])
          .filter(([, right]) => right > chart.getBoundingClientRect().right + 0.5)"""
    )
    assert over == []
    expect(widget.locator(".tc-name").last).to_have_css("stroke-width", "12px")
