"""ThreeUses in a real browser: a word's weights are the model's, by mouse and by keyboard."""

import re

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.pages import browser as tools
from transformer_course.widgets import ThreeUses
from transformer_course.widgets.three_uses import USES

opened = opens(ThreeUses, ".tc-three")


def row(widget: Locator) -> np.ndarray:
    """What the chosen word gives to each key; what is hidden counts 0."""
    shown = widget.locator(".tc-answers data").all_inner_texts()
    return np.array([0 if text in ("", "hidden") else float(text) for text in shown])


def exact(use: str, layer: int, head: int, word: int) -> np.ndarray:
    return np.array(ThreeUses().data["weights"][use][layer - 1][head - 1][word]) / 1000


def agree(widget: Locator, *place) -> None:
    np.testing.assert_allclose(row(widget), exact(*place), rtol=0, atol=0.00501)


def chosen(widget: Locator, label: str) -> int:
    return int(widget.get_by_label(label, exact=True).input_value())


@pytest.mark.parametrize("use", USES)
def test_every_word_of_a_use_shows_the_models_weights(opened, use):
    widget = opened()
    widget.locator(f"[data-use={use}]").click()
    layer, head = chosen(widget, "Layer"), chosen(widget, "Head")
    words = widget.locator(".tc-words button:enabled")
    for n in range(words.count()):
        words.nth(n).click()
        agree(widget, use, layer, head, n)
    hidden = widget.locator(".tc-words .tc-masked").count()
    assert hidden == ThreeUses().data["masks"][use][-1].count(False)


