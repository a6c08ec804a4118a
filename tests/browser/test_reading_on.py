"""What leads on: Next at the foot of a page, and an answer that opens once one has guessed."""

import re

import pytest
from playwright.sync_api import expect

from transformer_course.pages import practice

CHAPTERS = [name for name in practice.chapters() if name[0] == "0"]


def test_next_leads_through_the_chapters_as_one_reads_them_first(site, page):
    opened = page(f"{site}/book/{CHAPTERS[0]}.html")
    walked = [CHAPTERS[0]]
    while walked[-1] not in (CHAPTERS[-1], "review") and len(walked) < 2 * len(CHAPTERS):
        before = walked[-1]
        opened.locator(".right-next").click()
        opened.wait_for_load_state()
        walked.append(opened.url.rpartition("/")[2].removesuffix(".html"))
        expect(opened.locator(".left-prev")).to_have_attribute("href", f"{before}.html")
    expected = practice.as_read(CHAPTERS)
    assert [name for name in walked if name in expected] == expected
    assert walked.index("02-background") == walked.index("03-1-encoder-decoder-stacks") + 1


@pytest.mark.parametrize("name", ["03-1-encoder-decoder-stacks", "07-after-the-paper"])
def test_an_answer_opens_when_its_prediction_is_locked(site, page, name):
    opened = page(f"{site}/book/{name}.html")
    widget = opened.locator(".tc-prediction").first
    widget.scroll_into_view_if_needed()
    answer = widget.locator("xpath=following::*[contains(@class, 'solution')][1]")
    others = opened.locator(".solution.toggle-hidden")
    fold = answer.get_by_role("button").first
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(fold).to_have_accessible_name(re.compile("^Click to show: Answer to"))
    closed = others.count()
    for each in widget.get_by_role("slider").all():
        each.press("Enter")
    for group in widget.locator("fieldset").all():
        group.get_by_role("radio").first.check()
    widget.get_by_role("button", name="Lock in").click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(fold).to_have_accessible_name(re.compile("^Click to hide: Answer to"))
    expect(others).to_have_count(closed - 1)
    assert opened.problems == []


def test_each_button_above_a_page_shows_the_focus_of_the_keyboard(site, page):
    opened = page(f"{site}/book/{CHAPTERS[0]}.html")
    opened.keyboard.press("Tab")  # from now on the focus is the keyboard's
    buttons = opened.locator(".bd-header-article button:visible")
    assert buttons.count() >= 4
    for button in buttons.all():
        button.focus()
        expect(button).to_have_css("outline-style", "solid")
