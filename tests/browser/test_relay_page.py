"""Relay in a real browser: the model's own shares, the loop's memory, and a word dragged along."""

import itertools
import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Relay
from transformer_course.widgets.relay import PAIR, WIDTHS

widget = opens(Relay, ".tc-relay")
BOTH = {"asks": 10, "width": 4}


def words(opened):
    return opened.locator(".tc-line button")


def test_another_last_word_changes_the_translation(widget):
    opened, told = widget(), ".tc-card.tc-on p:first-of-type b"
    expect(opened.locator(told)).to_have_text("Bank")
    opened.get_by_role("button", name="boat", exact=True).first.click()
    expect(opened.locator(told)).to_have_text("Ufer")
    expect(words(opened).nth(PAIR[1])).to_have_text("boat")


def head(opened, name):
    return opened.get_by_role("group", name="Head").get_by_role("button", name=name, exact=True)


def test_each_word_says_where_it_looks_as_python_has_it(widget):
    opened, [text, _] = widget(), Relay().texts
    head(opened, "mean").click()
    for place, row in enumerate(text["weights"]):
        words(opened).nth(place).click()
        told = opened.locator(".tc-why")
        for other, weight in enumerate(row):
            if weight >= 10:
                name = "itself" if other == place else f"“{text['words'][other]}”"
                expect(told).to_contain_text(f"{name} {weight}\u00a0%")


def test_it_opens_with_two_heads_that_change_places(widget):
    opened = widget()
    labels = opened.locator(".tc-links text")
    for end, reads, stays, share in (("money", 1, 4, 100), ("boat", 4, 1, 96)):
        opened.get_by_role("button", name=end, exact=True).first.click()
        expect(opened.locator(".tc-why")).to_have_text(
            re.compile(f": in head {reads} “bank” looks at “{end}”, in head {stays} at itself.$")
        )
        expect(labels).to_have_count(2)
        own = opened.locator(".tc-links text.tc-own")
        expect(own).to_have_text(f"head {stays} {share} % of its attention")
        paint = "line => getComputedStyle(line).stroke"
        arc = opened.locator(".tc-links path:not(.tc-own)")
        hue = opened.evaluate(
            f"node => getComputedStyle(node).getPropertyValue('--hue{reads}').trim()"
        )
        assert arc.evaluate(paint) == opened.evaluate(
            """(node, hue) => {
              const probe = node.appendChild(document.createElement("i"));
              probe.style.color = hue;
              const {color} = getComputedStyle(probe);
              probe.remove();
              return color;
            }""",
            hue,
        )


def test_one_head_says_whether_it_looks_elsewhere_with_the_other_word(widget):
    opened = widget()
    for name, says in (("1", "looks elsewhere"), ("2", "looks nearly the same.")):
        head(opened, name).click()
        expect(opened.locator(".tc-why")).to_contain_text(f"With “boat” it {says}")


def test_its_steps_end_with_the_mean_that_looks_alike(widget):
    opened = widget()
    for end, name in (("boat", "1 and 4"), ("boat", "mean")):
        opened.get_by_role("button", name="Next").click()
        for group, text in (("Last word", end), ("Head", name)):
            pressed = opened.get_by_role("group", name=group).locator("[aria-pressed=true]")
            expect(pressed).to_have_text(text)
    expect(opened.locator(".tc-why")).to_contain_text(
        "nearly the same, yet the German is “Bank”: the mean hides its heads"
    )
    current = opened.locator(".tc-stepbar [aria-current=step]")
    expect(current).to_have_count(1)
    opened.get_by_role("button", name="money", exact=True).first.click()  # of both it is the mean
    expect(current).to_have_text("mean")
    names = opened.locator(".tc-stepbar li button")
    assert names.evaluate_all("all => all.every((it) => it.scrollWidth <= it.clientWidth)")
    head(opened, "3").click()  # no step of the story
    expect(current).to_have_count(0)
    words(opened).nth(7).click()
    opened.get_by_role("button", name="Back", exact=True).click()
    expect(words(opened).nth(PAIR[0])).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("window", [{"width": 390}, {"width": 1280}], ids=str)