def test_layer_head_and_word_by_the_keyboard(opened):
    widget = opened()
    page = widget.page
    agree(widget, "cross", 4, 3, 2)
    widget.get_by_label("Head", exact=True).press("ArrowUp")
    widget.get_by_label("Layer", exact=True).press("ArrowUp")
    agree(widget, "cross", 3, 2, 2)
    for _ in range(5):  # the head, three uses, the words
        page.keyboard.press("Tab")
    expect(widget.locator(".tc-words [aria-pressed=true]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(widget.get_by_role("button", name="Hund", exact=True)).to_be_focused()
    agree(widget, "cross", 3, 2, 3)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    agree(widget, "cross", 3, 2, 1)
    expect(widget.locator(".tc-why")).to_contain_text("“Ein”, about to write “brauner”,")


def test_each_use_says_whose_queries_and_keys_and_draws_its_mask(opened):
    widget = opened()
    words, tags = {"src": "English", "tgt": "German"}, widget.locator(".tc-tags span")
    expect(tags).to_have_text(["Q asks", "K, V answer"])
    widget.locator("summary").first.click()
    for use, (_, query, key) in USES.items():
        widget.locator(f"[data-use={use}]").click()
        assert [tag.get_attribute("data-side") for tag in tags.all()] == [query, key]
        asks, answers = words[query], words[key]
        expect(widget.locator(".tc-words.tc-asks")).to_have_attribute("aria-label", asks)
        expect(widget.locator(".tc-words.tc-answers")).to_have_attribute("aria-label", answers)
        named = f"weights: queries {asks}, keys {answers}"
        grid = widget.get_by_role("img", name=named)
        expect(grid.locator(".tc-asks").first).to_have_text(asks)
        expect(widget.locator("small.tc-keys")).to_have_text(f"{answers} keys →")
        allowed = ThreeUses().data["masks"][use]
        assert grid.locator(".tc-yes").count() == sum(map(sum, allowed))
        assert grid.locator("path").count() == sum(line.count(False) for line in allowed)


def test_each_mark_of_the_matrix_has_its_words(opened):
    widget = opened()
    idle = "a padded query: computed, never read"
    for use, marks in {
        "encoder": ["padding: hidden", idle],
        "decoder": ["a later word: hidden", "later, and padding: hidden twice", idle],
        "cross": ["padding: hidden", idle],
    }.items():
        widget.locator(f"[data-use={use}]").click()
        expect(widget.locator(".tc-marks span")).to_have_text(marks)


@pytest.mark.parametrize("width", tools.WIDTHS.values())
def test_no_use_is_taller_than_another(opened, width):
    widget = opened(width=width)
    heights = set()
    for use in USES:
        widget.locator(f"[data-use={use}]").click()
        for word in widget.locator(".tc-words button:enabled").all():
            word.click()
            heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


@pytest.mark.parametrize("use", USES)
def test_only_the_words_that_ask_can_be_pressed_and_padding_is_none_of_them(opened, use):
    widget = opened()
    widget.locator(f"[data-use={use}]").click()
    query, pieces = USES[use][1], ThreeUses().data["pieces"]
    for side in ("src", "tgt"):
        column = widget.locator(f".tc-words[data-side={side}]")
        assert column.locator("b").all_inner_texts() == pieces[side]
        real = [piece for piece in pieces[side] if piece != "<pad>"]
        free = column.locator("button:enabled b").all_inner_texts()
        assert free == (real if side == query else [])


def test_both_sentences_stay_where_they_are_and_the_tags_go_to_them(opened):
    widget = opened()
    columns = {side: widget.locator(f".tc-words[data-side={side}]") for side in ("src", "tgt")}
    places = [column.bounding_box() for column in columns.values()]
    for use, (_, *sides) in USES.items():
        widget.locator(f"[data-use={use}]").click()
        assert [column.bounding_box() for column in columns.values()] == places
        for tag, side in zip(widget.locator(".tc-tags span").all(), sides, strict=True):
            assert tag.bounding_box()["x"] == columns[side].bounding_box()["x"]
        ways = widget.locator(".tc-links path").evaluate_all(
            "all => all.map(one => one.getAttribute('d'))"
        )
        ends = [re.match(r"M(\d+) .* (\d+) [\d.]+$", way).groups() for way in ways]
        across = {"src": "0", "tgt": "100"}
        assert {*ends} == {tuple(across[side] for side in sides)}


def test_the_encoder_opens_at_a_word_that_looks_at_its_noun(opened):
    widget = opened()
    widget.locator("[data-use=encoder]").click()
    expect(widget.locator(".tc-why")).to_contain_text("“the” looks most at “snow” (0.96).")


WIDTHS = "x => [...x.querySelectorAll('.tc-links path')].map((path) => path.outerHTML).join()"


def test_lines_move_to_the_next_use_and_at_once_with_reduced_motion(opened):
    widget = opened()
    widget.page.emulate_media(reduced_motion="no-preference")
    before = widget.evaluate(WIDTHS)
    press = f"(x, use) => (x.querySelector(`[data-use=${{use}}]`).click(), ({WIDTHS})(x))"
    assert widget.evaluate(press, "encoder") == before  # the first frame comes later
    widget.page.wait_for_timeout(600)
    moved = widget.evaluate(WIDTHS)
    assert moved != before
    widget.page.emulate_media(reduced_motion="reduce")
    decoder = widget.evaluate(press, "decoder")
    assert decoder != moved
    assert widget.evaluate(press, "encoder") == moved
    chosen = widget.locator(".tc-links .tc-chosen").evaluate_all(
        "paths => paths.map((path) => path.getAttribute('stroke-width') / 10)"
    )
    wanted = exact("encoder", 2, 3, 5)
    np.testing.assert_allclose(chosen, wanted[wanted >= 0.005])


def test_it_fits_the_screen_of_a_phone(opened):
    assert opened(width=390).bounding_box()["height"] < 800


def test_words_stand_beside_the_lines_that_leave_them(opened):
    for width in tools.WIDTHS.values():
        widget = opened(width=width)
        lines = widget.locator(".tc-links").bounding_box()
        for side in ("src", "tgt"):
            for n, word in enumerate(widget.locator(f"[data-side={side}] button").all()):
                box = word.bounding_box()
                assert abs(box["y"] + box["height"] / 2 - lines["y"] - 27 * (n + 0.5)) <= 1


def test_a_press_on_a_row_of_the_weights_chooses_its_word(opened):
    widget = opened()
    widget.locator("summary").first.click()
    widget.get_by_role("img", name="weights").click(position={"x": 20, "y": 62})
    agree(widget, "cross", 4, 3, 0)


@pytest.mark.parametrize("use", USES)
def test_the_weights_name_every_row_and_column_and_hold_padding_that_asks(opened, use):
    widget = opened()
    widget.locator(f"[data-use={use}]").click()
    widget.locator("summary").first.click()
    layer, head = chosen(widget, "Layer"), chosen(widget, "Head")
    grid = widget.get_by_role("img", name="weights")
    pieces = ThreeUses().data["pieces"]
    asks, answers = (pieces[side] for side in USES[use][1:])
    language = {"src": "English", "tgt": "German"}[USES[use][1]]
    expect(grid.locator("text")).to_have_text([language, "queries ↓", *asks, *answers])
    for word in (0, 4):
        widget.locator(".tc-words button:enabled").nth(word).click()
        looked = answers[int(exact(use, layer, head, word).argmax())]
        now = [language, "queries ↓", asks[word], looked]
        expect(grid.locator("text.tc-now")).to_have_text(now)
    expect(grid.locator(".tc-idle")).to_have_count(asks.count("<pad>") * len(answers))


def test_the_matrix_and_the_shapes_are_each_in_a_fold(opened):
    widget = opened()
    expect(widget.locator("table")).to_be_hidden()
    expect(widget.get_by_role("img", name="weights")).to_be_hidden()
    widget.locator("summary").last.click()
    expect(widget.get_by_role("row").filter(has_text="K, V")).to_contain_text("(1, 11, 128)")


def test_two_views_stay_together(show):
    one, other = show(ThreeUses(), views=[0, 0]).locator(".tc-three").all()
    one.locator("[data-use=encoder]").click()
    one.get_by_role("button", name="snow").click()
    agree(other, "encoder", 2, 3, 6)


def test_everyone_can_use_it(opened, window):
    widget = opened(**window)
    for use in USES:
        widget.locator(f"[data-use={use}]").click()
        check_page(widget.page)
    widget.page.emulate_media(media="print")
    expect(widget.locator(".tc-links")).to_be_visible()
    expect(widget.locator(".tc-bar")).to_be_hidden()


def test_a_share_that_rounds_to_nothing_is_not_shown(opened):
    widget = opened()
    shares = widget.locator(".tc-answers data").all_inner_texts()
    exactly = exact("cross", 4, 3, 2)
    assert [text == "" for text in shares[:-2]] == (exactly[:-2] < 0.005).tolist()
    assert shares[-2:] == ["hidden"] * 2
    assert "0.00" not in shares
