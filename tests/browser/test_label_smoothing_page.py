"""LabelSmoothing in a real browser: its numbers are Python's, by mouse and by keyboard."""

import math

import pytest
from charts import struck_words
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import LabelSmoothing


def numbers(widget: Locator, row: str) -> list[float]:
    cells = widget.get_by_role("row", name=row).get_by_role("cell").all_inner_texts()
    return [float(text.replace("−", "-")) for text in cells if text]


def check(widget: Locator, **state) -> None:
    """All that is shown is what the static twin would show."""
    words, follows = LabelSmoothing(**state).tables()
    for name, row in zip(words.rows, words.cells, strict=True):
        assert numbers(widget, name) == pytest.approx(row / 100, abs=5.1e-4)
    loss, plain, floor, best, perplexity = follows.cells[:, 0]
    expected = {
        "loss now": [plain, loss],
        "smallest loss": [0, floor],
        "reached at": [1, best / 100],
        "perplexity there": [1, perplexity],
        "of the right word alone": [1, 100 / best],
    }
    for name, row in expected.items():
        assert numbers(widget, name) == pytest.approx(row, abs=5.1e-4)


def test_the_sliders_answer_the_keyboard_with_pythons_numbers(show):
    page = show(LabelSmoothing())
    widget = page.locator(".tc-smoothing")
    check(widget)
    page.keyboard.press("Tab")
    expect(widget.get_by_label("Smoothing")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    check(widget, epsilon=0.13)
    page.keyboard.press("Tab")
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    check(widget, epsilon=0.13, lead=3.5)
    page.keyboard.press("Home")
    check(widget, epsilon=0.13, lead=-2)


def test_pressing_the_chart_moves_the_model_and_the_button_finds_the_floor(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    box = widget.locator("svg").bounding_box()
    x = box["x"] + box["width"] * (52 + 536 * (5 + 2) / 18) / 600
    widget.page.mouse.click(x, box["y"] + 60)
    check(widget, lead=5)
    widget.get_by_role("button", name="To the smallest loss").click()
    check(widget, lead=math.log(0.92 / 0.02))
    expect(widget.locator("[aria-live]")).to_contain_text("The gradient is zero")
    hard, soft = numbers(widget, "loss now")
    assert soft == numbers(widget, "smallest loss")[1] > hard


@pytest.mark.parametrize("size", [2, 8])
def test_a_vocabulary_of_another_size_is_shown_word_by_word(show, size):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    widget.get_by_label("Vocabulary").select_option(f"{size} words")
    check(widget, size=size)


def test_a_large_vocabulary_is_summed_up(show):
    widget = show(LabelSmoothing(lead=12)).locator(".tc-smoothing")
    widget.get_by_label("Vocabulary").select_option("37,000 words")
    row = widget.get_by_role("row", name="each of 36,996 more")
    expect(row.get_by_role("cell").nth(0)).to_have_text("2.7·10⁻⁶")
    follows = LabelSmoothing(lead=12, size=37_000).tables()[1].cells[:, 0]
    assert numbers(widget, "loss now") == pytest.approx(follows[[1, 0]], abs=5.1e-4)
    assert numbers(widget, "perplexity there")[1] == pytest.approx(follows[4], abs=5.1e-4)


def test_without_smoothing_there_is_no_smallest_loss_to_go_to(show):
    widget = show(LabelSmoothing(epsilon=0)).locator(".tc-smoothing")
    expect(widget.locator("[aria-live]")).to_contain_text("No finite score gets there")
    button = widget.get_by_role("button", name="To the smallest loss")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    check(widget, epsilon=0)


def test_two_views_stay_together(show):
    first, second = show(LabelSmoothing(), views=[0, 0]).locator(".tc-smoothing").all()
    second.get_by_label("Smoothing").press("End")
    second.get_by_label("Vocabulary").select_option("8 words")
    check(first, epsilon=0.5, size=8)


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LabelSmoothing(size=37_000), **window)
    check_page(page)


def test_print_keeps_the_distributions_the_curve_and_the_numbers(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    expect(widget.locator("svg, table").filter(visible=True)).to_have_count(3)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_word_in_the_chart_is_struck_or_cut(show, width):
    widget = show(LabelSmoothing(), width=width).locator(".tc-smoothing")
    for epsilon in ("0.1", "0.02", "0.5"):
        widget.get_by_label("Smoothing").fill(epsilon)
        for lead in ("5.5", "4.2", "-0.5", "15.5"):
            widget.get_by_label("Confidence").fill(lead)
            assert struck_words(widget) == []
