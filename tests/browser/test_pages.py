"""Every page of the built site, in a real browser."""

import re
from importlib.resources import files

import pytest
from conftest import check_page
from weigh import PLAIN_BYTES, REQUESTS, WIDGET_BYTES

from transformer_course.pages import browser as tools

# The pages of exercises are of one kind: all have the test that looks at most, the first has all.
FIRST = ("exercises/index", "exercises/01")
ALIKE = [
    name for name in tools.pages() if name.startswith("exercises/") and not name.startswith(FIRST)
]
PAGES = [name for name in tools.pages() if name not in ALIKE]

# Up to which width, in rem, a widget is laid out for a phone; above 46 something else changes.
SHEETS = [each for each in files("transformer_course.widgets").iterdir() if each.suffix == ".css"]
NARROW = max(
    float(width)
    for sheet in SHEETS
    for width in re.findall(r"@container \(max-width: ([\d.]+)rem\)", sheet.read_text("utf-8"))
    if float(width) < 46
)


@pytest.fixture(scope="module", params=PAGES)
def name(request) -> str:
    """Each page in turn: all tests of one, then all of the next."""
    return request.param


@pytest.fixture(scope="module")
def seen(site, chromium, name):
    """The page as it opens on a wide window, for tests that only look; `asked` is what it loads."""
    with tools.open_page(chromium) as opened:
        asked = tools.requests(opened)
        opened.goto(f"{site}/{name}")
        tools.settle(opened)
        opened.asked = asked.copy()
        yield opened


def test_there_are_pages():
    assert "book/index.html" in PAGES, f"no landing page below {tools.SITE}: run `make book`"


def test_a_page_has_no_error_no_overflow_and_nothing_for_axe_to_find(site, page, name, window):
    opened = page(f"{site}/{name}", **window)
    assert opened.evaluate("document.documentElement.dataset.theme") == window["theme"]
    check_page(opened)
    assert opened.problems == []


@pytest.mark.parametrize("exercise", ALIKE)
def test_an_exercise_is_light_and_whole_on_a_phone_and_asks_nobody(site, page, exercise):
    opened = page("about:blank", width=tools.WIDTHS["narrow"], theme="dark")
    asked = tools.requests(opened)
    opened.goto(f"{site}/{exercise}")
    tools.settle(opened)
    assert opened.problems == []
    assert tools.outside(asked, site) == []
    size, requests = tools.weight(asked, site)
    assert size <= PLAIN_BYTES
    assert requests <= REQUESTS
    assert tools.axe_violations(opened) == []
    assert tools.overflow(opened) <= 0


def test_a_page_is_drawn_to_its_end_before_anyone_scrolls(seen):
    skipped = """() => [...document.querySelectorAll("article section > p")].filter((text) =>
      text.checkVisibility() && !text.checkVisibility({ contentVisibilityAuto: true }))"""
    assert seen.evaluate(f"({skipped})().length") == 0


def test_a_page_asks_no_other_host_for_anything(site, seen):
    assert tools.outside(seen.asked, site) == []


def test_a_page_keeps_to_its_budget(site, seen):
    size, requests = tools.weight(seen.asked, site)
    widgets = seen.locator(".course-widget").count()
    assert size <= (WIDGET_BYTES if widgets else PLAIN_BYTES)
    assert requests <= REQUESTS


def test_every_widget_on_a_page_starts(seen):
    if seen.locator('script[type="application/vnd.jupyter.widget-state+json"]').count():
        assert seen.evaluate("document.documentElement.dataset.courseWidgets") == "ready"
    for widget in seen.locator(".course-widget").all():
        assert widget.text_content().strip() or widget.locator("canvas, svg").count()


def test_on_a_laptop_no_widget_is_laid_out_for_a_phone(seen):
    room = """(it) => {
      const { containerType, paddingLeft, paddingRight } = getComputedStyle(it);
      const text = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const inside = it.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return containerType === "inline-size" ? inside / text : Infinity;
    }"""
    widgets = seen.locator("article > section .tc").filter(visible=True)
    assert all(widget.evaluate(room) > NARROW for widget in widgets.all())


def test_a_page_works_from_the_disk_without_a_server(page, name):
    opened = page((tools.SITE / name).as_uri())
    assert opened.problems == []
    assert opened.locator(".course-needs-python").count() == 0


def test_formulas_are_drawn_by_the_browser_in_the_math_font(seen):
    formulas = seen.locator("math").filter(visible=True)  # a widget may hold some that are not
    if formulas.count():
        formulas.first.scroll_into_view_if_needed()
        seen.evaluate("document.fonts.ready.then(() => true)")
        assert "Course Math" in formulas.first.evaluate("it => getComputedStyle(it).fontFamily")
        assert seen.evaluate("document.fonts.check('16px \"Course Math\"')")
        assert formulas.first.bounding_box()["width"] > 0


def test_without_scripts_a_static_form_stands_where_a_widget_would(site, chromium, name):
    context = chromium.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(f"{site}/{name}")
    views = opened.locator('script[type="application/vnd.jupyter.widget-view+json"]').count()
    forms = opened.locator("noscript .course-static").filter(visible=True)
    assert forms.count() == views
    assert all(form.text_content().strip() for form in forms.all())
    notes = opened.locator("noscript > .course-needs-python")
    assert notes.filter(visible=True).count() == views
    context.close()
