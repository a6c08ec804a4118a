"""A page on paper: what is asked stands without its answer, which follows at the end."""

from itertools import pairwise

from transformer_course.pages import browser as tools

CHAPTER = "book/03-2-1-scaled-dot-product-attention.html"
ANSWERS = ".solution.dropdown"
ORDER = "() => [...document.querySelectorAll('article *')].map((node) => node.className)"


def test_answers_are_printed_at_the_end_and_go_back_to_their_places_folded(site, page):
    opened = page(f"{site}/{CHAPTER}")
    answers = opened.locator(ANSWERS)
    count, before = answers.count(), opened.evaluate(ORDER)
    assert count > 3
    opened.emulate_media(media="print")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    end = opened.locator("article > section").bounding_box()
    boxes = [answer.bounding_box() for answer in answers.all()]
    assert len(boxes) == count
    assert all(box["y"] >= end["y"] + end["height"] - 1 for box in boxes)
    assert all(box["height"] > 60 for box in boxes)  # unfolded: more than a title
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.evaluate(ORDER) == before


def test_the_works_cited_are_printed_and_folded_again(site, page):
    opened = page(f"{site}/book/07-after-the-paper.html")
    works = opened.locator("details", has=opened.locator(".citation-list"))
    assert not works.evaluate("(each) => each.open")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert works.evaluate("(each) => each.open")
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not works.evaluate("(each) => each.open")


def test_a_citation_leads_to_its_work_though_the_list_is_folded(site, page):
    opened = page(f"{site}/book/07-after-the-paper.html")
    link = opened.locator("article p a.internal[href^='#id']").first
    work = link.get_attribute("href")
    opened.goto(f"{site}/book/07-after-the-paper.html{work}")
    assert opened.locator(work).bounding_box()["height"] > 10


def test_a_page_without_answers_is_printed_as_it_is(site, page):
    opened = page(f"{site}/book/notation.html")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.locator(".course-answers").count() == 0


def test_numbers_of_a_table_stand_apart_without_scripts(site, chromium):
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    opened = context.new_page()
    opened.goto(f"{site}/{CHAPTER}")
    table = opened.locator("noscript .course-static table").first
    row = table.locator("tbody tr").first.locator("th, td")
    ink = """cells => cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const {left, right} = range.getBoundingClientRect();
      return [left, right];
    })"""
    places = row.evaluate_all(ink)
    assert all(b[0] - a[1] >= 8 for a, b in pairwise(places))
    context.close()


def test_a_tapped_button_leaves_no_tooltip_behind_on_a_telephone(site, chromium):
    context = chromium.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844}
    )
    opened = context.new_page()
    opened.goto(f"{site}/{CHAPTER}")
    tools.settle(opened)
    opened.locator(".theme-switch-button:visible").tap()
    opened.locator(".theme-switch-button:visible").dispatch_event("mouseover")  # not all send it
    opened.wait_for_selector(".tooltip", state="attached")
    assert opened.locator(".tooltip").filter(visible=True).count() == 0
    context.close()
