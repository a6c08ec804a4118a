"""Choices and numbers of the exercise notebooks, answered on the built page with no kernel."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from transformer_course.pages import browser as tools

PAGE = "exercises/01-scaled-attention.html"
CHOICE, NUMBER = "A model without the scale", "The spread at the start"
STORE = "transformer-course/progress"


def question(opened: Page, title: str) -> Locator:
    widget = opened.get_by_role("group", name=f"Exercise: {title}")
    widget.scroll_into_view_if_needed()
    return widget


def stored(opened: Page) -> dict:
    return json.loads(opened.evaluate(f"localStorage.getItem('{STORE}')") or '{"done": {}}')["done"]


def press(widget: Locator, name: str) -> None:
    widget.get_by_role("button", name=name).click()


def test_a_choice_is_explained_graded_and_kept_as_the_panel_keeps_it(site, page):
    opened = page(f"{site}/{PAGE}")
    widget = question(opened, CHOICE)
    press(widget, "Check")
    expect(widget.locator(".tc-message")).to_have_text("Choose first.")
    widget.get_by_role("radio").nth(2).check()
    press(widget, "Check")
    expect(widget).to_contain_text("the division takes back only 8")
    expect(widget.get_by_role("button", name="Show me")).to_be_hidden()
    expect(widget).to_contain_text("Worth 3 of 3 points, on any try")
    assert stored(opened) == {}
    widget.get_by_role("radio").nth(1).check()
    press(widget, "Check")
    expect(widget.locator(".tc-message")).to_have_text("Right, on try 2: 3 of 3 points.")
    [(name, kept)] = stored(opened).items()
    assert (name, kept["points"]) == ("exercises/01-scaled-attention/without-the-scale", 3)
    opened.reload()
    tools.settle(opened)
    expect(question(opened, CHOICE).locator(".tc-message")).to_contain_text("3 of 3, tries: 2.")
    assert opened.problems == []


def test_a_number_is_answered_by_keyboard_alone(site, page):
    opened = page(f"{site}/{PAGE}", width=390, theme="dark")
    widget = question(opened, NUMBER)
    box = widget.get_by_label("Your number")
    box.focus()
    for typed, said in (
        ("a third", "is not a number like"),
        ("1", "That is the paper's case"),
        ("0.1", "That is a variance."),
        ("7", "before the scale"),
        ("1/3", "Right, on try 4: 3 of 3 points."),
    ):
        opened.keyboard.press("Control+A")
        opened.keyboard.type(typed)
        opened.keyboard.press("Enter")
        expect(widget.locator(".tc-message")).to_contain_text(said)
    opened.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="Try again")).to_be_focused()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_under_the_pointer_the_button_stays_as_legible_as_it_was(site, page, theme):
    button = question(page(f"{site}/{PAGE}", theme=theme), NUMBER).get_by_role("button").first
    look = "node => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]"
    before = button.evaluate(look)
    button.hover()
    assert button.evaluate(look) == before


def test_hints_are_there_one_by_one(site, page):
    widget = question(page(f"{site}/{PAGE}"), NUMBER)
    expect(widget.get_by_role("listitem")).to_have_count(0)
    press(widget, "Hint 1 of 3")
    expect(widget.get_by_role("listitem")).to_have_count(1)


def test_code_keeps_its_box_and_what_is_answered_here_has_none(site, page):
    opened = page(f"{site}/{PAGE}")
    expect(opened.locator(".course-exercise", has_text="Back through a softmax")).to_be_visible()
    expect(opened.locator(".course-exercise", has_text=NUMBER)).to_have_count(0)


@pytest.mark.parametrize("title", [NUMBER, CHOICE])
def test_without_scripts_the_box_stays(site, chromium, title):
    with chromium.new_context(java_script_enabled=False) as context:
        opened = context.new_page()
        opened.goto(f"{site}/{PAGE}")
        expect(opened.locator(".course-exercise", has_text=title)).to_be_visible()


def test_the_print_tells_no_answer(site, page):
    opened = page(f"{site}/{PAGE}")
    opened.emulate_media(media="print")
    assert "Answer:" not in question(opened, CHOICE).inner_text()
