"""The slides: a chapter one section at a time."""

import pytest

from transformer_course.pages import browser as tools

CHAPTERS = [name for name in tools.pages() if name.startswith("book/0")]
# Its first slide fits the window, its second does not.
ONE_CHAPTER = pytest.mark.parametrize("name", ["book/03-2-3-three-uses-of-attention.html"])
WALK = """async () => {
  const title = document.querySelector("article h1");
  const own = (node) => node !== title && node.tagName !== "SECTION"
    && node.getClientRects().length;
  const blocks = () => [...document.querySelectorAll(
    "article section > :not(.course-question), .course-question > *")].filter(own);
  const unseen = new Set(blocks());
  const press = (key) =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const tall = [];
  let slides = 0;
  location.hash = "#slide-1";
  await new Promise((done) => setTimeout(done, 50));
  for (let last = ""; last !== location.hash; slides += 1) {
    last = location.hash;
    const shown = blocks().filter((node) => node.checkVisibility());
    for (const node of shown) unseen.delete(node);
    const many = shown.filter((node) => !/^(H\\d|SPAN|NOSCRIPT)$/.test(node.tagName)).length > 1;
    if (many && document.documentElement.scrollHeight > 1.15 * innerHeight) tall.push(last);
    press("ArrowRight");
  }
  return {slides, tall, unseen: [...unseen].map((node) => node.outerHTML.slice(0, 80))};
}"""


def shown(page):
    return page.locator("article :is(h1, h2, h3)").filter(visible=True).all_inner_texts()


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("width", tools.WIDTHS.values(), ids=tools.WIDTHS)
def test_the_slides_of_a_chapter_show_all_of_it_and_fit_the_window(site, page, name, width):
    walked = page(f"{site}/{name}", width=width).evaluate(WALK)
    assert walked["unseen"] == []
    assert walked["tall"] == []
    assert walked["slides"] > 15


@pytest.mark.parametrize("theme", tools.THEMES)
def test_the_whole_paper_is_twenty_slides_of_one_window_each(site, page, theme):
    walked = page(f"{site}/book/slides.html", theme=theme).evaluate(WALK)
    assert walked == {"slides": 20, "tall": [], "unseen": []}


def test_on_a_low_screen_a_slide_that_nearly_fits_is_set_smaller(site, page):
    opened = page(f"{site}/book/slides.html")
    opened.set_viewport_size({"width": 1280, "height": 720})
    assert opened.evaluate(WALK) == {"slides": 20, "tall": [], "unseen": []}
    assert opened.evaluate("document.documentElement.scrollHeight") <= 720
    opened.evaluate("location.hash = '#slide-4'")
    opened.wait_for_function("document.documentElement.style.getPropertyValue('--course-fit') < 1")
    box = opened.locator(".tc").filter(visible=True).bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 720
    opened.locator("body").press("Escape")
    assert opened.evaluate("getComputedStyle(document.documentElement).fontSize") == "16px"


def test_a_remote_turns_from_a_figure_in_use(site, page):
    opened = page(f"{site}/book/slides.html#slide-4")
    figure = opened.locator(".tc").filter(visible=True)
    figure.get_by_role("button", name="Back", exact=True).click()
    opened.keyboard.press("ArrowRight")  # the figure's own key
    assert opened.url.endswith("#slide-4")
    opened.keyboard.press("PageDown")
    assert opened.url.endswith("#slide-5")


@ONE_CHAPTER
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


@ONE_CHAPTER
def test_a_link_opens_a_slide(site, page, name):
    opened = page(f"{site}/{name}#slide-7.2")
    assert opened.locator(".course-slide-bar").inner_text().strip().startswith("7 /")
    assert "(2 of" in opened.locator(".course-slide-bar").inner_text()
    assert tools.axe_violations(opened) == []
    opened.locator("body").press("ArrowLeft")
    assert opened.url.endswith("#slide-7")


@ONE_CHAPTER
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
