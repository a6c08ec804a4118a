"""OneTable in a real browser: rows, scores and shares are Python's, by mouse and by keyboard."""

import re

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import OneTable

widget = opens(OneTable, ".tc-onetable")


def told(opened):
    return opened.locator(".tc-why")


def test_each_language_reads_its_words_from_the_same_rows(widget):
    opened = widget()
    expect(told(opened)).to_contain_text(
        "Job 1: the encoder looks up English. The numbers of “man”"
    )
    expect(opened.locator(".tc-read")).to_have_count(10)
    opened.get_by_role("button", name="Next").click()
    expect(told(opened)).to_contain_text("looks up German there too. The numbers of “Mann”")
    expect(opened.locator(".tc-read span")).to_have_text(["Ein", "Mann", "spielt"])


def test_the_scores_come_with_their_step(widget):
    opened = widget()
    for name, visible in (("Read English", False), ("Score", True), ("Choose", False)):
        opened.locator(".tc-stepbar").get_by_role("button", name=name).click()
        expect(opened.get_by_text("x over each row")).to_be_visible(visible=visible)


def test_every_score_is_pythons_logit(widget):
    opened = widget(OneTable(step=2))
    table = OneTable().table
    scores = np.array(table["rows"]) @ np.array(table["x"])
    shown = opened.locator(".tc-bars data").all_inner_texts()[:-1]  # last: all others
    np.testing.assert_allclose([float(s.replace("−", "-")) for s in shown], scores, atol=0.051)


@pytest.mark.parametrize(("key", "temperature"), [("Home", 0.25), ("End", 4)])
def test_the_temperature_gives_pythons_shares_and_words_in_play(widget, key, temperature):
    opened = widget(OneTable(step=3))
    opened.get_by_label("Temperature").press(key)
    share, many = OneTable().choices(temperature)
    found = re.search(
        r"has ([\d.]+)\s%. .* among ([\d.,]+) equally likely", told(opened).inner_text()
    )
    assert float(found[1]) == pytest.approx(100 * share.max(), abs=0.051)
    assert float(found[2].replace(",", "")) == pytest.approx(many, abs=0.51)


def test_draws_are_marked_and_go_away_with_another_temperature(widget):
    opened = widget(OneTable(step=3))
    marks = opened.locator(".tc-bars u")
    expect(marks.first).to_be_hidden()
    opened.get_by_role("button", name="Draw 100 words").click()
    expect(marks.first).to_be_visible()
    lefts = marks.evaluate_all("all => all.map((each) => parseFloat(each.style.left))")
    assert sum(lefts) == 100
    best = OneTable().table["words"].index("auf")
    assert abs(lefts[best] - 100 * OneTable().choices(1)[0].max()) < 15
    total = np.array(lefts)
    for _ in range(24):
        opened.get_by_role("button", name="Draw 100 words").click()
        total += marks.evaluate_all("all => all.map((each) => parseFloat(each.style.left))")
    share = OneTable().choices(1)[0]
    shown = [share[n] for n in OneTable().table["ids"]]
    exact = 2500 * np.array([*shown, 1 - sum(shown)])
    often = exact > 5  # auf, Gitarre, eine, and the others together
    assert often.sum() == 4
    assert np.sum((total - exact)[often] ** 2 / exact[often]) < 16.3  # of 3: 1 in 1,000
    opened.get_by_label("Temperature").press("ArrowRight")
    expect(marks.first).to_be_hidden()


def test_a_row_is_dragged_to_and_moved_by_keys(widget):
    opened = widget()
    mouse, rows = opened.page.mouse, opened.locator(".tc-rows button")
    for n in (1, 5):
        box = rows.nth(n).bounding_box()
        mouse.move(box["x"] + 20, box["y"] + 8)
        if n == 1:
            mouse.down()
    mouse.up()
    expect(rows.nth(5)).to_have_attribute("aria-pressed", "true")
    rows.nth(5).press("ArrowDown")
    expect(rows.nth(6)).to_be_focused()
    table = OneTable().table
    size = np.sqrt(np.mean(np.square(table["rows"][6])))
    told_of = f"“{table['words'][6]}” are {0.5**0.5 / size:.0f} times smaller"
    expect(told(opened)).to_contain_text(told_of)


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened = widget(width=width)
    heights = []
    for step in range(4):
        opened.locator(".tc-stepbar li button").nth(step).click()
        for n in (0, 5, 12):
            opened.locator(".tc-rows button").nth(n).click()
            heights.append(opened.bounding_box()["height"])
    opened.get_by_role("button", name="Draw 100 words").click()
    heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


@pytest.mark.parametrize("step", [1, 2, 3])
def test_it_is_accessible_and_fits_its_window(widget, window, step):
    check_page(widget(OneTable(step=step), **window).page)


def test_a_strip_is_gray_below_zero(widget):
    opened = widget(OneTable(word=1))
    row = OneTable().table["rows"][1][:16]
    kinds = (
        opened.locator(".tc-rows button")
        .nth(1)
        .locator("rect")
        .evaluate_all("all => all.map(rect => rect.getAttribute('class'))")
    )
    assert kinds == ["tc-less" if x < 0 else "tc-more" for x in row]


