"""Saturation in a real browser: its numbers are Python's, by mouse and by keyboard."""

import re

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.model.numpy_reference import softmax
from transformer_course.widgets import Saturation
from transformer_course.widgets.saturation import MODES, WIDTHS, keys_in_use

widget = opens(Saturation, ".tc-saturation")
TALL = 108  # of a bar whose weight is 1


def unfolded(widget: Locator) -> Locator:
    """With what holds over 1,000 queries in sight."""
    widget.locator("summary").click()
    return widget


def check_numbers(widget: Locator, d_k: int, mode: int, draw: int) -> None:
    """Weights, sentence and table are what Python computes."""
    start, n = Saturation(), WIDTHS.index(d_k)
    scores = np.array(start.scores[draw]) * (1 if mode else np.sqrt(d_k))
    weights = softmax(scores)
    heights = (
        widget.locator(".tc-mode")
        .nth(mode)
        .locator(".tc-bar-now")
        .evaluate_all("bars => bars.map((bar) => Number(bar.getAttribute('height')))")
    )
    np.testing.assert_allclose(np.array(heights) / TALL, weights, atol=0.0006)
    picture = widget.locator(".tc-mode svg").nth(mode).get_attribute("aria-label")
    found = re.fullmatch(
        rf"{MODES[mode]}: scores from (\S+) to (\S+), the largest weight (\S+)",
        picture.replace("−", "-"),
    )
    exact = [scores.min(), scores.max(), weights.max()]
    np.testing.assert_allclose([float(x) for x in found.groups()], exact, atol=0.0501)
    used = widget.locator(".tc-mode b").nth(mode).inner_text()
    assert float(used) == pytest.approx(keys_in_use(weights), abs=0.0501)
    said = widget.locator(".tc-why").inner_text()
    if d_k > 1:
        each = (
            softmax(np.array(start.scores[draw]) * np.sqrt(d_k)),
            softmax(np.array(start.scores[draw])),
        )
        key = each[0].argmax()
        pattern = rf"Key {key + 1} gets (\S+) by plain scores, only (\S+) divided by √{d_k}\."
        told = [float(x) for x in re.fullmatch(pattern, said).groups()]
        np.testing.assert_allclose(told, [each[0][key], each[1][key]], atol=0.00051)
    else:
        assert said == "Keys of width 1: the division changes nothing."
    for row, name in enumerate(MODES):
        cells = widget.locator("tbody tr").nth(row).locator("td").all_text_contents()
        figures = [start.figures[name][what][n] for what in ("spread", "keys", "median", "mean")]
        np.testing.assert_allclose([float(x) for x in cells], figures, rtol=0.06)


def test_every_number_is_pythons_by_mouse_and_by_keyboard(widget):
    opened = widget()
    check_numbers(opened, 64, 0, 0)
    opened.get_by_role("button", name="divided", exact=True).click()
    check_numbers(opened, 64, 1, 0)
    opened.get_by_label("d_k", exact=True).focus()
    for key in ("ArrowRight", "End"):
        opened.page.keyboard.press(key)
    check_numbers(opened, 1024, 1, 0)
    opened.get_by_role("button", name="not divided").press("Space")
    opened.get_by_role("button", name="Another query").press("Enter")
    check_numbers(opened, 1024, 0, 1)
    opened.get_by_label("d_k", exact=True).press("Home")
    check_numbers(opened, 1, 0, 1)


@pytest.mark.parametrize("draw", [0, 6, 11])
def test_the_winner_is_named_and_every_score_has_its_place_on_the_line(widget, draw):
    limit = 24
    for d_k in (1, 64, 128, 1024):
        opened = widget(Saturation(d_k=d_k, draw=draw))
        for mode in range(2):
            way = opened.locator(".tc-mode").nth(mode)
            scores = np.array(Saturation().scores[draw]) * (1 if mode else np.sqrt(d_k))
            below, above = int((scores < -limit).sum()), int((scores > limit).sum())
            ends = [text.replace("−", "-") for text in way.locator(".tc-end").all_text_contents()]
            assert ends == [
                f"← {below}" if below else str(-limit),
                f"{above} →" if above else str(limit),
            ]
            assert mode or d_k < 1024 or below + above > 5
            told = opened.locator(".tc-legend").first.text_content()
            if not mode:
                many = f"{below + above} plain score{'s' if below + above > 1 else ''}"
                assert (f"Arrows: {many} beyond ±24." in told) == (below + above > 0)
            places = way.locator(".tc-strokes rect").evaluate_all(
                "marks => marks.map((mark) => Number(mark.getAttribute('x')))"
            )
            exact = 316 * (0.5 + scores.clip(-limit, limit) / limit / 2.5) - 1.25
            np.testing.assert_allclose(places, exact, atol=0.051)
            lefts = way.locator(".tc-bar-now").evaluate_all(
                "bars => bars.map((bar) => Number(bar.getAttribute('x')))"
            )
            assert np.argsort(lefts).tolist() == np.argsort(scores).tolist()
            assert way.locator(".tc-key").text_content() == f"key {scores.argmax() + 1}"
            assert float(way.locator(".tc-share").text_content()) == pytest.approx(
                softmax(scores).max(), abs=0.00051
            )


