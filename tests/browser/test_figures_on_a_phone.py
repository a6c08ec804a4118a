"""The figures' letters on a screen of 390 px: large, whole, and clear of one another."""

import pytest

from transformer_course.pages import browser as tools

DRAWN = "course-figure"
PAGES = [name for name in tools.pages() if DRAWN in (tools.SITE / name).read_text(encoding="utf-8")]
LEAST = 10.9  # pixels

FAULTS = """least => {
  const letters = (text) => {  // the box of its letters, without the room above and below a line
    const { a, b } = text.getScreenCTM();
    const box = text.getBoundingClientRect();
    const line = 0.25 * Math.min(box.width, box.height);
    const [x, y] = Math.abs(a) > Math.abs(b) ? [0, line] : [line, 0];
    return { left: box.left + x, right: box.right - x, top: box.top + y, bottom: box.bottom - y };
  };
  const square = (text) => {
    const { a, b } = text.getScreenCTM();
    return Math.min(Math.abs(a), Math.abs(b)) < 0.01;
  };
  return [...document.querySelectorAll("article svg.course-figure")]
    .filter((svg) => svg.checkVisibility()).flatMap((svg) => {
      const words = [...svg.querySelectorAll("text")]
        .filter((text) => text.textContent.trim() && square(text))
        .map((text) => {
          const { a, b } = text.getScreenCTM();
          const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
          return [text.textContent.replace(/\\s+/g, ""), size, letters(text)];
        });
      const small = words.filter(([, size]) => size < least)
        .map(([word, size]) => `${word}: ${size.toFixed(1)} px`);
      const out = words.filter(([, , box]) => box.left < 0 || box.right > innerWidth)
        .map(([word]) => `${word}: leaves the screen`);
      const around = [];
      for (let each = svg.parentElement; each; each = each.parentElement)
        if (getComputedStyle(each).overflowX !== "visible")
          around.push(each.getBoundingClientRect());
      const cut = words.filter(([, , box]) => around.some(
        (edge) => box.left < edge.left - 0.5 || box.right > edge.right + 0.5))
        .map(([word]) => `${word}: is cut off`);
      const struck = words.flatMap(([word, , one], n) => words.slice(n + 1)
        .filter(([, , two]) => Math.min(one.right, two.right) > Math.max(one.left, two.left) + 0.5
          && Math.min(one.bottom, two.bottom) > Math.max(one.top, two.top) + 0.5)
        .map(([other]) => `${word} runs into ${other}`));
      return [...small, ...out, ...cut, ...struck];
    });
}"""


def test_there_are_figures():
    assert len(PAGES) > 20


@pytest.mark.parametrize("name", PAGES)
def test_a_figure_can_be_read_on_a_phone(site, page, name):
    opened = page(f"{site}/{name}", width=tools.WIDTHS["narrow"])
    opened.evaluate(
        "document.querySelectorAll('details').forEach((each) => each.open = true);"
        "document.querySelectorAll('.toggle-hidden').forEach((each) =>"
        " each.classList.remove('toggle-hidden'))"
    )
    assert opened.evaluate(FAULTS, LEAST) == []
