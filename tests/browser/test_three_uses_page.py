"""ThreeUses in a real browser: a word's weights are the model's, by mouse and by keyboard."""

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
    shown = widget.locator(".tc-words data").all_inner_texts()
    return np.array([0 if text == "hidden" else float(text) for text in shown])


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
    words = widget.locator(".tc-words button")
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
    words = {"src": ("English", "encoder"), "tgt": ("German", "decoder")}
    for use, (_, query, key) in USES.items():
        widget.locator(f"[data-use={use}]").click()
        texts = [p.inner_text() for p in widget.locator(".tc-pairs > p").all()[:2]]
        asks, answers = words[query], words[key]
        assert [text.split() for text in texts] == [
            [*asks, "→", "queries"],
            [*answers, "→", "keys,", "values"],
        ]
        named = f"weights: {asks[0]} asks, {answers[0]} is asked"
        grid = widget.get_by_role("img", name=named)
        expect(grid.locator(".tc-asks").first).to_have_text(asks[0])
        expect(widget.locator("small.tc-keys")).to_have_text(f"{answers[0]} is asked →")
        allowed = ThreeUses().data["masks"][use]
        assert grid.locator(".tc-yes").count() == sum(map(sum, allowed))
        assert grid.locator("path").count() == sum(line.count(False) for line in allowed)


def test_each_mark_of_the_matrix_has_its_words(opened):
    widget = opened()
    idle = "padding asks: answer unread"
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
        for word in widget.locator(".tc-words button").all():
            word.click()
            heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


@pytest.mark.parametrize("use", USES)
def test_padding_asks_without_lines_so_that_rows_are_as_many_as_the_shapes_say(opened, use):
    widget = opened()
    widget.locator(f"[data-use={use}]").click()
    query, key = USES[use][1:]
    pieces = ThreeUses().data["pieces"]
    columns = widget.locator(".tc-words")
    for column, side in ((columns.first, query), (columns.last, key)):
        assert column.locator("> *").count() == len(pieces[side])
    asks = columns.first.locator("i")
    assert asks.all_inner_texts() == [piece for piece in pieces[query] if piece == "<pad>"]


def test_the_three_uses_stand_small_side_by_side_with_their_own_lines(opened):
    widget = opened()
    for use, (layer, head) in {"encoder": (2, 3), "decoder": (3, 2), "cross": (4, 3)}.items():
        card = widget.locator(f"[data-use={use}]")
        weights = np.array(ThreeUses().data["weights"][use][layer - 1][head - 1])
        expect(card.locator("path")).to_have_count(int((weights >= 100).sum()))
        expect(card.locator("small")).to_have_text(f"layer {layer}, head {head}")
    boxes = widget.locator("[data-use=cross] .tc-boxes span")
    expect(boxes).to_have_text(["Q German", "K, V English"])
    widget.get_by_label("Layer", exact=True).select_option("1")
    expect(widget.locator("[data-use=cross] small")).to_have_text("layer 1, head 3")
    expect(widget.locator("[data-use=decoder] small")).to_have_text("layer 3, head 2")


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
        "paths => paths.map((path) => path.getAttribute('stroke-width') / 14)"
    )
    wanted = exact("encoder", 2, 3, 5)
    np.testing.assert_allclose(chosen, wanted[wanted >= 0.005])


def test_on_a_phone_the_lines_or_the_weights_are_there_and_it_fits_a_screen(opened):
    widget = opened(width=390)
    grid, lines = widget.get_by_role("img", name="weights"), widget.locator(".tc-links")
    expect(widget.get_by_role("button", name="Lines")).to_have_attribute("aria-pressed", "true")
    expect(grid).to_be_hidden()
    tall = widget.bounding_box()["height"]
    assert tall < 800
    widget.get_by_role("button", name="Weights").click()
    expect(grid).to_be_visible()
    expect(lines).to_be_hidden()
    assert widget.bounding_box()["height"] == tall
    wide = opened(width=1280)
    expect(wide.get_by_role("button", name="Lines")).to_be_hidden()
    expect(wide.get_by_role("img", name="weights")).to_be_visible()


def test_words_stand_beside_the_lines_that_leave_them(opened):
    for width in tools.WIDTHS.values():
        widget = opened(width=width)
        tops = [
            widget.locator(part).first.bounding_box()["y"]
            for part in (".tc-words button", ".tc-words span", ".tc-links")
        ]
        assert max(tops) - min(tops) <= 3


def test_a_press_on_a_row_of_the_weights_chooses_its_word(opened):
    widget = opened()
    widget.get_by_role("img", name="weights").click(position={"x": 20, "y": 62})
    agree(widget, "cross", 4, 3, 0)


@pytest.mark.parametrize("use", USES)
def test_the_weights_name_every_row_and_column_and_hold_padding_that_asks(opened, use):
    widget = opened()
    widget.locator(f"[data-use={use}]").click()
    layer, head = chosen(widget, "Layer"), chosen(widget, "Head")
    grid = widget.get_by_role("img", name="weights")
    pieces = ThreeUses().data["pieces"]
    asks, answers = (pieces[side] for side in USES[use][1:])
    language = {"src": "English", "tgt": "German"}[USES[use][1]]
    expect(grid.locator("text")).to_have_text([language, "asks ↓", *asks, *answers])
    for word in (0, 4):
        widget.locator(".tc-words button").nth(word).click()
        looked = answers[int(exact(use, layer, head, word).argmax())]
        now = [language, "asks ↓", asks[word], looked]
        expect(grid.locator("text.tc-now")).to_have_text(now)
    expect(grid.locator(".tc-idle")).to_have_count(asks.count("<pad>") * len(answers))


def test_shapes_are_in_a_fold(opened):
    widget = opened()
    expect(widget.locator("table")).to_be_hidden()
    widget.locator("summary").click()
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
    shares = widget.locator(".tc-words data").evaluate_all(
        "all => all.map((one) => [one.textContent, getComputedStyle(one).opacity])"
    )
    assert {text for text, seen in shares if seen == "0"} == {"0.00"}
    assert "0.00" not in {text for text, seen in shares if seen != "0"}
