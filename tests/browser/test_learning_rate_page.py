"""LearningRate in a real browser: its numbers are the package's, by mouse and by keyboard."""

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.training import noam_rate
from transformer_course.widgets import LearningRate


def peak(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Warm-up")


def reader(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Read at step")


def check(widget: Locator, d_model: int, warmup: int, step: int) -> None:
    """All that is shown is the package's."""
    rates = [float(text) for text in widget.locator(".tc-legend output").all_inner_texts()]
    wanted = [noam_rate(step, d_model, warmup), noam_rate(step, 512, 4000)]
    assert rates == pytest.approx(wanted, rel=0.006)
    expect(peak(widget)).to_have_attribute("aria-valuenow", str(warmup))
    expect(reader(widget)).to_have_attribute("aria-valuenow", str(step))
    told = widget.locator("[aria-live]")
    expect(told).to_contain_text(f"climbs for {warmup:,} steps to")
    number = told.inner_text().split(" steps to ")[1].split(",")[0]
    assert float(number) == pytest.approx(noam_rate(warmup, d_model, warmup), rel=0.006)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_controls_answer_the_keyboard_with_the_packages_rates(show):
    page = show(LearningRate(d_model=512))
    widget = page.locator(".tc-rate")
    check(widget, 512, 1000, 2000)
    page.keyboard.press("Tab")
    expect(widget.get_by_label("d_model")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    check(widget, 256, 1000, 2000)
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(reader(widget)).to_be_focused()
    page.keyboard.press("ArrowRight")
    check(widget, 256, 1000, 2100)
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    check(widget, 256, 16_000, 2100)
    expect(widget.locator(".tc-sum")).to_contain_text("rate(2,100) = 256−0.5 · min(2,100−0.5")


def test_the_peak_is_dragged_and_a_press_beside_it_reads_the_rate_there(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    mouse = widget.page.mouse
    box = widget.locator("svg").first.bounding_box()
    pixel = box["width"] / 330
    at = lambda step: box["x"] + (52 + 266 * step / 21_000) * pixel  # noqa: E731
    mouse.move(*middle(peak(widget)))
    mouse.down()
    mouse.move(at(6000), box["y"] + 80)
    mouse.move(box["x"] - 50, box["y"] + 80)
    check(widget, 512, 100, 2000)
    mouse.up()
    mouse.move(at(10_000), box["y"] + 40)
    mouse.down()
    check(widget, 512, 100, 10_000)
    mouse.move(box["x"] + box["width"], box["y"] + 80)
    mouse.up()
    check(widget, 512, 100, 20_000)


def test_the_loss_is_the_nearest_that_was_measured_and_says_so(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    told, words = widget.locator(".tc-result .tc-legend"), widget.locator("[aria-live]")
    curves = LearningRate().measured["curves"]

    def last(width, warmup):
        [found] = [c for c in curves if (c["width"], c["warmup"]) == (width, warmup)]
        return f"{found['loss'][-1] + 1e-9:.2f}"

    expect(told).to_contain_text("width 512, warm-up 1,000.")
    ends = f"ends at a loss of {last(512, 1000)}, at the paper’s rate at {last(512, 4000)}."
    expect(words).to_contain_text(ends)
    widget.get_by_label("d_model").fill("128")
    peak(widget).press("End")
    expect(told).to_contain_text("width 64, warm-up 16,000.")
    expect(words).to_contain_text(f"ends at a loss of {last(64, 16_000)},")
    drawn = widget.locator(".tc-result polyline").last
    expect(drawn).to_have_attribute("stroke-width", "3")
    widget.page.wait_for_timeout(400)
    points = [each.split(",") for each in drawn.get_attribute("points").split()]
    assert len(points) == len(curves[0]["loss"])
    slow = next(c for c in curves if (c["width"], c["warmup"]) == (64, 16_000))["loss"]
    heights = [float(y) for _, y in points]
    assert (heights[-1] - heights[0]) / (215 - 52) * 5 == pytest.approx(
        slow[0] - slow[-1], abs=0.01
    )


def test_a_longer_view_reaches_the_last_step_and_a_shorter_one_comes_back(show):
    widget = show(LearningRate(d_model=512, view="log", step=100_000)).locator(".tc-rate")
    check(widget, 512, 1000, 100_000)
    widget.get_by_label("Show").select_option("20,000 steps")
    check(widget, 512, 1000, 20_000)


def test_two_views_stay_together(show):
    page = show(LearningRate(d_model=512), views=[0, 0])
    first, second = page.locator(".tc-rate").all()
    peak(second).press("Home")
    reader(second).press("End")
    check(first, 512, 100, 20_000)


def test_the_frame_keeps_its_height(show, window):
    widget = show(LearningRate(d_model=512), **window).locator(".tc-rate")
    heights = {widget.bounding_box()["height"]}
    for width, key in (("32", "Home"), ("960", "End"), ("512", "PageDown")):
        widget.get_by_label("d_model").fill(width)
        for dot in (peak(widget), reader(widget)):
            dot.press(key)
            heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LearningRate(view="log"), **window)
    check_page(page)


def test_print_keeps_the_curves_and_the_numbers(show):
    widget = show(LearningRate(d_model=512)).locator(".tc-rate")
    widget.page.emulate_media(media="print")
    expect(widget.locator("svg, .tc-sum").filter(visible=True)).to_have_count(3)
