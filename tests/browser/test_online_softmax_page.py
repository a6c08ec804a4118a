"""OnlineSoftmax in a real browser: after every tile its numbers are Python's."""

import math

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import OnlineSoftmax
from transformer_course.widgets.online_softmax import PRESETS, RISING

WORDS = {"NaN": math.nan, "−∞": -math.inf}


softmax = opens(OnlineSoftmax, ".tc-online")


def numbers(row: Locator) -> list[float]:
    texts = row.locator("td").all_text_contents()
    return [WORDS.get(text) or float(text.replace("−", "-")) for text in texts if text]


def agree(widget: Locator, twin: OnlineSoftmax) -> None:
    """Every tile that is seen, and the row of all at once, to the decimals on display."""
    cells = twin.tables()[0].cells
    rows = widget.locator("tbody tr")
    assert rows.count() == len(cells) + 1
    for n in range(min(twin.step, len(cells))):
        np.testing.assert_allclose(numbers(rows.nth(n)), cells[n], rtol=0, atol=0.00051)
    assert rows.nth(len(cells) - 1).text_content().count("·") == 5 * (twin.step < len(cells))
    whole = [cells[-1][place] for place in (0, 2, 3, 4)]
    np.testing.assert_allclose(numbers(rows.last), whole, rtol=0, atol=0.00051)


def test_it_steps_through_the_tiles_by_mouse_and_by_keyboard(softmax):
    widget, twin = softmax(), OnlineSoftmax()
    agree(widget, twin)
    expect(widget.locator("table")).to_be_hidden()
    widget.get_by_role("button", name="Next").click()
    twin.step = 2
    agree(widget, twin)
    expect(widget.locator(".tc-sums > div").first).to_contain_text(
        "running maximum of the scores+ 2.5"
    )
    expect(widget.locator("code").nth(1)).to_have_text("correction = exp(−2.5 − 0) = 0.0821")
    widget.get_by_role("button", name="Next").click()
    twin.step = 3
    agree(widget, twin)
    widget.get_by_role("button", name="Next").press("Enter")
    twin.step = 4
    agree(widget, twin)
    expect(widget.locator(".tc-verdict")).to_have_text(
        "The same as the ordinary softmax over all 12 keys. "
    )
    widget.get_by_role("button", name="Next").press("Home")
    expect(widget.locator("[aria-live]").first).to_contain_text("No tile is seen yet")
    widget.get_by_label("Keys in a tile").fill("5")
    widget.get_by_role("button", name="Next").press("End")
    agree(widget, OnlineSoftmax(tile=5, step=3))


def test_every_preset_is_the_packages(softmax):
    widget = softmax(OnlineSoftmax(step=12))
    wanted = {"all masked": "0 ÷ 0 is not a number", "large scores, near 1000": "exp overflows"}
    for name, (scores, mask) in PRESETS.items():
        widget.get_by_label("Scores").select_option(label=name)
        agree(widget, OnlineSoftmax(scores=[scores], mask=[mask], step=12))
        verdict = widget.locator(".tc-verdict")
        expect(verdict).to_contain_text(wanted.get(name, "The same as the ordinary softmax"))


def test_scores_are_edited_and_masked(softmax):
    widget = softmax(OnlineSoftmax(step=4))
    scores, mask = list(RISING), [True] * 12
    first = widget.get_by_label("score of key 1", exact=True)
    first.fill("4,25")
    first.press("Enter")
    scores[0] = 4.25
    agree(widget, OnlineSoftmax(scores=[scores], step=4))
    first.press("ArrowDown")
    scores[0] = 3.75
    expect(first).to_have_value("3.75")
    last = widget.get_by_label("score of key 12", exact=True)
    last.fill("-inf")
    last.press("Enter")
    mask[11] = False
    expect(last).to_have_value("−∞")
    agree(widget, OnlineSoftmax(scores=[scores], mask=[mask], step=4))
    expect(widget.get_by_label("Scores")).to_have_value("")
    last.fill("1")
    last.press("Enter")
    scores[11] = 1
    agree(widget, OnlineSoftmax(scores=[scores], step=4))


