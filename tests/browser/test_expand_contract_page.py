"""ExpandContract in a real browser: the model's own counts, words dragged, units asked."""

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import ExpandContract

widget = opens(ExpandContract, ".tc-expand")
LAST = {"step": 3}


def words(opened):
    return opened.locator(".tc-words button")


def test_next_steps_from_the_vector_to_the_next_word(widget):
    opened = widget(ExpandContract(at=1))
    place = ExpandContract().places[1]
    assert place["next"] not in (place["without"], place["linear"])  # network and ReLU decide
    lit = opened.locator("circle.tc-more")  # it opens with the whole way in sight
    night = opened.locator(".tc-night")
    fill = "node => getComputedStyle(node).fill"
    expect(lit).to_have_count(int((np.array(place["z"]) > 0).sum()))
    expect(opened.locator(".tc-why")).to_contain_text("Switch some off: does Mann stay?")
    for said, less in (("Expand", 256), ("ReLU", 0), ("Contract", 0)):
        opened.get_by_role("button", name="Next").click()
        expect(opened.locator(".tc-why")).to_contain_text(said)
        silent = opened.locator("circle.tc-less")
        expect(silent).to_have_count(less - lit.count() if less else 0)
        dark = night.evaluate(fill) == "rgb(21, 32, 46)"
        assert dark == (said != "Expand")  # only what the ReLU lets through shines
    expect(opened.locator(".tc-outcome b")).to_have_text([place["next"], place["without"]])


def strongest(place):
    """The units that are listed, the strongest first."""
    z = np.array(place["z"])
    return [int(unit) for unit in np.argsort(-z, kind="stable")[:5] if z[unit] > 0]


def test_every_word_has_its_own_units_as_python_has_them(widget):
    opened = widget(ExpandContract(step=2))
    for n, place in enumerate(ExpandContract().places):
        words(opened).nth(n).click()
        fires = int((np.array(place["z"]) > 0).sum())
        expect(opened.locator(".tc-why")).to_contain_text(f"{fires} of 256 fire")
        fired = opened.locator(".tc-units button:not([inert]) b")
        expect(fired).to_have_text([str(unit) for unit in strongest(place)])


def test_units_are_switched_off_one_by_one_and_the_next_word_answers(widget):
    opened = widget(ExpandContract(step=2))
    place, share = ExpandContract().places[9], opened.locator(".tc-outcome i").first
    expect(share).to_have_text(f"{place['left'][0]} %")
    for number, off in zip(strongest(place), (1, 3, 7), strict=False):
        unit = opened.locator(f'.tc-units button[data-unit="{number}"]')
        unit.press("Enter")
        expect(unit).to_have_attribute("aria-pressed", "false")
        expect(share).to_have_text(f"{place['left'][off]} %")
    expect(opened.locator(".tc-why")).to_contain_text(f"falls from 92 % to {place['left'][7]} %")
    expect(opened.locator(".tc-flow")).to_contain_text("4 × 64 = 256 units: 14 fire")
    hidden = opened.locator(".tc-rays .tc-off")  # across, down, and from the list
    assert hidden.evaluate_all("all => all.map((it) => getComputedStyle(it).opacity)") == ["0"] * 9
    opened.get_by_role("button", name="Back").click()
    expect(opened.locator(".tc-why")).to_contain_text("17 come out above zero, 3 of them switched")
    words(opened).nth(13).click()
    expect(opened.locator(".tc-units [aria-pressed=false]")).to_have_count(0)
    expect(opened.locator(".tc-units")).to_contain_text("fires before (end)")
    expect(opened.locator(".tc-legend")).to_contain_text("Fires before")


def test_it_opens_with_words_in_english_too_and_a_legend_of_what_is_there(widget):
    opened = widget()
    expect(opened.locator(".tc-why")).to_contain_text(
        "The translator has written er (he): 17 of 256 units fire."
    )
    expect(opened.locator(".tc-outcome p").first).to_have_text("Next worddas (the)92 %")
    expect(opened.locator(".tc-legend")).to_contain_text("Favors")
    expect(opened.locator(".tc-legend")).not_to_contain_text("Fires before")
    expect(opened.locator(".tc-units > small")).to_have_text("5 strongest: press to switch off")
    expect(opened.locator(".tc-units")).to_contain_text("→ das (the) · hinter (behind)")
    for label in opened.locator(".tc-units span").all():
        assert label.evaluate("it => it.scrollWidth <= it.clientWidth")