BARS = """all => all.map(({ style }) => [parseFloat(style.left), parseFloat(style.width)])"""


def test_the_bars_of_the_scores_become_the_shares_in_place(widget):
    opened = widget(OneTable(step=2))
    table = OneTable().table
    bars = opened.locator(".tc-bars i")
    scores = np.array(table["rows"]) @ np.array(table["x"])
    room = scores.max() - scores.min()
    left, wide = np.array(bars.evaluate_all(BARS)).T
    np.testing.assert_allclose(wide[:-1], 100 * np.abs(scores) / room, atol=0.1)
    np.testing.assert_allclose(
        left[:-1], 100 * (np.minimum(scores, 0) - scores.min()) / room, atol=0.1
    )
    places = [bar.bounding_box()["y"] for bar in bars.all()]
    opened.get_by_role("button", name="Next").click()
    best = table["words"].index("auf")
    expect(opened.locator(".tc-bars data").nth(best)).to_have_text("79\u00a0%")
    opened.page.wait_for_timeout(400)
    assert [bar.bounding_box()["y"] for bar in bars.all()] == places
    share, _ = OneTable().choices(1)
    shown = share[table["ids"]]
    left, wide = np.array(bars.evaluate_all(BARS)).T
    np.testing.assert_allclose(wide, 100 * np.array([*shown, 1 - shown.sum()]), atol=0.1)
    assert set(left) == {0}


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_x_is_laid_over_one_row_after_the_other_and_ends_at_the_chosen_one(widget, motion):
    opened = widget(OneTable(step=1, word=11))
    opened.page.emulate_media(reduced_motion=motion)
    opened.get_by_role("button", name="Next").click()
    over, rows = opened.locator(".tc-vector"), opened.locator(".tc-rows button")
    if motion == "no-preference":
        opened.page.wait_for_timeout(150)
        assert over.bounding_box()["y"] < rows.nth(12).bounding_box()["y"]
        assert opened.locator(".tc-bars i").nth(15).bounding_box()["width"] < 1  # not yet there
        opened.page.wait_for_timeout(3000)
    expect(opened.locator(".tc-rows .tc-read")).to_have_count(16)
    opened.page.wait_for_timeout(300)
    chosen = opened.locator(".tc-rows [aria-pressed=true]")
    assert abs(over.bounding_box()["y"] - chosen.bounding_box()["y"]) < 2
    assert opened.locator(".tc-bars i").nth(15).bounding_box()["width"] > 10


def test_a_row_flies_into_its_sum_and_is_gone_where_motion_is_unwelcome(widget):
    opened = widget()
    opened.page.emulate_media(reduced_motion="no-preference")
    opened.locator(".tc-rows button").nth(3).click()
    expect(opened.locator(".tc-stack > svg")).to_have_count(1)
    expect(opened.locator(".tc-stack > svg")).to_have_count(0)  # it has arrived
    opened.page.emulate_media(reduced_motion="reduce")
    opened.locator(".tc-rows button").nth(5).click()
    assert opened.locator(".tc-stack > svg").count() == 0


@pytest.mark.parametrize(("word", "step", "position"), [(1, 0, 1), (3, 0, 3), (12, 1, 3)])
def test_row_root_and_position_add_up_in_charts_of_one_scale(widget, word, step, position):
    opened = widget(OneTable(word=word, step=step))
    table = OneTable().table
    row = np.array(table["rows"][word])
    width = len(row)
    angles = position / 10_000 ** (np.arange(0, width, 2) / width)
    place = np.stack([np.sin(angles), np.cos(angles)], axis=1).ravel()
    expect(opened.locator(".tc-sum b")).to_have_text(
        [
            f"“{table['words'][word]}”",
            f"× √{width}",
            f"+ position {position}",
            f"= {('encoder', 'decoder')[step]} input",
        ]
    )
    charts = opened.locator(".tc-sum svg")
    values = """all => all.map(rect => {
      const half = Number(rect.parentElement.viewBox.baseVal.height) / 2;
      const [y, tall] = ["y", "height"].map((name) => Number(rect.getAttribute(name)));
      return y < half - 1e-6 ? tall : -tall;
    })"""
    drawn = [np.array(chart.locator("rect").evaluate_all(values)) for chart in charts.all()]
    unit = drawn[2][1] / place[1]
    scaled = row * width**0.5
    for found, wanted in zip(drawn, (row, scaled, place, scaled + place), strict=True):
        np.testing.assert_allclose(found, wanted[:16] * unit, atol=1e-3)


def test_a_word_out_of_the_text_has_no_position_and_no_sum(widget):
    opened = widget()
    parts = opened.locator(".tc-sum li")
    expect(parts.nth(3)).to_be_visible()
    opened.locator(".tc-rows button").last.click()
    expect(told(opened)).to_contain_text("is not in its text")
    expect(parts.nth(1)).to_be_visible()
    for n in (2, 3):
        expect(parts.nth(n)).to_be_hidden()