def test_a_score_that_is_none_keeps_the_old_one_and_says_so(softmax):
    widget = softmax()
    cell = widget.get_by_label("score of key 2", exact=True)
    message = widget.locator(".tc-message")
    for bad in ("", "abc", "1e9", "2001", "--1", "NaN", "<b>7</b>"):
        cell.fill(bad)
        cell.press("Enter")
        expect(cell).to_have_value("−2.5")
        expect(message).to_contain_text(f"“{bad}” is no score" if bad else "The cell was empty")
        expect(message).to_contain_text(
            "Expected a number from −2000 to 2000, or −inf for a masked key; the old one stays."
        )
        agree(widget, OnlineSoftmax())
    cell.fill("1")
    cell.press("Enter")
    expect(message).to_be_empty()


def test_without_the_correction_the_end_is_wrong_and_the_page_says_why(softmax):
    widget = softmax(OnlineSoftmax(step=4))
    box = widget.get_by_label("Forget to shrink")
    box.press("Space")
    last = numbers(widget.locator("tbody tr").nth(3))
    truth = OnlineSoftmax().tables()[0].cells[-1]
    assert last[1] == 1
    assert abs(last[4] - truth[4]) > 0.1
    verdict, off = widget.locator(".tc-verdict"), last[4] - truth[4]
    told = verdict.inner_text()
    assert told.endswith(f"older weights are too large. right: {truth[4]:.3f}")
    assert abs(float(told.split()[2].rstrip(":")) - off) < 0.0011
    widget.get_by_role("button", name="tile 3").click()
    expect(verdict).to_contain_text(f"right: {OnlineSoftmax().tables()[0].cells[2][4]:.3f}")
    widget.get_by_role("button", name="tile 1", exact=False).click()
    expect(verdict).to_have_text("Still right, without any correction. ")
    widget.get_by_role("button", name="Next").press("End")
    box.press("Space")
    agree(widget, OnlineSoftmax(step=4))


