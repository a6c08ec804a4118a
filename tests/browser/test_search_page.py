"""The search page: it finds sections, by words as readers type them."""

from urllib.parse import urlencode

import pytest
from conftest import check_page
from playwright.sync_api import expect

from transformer_course.pages import browser as tools

FIRST = {  # what is typed; the section that must come first, or one of them
    "why divide by square root": ["03-2-1-scaled-dot-product-attention.html#why-divide-by"],
    "is padding mask needed": ["03-2-3-three-uses-of-attention.html#is-the-padding-mask"],
    "beam search": ["06-1-decoding.html#beam-search"],
    "BLEU": ["06-1-evaluation.html#bleu-by-hand", "06-1-results.html#how-their-bleu"],
}


def address(site: str, words: str) -> str:
    return f"{site}/search.html?{urlencode({'q': words})}"


@pytest.mark.parametrize("words", FIRST)
def test_words_lead_to_the_section_that_they_are_about(site, page, words):
    opened = page(address(site, words))
    link = opened.locator(".course-found a").first
    expect(link).to_be_visible()
    assert any(place in link.get_attribute("href") for place in FIRST[words])
    link.click()
    expect(opened.locator("section:target")).to_be_visible()
    assert opened.problems == []


def test_what_was_found_passes_the_checks_of_every_page(site, page, window):
    opened = page(address(site, "attention"), **window)
    expect(opened.locator(".course-found li")).to_have_count(10)
    check_page(opened)
    assert opened.problems == []


def test_a_root_is_found_with_its_sign(site, page):
    opened = page(address(site, "why divide by square root"))
    expect(opened.locator(".course-excerpt").first).to_contain_text("√d_k")


def test_more_is_shown_when_asked_for_and_the_keyboard_goes_on_there(site, page):
    opened = page(address(site, "attention"))
    expect(opened.locator(".course-found li")).to_have_count(10)
    found = int(opened.get_by_role("status").inner_text().split()[0])
    assert found > 20
    opened.get_by_role("button", name="Show more").press("Enter")
    expect(opened.locator(".course-found li")).to_have_count(20)
    expect(opened.locator(".course-found li").nth(10).locator("a")).to_be_focused()


def test_typing_searches_again_and_the_address_keeps_it(site, page):
    opened = page(f"{site}/search.html")
    field = opened.locator(".bd-search-container input")
    expect(field).to_be_focused()
    field.fill("label smoothing")
    expect(opened.locator(".course-found a").first).to_contain_text("smoothing")
    assert opened.url.endswith("?q=label+smoothing")
    field.fill("<b>xyzzy</b>")
    expect(opened.get_by_role("status")).to_have_text(
        "Nothing found. Other words, or fewer, may help."
    )
    expect(opened.locator(".course-found li")).to_have_count(0)
    field.fill("")
    expect(opened.get_by_role("status")).to_have_text("")
    assert opened.problems == []


def test_a_site_on_a_disk_is_searched_too(page):
    opened = page(f"{tools.SITE.as_uri()}/search.html?q=smoothing")
    expect(opened.locator("#search-results li a").first).to_be_visible()


def test_it_finds_below_a_folder_of_a_host(site, page, tmp_path):
    (tmp_path / "course").symlink_to(tools.SITE)
    with tools.serve(tmp_path) as root:
        opened = page(address(f"{root}/course", "beam search"))
        opened.locator(".course-found a").first.click()
        expect(opened.locator("section:target")).to_be_visible()
        assert opened.url.startswith(f"{root}/course/book/06-1-decoding.html#")
