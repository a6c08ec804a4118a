"""HeadSlices in a real browser: weights and counts are the package's, by mouse and by keyboard."""

import re

import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.model import attention
from transformer_course.widgets import HeadSlices
from transformer_course.widgets.head_slices import costs, rows, split_heads

opened = opens(HeadSlices, ".tc-heads-cut")


def weights(widget: Locator) -> torch.Tensor:
    shown = widget.locator(".tc-below tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => +cell.innerText))"
    )
    return torch.tensor(shown, dtype=torch.float64)


def counts(widget: Locator) -> dict[str, list[int]]:
    """Of every count: with one head, and now; once where the two are the same."""
    told = widget.locator(".tc-cost [data-of]").evaluate_all(
        "all => all.map(one => [one.dataset.of, one.querySelector('b').innerText])"
    )
    return {name: [int(x.replace(",", "")) for x in text.split(" → ")] for name, text in told}


def tokens_of_first_head(widget: Locator) -> list[str]:
    """The tokens whose slices stand in head 1, from top to bottom."""
    return widget.locator(".tc-slice.tc-at").evaluate_all(
        """all => {
          const left = Math.min(...all.map(one => one.offsetLeft));
          return all.filter(one => one.offsetLeft === left)
            .sort((a, b) => a.offsetTop - b.offsetTop)
            .map(one => one.querySelector("b").textContent);
        }"""
    )


@pytest.mark.parametrize("wrong", [False, True])
def test_the_weights_of_every_head_are_the_packages(opened, wrong):
    widget = opened(HeadSlices(d_model=32, num_heads=4, length=5, stage=3, wrong=wrong))
    slices = torch.from_numpy(split_heads(rows(5, 32), 4, wrong))
    _, exact = attention(slices, slices, slices)
    for head in range(4):
        widget.get_by_role("button", name=f"head {head + 1}").click()
        torch.testing.assert_close(weights(widget), exact[head], rtol=0, atol=0.00501)


def test_counts_do_not_change_with_the_heads_but_softmaxes_do(opened):
    widget = opened()
    expect(widget.locator(".tc-cost")).to_be_hidden()
    widget.get_by_text("What more heads cost").click()
    for d_model, num_heads in ((16, 2), (64, 16), (512, 8)):
        widget.get_by_label("d_model", exact=True).select_option(str(d_model))
        widget.get_by_label("Heads", exact=True).select_option(str(num_heads))
        one, now = costs(d_model, 1, 4), costs(d_model, num_heads, 4)
        expected = {name: [one[name], now[name]] for name in ("d_k", "softmaxes", "scores")}
        same = {name: [one[name]] for name in ("parameters", "multiply-adds")}
        assert counts(widget) == expected | same
        lines = widget.locator(".tc-cost p")
        expect(lines.nth(0)).to_have_text(re.compile("^Changed: dk .* softmaxes .* scores "))
        expect(lines.nth(1)).to_have_text(re.compile("^Unchanged: parameters .* multiply-adds "))


@pytest.mark.parametrize("width", [1280, 390])
def test_no_word_lies_on_a_number_and_what_is_to_come_is_pale(opened, width):
    widget = opened(HeadSlices(stage=0), width=width)
    pale = "all => all.filter(one => getComputedStyle(one).opacity < 0.5).length"
    words = []
    for stage, expected in enumerate([(0, 16, 16), (0, 16, 16), (0, 0, 16), (0, 0, 16), (0, 0, 0)]):
        widget.locator("ol button").nth(stage).click()
        kinds = [".tc-from", ".tc-at", ".tc-back"]
        slices = [widget.locator(f".tc-slice{kind}:visible") for kind in kinds]
        assert [each.count() for each in slices] == [16, 16, 16]
        assert tuple(each.evaluate_all(pale) for each in slices) == expected
        words.append(widget.locator(".tc-slice > span:visible").all_inner_texts())
        for word in widget.locator(".tc-slice > :is(span, b):visible").all():
            strip = word.locator("xpath=preceding-sibling::i").bounding_box()
            assert word.bounding_box()["x"] >= strip["x"] + strip["width"]
    assert words[2][:4] == (["1", "who or what", "she", "acts"] if width > 800 else [])
    assert not any(words[:2] + words[3:])


