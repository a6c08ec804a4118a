"""LearningRate in a real browser: its numbers are the package's, by mouse and by keyboard."""

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.training import noam_rate
from transformer_course.widgets import LearningRate


def numbers(widget: Locator, row: str) -> list[float]:
    cells = widget.get_by_role("row", name=row).get_by_role("cell").all_inner_texts()
    return [float(text.replace(",", "")) for text in cells]


def check(widget: Locator, d_model: int, warmup: int, step: int) -> None:
    """All that is shown is the package's."""
    for row, width, climb in (("yours", d_model, warmup), ("the paper’s", 512, 4000)):
        peak, rate = noam_rate(climb, width, climb), noam_rate(step, width, climb)
        assert numbers(widget, row) == pytest.approx([climb, peak, rate], rel=0.006)


def test_the_sliders_answer_the_keyboard_with_the_packages_rates(show):
    page = show(LearningRate())
    widget = page.locator(".tc-rate")
    check(widget, 512, 1000, 2000)
    page.keyboard.press("Tab")
    expect(widget.get_by_label("d_model")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    check(widget, 256, 1000, 2000)
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    check(widget, 256, 16_000, 2000)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    check(widget, 256, 16_000, 2100)
    expect(widget.get_by_label("Read at step")).to_have_attribute("aria-valuetext", "2,100")
    expect(widget.locator("[aria-live]")).to_contain_text("At step 2,100 it is 0.177 times")


def test_a_press_on_the_chart_reads_the_rate_there(show):
    widget = show(LearningRate()).locator(".tc-rate")
    box = widget.locator("svg").bounding_box()
    x = box["x"] + box["width"] * (52 + 536 * 10_000 / 21_000) / 600
    widget.page.mouse.move(x, box["y"] + 80)
    widget.page.mouse.down()
    check(widget, 512, 1000, 10_000)
    widget.page.mouse.move(box["x"] + box["width"], box["y"] + 80)
    check(widget, 512, 1000, 20_000)
    widget.page.mouse.up()
    widget.page.mouse.move(x, box["y"] + 80)
    check(widget, 512, 1000, 20_000)


def test_a_longer_view_reaches_the_last_step_and_a_shorter_one_comes_back(show):
    widget = show(LearningRate(view="log", step=100_000)).locator(".tc-rate")
    check(widget, 512, 1000, 100_000)
    widget.get_by_label("Show").select_option("steps to 20,000")
    check(widget, 512, 1000, 20_000)


def test_two_views_stay_together(show):
    page = show(LearningRate(), views=[0, 0])
    first, second = page.locator(".tc-rate").all()
    second.get_by_label("Warm-up").press("Home")
    second.get_by_label("Read at step").press("End")
    check(first, 512, 100, 20_000)
    expect(first.get_by_label("Warm-up")).to_have_value("100")


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LearningRate(view="log"), **window)
    check_page(page)


def test_print_keeps_the_curves_and_the_numbers(show):
    widget = show(LearningRate()).locator(".tc-rate")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    expect(widget.locator("svg, table, code").filter(visible=True)).to_have_count(3)
