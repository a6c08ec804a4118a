"""What scrolls takes the focus, a sidebar gives it back; a tall widget's steps stay in sight."""

import pytest
from playwright.sync_api import expect

LONG, SHORT = (
    f"""() => [...document.querySelectorAll("article pre")].findIndex((pre) =>
      !pre.closest("details:not([open])") && {sign}(pre.scrollWidth > pre.clientWidth))"""
    for sign in ("", "!")
)
# Widgets above it still come.
SEEN = """([it, wanted]) => {
  it.scrollIntoView({block: "center"});
  return it.getAttribute("tabindex") === wanted;
}"""


def test_a_region_takes_the_focus_while_it_is_wider_than_its_place(site, page):
    opened = page(f"{site}/book/03-2-2-multi-head-attention.html", width=390)
    regions = opened.locator("article pre")
    wide, narrow = [  # the elements themselves: their numbers change as widgets come
        regions.nth(opened.evaluate(which)).element_handle() for which in (LONG, SHORT)
    ]
    for region, wanted in ((wide, "0"), (narrow, None)):
        opened.wait_for_function(SEEN, arg=[region, wanted])
        assert region.get_attribute("tabindex") == wanted
    opened.set_viewport_size({"width": 3000, "height": 800})
    opened.wait_for_function(SEEN, arg=[wide, None])
    assert wide.get_attribute("tabindex") is None


def test_a_region_that_a_script_fills_takes_the_focus(site, page):
    opened = page(f"{site}/book/notation.html")
    opened.evaluate(
        """() => {
          const pre = document.createElement("pre");
          pre.id = "filled";
          pre.style.overflow = "auto";
          document.getElementById("main-content").prepend(pre);
          pre.append("x".repeat(2000));
        }"""
    )
    expect(opened.locator("#filled")).to_have_attribute("tabindex", "0")


CONTENTS = """() => {
  const line = 0.3 * innerHeight;
  const read = [...document.querySelectorAll("article :is(h2, h3)")].filter(
    (it) => it.getBoundingClientRect().top < line);
  const marked = document.querySelectorAll("#pst-page-toc-nav [aria-current=true]");
  return [[...marked].map((it) => it.hash.slice(1)), read.at(-1)?.closest("section").id];
}"""


def test_the_contents_mark_what_is_read_even_after_a_leap(site, page):
    opened = page(f"{site}/book/06-3-parsing.html", width=1400)
    seen = set()
    for share in (0.1, 0.6, 0.3, 0.8):
        opened.evaluate("(y) => scrollTo(0, y * document.documentElement.scrollHeight)", share)
        opened.wait_for_timeout(300)
        marked, read = opened.evaluate(CONTENTS)
        assert marked == [read]
        seen.add(read)
    assert len(seen) == 4
    for _ in range(5):  # what comes in sight is laid out, and the end moves away
        opened.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        opened.wait_for_timeout(200)
    last = opened.locator("#pst-page-toc-nav a").last
    expect(last).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("side", ["primary", "secondary"])
def test_a_sidebar_that_closes_gives_the_focus_back(site, page, side):
    opened = page(f"{site}/book/02-background.html", width=390)
    toggle = opened.locator(f".{side}-toggle:visible")
    toggle.focus()
    opened.keyboard.press("Enter")
    expect(opened.locator("dialog[open] a").first).to_be_focused()
    opened.keyboard.press("Escape")
    expect(opened.locator("dialog[open]")).to_have_count(0)
    expect(toggle).to_be_focused()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_steps_of_a_tall_widget_stay_in_sight_below_the_pages_bar(site, page, width):
    opened = page(f"{site}/book/03-2-1-scaled-dot-product-attention.html", width=width)
    steps, bar = opened.locator(".tc-stepbar").first, opened.locator(".bd-header-article")
    steps.scroll_into_view_if_needed()
    steps.evaluate("it => scrollTo(0, it.getBoundingClientRect().top + scrollY + 200)")
    edge = bar.bounding_box()["y"] + bar.bounding_box()["height"]
    assert 0 <= steps.bounding_box()["y"] - edge <= 10


def test_on_a_phone_a_wide_tables_rows_are_cards_that_name_each_cell(site, page):
    url = f"{site}/book/03-2-1-scaled-dot-product-attention.html"
    narrow, wide = (page(url, width=width).locator("table.course-cards") for width in (390, 1280))
    label = "it => getComputedStyle(it, '::before').content"
    cell = 'td[data-name="what a row is"]'
    assert narrow.locator(cell).first.evaluate(label) == '"what a row is"'
    assert wide.locator(cell).first.evaluate(label) == "none"
    assert narrow.evaluate("it => it.parentElement.scrollWidth - it.parentElement.clientWidth") == 0
    assert narrow.locator("th").first.bounding_box()["width"] > 0  # still read aloud


UNDER = """(words) => {
  const bar = words.previousElementSibling.getBoundingClientRect();
  return bar.top > 0 && Math.abs(words.getBoundingClientRect().top - bar.bottom) < 1;
}"""


@pytest.mark.parametrize(
    "name",
    [
        "01-introduction",
        "02-background",
        "03-2-1-scaled-dot-product-attention",
        "03-2-2-multi-head-attention",
        "03-5-positional-encoding",
    ],
)
def test_on_a_phone_what_a_step_says_stays_under_its_bar(site, page, name):
    opened = page(f"{site}/book/{name}.html", width=390)
    said = opened.locator("article .tc-stepbar + .tc-why").all()
    assert said
    for words in said:
        words.scroll_into_view_if_needed()
        words.evaluate("it => scrollTo(0, it.getBoundingClientRect().top + scrollY + 60)")
        opened.wait_for_function(UNDER, arg=words.element_handle())
