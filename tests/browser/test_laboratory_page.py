"""Laboratory in a real browser: a Transformer learns there, in a worker, and says what it does."""

import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Laboratory

widget = opens(Laboratory, ".tc-laboratory")
LONG = 90_000  # milliseconds: a busy machine is slow


def start(opened, steps=200):
    opened.locator("summary").click()
    opened.get_by_label("Steps", exact=True).fill(str(steps))
    opened.get_by_role("button", name="Train").click()


def share(opened):
    words = opened.locator(".tc-right").inner_text()
    return int(re.match(r"(\d+) of 100", words)[1])


def test_it_learns_to_reverse_rows_that_it_has_not_seen(widget):
    opened = widget()
    opened.get_by_label("Your guess").fill("70")
    opened.get_by_role("button", name="Train").click()
    expect(opened.get_by_role("button", name="Stop")).to_be_visible()
    expect(opened.get_by_label("Your guess")).to_be_disabled()
    why = opened.locator(".tc-why")
    expect(why).to_contain_text("of 100 new rows are right. You guessed 70.", timeout=LONG)
    assert share(opened) >= 80
    expect(opened.locator(".tc-output")).to_have_text("remrofsnart")
    expect(opened.locator(".tc-maps svg")).to_have_count(2)
    assert "Head 1 looks most at" in opened.locator(".tc-maps svg").first.get_attribute(
        "aria-label"
    )
    opened.get_by_label("Your row").fill("abcdef")
    expect(opened.locator(".tc-written")).to_contain_text("should write fedcba")
    expect(opened.locator(".tc-output")).to_have_text("fedcba")


def test_it_stops_at_once_and_starts_anew_with_the_run_before_beside_it(widget):
    opened = widget()
    start(opened, 3000)
    expect(opened.locator(".tc-right")).to_contain_text("after 1", timeout=LONG)
    opened.get_by_role("button", name="Stop").click()
    expect(opened.locator(".tc-why")).to_contain_text("Stopped after")
    stopped = opened.locator(".tc-right").inner_text()
    opened.page.wait_for_timeout(400)
    assert opened.locator(".tc-right").inner_text() == stopped
    assert opened.locator("polyline").count() == 2  # the landmark, this run
    opened.get_by_label("Steps", exact=True).fill("200")
    opened.get_by_role("button", name="Again").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert opened.locator("polyline").count() == 3
    expect(opened.locator(".tc-legend").first).to_contain_text("the run before")


def test_every_experiment_can_be_chosen_and_asks_first(widget):
    opened = widget()
    which = opened.get_by_label("Experiment")
    questions = set()
    for n in range(which.locator("option").count()):
        which.select_option(str(n))
        questions.add(opened.locator(".tc-question").inner_text())
        expect(opened.locator(".tc-why")).to_be_empty()
    assert len(questions) == which.locator("option").count() >= 8
    opened.locator("summary").click()
    opened.get_by_label("Heads").select_option("4")
    expect(opened.locator(".tc-question")).to_contain_text("Your own settings")


def test_a_row_of_nothing_and_of_other_signs_is_no_trouble(widget):
    opened = widget()
    start(opened)
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    for text in ("", "42 ÄÖ", "zzzz", "a", "abcdefghijkl"):
        opened.get_by_label("Your row").fill(text)
    expect(opened.locator(".tc-written")).to_contain_text("should write lkjihgfedcba")
    assert opened.page.problems == []


def test_where_workers_are_refused_it_learns_in_the_page(show):
    opened = show(Laboratory())
    opened.evaluate(
        "() => { window.Worker = class { constructor() { throw new Error('refused'); } }; }"
    )
    place = opened.locator(".tc-laboratory")
    start(place)
    expect(place.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays_while_it_learns(widget, width):
    opened = widget(width=width)
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-maps svg").first).to_be_visible(timeout=LONG)
    before = opened.bounding_box()["height"]
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert abs(opened.bounding_box()["height"] - before) <= 2


def test_everyone_can_use_it(widget, window):
    opened = widget(**window)
    start(opened)
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    check_page(opened.page)


def test_a_prepared_experiment_can_be_asked_for(widget):
    opened = widget(Laboratory(experiment=1))
    expect(opened.get_by_label("Experiment")).to_have_value("1")
    expect(opened.get_by_label("Positions")).to_have_value("none")
    expect(opened.locator(".tc-question")).not_to_contain_text("Your own settings")


def test_a_link_holds_the_settings(widget):
    opened = widget()
    opened.locator("summary").click()
    opened.get_by_label("Positions").select_option("none")
    opened.get_by_label("Mask in the decoder").uncheck()
    link = opened.get_by_role("link", name="A link to these settings")
    wanted = "#laboratory?positions=none&mask=false"
    assert link.get_attribute("href") == wanted
    opened.page.goto(opened.page.url.split("#")[0] + wanted)
    opened.page.reload()
    expect(opened.get_by_label("Positions")).to_have_value("none")
    expect(opened.get_by_label("Mask in the decoder")).not_to_be_checked()
    expect(opened.locator(".tc-question")).to_contain_text("Your own settings")


def test_the_small_form_has_one_experiment_and_no_settings(widget):
    opened = widget(Laboratory(small=True, steps=300))
    for hidden in ("Experiment", "Your guess", "Steps"):
        assert opened.get_by_label(hidden, exact=True).count() == 0
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("of 100 new rows are right.", timeout=LONG)
    expect(opened.locator(".tc-maps svg")).to_have_count(2)
    opened.get_by_label("Your row").fill("abc")
    expect(opened.locator(".tc-written")).to_contain_text("should write cba")