@pytest.mark.parametrize("wrong", [False, True])
def test_rows_are_one_line_and_the_ways_to_the_heads_cross_unless_nothing_is_swapped(opened, wrong):
    widget = opened(HeadSlices(wrong=wrong))
    boxes = [one.bounding_box() for one in widget.locator(".tc-slice.tc-from").all()]
    assert len({box["y"] for box in boxes}) == 1
    assert sorted(boxes, key=lambda box: box["x"]) == boxes
    ways = widget.locator(".tc-ways.tc-at path").evaluate_all(
        "all => all.map(one => one.getAttribute('d').match(/[0-9.]+/g).map(Number))"
    )
    starts, ends = [way[0] for way in ways], [way[-2] for way in ways]
    assert starts == sorted(starts)
    assert (ends == starts) is wrong


def test_the_words_vectors_stand_uncut_above_and_all_of_the_first_goes_to_every_slice(opened):
    widget = opened(HeadSlices(stage=0))
    uncut, rows_of_q = widget.locator(".tc-uncut:visible"), widget.locator(".tc-slice.tc-from")
    expect(uncut).to_have_count(4)
    expect(widget.locator(".tc-fan path:visible")).to_have_count(4)  # of the first word alone
    for token, box in enumerate(one.bounding_box() for one in uncut.all()):
        slices = [rows_of_q.nth(4 * token + part).bounding_box() for part in range(4)]
        assert box["y"] + box["height"] < slices[0]["y"]
        assert abs(box["x"] - slices[0]["x"]) < 2
        assert abs(box["x"] + box["width"] - slices[3]["x"] - slices[3]["width"]) < 2
        assert "gradient" in uncut.nth(token).evaluate("one => one.style.background")


def test_after_the_first_step_the_vectors_give_way_and_what_comes_out_enters(opened):
    widget = opened(HeadSlices(stage=0))
    low = widget.locator(".tc-slices").bounding_box()
    edges = [low["y"], low["y"] + low["height"]]
    first, last = (
        widget.locator(".tc-from.tc-slice").first,
        widget.locator(".tc-back.tc-slice").last,
    )
    assert last.bounding_box()["y"] > edges[1]
    for stage in range(1, 5):
        widget.locator("ol button").nth(stage).click()
        expect(widget.locator(":is(.tc-uncut, .tc-fan path):visible")).to_have_count(0)
        for box in first.bounding_box(), last.bounding_box():
            assert edges[0] <= box["y"] < box["y"] + box["height"] <= edges[1]


def test_one_word_is_followed_through_all_heads_and_the_others_are_faint(opened):
    widget = opened()
    expect(widget.locator("[aria-current=step]")).to_have_text("5 Concat")
    expect(widget.locator(".tc-told")).to_contain_text(
        "Follow “she”: cut in 4, a slice to each head"
    )
    ways = widget.locator(".tc-ways:is(.tc-at, .tc-back) path").evaluate_all(
        "all => all.map(one => Number(getComputedStyle(one).opacity))"
    )
    strips = widget.locator(".tc-slice > i").evaluate_all(
        "all => all.map(one => Number(getComputedStyle(one).opacity))"
    )
    for kind, each in ((ways, 16), (strips, 16)):
        for first in range(0, len(kind), each):  # each zone begins with "she"
            seen, faint = kind[first : first + 4], kind[first + 4 : first + each]
            assert min(seen) > 2 * max(faint)
    widget.get_by_role("button", name="head 1").press("Enter")
    pressed = widget.locator(".tc-map[aria-pressed=true] i")
    assert pressed.evaluate_all("all => all.every(one => getComputedStyle(one).opacity == 1)")


def test_a_head_that_is_pressed_shows_its_weights_in_digits_and_again_hides_them(opened):
    widget = opened()
    table, head = widget.locator(".tc-below"), widget.get_by_role("button", name="head 2")
    expect(table).to_be_hidden()
    head.click()
    expect(table).to_be_visible()
    expect(head).to_have_attribute("aria-pressed", "true")
    assert table.bounding_box()["y"] >= head.bounding_box()["y"] + head.bounding_box()["height"]
    head.click()
    expect(table).to_be_hidden()
    expect(head).to_have_attribute("aria-pressed", "false")


