"""The slides: a chapter one section at a time."""

import browser as tools
import pytest

CHAPTERS = [name for name in tools.pages() if name not in ("book/index.html", "search.html")]
pytestmark = pytest.mark.parametrize("name", CHAPTERS[:1])


def shown(page):
    return page.locator("article :is(h1, h2, h3)").filter(visible=True).all_inner_texts()


def test_keys_go_through_the_slides_and_escape_leaves_them(site, page, name):
    opened = page(f"{site}/{name}")
    opened.get_by_role("button", name="Show as slides").click()
    first = shown(opened)
    assert len(first) == 1
    assert opened.url.endswith("#slide-1")

    opened.locator("body").press("ArrowRight")
    assert opened.url.endswith("#slide-2")
    assert len(shown(opened)) == 2  # the chapter's title stays, small, above the section's
    opened.locator("body").press("End")
    assert opened.get_by_role("button", name="Next slide").is_visible()
    opened.locator("body").press("Home")
    assert shown(opened) == first

    opened.locator("body").press("Escape")
    assert len(shown(opened)) > 1
    assert "#slide" not in opened.url


def test_a_link_opens_a_slide(site, page, name):
    opened = page(f"{site}/{name}#slide-2")
    assert opened.locator(".course-slide-bar").inner_text().strip().startswith("2 /")
    assert tools.axe_violations(opened) == []


def test_a_swipe_goes_to_the_next_slide(site, page, name):
    opened = page(f"{site}/{name}#slide-1", width=390)
    opened.evaluate(
        """() => {
          const target = document.body;
          const at = (x) => [new Touch({identifier: 0, target, clientX: x, clientY: 9})];
          const send = (kind, touches) =>
            target.dispatchEvent(new TouchEvent(kind, {...touches, bubbles: true}));
          send("touchstart", {touches: at(300)});
          send("touchend", {changedTouches: at(100)});
        }"""
    )
    assert opened.url.endswith("#slide-2")
