"""ThenAndNow in a real browser: every model and part is told as Python has it."""

import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import ThenAndNow
from transformer_course.widgets.then_and_now import MODELS, PARTS

widget = opens(ThenAndNow, ".tc-then")


def test_every_model_and_part_is_pythons_by_mouse_and_by_keyboard(widget):
    opened, twin = widget(), ThenAndNow()
    for model, name in enumerate(MODELS):
        opened.get_by_label("Compare with").select_option(str(model))
        rows = opened.locator(".tc-row")
        assert rows.count() == len(PARTS)
        for place, row in enumerate(twin.models[model]["rows"]):
            expect(rows.nth(place).locator(".tc-now")).to_have_text(row["label"])
            rows.nth(place).click()
            told = opened.locator(".tc-part")
            expect(told).to_contain_text(row["who"])
            expect(told.locator(".tc-formula").last).to_have_text(
                re.sub("[_^]", "", row["formula"])
            )
            state = "in neither" if row["state"] == "neither" else row["state"]
            expect(opened.locator(".tc-state")).to_have_text(state)
            was = twin.models[model]["then"][place]["label"]
            expect(rows.nth(place).locator(".tc-was")).to_have_text(was)
            part = PARTS[place]["part"].capitalize()
            expect(opened.locator(".tc-why")).to_have_text(f"{part}: {state}. {row['why']}")
        expect(opened.locator(".tc-heads").first).to_contain_text(name)
        expect(opened.locator(".tc-heads").first).to_contain_text(twin.models[model]["stack"])
    opened.get_by_role("button", name="Next").press("Home")
    expect(rows.first).to_have_attribute("aria-pressed", "true")
    opened.page.keyboard.press("ArrowRight")
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("width", [1280, 390])
def test_each_part_is_drawn_once_where_it_was_kept_and_else_differently_now(widget, width):
    opened = widget(width=width)
    for model in range(len(MODELS)):
        opened.get_by_label("Compare with").select_option(str(model))
        for row, told in zip(
            opened.locator(".tc-row").all(), ThenAndNow().models[model]["rows"], strict=True
        ):
            row.click()
            pictures = opened.locator(".tc-picture:visible svg")
            kept = told["state"] in ("kept", "neither")
            expect(pictures).to_have_count(1 if kept else 2)
            drawn = pictures.evaluate_all("all => all.map(one => one.innerHTML)")
            assert len(set(drawn)) == len(drawn)
            assert all("NaN" not in each for each in drawn)
            part, column = opened.locator(".tc-part"), opened.locator(".tc-result")
            assert part.bounding_box()["height"] <= column.bounding_box()["height"] + 1
            labels = pictures.locator("text")
            sizes = "all => all.map(one => one.getBoundingClientRect().height)"
            assert all(size >= 11 for size in labels.evaluate_all(sizes))


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_its_height_stays(widget, width):
    opened = widget(width=width)
    heights = []
    for model in range(len(MODELS)):
        opened.get_by_label("Compare with").select_option(str(model))
        for row in opened.locator(".tc-row").all():
            row.click()
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2
    assert max(heights) <= (900 if width == 320 else 860)  # a phone's window


# Words that are cut in their cell, and words of a picture that stand on another's or on a formula.
CUT = """card => {
  const cells = [...card.querySelectorAll(".tc-row > span, .tc-why, .tc-head > b")];
  const shown = (selector) => [...card.querySelectorAll(selector)]
    .filter((node) => node.getClientRects().length);
  const all = shown(".tc-picture text, .tc-formula").map((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [node.textContent, range.getBoundingClientRect()];
  });
  const meet = ([name, a], [other, b]) => Math.min(a.right, b.right) - Math.max(a.x, b.x) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y) > 4 && [name, other];
  return [
    ...cells.filter((cell) => cell.clientHeight > 1 && (cell.scrollHeight > cell.clientHeight + 1
      || cell.scrollWidth > cell.clientWidth + 1)).map((cell) => cell.textContent),
    ...all.flatMap((one, n) => all.slice(n + 1).map((other) => meet(one, other)).filter(Boolean)),
  ];
}"""


@pytest.mark.parametrize("width", [320, 390, 620])
def test_on_a_phone_no_words_are_cut_or_stand_on_others(widget, width):
    opened = widget(width=width)
    for model in range(len(MODELS)):
        opened.get_by_label("Compare with").select_option(str(model))
        for row in opened.locator(".tc-row").all():
            row.click()
            assert opened.evaluate(CUT) == []
            sizes = opened.locator(".tc-picture text").evaluate_all(
                """all => all.filter((one) => one.getClientRects().length).map((one) =>
                  one.getScreenCTM().a * parseFloat(getComputedStyle(one).fontSize))"""
            )
            assert all(11 <= size <= 14 for size in sizes), sizes


@pytest.mark.parametrize("width", [1280, 390])
def test_the_norm_is_dark_where_it_stands_and_is_said_to_have_moved_where_it_did(widget, width):
    opened = widget(width=width)
    norms = opened.locator(".tc-row :is(.tc-was, .tc-now) b:visible")
    for model in range(len(MODELS)):
        opened.get_by_label("Compare with").select_option(str(model))
        rows = ThenAndNow().models[model]["rows"]
        moved = rows[1]["state"] == "new"
        said = (
            "The norm moved; attention’s formula did not."
            if moved
            else "The formula of attention never moved."
        )
        expect(opened.locator(".tc-tally")).to_contain_text(said)
        then, now = (
            opened.locator(f".tc-row:not([data-state=kept]) .tc-{x} b") for x in ["was", "now"]
        )
        expect(then).to_have_count(int(moved))  # after the sum
        expect(now).to_have_count(int(moved))  # and before the part
        if moved:
            assert now.bounding_box()["y"] > then.bounding_box()["y"]
        assert norms.count() >= 1


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(**window)
    for model in ("0", "3"):
        opened.get_by_label("Compare with").select_option(model)
        check_page(opened.page)


@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_at_the_first_part_and_no_label_breaks_anew_where_it_is_chosen(widget, width):
    opened = widget(width=width)
    rows = opened.locator(".tc-row")
    expect(rows.first).to_have_attribute("aria-pressed", "true")
    labels = opened.locator(".tc-row > span > span")
    size = "all => all.map(one => [one.offsetWidth, one.offsetHeight])"
    sizes = labels.evaluate_all(size)
    for row in rows.all():
        row.click()
        assert labels.evaluate_all(size) == sizes


def test_on_a_phone_the_picture_stands_above_its_formulas(widget):
    opened = widget(width=390)
    picture, formulas = (opened.locator(x).bounding_box() for x in (".tc-layer", ".tc-part"))
    assert picture["y"] + picture["height"] <= formulas["y"]


def test_the_flow_stops_short_of_the_words_that_it_passes(widget):
    opened = widget(width=1280)
    for model in range(len(MODELS)):
        opened.get_by_label("Compare with").select_option(str(model))
        for label in opened.locator("[data-state=gone] .tc-now > span").all():
            word, cell = label.bounding_box(), label.locator("..").bounding_box()
            assert word["y"] - cell["y"] > 5.5  # the line is 4 px, in a border
