"""LabelSmoothing in a real browser: its numbers are Python's, by mouse and by keyboard."""

import math

import pytest
from charts import struck_words
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import LabelSmoothing

SUPER = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))


def value(text: str) -> float:
    number, _, power = text.replace("−", "-").partition("·10")
    return float(
        f"{number}e{''.join(SUPER.get(each, each) for each in power)}" if power else number
    )


def numbers(widget: Locator, row: str) -> list[float]:
    """The model, the target, the gradient of a word."""
    cells = widget.get_by_role("row", name=row).get_by_role("cell").all_text_contents()
    return [value(text) for text in cells if text]


def shown_loss(widget: Locator) -> float:
    """What the dot says of itself."""
    return float(dot(widget).get_attribute("aria-valuetext").partition("loss ")[2])


def check(widget: Locator, **state) -> None:
    """All that is shown is what the static twin would show."""
    words, after = LabelSmoothing(**state).tables()
    for name, (target, model, gradient) in zip(words.rows, words.cells / 100, strict=True):
        assert numbers(widget, name) == pytest.approx([model, target, gradient], abs=5.1e-4)
    loss, _, _, best, _ = after.cells[:, 0]
    assert shown_loss(widget) == pytest.approx(loss, abs=5.1e-4)
    if state.get("epsilon") != 0:
        lowest = widget.locator(".tc-least + span").text_content()
        assert lowest.startswith("smallest: “mat” has ")
        assert value(lowest.split()[-1]) == pytest.approx(best / 100, abs=5.1e-4)


