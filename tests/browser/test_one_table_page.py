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
    expect(opened.locator(".tc-read")).to_have_count(0)
    expect(opened.locator(".tc-write")).to_have_count(3)


def test_the_scores_come_with_their_step(widget):
    opened = widget()
    for name, visible in (("Read English", False), ("Score", True), ("Choose", False)):
        opened.locator(".tc-stepbar").get_by_role("button", name=name).click()
        expect(opened.get_by_text("x against every row")).to_be_visible(visible=visible)


def test_every_score_is_pythons_logit(widget):
    opened = widget(OneTable(step=2))
    table = OneTable().table
    scores = np.array(table["rows"]) @ np.array(table["x"])
    shown = opened.locator(".tc-bars data").all_inner_texts()
    np.testing.assert_allclose([float(s.replace("−", "-")) for s in shown], scores, atol=0.051)


@pytest.mark.parametrize(("key", "temperature"), [("Home", 0.25), ("End", 4)])
def test_the_temperature_gives_pythons_shares_and_words_in_play(widget, key, temperature):
    opened = widget(OneTable(step=3))
    opened.get_by_label("Temperature").press(key)
    share, many = OneTable().choices(temperature)
    found = re.search(r"has ([\d.]+)\s%: .* among ([\d.,]+) equal words", told(opened).inner_text())
    assert float(found[1]) == pytest.approx(100 * share.max(), abs=0.051)
    assert float(found[2].replace(",", "")) == pytest.approx(many, abs=0.51)


def test_draws_are_marked_and_go_away_with_another_temperature(widget):
    opened = widget(OneTable(step=3))
    marks = opened.locator(".tc-likely u")
    expect(marks.first).to_be_hidden()
    opened.get_by_role("button", name="Draw 100 words").click()
    expect(marks.first).to_be_visible()
    lefts = marks.evaluate_all("all => all.map((each) => parseFloat(each.style.left))")
    assert sum(lefts) == 100
    assert abs(lefts[0] - 100 * OneTable().choices(1)[0].max()) < 15
    total = np.array(lefts)
    for _ in range(24):
        opened.get_by_role("button", name="Draw 100 words").click()
        total += marks.evaluate_all("all => all.map((each) => parseFloat(each.style.left))")
    share = OneTable().choices(1)[0]
    shown = [share[n] for n, _ in OneTable().table["best"]]
    exact = 2500 * np.array([*shown, 1 - sum(shown)])
    assert np.sum((total - exact) ** 2 / exact) < 26  # chi-square of 8: 1 in 1,000
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
    row = OneTable().table["rows"][1][:24]
    kinds = (
        opened.locator(".tc-rows button")
        .nth(1)
        .locator("rect")
        .evaluate_all("all => all.map(rect => rect.getAttribute('class'))")
    )
    assert kinds == ["tc-less" if x < 0 else "tc-more" for x in row]


def test_every_job_is_wired_to_its_rows_and_the_chosen_row_by_a_wire_of_its_own(widget):
    opened = widget(OneTable(word=1))
    many = [len(ids) for ids in OneTable().table["read"]] + [len(OneTable().table["words"])]
    assert [opened.locator(f"path.tc-job{n}").count() for n in range(3)] == many
    for n, job in enumerate(("reads English", "reads German", "scores every row")):
        opened.get_by_role("button", name=job).click()
        expect(opened.locator("path.tc-on")).to_have_count(many[n])
        expect(opened.locator(f"path.tc-job{n}.tc-chosen")).to_have_count(1)
        expect(opened.get_by_role("button", name=job)).to_have_attribute("aria-pressed", "true")
    opened.get_by_role("button", name="reads English").click()
    opened.locator(".tc-rows button").last.click()
    expect(opened.locator("path.tc-chosen")).to_have_count(0)


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
        np.testing.assert_allclose(found, wanted[:24] * unit, atol=1e-3)


def test_a_word_out_of_the_text_has_no_position_and_no_sum(widget):
    opened = widget()
    parts = opened.locator(".tc-sum li")
    expect(parts.nth(3)).to_be_visible()
    opened.locator(".tc-rows button").last.click()
    expect(told(opened)).to_contain_text("is not in its text")
    expect(parts.nth(1)).to_be_visible()
    for n in (2, 3):
        expect(parts.nth(n)).to_be_hidden()
