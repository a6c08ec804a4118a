"""What scrolls takes the focus, so that the keyboard can scroll it."""

LONG, SHORT = (
    f"""() => [...document.querySelectorAll("article pre")].findIndex((pre) =>
      {sign}(pre.scrollWidth > pre.clientWidth))"""
    for sign in ("", "!")
)


def test_a_region_takes_the_focus_while_it_is_wider_than_its_place(site, page):
    opened = page(f"{site}/book/03-2-2-multi-head-attention.html", width=390)
    regions = opened.locator("article pre")
    wide, narrow = (regions.nth(opened.evaluate(which)) for which in (LONG, SHORT))
    for region, wanted in ((wide, "0"), (narrow, None)):
        region.scroll_into_view_if_needed()
        opened.wait_for_function(
            "([it, wanted]) => it.getAttribute('tabindex') === wanted",
            arg=[region.element_handle(), wanted],
        )
    wide.scroll_into_view_if_needed()
    opened.set_viewport_size({"width": 3000, "height": 800})
    opened.wait_for_function("it => !it.hasAttribute('tabindex')", arg=wide.element_handle())


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
    opened.wait_for_selector("#filled[tabindex='0']")