def test_the_wire_leads_from_the_word_to_the_meaning_in_question(widget, window):
    opened = widget(**window)
    for end in ("money", "boat"):
        opened.get_by_role("button", name=end, exact=True).first.click()
        gaps = opened.locator(".tc-scene").evaluate(
            """scene => {
              const wire = scene.querySelector(".tc-wire");
              const {left, top} = scene.getBoundingClientRect();
              return [".tc-line [aria-pressed=true]", ".tc-card.tc-on"].map((part, n) => {
                const {x, y} = wire.getPointAtLength(n * wire.getTotalLength());
                const box = scene.querySelector(part).getBoundingClientRect();
                return Math.max(box.left - left - x, x + left - box.right,
                  box.top - top - y, y + top - box.bottom);
              });
            }"""
        )
        assert max(gaps) < 5, end


@pytest.mark.parametrize("width", WIDTHS)
def test_the_loop_never_holds_more_than_it_has_room_for(widget, width):
    opened = widget(Relay(**BOTH))
    opened.get_by_label("Numbers in the state").select_option(str(width))
    for place, shares in enumerate(Relay(**BOTH).shares[str(width)]):
        words(opened).nth(place).click()
        told = opened.locator(".tc-bar .tc-legend").inner_text()
        total = float(re.search(r"they hold ([\d.]+)\.", told)[1])
        assert abs(total - sum(shares)) < 0.011
        assert total < width


def test_what_is_held_of_each_word_is_drawn_once_as_its_bar(widget):
    opened = widget(Relay(**BOTH))
    for place, shares in enumerate(Relay(**BOTH).shares["4"]):
        words(opened).nth(place).click()
        opened.page.wait_for_timeout(700)
        drawn = opened.locator(".tc-scene").evaluate(
            """scene => [...scene.querySelectorAll(".tc-held")].map((bar, n) =>
              bar.getTotalLength() / scene.querySelectorAll(".tc-track")[n].getTotalLength())"""
        )
        held = [*shares[::-1], *[0] * (len(drawn) - len(shares))]
        assert drawn == pytest.approx(held, abs=0.01)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_state_stands_below_the_loops_word_as_cells(widget, width):
    opened, given = widget(Relay(**BOTH), width=width), Relay(**BOTH)
    now = opened.locator(".tc-state path")
    select = opened.get_by_label("Numbers in the state")
    for wide, (text, end), place in itertools.product(
        ("4", "16", "2"), enumerate(("money", "boat")), (0, 7, 12)
    ):
        select.select_option(wide)
        opened.get_by_role("button", name=end, exact=True).first.click()
        words(opened).nth(place).click()
        opened.page.wait_for_timeout(450)
        states = given.states[wide][text]
        shown = now.evaluate_all("all => all.map(it => it.classList.contains('tc-minus'))")
        assert shown == [x < 0 for x in states[place]]  # hollow below 0
        most = max(abs(x) for state in states for x in state)
        dark = [float(it.get_attribute("opacity")) for it in now.all()]
        assert dark == pytest.approx(
            [0.2 + 0.8 * (abs(x) / most) ** 0.5 for x in states[place]], abs=1e-6
        )
        boxes = now.evaluate_all("all => all.map(it => it.getBoundingClientRect().toJSON())")
        word, track = words(opened).nth(place), opened.locator(".tc-track").nth(place)
        [word, track] = [
            each.evaluate("it => it.getBoundingClientRect().toJSON()") for each in (word, track)
        ]
        along, across = (("y", "height"), "x") if width < 800 else (("x", "width"), "y")
        first, last = {"x": ("left", "right"), "y": ("top", "bottom")}[across]
        assert min(box[first] for box in boxes) > word[last]
        assert max(box[last] for box in boxes) < track[first] + 1  # clear of the bars
        middles = [box[along[0]] + box[along[1]] / 2 for box in boxes]
        middle = word[along[0]] + word[along[1]] / 2
        if place == 7:  # at the ends it stays inside the picture
            assert abs(sum(middles) / len(middles) - middle) < 2
        for one, other in itertools.combinations(boxes, 2):
            assert (
                one["right"] <= other["left"] + 0.1
                or other["right"] <= one["left"] + 0.1
                or one["bottom"] <= other["top"] + 0.1
                or other["bottom"] <= one["top"] + 0.1
            )