def test_memory_is_told_for_any_length(softmax):
    widget = softmax()
    widget.get_by_text("Memory: what has to be kept").click()
    widget.get_by_label("Tokens n").press("End")
    everything, few = OnlineSoftmax(length=131_072).tables()[1].cells[0]
    memory = widget.locator("p", has_text="tokens have")
    expect(memory).to_contain_text(f"131,072 tokens have {everything:,.0f} scores a head, 64 GiB")
    expect(memory).to_contain_text(f"are {few:,.0f} numbers")


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_steps_nor_the_size_of_a_tile_change_its_height(softmax, width):
    widget = softmax(OnlineSoftmax(step=0), width=width)
    if width == 390:  # a phone has little room
        widget.get_by_text("Scores and tiles").click()
    heights = []
    for name in PRESETS:
        widget.get_by_label("Scores").select_option(label=name)
        for size in 1, 3, 12:
            widget.get_by_label("Keys in a tile").fill(str(size))
            for _ in range(1 + 12 // size):
                heights.append(widget.bounding_box()["height"])
                widget.get_by_role("button", name="Next").press("Enter")
            widget.get_by_role("button", name="Next").press("Home")
    assert max(heights) - min(heights) <= 2


def test_the_sums_shrink_before_the_tile_comes_in(softmax):
    widget = softmax(OnlineSoftmax(step=1))
    kept, bar = (
        widget.locator(f".tc-sums {part}").first for part in ("rect.tc-old", "rect.tc-new")
    )
    width = "node => Number(node.getAttribute('width'))"
    alone = bar.evaluate(width)
    assert kept.evaluate(width) == 0
    widget.get_by_role("button", name="Next").click()
    exact = OnlineSoftmax().tables()[0].cells[1][1]
    assert abs(kept.evaluate(width) / alone - exact) < 0.005
    widget.page.emulate_media(reduced_motion="no-preference")
    widget.get_by_role("button", name="Next").click()
    widths = []
    for _ in range(60):
        widths.append((kept.evaluate(width), bar.evaluate(width)))
        widget.page.wait_for_timeout(16)
    assert len({*widths}) > 4
    assert widths[-1] == widths[-2]


def test_one_factor_shrinks_the_past_and_both_sums_from_one_zero(softmax):
    widget = softmax(OnlineSoftmax(step=2))
    before, after = OnlineSoftmax().tables()[0].cells[:2]
    factor = f"{after[1]:.2f}"
    expect(widget.locator(":is(.tc-sum-l, .tc-sum-o) em")).to_have_text([f"× {factor}"] * 2)
    for name, n in (("l", 2), ("o", 3)):  # the dashed outline is what was, the dark bar what stays
        lane = widget.locator(f".tc-sum-{name}")
        was, kept = (
            float(lane.locator(f".tc-{kind}").get_attribute("width")) for kind in ("was", "old")
        )
        assert abs(kept / was - after[1]) < 0.005
        expect(widget.locator(f".tc-sums > div:has(.tc-sum-{name}) data")).to_have_text(
            f"{after[n]:.2f}"
        )
    assert before[2] * after[1] < after[2]
    tags = widget.locator(".tc-key").evaluate_all("keys => keys.map((key) => key.dataset.times)")
    assert [tag for tag in tags if tag] == [f"× {factor}"]
    zeros = widget.locator(":is(.tc-sum-l, .tc-sum-o) line").evaluate_all(
        "all => all.map((it) => it.x1.baseVal.value)"
    )
    assert len({*zeros}) == 1
    phases = widget.locator(".tc-phases em")
    expect(phases).to_have_text(["not read again", "read now", "still to come"])
    left, now = (phases.nth(n).bounding_box() for n in (0, 1))
    key = widget.locator(".tc-key").nth(3).bounding_box()  # the second tile's first
    assert abs(left["x"] + left["width"] - key["x"]) <= 1
    assert abs(now["x"] - key["x"]) <= 1
    widget.get_by_role("button", name="Next").press("End")
    expect(phases.last).to_be_hidden()


def test_two_views_stay_together(show):
    first, second = show(OnlineSoftmax(), views=[0, 0]).locator(".tc-online").all()
    second.get_by_label("Keys in a tile").fill("4")
    second.get_by_role("button", name="Next").click()
    agree(first, OnlineSoftmax(tile=4, step=2))
    ids = first.page.locator(".tc-online [id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_it_is_accessible_and_fits_its_window(softmax, window):
    scores, mask = PRESETS["large scores, near 1000"]
    for tile, step in ((3, 2), (12, 1), (1, 12)):
        large = OnlineSoftmax(scores=[scores], mask=[mask], tile=tile, step=step)
        page = softmax(large, **window).page
        check_page(page)


def test_print_shows_tiles_and_sums_and_no_controls(softmax):
    widget = softmax()
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-tiles:visible, .tc-sums:visible").count() == 2
    assert widget.locator(".tc-bar:visible").count() == 0


def test_a_tick_for_each_score_read_and_a_mark_at_the_largest(softmax):
    widget = softmax(OnlineSoftmax(step=2))
    axis = widget.locator(".tc-sum-m")
    ticks = (
        "node => node.getAttribute('d').match(/M[\\d.]+ 30/g).map((it) => parseFloat(it.slice(1)))"
    )
    places, largest = (
        axis.locator(f"path{kind}").evaluate(ticks) for kind in (":first-child", ".tc-mark")
    )
    assert np.argsort(places).tolist() == np.argsort(RISING[:6]).tolist()
    assert abs(largest[0] - max(places)) < 0.1
    expect(axis.locator("em")).to_have_text("+ 2.5")
    widget.get_by_label("Scores").select_option(label="the largest first")
    expect(axis.locator("em")).to_be_hidden()
    assert [
        tag
        for tag in widget.locator(".tc-key").evaluate_all(
            "keys => keys.map((key) => key.dataset.times)"
        )
        if tag
    ] == []  # nothing shrinks


@pytest.mark.parametrize("width", [1280, 390])
def test_no_score_is_cut(softmax, width):
    scores, _ = PRESETS["large scores, near 1000"]
    widget = softmax(OnlineSoftmax(scores=[scores]), width=width)
    cut = "all => all.map(one => one.scrollWidth - one.clientWidth)"
    wide = widget.get_by_role("spinbutton").evaluate_all(cut)
    assert max(wide) <= 1


def test_it_opens_at_its_question_and_a_step_answers_it(softmax):
    widget = softmax()
    told = widget.locator("[aria-live]").first
    expect(told).to_contain_text("The next tile holds a larger one: what becomes of the sums?")
    widget.get_by_role("button", name="Next").click()
    expect(told).to_have_text(
        "Score 0 beats −2.5 by 2.5: what was summed before is multiplied by exp(−2.5) = 0.08, "
        "and the tile is added."
    )
    widget.get_by_label("Scores").select_option(label="the largest first")
    widget.get_by_role("button", name="Back").click()
    expect(told).not_to_contain_text("holds a larger one")