def dot(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Score of the right word above the others")


def test_the_sliders_answer_the_keyboard_with_pythons_numbers(show):
    page = show(LabelSmoothing())
    widget = page.locator(".tc-smoothing")
    check(widget)
    widget.get_by_label("Smoothing").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    check(widget, epsilon=0.13)
    page.keyboard.press("Tab")  # the button
    page.keyboard.press("Tab")
    expect(dot(widget)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("PageDown")
    check(widget, epsilon=0.13, lead=3.5)
    expect(dot(widget)).to_have_attribute("aria-valuenow", "3.5")
    page.keyboard.press("Home")
    check(widget, epsilon=0.13, lead=-2)


def test_the_dot_itself_is_dragged_and_so_does_a_press_beside_it(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    mouse = widget.page.mouse
    box = widget.locator("svg.tc-chart").bounding_box()
    pixel = box["width"] / 320
    x = box["x"] + (52 + 256 * (5 + 2) / 18) * pixel
    mouse.click(x, box["y"] + 60)
    check(widget, lead=5)
    held = dot(widget).bounding_box()
    middle = held["x"] + held["width"] / 2 + 3, held["y"] + held["height"] / 2
    mouse.move(*middle)
    mouse.down()
    mouse.move(middle[0] + 256 * 4 / 18 * pixel, middle[1] - 40)
    check(widget, lead=9)
    mouse.move(middle[0] - 900, middle[1])
    check(widget, lead=-2)
    mouse.up()
    mouse.move(*middle)
    check(widget, lead=-2)


def test_the_button_rolls_to_the_floor(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    widget.get_by_role("button", name="Roll to the smallest loss").click()
    expect(widget.locator("[aria-live]")).to_contain_text("Training leaves it there")
    check(widget, lead=math.log(0.92 / 0.02))
    smallest = LabelSmoothing().tables()[1].cells[2, 0]
    assert shown_loss(widget) == pytest.approx(smallest, abs=5.1e-4)


def test_the_frame_keeps_its_height(show):
    widget = show(LabelSmoothing(size=8)).locator(".tc-smoothing")
    heights = set()
    for epsilon in ("0", "0.1", "0.5"):
        widget.get_by_label("Smoothing").fill(epsilon)
        for key in ("Home", "PageUp", "End"):
            dot(widget).press(key)
            heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


@pytest.mark.parametrize("size", [2, 8])
def test_a_vocabulary_of_another_size_is_shown_word_by_word(show, size):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    widget.get_by_label("Vocabulary").select_option(f"{size} words")
    check(widget, size=size)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_bar_is_as_long_with_any_vocabulary(show, width):
    widget = show(LabelSmoothing(), width=width).locator(".tc-smoothing")
    long = set()
    for size in ("2", "5", "37,000"):
        widget.get_by_label("Vocabulary").select_option(f"{size} words")
        long.add(round(widget.locator("td > div").first.bounding_box()["width"]))
    assert max(long) < 1.1 * min(long)  # longer numbers stand beside them


def test_a_large_vocabulary_is_summed_up(show):
    widget = show(LabelSmoothing(lead=12)).locator(".tc-smoothing")
    widget.get_by_label("Vocabulary").select_option("37,000 words")
    row = widget.get_by_role("row", name="36,996 more, each")
    expect(row.get_by_role("cell").nth(1)).to_have_text("2.7·10⁻⁶")
    after = LabelSmoothing(lead=12, size=37_000).tables()[1].cells[:, 0]
    assert shown_loss(widget) == pytest.approx(after[0], abs=5.1e-4)


def test_without_smoothing_there_is_no_smallest_loss_to_go_to(show):
    widget = show(LabelSmoothing(epsilon=0)).locator(".tc-smoothing")
    expect(widget.locator("[aria-live]")).to_contain_text("No score gets there")
    button = widget.get_by_role("button", name="Roll to the smallest loss")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    check(widget, epsilon=0)
    legend = widget.locator(".tc-result .tc-legend")
    expect(legend).to_have_text("No smallest loss without smoothing.")
    widget.get_by_label("Smoothing").fill("0.1")
    expect(legend).to_have_text("smallest: “mat” has 0.920")


def test_two_views_stay_together(show):
    first, second = show(LabelSmoothing(), views=[0, 0]).locator(".tc-smoothing").all()
    second.get_by_label("Smoothing").press("End")
    second.get_by_label("Vocabulary").select_option("8 words")
    check(first, epsilon=0.5, size=8)


def test_it_is_accessible_and_fits_its_window(show, window):
    page = show(LabelSmoothing(size=37_000), **window)
    check_page(page)


def test_print_keeps_the_distributions_and_the_curve(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    widget.page.emulate_media(media="print")
    expect(widget.locator("svg, table").filter(visible=True)).to_have_count(2)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_word_in_the_chart_is_struck_or_cut(show, width):
    widget = show(LabelSmoothing(), width=width).locator(".tc-smoothing")
    for epsilon in ("0.1", "0.02", "0.5"):
        widget.get_by_label("Smoothing").fill(epsilon)
        for size in ("2", "5", "37000"):
            widget.get_by_label("Vocabulary").select_option(size)
            assert struck_words(widget) == []


def part(widget: Locator, row: str, kind: str) -> float:
    """How much of its place a bar takes."""
    place = widget.get_by_role("row", name=row).locator("td > div")
    bar = place.locator(f".tc-{kind}")
    return bar.bounding_box()["width"] / place.bounding_box()["width"]


def test_wrong_words_share_one_bar_and_what_is_pushed_back_is_hatched(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    right, wrong = numbers(widget, "mat"), numbers(widget, "chair")
    expect(widget.locator(".tc-scale span")).to_have_text(
        [
            "more than the target: pushed down",
            "One bar for all 4 wrong words together.",
        ]
    )
    widget.page.wait_for_timeout(300)
    bars = widget.locator("tbody td > div:visible")
    expect(bars).to_have_count(2)
    rows = [widget.get_by_role("row", name=name).bounding_box() for name in ("chair", "bed")]
    middle = (rows[0]["y"] + rows[1]["y"] + rows[1]["height"]) / 2  # beside all four
    shared = bars.last.bounding_box()
    assert shared["y"] + shared["height"] / 2 == pytest.approx(middle, abs=2)
    for kind, at in (("p", 0), ("q", 1)):
        assert part(widget, "mat", kind) == pytest.approx(right[at], abs=0.01)
        assert part(widget, "chair", kind) == pytest.approx(4 * wrong[at], abs=0.02)
    assert part(widget, "mat", "over") == pytest.approx(right[0] - right[1], abs=0.01)
    names = widget.locator(".tc-ends text")
    expect(names).to_have_text(["with smoothing", "without"])
    dot(widget).press("Home")  # the right word is too low: nothing of it to push back
    widget.page.wait_for_timeout(300)
    assert part(widget, "mat", "over") == 0
    assert part(widget, "chair", "over") > 0
    widget.get_by_label("Smoothing").fill("0")
    expect(names).to_have_text(["", "without"])


def test_a_share_that_falls_has_a_bar_that_shrinks(show):
    widget = show(LabelSmoothing(lead=-2)).locator(".tc-smoothing")
    before = 1.0
    for _ in range(8):
        widget.page.wait_for_timeout(300)
        now = part(widget, "chair", "p")
        assert now < before
        before = now
        dot(widget).press("PageUp")
    widget.get_by_label("Vocabulary").select_option("2")  # one wrong word, as it is
    expect(widget.locator(".tc-scale span").last).to_be_empty()
