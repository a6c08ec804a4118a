"""Speculation in a real browser: as many calls as Python counts, and the whole text at last."""

import itertools

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Speculation
from transformer_course.widgets.speculation import count_calls

widget = opens(Speculation, ".tc-speculation")


def test_every_sentence_takes_as_many_calls_as_python_counts(widget):
    opened, twin = widget(), Speculation()
    for n, text in enumerate(twin.texts):
        opened.get_by_label("Sentence").select_option(str(n))
        whole = "".join(text["pieces"][piece] for piece in text["written"][:-1])
        for most in (0, 1, 4, 8):
            opened.get_by_label("Guesses a call").fill(str(most))
            calls = count_calls(text["written"], text["drafts"], most)
            expect(opened.locator(".tc-place")).to_have_text(f"1 of {calls}")
            expect(opened.locator(".tc-strip > span")).to_have_count(calls)
            opened.get_by_role("button", name="Next").press("End")
            expect(opened.locator(".tc-line")).to_have_text(whole.replace("▁", " ").strip())


def test_next_and_back_go_through_the_calls(widget):
    opened = widget(Speculation(step=0))
    place, total = opened.locator(".tc-place"), len(opened.locator(".tc-strip > span").all())
    for step in range(2, total + 1):
        opened.get_by_role("button", name="Next").click()
        expect(place).to_have_text(f"{step} of {total}")
    expect(opened.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    for step in range(total - 1, 0, -1):
        opened.get_by_role("button", name="Back").click()
        expect(place).to_have_text(f"{step} of {total}")


def test_one_call_goes_over_all_the_guesses_and_answers_what_is_kept_and_one_more(widget):
    opened = widget()
    pieces = opened.locator(".tc-pairs i")
    guessed = opened.locator(".tc-token[data-kind=draft], .tc-token[data-kind=wrong]")
    expect(pieces).to_have_count(4)  # it opens at the call that keeps three of four
    assert guessed.count() == 4 + 3  # those kept stand above and below
    assert opened.locator(".tc-pairs .tc-into").count() == 4
    assert opened.locator(".tc-pairs .tc-out").count() == 3 + 1
    boxes = [each.bounding_box() for each in pieces.all()]
    assert len({round(box["y"]) for box in boxes}) == 1
    for left, right in itertools.pairwise(boxes):
        assert left["x"] + left["width"] >= right["x"]  # one bar
    known = opened.locator(".tc-pairs > div:not(:first-child) > small")
    expect(known).to_have_text(["after sagen", "after ,", "after dass", "after sie"])
    expect(opened.locator(".tc-versus data")).to_have_text(["4 calls", "8 calls"])
    opened.get_by_label("Guesses a call").fill("0")
    expect(known).to_have_text([""])
    expect(pieces).to_have_count(1)
    assert opened.locator(".tc-pairs .tc-into").count() == 0
    assert opened.locator(".tc-pairs .tc-out").count() == 1


FITS = "all => all.every((it) => it.scrollWidth <= it.clientWidth)"


@pytest.mark.parametrize("width", [1280, 390])
def test_every_word_fits_its_box_and_the_boxes_their_row(widget, width):
    opened = widget(width=width)
    row = opened.locator(".tc-pairs").bounding_box()
    opened.get_by_label("Guesses a call").fill("8")
    for n, text in enumerate(Speculation().texts):
        opened.get_by_label("Sentence").select_option(str(n))
        for _ in range(count_calls(text["written"], text["drafts"], 8)):
            assert opened.locator(".tc-token").evaluate_all(FITS)
            box = opened.locator(".tc-pairs > div").last.bounding_box()
            assert box["x"] + box["width"] <= row["x"] + row["width"] + 1
            opened.get_by_role("button", name="Next").press("Enter")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened = widget(width=width)
    heights = []
    for n in range(5):
        opened.get_by_label("Sentence").select_option(str(n))
        for most in ("0", "4", "8"):
            opened.get_by_label("Guesses a call").fill(most)
            heights.append(opened.bounding_box()["height"])
            opened.get_by_role("button", name="Next").press("End")
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(**window)
    opened.get_by_role("button", name="Next").click()
    check_page(opened.page)
