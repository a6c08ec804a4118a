"""Every page of the built site, in a real browser."""

import browser as tools
import pytest
from weigh import PLAIN_BYTES, REQUESTS, WIDGET_BYTES

# The pages of exercises are of one kind: all have the test that looks at most, the first has all.
FIRST = ("exercises/index", "exercises/01")
ALIKE = [
    name for name in tools.pages() if name.startswith("exercises/") and not name.startswith(FIRST)
]
PAGES = [name for name in tools.pages() if name not in ALIKE]
EVERY_PAGE = pytest.mark.parametrize("name", PAGES)
EVERY_WIDTH = pytest.mark.parametrize("width", tools.WIDTHS.values(), ids=tools.WIDTHS)
EVERY_THEME = pytest.mark.parametrize("theme", tools.THEMES)


def test_there_are_pages():
    assert "book/index.html" in PAGES, f"no landing page below {tools.SITE}: run `make book`"


@EVERY_PAGE
@EVERY_WIDTH
@EVERY_THEME
def test_a_page_has_no_error_no_overflow_and_nothing_for_axe_to_find(
    site, page, name, width, theme
):
    opened = page(f"{site}/{name}", width=width, theme=theme)
    assert opened.evaluate("document.documentElement.dataset.theme") == theme
    assert opened.problems == []
    assert tools.overflow(opened) <= 0
    assert tools.axe_violations(opened) == []


@pytest.mark.parametrize("name", ALIKE)
def test_an_exercise_is_light_and_whole_on_a_phone_and_asks_nobody(site, page, name):
    opened = page(f"{site}/{name}", width=tools.WIDTHS["narrow"], theme="dark")
    assert opened.problems == []
    assert tools.overflow(opened) <= 0
    assert tools.axe_violations(opened) == []
    assert tools.outside_requests(opened, f"{site}/{name}") == []
    size, requests = tools.weigh(opened, f"{site}/{name}", site)
    assert size <= PLAIN_BYTES
    assert requests <= REQUESTS


@EVERY_PAGE
def test_a_page_asks_no_other_host_for_anything(site, chromium, name):
    with tools.open_page(chromium) as opened:
        assert tools.outside_requests(opened, f"{site}/{name}") == []


@EVERY_PAGE
def test_a_page_keeps_to_its_budget(site, chromium, name):
    with tools.open_page(chromium) as opened:
        size, requests = tools.weigh(opened, f"{site}/{name}", site)
        widgets = opened.locator(".course-widget").count()
    assert size <= (WIDGET_BYTES if widgets else PLAIN_BYTES)
    assert requests <= REQUESTS


@EVERY_PAGE
def test_every_widget_on_a_page_starts(site, page, name):
    opened = page(f"{site}/{name}")
    if opened.locator('script[type="application/vnd.jupyter.widget-state+json"]').count():
        assert opened.evaluate("document.documentElement.dataset.courseWidgets") == "ready"
    for widget in opened.locator(".course-widget").all():
        assert widget.text_content().strip() or widget.locator("canvas, svg").count()


@EVERY_PAGE
def test_a_page_works_from_the_disk_without_a_server(page, name):
    opened = page((tools.SITE / name).as_uri())
    assert opened.problems == []
    assert opened.locator(".course-needs-python").count() == 0


@EVERY_PAGE
def test_formulas_are_drawn_by_the_browser_in_the_math_font(site, page, name):
    opened = page(f"{site}/{name}")
    formulas = opened.locator("math")
    if formulas.count():
        formulas.first.scroll_into_view_if_needed()
        opened.evaluate("document.fonts.ready.then(() => true)")
        assert "Course Math" in formulas.first.evaluate("it => getComputedStyle(it).fontFamily")
        assert opened.evaluate("document.fonts.check('16px \"Course Math\"')")
        assert formulas.first.bounding_box()["width"] > 0


@EVERY_PAGE
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
