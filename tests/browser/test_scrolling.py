"""What scrolls takes the focus, so that the keyboard can scroll it."""

from playwright.sync_api import expect

LONG, SHORT = (
    f"""() => [...document.querySelectorAll("article pre")].findIndex((pre) =>
      !pre.closest("details:not([open])") && {sign}(pre.scrollWidth > pre.clientWidth))"""
    for sign in ("", "!")
)
# What is out of sight is not laid out, nor looked at, and widgets above it still come.
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