def test_names_stay_with_eight_heads_and_the_hint_stands_where_a_head_can_be_pressed(opened):
    widget = opened(HeadSlices(stage=3))
    hint = widget.get_by_text("Press a head for its weights.")
    expect(hint).to_be_visible()
    expect(widget.locator(".tc-ways.tc-back")).to_be_hidden()  # no thread behind its words
    widget.get_by_label("Heads", exact=True).select_option("8")
    names = widget.locator(".tc-name")
    expect(names.nth(0)).to_have_text("1place")
    expect(names.nth(7)).to_have_text("8group")
    widget.get_by_label("Wrong reshape").check()
    expect(hint).to_be_hidden()
    widget.get_by_label("Wrong reshape").uncheck()
    widget.get_by_role("button", name="head 2").click()
    expect(hint).to_be_hidden()
    expect(widget.get_by_text("Made by hand, hence so tidy.")).to_be_visible()


def test_a_narrower_model_takes_as_many_heads_as_fit(opened):
    widget = opened(HeadSlices(d_model=64, num_heads=32))
    widget.get_by_label("d_model", exact=True).select_option("8")
    expect(widget.get_by_label("Heads", exact=True)).to_have_value("8")
    assert widget.locator(".tc-slice.tc-at").count() == 4 * 8


def test_the_wrong_reshape_fills_a_head_with_one_token(opened):
    widget = opened(HeadSlices(stage=2))
    assert tokens_of_first_head(widget) == ["she", "sees", "her", "dog"]
    widget.get_by_label("Wrong reshape").check()
    assert tokens_of_first_head(widget) == ["she"] * 4
    expect(widget.locator(".tc-slice.tc-at b:visible")).to_have_count(16)
    expect(widget.locator(".tc-formula")).to_contain_text("q.view(batch, 4, 4, 4)")
    expect(widget.locator(".tc-told")).to_contain_text("head 1 holds 4 rows, but of “she” alone")


def test_the_keyboard_steps_and_chooses_a_head(opened):
    widget = opened(HeadSlices(stage=0))
    page = widget.page
    widget.get_by_role("button", name="1 Project").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(widget.get_by_role("button", name="4 Attend")).to_be_focused()
    widget.get_by_role("button", name="head 1").press("Enter")
    before = weights(widget)
    page.keyboard.press("ArrowRight")
    slices = torch.from_numpy(split_heads(rows(4, 16), 4))
    exact = attention(slices, slices, slices)[1]
    torch.testing.assert_close(before, exact[0], rtol=0, atol=0.00501)
    torch.testing.assert_close(weights(widget), exact[1], rtol=0, atol=0.00501)
    widget.get_by_role("slider", name="Words").press("ArrowRight")
    assert weights(widget).shape == (5, 5)


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_steps_nor_words_nor_the_wrong_reshape_change_its_height(opened, width):
    widget = opened(HeadSlices(stage=0), width=width)
    heights = []
    for length in "4", "6":
        widget.get_by_role("slider", name="Words").fill(length)
        for wrong in False, True:
            widget.get_by_label("Wrong reshape").set_checked(wrong)
            for stage in range(5):
                widget.locator("ol button").nth(stage).click()
                heights.append(widget.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_two_views_stay_together(show):
    one, other = show(HeadSlices(), views=[0, 0]).locator(".tc-heads-cut").all()
    one.get_by_label("Heads", exact=True).select_option("2")
    one.get_by_role("button", name="2 Cut").click()
    other.get_by_text("What more heads cost").click()
    assert {name: pair[-1] for name, pair in counts(other).items()} == costs(16, 2, 4)
    expect(other.locator(".tc-formula")).to_contain_text("(batch, 4, 2, 8)")


def test_everyone_can_use_it(opened, window):
    widget = opened(HeadSlices(d_model=64, num_heads=8), **window)
    for stage in range(5):
        widget.locator("ol button").nth(stage).click()
        check_page(widget.page)
    widget.page.emulate_media(media="print")
    expect(widget.locator(".tc-slices")).to_be_visible()
    expect(widget.locator(".tc-bar")).to_be_hidden()


def test_nothing_moves_for_readers_who_asked_for_that(opened):
    cell = opened().locator(".tc-slice").first  # opened with prefers-reduced-motion
    moves = "node => getComputedStyle(node).transitionDuration"
    assert cell.evaluate(moves) == "0s"
    cell.page.emulate_media(reduced_motion="no-preference")
    assert cell.evaluate(moves) != "0s"