def test_what_comes_later_has_not_been_read_by_the_loop(widget):
    opened = widget(Relay(**BOTH))
    words(opened).nth(PAIR[0] - 1).click()
    expect(opened.locator(".tc-why")).to_contain_text("has not read “bank” yet")
    words(opened).nth(PAIR[0]).click()
    share = f"{100 * Relay(**BOTH).shares['4'][PAIR[0]][0]:.0f}"
    told = f"has just read “bank” and holds {share}\u00a0% of it: 6 words share its state"
    expect(opened.locator(".tc-why")).to_contain_text(told)
    expect(opened.locator(".tc-left")).to_have_text(f"{share} %")
    words(opened).nth(PAIR[1]).click()
    expect(opened.locator(".tc-why")).to_contain_text("After 5 more words")


def test_the_word_that_asks_can_be_dragged_and_moved_by_keys(widget):
    opened = widget(width=1280)
    mouse, column = opened.page.mouse, words(opened)
    boxes = [column.nth(n).bounding_box() for n in (2, 8)]
    for n, box in enumerate(boxes):
        mouse.move(box["x"] + 20, box["y"] + 13)
        if n == 0:
            mouse.down()
    mouse.up()
    expect(column.nth(8)).to_have_attribute("aria-pressed", "true")
    column.nth(8).press("ArrowDown")
    expect(column.nth(9)).to_have_attribute("aria-pressed", "true")
    expect(column.nth(9)).to_be_focused()


def test_the_word_that_asks_stays_readable_under_the_pointer(widget):
    opened = widget()
    word = words(opened).nth(8)
    paint = "each => getComputedStyle(each).backgroundColor"
    word.click()  # and the pointer stays
    over = word.evaluate(paint)
    opened.page.mouse.move(0, 0)
    assert over == word.evaluate(paint)


def test_of_all_words_before_the_one_in_question_the_loop_has_one_step(widget):
    opened = widget(Relay(**BOTH))
    place = opened.locator(".tc-place")
    for word in range(PAIR[0]):
        words(opened).nth(word).click()
        expect(place).to_have_text("1 of 9")
    opened.get_by_role("button", name="Next").click()
    expect(words(opened).nth(PAIR[0])).to_have_attribute("aria-pressed", "true")
    expect(opened.get_by_role("button", name="Back", exact=True)).to_be_enabled()


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened = widget(Relay(**BOTH), width=width)
    heights = []
    for end in ("money", "boat"):
        opened.get_by_role("button", name=end, exact=True).first.click()
        for place in range(13):
            words(opened).nth(place).click()
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_heads_nor_words_change_its_height_and_every_name_is_inside(widget, width):
    opened = widget(width=width)
    heights = []
    outside = """node => {
      const { left, right } = node.getBoundingClientRect();
      return [...node.querySelectorAll(".tc-links text")]
        .map((text) => [text.textContent, text.getBoundingClientRect()])
        .filter(([, box]) => box.left < left || box.right > right).map(([text]) => text);
    }"""
    for end in ("money", "boat"):
        opened.get_by_role("button", name=end, exact=True).first.click()
        for name in ("1 and 4", "2", "mean"):
            head(opened, name).click()
            for place in (0, 1, PAIR[0], 12):
                words(opened).nth(place).click()
                heights.append(opened.bounding_box()["height"])
                assert opened.evaluate(outside) == [], (name, place)
    assert max(heights) - min(heights) <= 2


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(Relay(**BOTH), **window)
    opened.get_by_role("button", name="Next").click()
    check_page(opened.page)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_means_of_both_sentences_stand_side_by_side(widget, width):
    opened = widget(width=width)
    mixes = opened.locator(".tc-mix")
    expect(mixes.first).to_be_hidden()
    height = opened.bounding_box()["height"]
    head(opened, "mean").click()
    for text, mix in zip(Relay().texts, mixes.all(), strict=True):
        row = enumerate(text["weights"][PAIR[0]])
        names = {PAIR[0]: "itself"}
        wanted = [f"{names.get(n, text['words'][n])} {x}\u00a0%" for n, x in row if x >= 10]
        expect(mix).to_be_visible()
        assert mix.locator("span").all_text_contents() == wanted
        cut = "all => all.some(node => node.scrollWidth > node.clientWidth)"
        assert not mix.locator("span").evaluate_all(cut)
    expect(opened.locator(".tc-card.tc-on")).to_have_count(2)
    assert abs(opened.bounding_box()["height"] - height) <= 1
    words(opened).nth(7).click()
    expect(mixes.first).to_be_hidden()
