"""Dropout in a real browser: its numbers are Python's, by mouse and by keyboard."""

import re

import numpy as np
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Dropout

widget = opens(Dropout, ".tc-dropout")


def said(opened):
    """Zeros of how many, scale, the gaps of one mask, masks, and the gaps of their mean."""
    text = opened.locator(".tc-why").inner_text()
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


def expected(**traits):
    python = Dropout(**traits)
    first, second = np.array(python.vectors[python.place])
    whole = second if python.place else first + second
    masks = [python.drop(whole, draw) for draw in range(python.draw + 1)]
    gaps = [np.abs(each - whole).sum() for each in (masks[-1], np.mean(masks, axis=0))]
    zeros = int((masks[-1] == 0).sum())
    percent = 100 * np.array(gaps) / np.abs(whole).sum()
    means = [python.draw + 1, percent[1]] if python.draw else []  # the mean of one mask is itself
    return [zeros, 16, 1 / (1 - python.p), percent[0], *means]


def test_every_number_is_pythons_by_mouse_and_by_keyboard(widget):
    opened = widget()
    np.testing.assert_allclose(said(opened), expected(), atol=0.51)
    opened.get_by_role("button", name="New mask").click()
    opened.get_by_label("Dropped share p").press("End")
    np.testing.assert_allclose(said(opened), expected(draw=5, p=0.5), atol=0.51)
    opened.get_by_role("button", name="Next").press("Enter")
    np.testing.assert_allclose(said(opened), expected(draw=5, p=0.5, place=1), atol=0.51)
    opened.get_by_role("button", name="Average 100").click()
    np.testing.assert_allclose(said(opened), expected(draw=99, p=0.5, place=1), atol=0.51)
    opened.get_by_label("Training").press("Space")
    expect(opened.locator(".tc-why")).to_contain_text("nothing is dropped")


def test_each_place_names_the_vector_that_is_dropped(widget):
    opened = widget()
    names = opened.locator(".tc-result b")
    expect(names).to_have_text(["Embedding + position", "One mask", "Mean of 5 masks"])
    opened.get_by_role("button", name="Next").click()
    expect(names.first).to_have_text("Self-attention’s output")
    opened.get_by_role("button", name="Next").click()
    expect(names.first).to_have_text("Feed-forward’s output")


def test_its_height_stays(widget, window):
    opened = widget(**window)
    heights = {opened.bounding_box()["height"]}
    opened.get_by_label("Dropped share p").press("End")
    opened.get_by_role("button", name="Average 100").click()
    for _ in range(2):
        opened.get_by_role("button", name="Next").click()
        heights.add(opened.bounding_box()["height"])
    opened.get_by_label("Training").press("Space")
    heights.add(opened.bounding_box()["height"])
    assert len(heights) == 1


def test_it_is_whole_in_both_themes_and_on_a_phone(widget, window):
    check_page(widget(**window).page)
