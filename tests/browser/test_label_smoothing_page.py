"""LabelSmoothing in a real browser: its numbers are Python's, by mouse and by keyboard."""

import math
from itertools import combinations

import pytest
from charts import struck_words
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import LabelSmoothing


def value(text: str) -> float:
    return float(text.replace("−", "-").replace("<0.001", "0"))


def numbers(widget: Locator, row: str) -> list[float]:
    """The model, the target, the gradient of a word."""
    cells = widget.get_by_role("row", name=row).get_by_role("cell").all_text_contents()
    return [value(text) for text in cells]


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


def bar(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Share of “mat”")


def test_the_sliders_answer_the_keyboard_with_pythons_numbers(show):
    page = show(LabelSmoothing())
    widget = page.locator(".tc-smoothing")
    check(widget)
    widget.get_by_label("Smoothing").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    check(widget, epsilon=0.13)
    page.keyboard.press("Tab")
    expect(bar(widget)).to_be_focused()
    page.keyboard.press("PageUp")
    check(widget, epsilon=0.13, lead=6.5)
    page.keyboard.press("PageDown")
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
    wide = widget.locator("svg.tc-chart").evaluate("chart => chart.viewBox.baseVal.width")
    pixel, long = box["width"] / wide, wide - 64
    x = box["x"] + (52 + long * (5 + 2) / 18) * pixel
    mouse.click(x, box["y"] + 60)
    check(widget, lead=5)
    held = dot(widget).bounding_box()
    middle = held["x"] + held["width"] / 2 + 3, held["y"] + held["height"] / 2
    mouse.move(*middle)
    mouse.down()
    mouse.move(middle[0] + long * 4 / 18 * pixel, middle[1] - 40)
    check(widget, lead=9)
    mouse.move(middle[0] - 900, middle[1])
    check(widget, lead=-2)
    mouse.up()
    mouse.move(*middle)
    check(widget, lead=-2)


def test_training_goes_to_the_floor_and_without_smoothing_on_for_ever(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    train = widget.get_by_role("button", name="Train")
    train.click()
    expect(widget.locator("[aria-live]")).to_contain_text("Training leaves it there")
    check(widget, lead=math.log(0.92 / 0.02))
    smallest = LabelSmoothing().tables()[1].cells[2, 0]
    assert shown_loss(widget) == pytest.approx(smallest, abs=5.1e-4)
    assert pushes(widget) == []  # nothing is left to push
    widget.get_by_label("Smoothing").fill("0")
    train.click()
    expect(dot(widget)).to_have_attribute("aria-valuenow", "16")
    expect(widget.locator("[aria-live]")).to_contain_text("No score gets there")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_frame_keeps_its_height(show, width):
    widget = show(LabelSmoothing(size=8), width=width).locator(".tc-smoothing")
    heights = set()
    for size in ("2", "5", "8", "37000"):
        widget.get_by_label("Vocabulary").select_option(size)
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


def test_the_others_of_a_large_vocabulary_stand_together_and_what_one_has_is_told(show):
    widget = show(LabelSmoothing(lead=12)).locator(".tc-smoothing")
    widget.get_by_label("Vocabulary").select_option("37,000 words")
    target, model = LabelSmoothing(lead=12, size=37_000).distributions()
    words = widget.locator(".tc-bars").text_content()
    assert "The 36,999 others together; each alone:" in words
    assert f"target 1 in {1 / target[1]:,.0f}" in words
    (others,) = widget.locator(".tc-bars g:not([hidden]) .tc-name").all_text_contents()[1:2]
    assert others == "others"
    lengths = shown_bars(widget)
    assert len(lengths) == 2
    assert lengths[1] == pytest.approx((1 - model[0], 1 - target[0]), abs=0.01)
    after = LabelSmoothing(lead=12, size=37_000).tables()[1].cells[:, 0]
    assert shown_loss(widget) == pytest.approx(after[0], abs=5.1e-4)


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
    expect(widget.locator("svg").filter(visible=True)).to_have_count(2)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_word_in_the_chart_is_struck_or_cut(show, width):
    widget = show(LabelSmoothing(), width=width).locator(".tc-smoothing")
    for epsilon in ("0.1", "0.02", "0.5"):
        widget.get_by_label("Smoothing").fill(epsilon)
        for size in ("2", "5", "37000"):
            widget.get_by_label("Vocabulary").select_option(size)
            assert struck_words(widget) == []


def shown_bars(widget: Locator) -> list[tuple[float, float]]:
    """How much of its place each word's bar takes, and its outline."""
    return widget.locator(".tc-bars").evaluate(
        """picture => [...picture.querySelectorAll("g:not([hidden], .tc-handle)")].map((row) => {
            const [room, p, q] = [...row.querySelectorAll("rect")].map((x) => x.width)
                .map((width) => width.baseVal.value);
            return [p / room, q / room];
        })"""
    )


def pushes(widget: Locator) -> list[tuple[float, float]]:
    """Where each arrow begins and ends, as shares of the place of a bar."""
    return widget.locator(".tc-bars").evaluate(
        """picture => [...picture.querySelectorAll("g:not([hidden]) > .tc-push")]
            .map((push) => [push.getAttribute("d"), push.parentNode.querySelector("rect")])
            .filter(([d]) => d)
            .map(([d, {x, width}]) => /^M([\\d.]+) [\\d.]+H([\\d.]+)/.exec(d).slice(1)
                .map((at) => (at - x.baseVal.value) / width.baseVal.value))"""
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("epsilon", "lead", "size"), [(0, 1, 5), (0.1, 5.5, 5), (0.3, -1, 8)])
def test_each_word_has_a_bar_an_outline_and_an_arrow_as_long_as_its_gradient(
    show, width, epsilon, lead, size
):
    state = {"epsilon": epsilon, "lead": lead, "size": size}
    widget = show(LabelSmoothing(**state), width=width).locator(".tc-smoothing")
    target, model = LabelSmoothing(**state).distributions()
    for (p, q), one, wanted in zip(shown_bars(widget), model, target, strict=True):
        assert p == pytest.approx(one, abs=1e-6)
        assert q == pytest.approx(wanted, abs=0.006)  # an outline of nothing can be seen, too
    arrows = pushes(widget)
    assert len(arrows) == size
    for (start, end), one, wanted in zip(arrows, model, target, strict=True):
        assert start == pytest.approx(one, abs=1e-6)
        assert end - start == pytest.approx(wanted - one, abs=1e-6)


def test_the_bar_of_the_right_word_is_dragged_and_moves_the_loss(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    mouse = widget.page.mouse
    before = dot(widget).bounding_box()
    held = bar(widget).bounding_box()
    middle = held["x"] + held["width"] / 2, held["y"] + held["height"] / 2
    room = widget.locator(".tc-bars .tc-room").first.bounding_box()
    mouse.move(*middle)
    mouse.down()
    mouse.move(room["x"] + room["width"] / 2, middle[1])
    mouse.up()
    share, _ = shown_bars(widget)[0]
    assert share == pytest.approx(0.5, abs=0.02)
    check(widget, lead=round(math.log(4), 1))
    assert dot(widget).bounding_box()["x"] < before["x"] - 20


def test_a_curve_that_is_not_drawn_is_not_named(show):
    widget = show(LabelSmoothing()).locator(".tc-smoothing")
    legend = widget.locator(".tc-chart + .tc-legend > span").filter(visible=True)
    lines = widget.locator(".tc-chart .tc-lines polyline")
    expect(legend).to_have_text(
        ["loss with smoothing", "loss without", "smallest: “mat” has 0.920"]
    )
    expect(lines).to_have_count(2)
    widget.get_by_label("Smoothing").fill("0")
    expect(legend).to_have_text(["loss without smoothing: no smallest one"])
    expect(lines).to_have_count(1)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_words_of_the_bars_meet_or_leave_them(show, width):
    widget = show(LabelSmoothing(), width=width).locator(".tc-smoothing")
    for size in ("2", "5", "8", "37000"):
        widget.get_by_label("Vocabulary").select_option(size)
        for key in ("Home", "End"):
            dot(widget).press(key)
            wide, boxes = widget.locator(".tc-bars").evaluate(
                """picture => [picture.viewBox.baseVal.width,
                    [...picture.querySelectorAll(":scope > text, g:not([hidden]) > text")]
                        .map((one) => one.getBBox()).filter(({width}) => width)
                        .map(({x, y, width, height}) => [x, x + width, y + 2, y + height - 2])]"""
            )
            for left, right, *_ in boxes:
                assert -1.5 < left < right < wide + 1.5
            for a, b in combinations(boxes, 2):
                assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (size, a, b)