def test_without_the_relu_all_units_go_on_and_the_next_word_changes(widget):
    opened = widget(ExpandContract(at=7, **LAST))
    opened.get_by_role("checkbox", name="ReLU").press("Space")
    expect(opened.locator(".tc-why")).to_contain_text("all 256 values are added up")
    opened.locator(".tc-stepbar li button").first.click()
    expect(opened.locator(".tc-why")).to_contain_text("Without the ReLU 256 units go on")
    place = ExpandContract().places[7]
    expect(opened.locator(".tc-why")).to_contain_text(f"not {place['next']}")
    expect(opened.locator(".tc-outcome b")).to_have_text([place["linear"], place["without"]])
    sure = [f"{place['sure'][name]} %" for name in ("linear", "without")]
    expect(opened.locator(".tc-outcome i")).to_have_text(sure)
    expect(opened.locator(".tc-outcome small")).to_have_text(
        ["Next word, no ReLU", "Without this network"]
    )


def test_it_is_said_that_without_the_relu_units_are_on_again(widget):
    opened = widget(ExpandContract(step=2))
    relu, told = opened.get_by_role("checkbox", name="ReLU"), opened.locator(".tc-why")
    relu.press("Space")
    expect(told).to_contain_text("units go on")
    expect(told).not_to_contain_text("on again")  # none was off
    relu.press("Space")
    opened.locator(".tc-units button").first.click()
    height = opened.bounding_box()["height"]
    relu.press("Space")
    expect(told).to_contain_text("Units switched off are on again.")
    expect(opened.locator(".tc-units [aria-pressed=false]")).to_have_count(0)
    assert abs(opened.bounding_box()["height"] - height) <= 1
    relu.press("Space")
    expect(told).not_to_contain_text("on again")


def test_words_are_dragged_through_and_moved_by_keys(widget):
    opened = widget()
    mouse, row = opened.page.mouse, words(opened)
    for n in (2, 5):
        box = row.nth(n).bounding_box()
        mouse.move(box["x"] + 8, box["y"] + 8)
        if n == 2:
            mouse.down()
    mouse.up()
    expect(row.nth(5)).to_have_attribute("aria-pressed", "true")
    row.nth(5).press("ArrowRight")
    expect(row.nth(6)).to_be_focused()
    expect(row.nth(6)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened = widget(width=width)
    heights = []
    for step in range(4):
        opened.locator(".tc-stepbar li button").nth(step).click()
        for n in range(len(ExpandContract().places)):
            words(opened).nth(n).click()
            heights.append(opened.bounding_box()["height"])
    opened.get_by_role("checkbox", name="ReLU").press("Space")
    heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_on_a_phone_only_the_units_that_are_on_have_their_number_in_the_square(widget):
    opened = widget(ExpandContract(step=2), width=390)
    numbers, listed = opened.locator(".tc-tags text"), opened.locator(".tc-units b")
    expect(numbers).to_have_text(listed.all_inner_texts())
    opened.locator(".tc-units button").first.click()
    expect(numbers).to_have_text(listed.all_inner_texts()[1:])
    opened.locator(".tc-units button").first.click()
    expect(numbers).to_have_text(listed.all_inner_texts())


def test_it_is_accessible_and_fits_its_window(widget, window):
    check_page(widget(ExpandContract(**LAST), **window).page)


@pytest.mark.parametrize(("width", "seen"), [(1280, [0, 5]), (390, [5, 0])])
def test_a_wire_leads_from_each_strong_unit_to_the_list_beside_or_below(widget, width, seen):
    wires = widget(width=width).locator(".tc-flow > :first-child .tc-rays")
    ways = [wires.locator(f":nth-child({each})") for each in ("even", "odd")]
    shows = "paths => paths.filter((path) => getComputedStyle(path).display !== 'none').length"
    assert [each.evaluate_all(shows) for each in ways] == seen