def test_dragging_the_width_sharpens_steadily_and_moves_nothing_if_divided(widget):
    opened = widget()
    slider = opened.get_by_label("d_k", exact=True)
    heights = "bars => bars.map((bar) => Number(bar.getAttribute('height')))"
    for divided in (False, True):
        bars = opened.locator(".tc-mode").nth(int(divided)).locator(".tc-bar-now")
        seen = []
        for place in range(11):
            slider.fill(str(place))
            seen.append(bars.evaluate_all(heights))
        tops = [max(row) for row in seen]
        if divided:
            assert seen == [seen[0]] * 11
        else:
            assert tops == sorted(tops)
            assert tops[-1] > tops[0] * 2
            assert len({np.argmax(row) for row in seen}) == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_the_width_nor_the_chart_changes_its_height(widget, width):
    opened = unfolded(widget(width=width))
    heights = []
    for name in "Spread", "Keys in use", "Gradient":
        opened.get_by_role("button", name=name).click()
        for divided in False, True:
            opened.locator(".tc-choose").nth(int(divided)).click()
            for place in range(11):
                opened.get_by_label("d_k", exact=True).fill(str(place))
                heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_play_widens_the_keys_to_the_end(widget):
    opened = widget(Saturation(d_k=256))
    opened.get_by_role("button", name="Play").click()
    expect(opened.get_by_label("d_k", exact=True)).to_have_value("10")
    expect(opened.get_by_role("button", name="Play")).to_be_visible()
    check_numbers(opened, 1024, 0, 0)


def test_twelve_queries_go_round(widget):
    opened = widget()
    before = opened.locator(".tc-why").inner_text()
    for draw in [*range(1, 12), 0]:
        opened.get_by_role("button", name="Another query").click()
        check_numbers(opened, 64, 0, draw)
    assert opened.locator(".tc-why").inner_text() == before


def test_each_chart_marks_the_present_width(widget):
    opened = unfolded(widget(Saturation(d_k=512)))
    charts = {
        "Spread": ("spread", 2),
        "Keys in use": ("keys", 2),
        "Gradient": ("median", 4),
    }
    for name, (what, lines) in charts.items():
        opened.get_by_role("button", name=name).click()
        expect(opened.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        expect(opened.locator("polyline")).to_have_count(lines)
        marks = opened.locator(".tc-names text").all_text_contents()
        for mode, mark in zip(MODES, marks, strict=True):
            exact = Saturation().figures[mode][what][9]
            assert float(mark) == pytest.approx(exact, rel=0.06)


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(Saturation(), views=[0, 0]).locator(".tc-saturation").all()
    first.get_by_label("d_k", exact=True).press("End")
    second.get_by_role("button", name="divided", exact=True).click()
    for view in (first, second):
        check_numbers(view, 1024, 1, 0)


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = unfolded(widget(**window))
    for key in ("Home", "End"):
        opened.get_by_label("d_k", exact=True).press(key)
        opened.get_by_role("button", name="Gradient").click()
        check_page(opened.page)


def test_print_shows_the_pictures_without_controls(widget):
    opened = widget()
    opened.page.emulate_media(media="print")
    assert opened.locator(".tc-stepbar:visible").count() == 0
    expect(opened.locator(".tc-chart:visible")).to_have_count(3)


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_no_thread_runs_behind_a_word_or_a_number(show, d_k):
    widget = show(Saturation(d_k=d_k)).locator(".tc-saturation")
    widget.page.wait_for_timeout(400)  # the bars have grown
    struck = widget.evaluate(
        """root => [...root.querySelectorAll(".tc-mode svg")].flatMap((drawn) =>
          [...drawn.querySelectorAll("text")].filter((text) => {
            const { x, y, width, height } = text.getBBox();
            return [...drawn.querySelectorAll(".tc-drop")].some((path) =>
              Array.from({ length: Math.ceil(path.getTotalLength()) }, (_, n) =>
                path.getPointAtLength(n)).some((at) =>
                  at.x > x && at.x < x + width && at.y > y + 5 && at.y < y + height - 5));
          }).map((text) => text.textContent))"""
    )
    assert struck == []


def test_on_a_phone_the_name_of_the_weights_keeps_clear_of_the_keys(widget):
    opened = widget(Saturation(), width=390)
    for name, key in zip(
        opened.locator(".tc-named").all(), opened.locator(".tc-key").all(), strict=True
    ):
        left, right = name.bounding_box(), key.bounding_box()
        assert left["x"] + left["width"] + 6 < right["x"]
