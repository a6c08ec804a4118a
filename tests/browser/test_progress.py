"""Progress and FlashCards in a real browser: counted, saved to a file, brought back, begun anew."""

import datetime
import json
import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, Page, expect

from transformer_course.pages import browser as tools
from transformer_course.widgets import FlashCards, PageExercise, Progress, ProgressStrip

STORE = "transformer-course/progress"
TODAY = datetime.date.today()
COUNT = len(FlashCards().cards)
DONE = {
    "05-3-rate-and-run/one-step": {"points": 2, "tries": 1, "when": "2026-01-02"},
    "06-1-evaluation/too-short": {"points": 1, "tries": 4, "when": "2026-01-03"},
}


def put(page: Page, done: dict, cards: dict | None = None) -> None:
    """What another page of the course would store."""
    text = json.dumps({"version": 1, "done": done, "cards": cards or {}})
    page.evaluate(
        "([key, text]) => { localStorage.setItem(key, text); "
        "dispatchEvent(new StorageEvent('storage', {key})); }",
        [STORE, text],
    )


def stored(page: Page) -> dict:
    return page.evaluate(f"JSON.parse(localStorage.getItem('{STORE}'))")


def row(widget: Locator, title: str) -> str:
    return widget.get_by_role("listitem").filter(has_text=title).inner_text()


@pytest.fixture
def progress(show):
    def open_progress(*more, **window) -> Locator:
        return show(Progress(), *more, **window).locator(".tc-progress")

    return open_progress


def read_file(widget: Locator, text: str, name: str = "mine.json") -> None:
    chosen = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    with widget.page.expect_file_chooser() as opened:
        widget.get_by_role("button", name="Read from a file").click()
    opened.value.set_files(chosen)


def test_what_is_solved_on_the_page_is_counted_at_once(progress):
    exercise = PageExercise("06-1-evaluation/what-bleu-tells")
    widget = progress(exercise)
    expect(widget.locator(".tc-ring")).to_contain_text(re.compile("^0"))
    expect(widget.locator(".tc-ring")).to_be_hidden()  # a beginner sees what is first, not 0
    expect(widget.locator(".tc-next")).to_have_text("Begin with 1 Introduction →")
    every = sum(len(one["exercises"]) for one in Progress().chapters)
    most = sum(x["points"] for one in Progress().chapters for x in one["exercises"])
    task = widget.page.locator(".tc-exercise")
    [right] = exercise.exercise["answer"]
    task.get_by_role("radio").nth(right).check()
    task.get_by_role("button", name="Check").click()
    expect(widget).to_contain_text(f"done 1 of {every} exercises and earned 2 of {most} points")
    count = len(next(x for x in Progress().chapters if "6.1 BLEU" in x["title"])["exercises"])
    assert f"1 of {count}" in row(widget, "6.1 BLEU")
    due = widget.get_by_role("listitem").filter(has_text="6.1 BLEU")
    expect(due).to_have_class(re.compile("tc-due"))
    expect(due.locator(".tc-done")).to_have_count(1)
    expect(widget.locator(".tc-next")).to_have_text("Go on with 6.1 BLEU →")
    widget.page.reload()
    tools.settle(widget.page)
    expect(widget).to_contain_text(f"earned 2 of {most} points")


REFUSE = """() => {
  for (const name of ["getItem", "setItem"])
    Storage.prototype[name] = () => { throw new DOMException("refused", "SecurityError"); };
  dispatchEvent(new Event("transformer-course-progress"));
}"""


def test_where_storage_is_refused_the_strip_says_so_in_one_line_and_counts_on(show):
    exercise = PageExercise("06-1-evaluation/what-bleu-tells")
    page = show(ProgressStrip(), exercise)
    strip, task = page.locator(".tc-strip-of-progress"), page.locator(".tc-exercise")
    page.evaluate(REFUSE)
    line = strip.locator("p")
    expect(line).to_contain_text("This browser keeps no progress: it lasts until you leave")
    [right] = exercise.exercise["answer"]
    task.get_by_role("radio").nth(right).check()
    task.get_by_role("button", name="Check").click()
    every = sum(len(one["exercises"]) for one in Progress().chapters)
    expect(line).to_contain_text(f"You have done 1 of {every} exercises.")
    expect(line).to_contain_text("This browser keeps no progress")
    expect(strip.locator("a[aria-label*=': 1 of']")).to_have_count(1)
    assert page.problems == []


def test_the_strip_says_what_is_next_and_why_and_every_bar_has_its_part(show):
    page = show(ProgressStrip())
    strip = page.locator(".tc-strip-of-progress")
    head, when = strip.locator(".tc-top b"), strip.locator(".tc-top i")
    expect(when).to_have_text("Next")
    expect(head).to_have_text("1 Introduction: why attention")
    expect(strip.locator(".tc-top small")).to_have_text("Start here: 6 exercises.")
    pages = [one["page"] for one in Progress().chapters if one["page"]]
    expect(strip.locator(".tc-chapters a")).to_have_count(len(pages))
    parts = ["Why attention", "Attention", "The rest of the model", "Training", "Results"]
    expect(strip.locator(".tc-chapters span")).to_have_text([*parts, "Beyond the paper"])
    expect(strip.locator("li > svg")).to_have_count(6)
    for box in strip.locator(".tc-chapters a").all():  # its number, where it has one
        told = box.get_attribute("aria-label")
        number = re.match(r"[\d.]*", told)[0]
        expect(box).to_have_text(number)
    line, bar = strip.locator("p"), strip.get_by_role("link", name="6.1 Results")
    rest = line.text_content()
    for point, leave in ((bar.hover, lambda: page.mouse.move(0, 0)), (bar.focus, bar.blur)):
        point()
        expect(line).to_have_text(re.compile(r"^6\.1 Results.*: 0 of \d+ exercises done\.$"))
        leave()
        expect(line).to_have_text(rest)
    put(page, DONE)
    expect(when).to_have_text("Next")
    expect(head).to_have_text("6.1 BLEU: how a translation is scored")
    expect(strip.locator(".tc-next")).to_have_text("Go on →")


def solved(chapters: list[dict]) -> dict:
    """All points of every exercise of some chapters."""
    every = [one for chapter in chapters for one in chapter["exercises"]]
    return {one["id"]: {"points": one["points"], "tries": 1, "when": "2026-01-02"} for one in every}


def test_the_strip_marks_a_finished_part_and_after_all_leads_to_the_flash_cards(show):
    page = show(ProgressStrip())
    strip = page.locator(".tc-strip-of-progress")
    expect(strip.locator(".tc-all")).to_have_count(0)
    put(page, solved(Progress().chapters[:2]))
    expect(strip.locator(".tc-all span")).to_have_text(["Why attention"])
    put(page, solved(Progress().chapters))
    expect(strip.locator(".tc-all")).to_have_count(6)
    expect(strip.locator(".tc-top b")).to_have_text("Every exercise is done.")
    cards = strip.get_by_role("link", name="Flash cards →")
    assert cards.get_attribute("href").startswith("practice.")


def test_on_a_telephone_a_folded_part_is_one_row(progress):
    widget = progress(width=390)
    expect(widget.locator(".tc-promise:visible")).to_have_count(1)  # of the part that is open
    folded = widget.locator("details:not([open])")
    assert all(part.bounding_box()["height"] <= 72 for part in folded.all())
    assert widget.bounding_box()["height"] <= 1000


def test_open_is_the_part_that_is_next_and_a_finished_part_says_so(progress):
    widget = progress()
    opened = widget.locator("details[open] summary")
    expect(opened).to_have_text(re.compile("^Why attention"))
    parts = ["Why attention", "Attention", "The rest of the model", "Training", "Results"]
    expect(widget.locator("summary b")).to_have_text([*parts, "Beyond the paper"])
    chapters = Progress().chapters[:2]
    every = [one for chapter in chapters for one in chapter["exercises"]]
    when = {"tries": 1, "when": "2026-01-02"}
    put(widget.page, {one["id"]: {"points": one["points"], **when} for one in every})
    points = sum(one["points"] for one in every)
    done = widget.locator("details.tc-all summary")
    exercises = f"{len(every)} of {len(every)} exercises"  # as many as there are marks
    expect(done.locator("b, small")).to_have_text(["Why attention", exercises])
    expect(done).to_contain_text("… say what a loop over words costs")
    marks = [done.locator(".tc-groups > span").nth(n).locator("i.tc-done") for n in (0, 1)]
    for chapter, mark in zip(chapters, marks, strict=True):  # below its picture, by chapter
        expect(mark).to_have_count(len(chapter["exercises"]))
    expect(widget.locator(".tc-ring b")).to_have_text(str(points))
    expect(opened).not_to_contain_text("Why attention")
    done.click()
    expect(widget.get_by_role("link", name="2 Background")).to_be_visible()
    expect(widget.locator("details[open]")).to_have_count(1)


def test_no_tile_is_left_over_in_a_row(progress):
    widget = progress(width=1280)
    rows = """all => Object.values(Object.groupBy(all.map(one => one.getBoundingClientRect()),
        (box) => Math.round(box.top))).map(row => Math.round(row.at(-1).right))"""
    for part in (None, 0, 3, 2, 2):  # as it opens, none open, one open, another, none again
        if part is not None:
            widget.locator("summary").nth(part).click()
        ends = widget.locator(".tc-parts > *").evaluate_all(rows)
        assert max(ends) - min(ends) <= 1


def test_a_saved_file_brings_everything_back(progress, tmp_path):
    widget = progress()
    page = widget.page
    cards = {"cost": {"box": 4, "due": "2026-02-01", "since": "2026-01-01"}}
    put(page, DONE, cards)
    expect(widget).to_contain_text(f"1 of {COUNT} seen, 1 known well")
    with page.expect_download() as waiting:
        widget.get_by_role("button", name="Save to a file").click()
    saved = tmp_path / "saved.json"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename.startswith("transformer-course-2")
    assert json.loads(saved.read_text()) == {"version": 1, "done": DONE, "cards": cards}

    widget.get_by_role("button", name="Start anew").click()
    page.keyboard.press("Enter")  # the focus is on Keep
    assert stored(page)["done"] == DONE
    expect(widget.get_by_role("button", name="Start anew")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(widget.get_by_role("status")).to_have_text("All progress is deleted.")
    assert stored(page)["done"] == {}
    read_file(widget, saved.read_text())
    expect(widget.get_by_role("status")).to_have_text(
        "Read mine.json: 2 more exercises, 3 more points."
    )
    assert stored(page) == {"version": 1, "done": DONE, "cards": cards}


def test_a_file_is_merged_and_the_better_result_stays(progress):
    widget = progress()
    put(widget.page, DONE)
    better = DONE["06-1-evaluation/too-short"] | {"points": 3}
    worse = DONE["05-3-rate-and-run/one-step"] | {"points": 1}
    other = {"06-1-evaluation/too-short": better, "05-3-rate-and-run/one-step": worse, "<b>": worse}
    read_file(widget, json.dumps({"version": 1, "done": other}))
    expect(widget.get_by_role("status")).to_contain_text(
        "0 more exercises, 2 more points. In it, entries that cannot be read: 1."
    )
    assert stored(widget.page)["done"] == {
        "05-3-rate-and-run/one-step": DONE["05-3-rate-and-run/one-step"],
        "06-1-evaluation/too-short": better,
    }


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("hello", "it is not JSON"),
        ("", "it is not JSON"),
        ('{"version": 9, "done": {}}', "expected version 1, got 9"),
        ("[1, 2]", "expected version 1, got undefined"),
        (f'"{"x" * 1_000_001}"', "it is too large"),
    ],
    ids=["text", "empty", "version", "list", "large"],
)
def test_a_bad_file_is_a_message_and_nothing_is_lost(progress, text, what):
    widget = progress()
    put(widget.page, DONE)
    read_file(widget, text, "bad.json")
    expect(widget.get_by_role("status")).to_have_text(
        f"bad.json was not read: {what}. Expected a file that “Save to a file” wrote. "
        "Nothing has changed."
    )
    assert stored(widget.page)["done"] == DONE
    assert widget.page.problems == []


def test_without_storage_all_three_still_share_what_happens_on_the_page(progress):
    widget = progress(FlashCards(), PageExercise())
    page = widget.page
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.reload()
    tools.settle(page)
    cards = page.locator(".tc-cards")
    cards.get_by_role("button", name="Show the answer").click()
    cards.get_by_role("button", name="Knew it").click()
    expect(widget).to_contain_text(f"1 of {COUNT} seen")
    expect(cards).to_contain_text("This browser keeps no progress")
    assert page.problems == []


cards = opens(FlashCards, ".tc-cards")
RECALL = "Say it first, then turn the card."


def test_every_card_draws_its_formulas_within_a_telephone(cards):
    widget = cards(width=390)
    turn, easy = (widget.get_by_role("button", name=name) for name in ("Show the answer", "Easy"))
    drawn = 0
    for _ in range(10):
        turn.click()
        drawn += widget.locator("math").count()
        card = widget.locator(".tc-card").bounding_box()
        for formula in widget.locator("math").all():
            box = formula.bounding_box()
            assert box["x"] + box["width"] <= card["x"] + card["width"] - 16
        assert "sqrt" not in widget.locator(".tc-card").inner_text()
        easy.click()
    assert drawn >= 3


def test_cards_are_turned_and_graded_by_keys(cards):
    widget = cards()
    page = widget.page
    all_cards = FlashCards().cards
    front = widget.locator(".tc-front")
    expect(front).to_have_text(all_cards[0]["front"].replace("`", ""))
    expect(widget.locator(".tc-why")).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(widget.locator(".tc-why")).to_contain_text(all_cards[0]["back"].rpartition("`. ")[2])
    expect(widget.get_by_role("button", name="Knew it")).to_be_focused()
    page.keyboard.press("2")
    expect(front).to_contain_text(all_cards[1]["front"].partition("`")[0])
    expect(front.locator("msqrt")).to_have_text("dk")
    expect(widget).to_contain_text(f"It comes back tomorrow. 1 of {COUNT} begun")
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    expect(widget).to_contain_text("It comes back in 3 days. 2 of")
    expect(widget).to_contain_text("Today: 8 new")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    expect(widget).to_contain_text("It comes once more today. 3 of")
    kept = stored(page)["cards"]
    assert [kept[all_cards[n]["id"]]["box"] for n in range(3)] == [1, 2, 0]
    days = (datetime.date.fromisoformat(kept[all_cards[1]["id"]]["due"]) - TODAY).days
    assert days in (2, 3, 4)  # midnight may pass while the test runs


def test_each_answer_says_when_the_card_comes_back(cards):
    widget = cards()
    widget.get_by_role("button", name="Show the answer").click()
    answers = widget.locator(".tc-foot button:visible")
    when = ["Did not know\nagain today", "Knew it\ntomorrow", "Easy\nin 3 days"]
    assert answers.all_inner_texts() == when
    answers.first.click()
    expect(widget).to_contain_text("It comes once more today.")


def test_the_front_is_the_question_alone_and_the_back_the_answer_with_its_picture(cards):
    widget = cards()
    sides = widget.locator(".tc-face")
    assert sides.all_inner_texts() == [
        "Attention · new to you\n\nThe formula of scaled dot-product attention?\n\n" + RECALL,
        "",
    ]
    expect(widget.locator(".tc-sketch > *")).to_have_count(0)
    widget.locator(".tc-card").click()  # a press on the card turns it, too
    done = widget.locator(".tc-sign.tc-does small")
    assert done.all_text_contents() == ["score", "scale, softmax", "mix"]
    assert [one.is_visible() for one in done.all()] == [True] * 3
    colored = widget.locator("mi[data-role]")
    assert colored.all_text_contents() == ["Q", "K", "V"]
    asked, large = (widget.locator(place) for place in (".tc-asked", ".tc-formula"))
    expect(asked).to_have_text("The formula of scaled dot-product attention?")
    size = "node => parseFloat(getComputedStyle(node).fontSize)"
    assert large.evaluate(size) > 1.5 * asked.evaluate(size)
    widget.get_by_role("button", name="Knew it").click()
    expect(widget.locator(".tc-front")).to_contain_text("Why are the scores divided")
    assert sides.last.inner_text() == ""  # nothing of an answer before its card is turned


def test_every_topic_has_a_picture_and_a_card_of_another_course_none(cards):
    widget = FlashCards()
    first = {card["topic"]: card for card in reversed(widget.cards)}
    widget.cards = [*first.values(), {"id": "x", "topic": "Other", "front": "Q?", "back": "A."}]
    shown = cards(widget)
    for _ in first:
        shown.get_by_role("button", name="Show the answer").click()
        expect(shown.locator(".tc-sketch svg").first).to_be_visible()
        shown.get_by_role("button", name="Easy").click()
    expect(shown.locator(".tc-front")).to_have_text("Q?")
    shown.get_by_role("button", name="Show the answer").click()
    expect(shown.locator(".tc-lead")).to_have_text("A.")
    expect(shown.locator(".tc-sketch > *")).to_have_count(0)


def test_a_card_keeps_its_height_when_it_is_turned_and_when_the_next_one_comes(cards, window):
    widget = cards(**window)
    heights = {widget.bounding_box()["height"]}
    for _ in range(9):
        widget.get_by_role("button", name="Show the answer").click()
        heights.add(widget.bounding_box()["height"])
        card, text = (widget.locator(place).bounding_box() for place in (".tc-card", ".tc-why"))
        assert text["y"] + text["height"] <= card["y"] + card["height"] - 8
        widget.get_by_role("button", name="Knew it").click()
        heights.add(widget.bounding_box()["height"])
    assert max(heights) - min(heights) <= 1


def test_all_cards_of_a_day_come_to_an_end(cards):
    widget = cards()
    for _ in range(10):
        widget.get_by_role("button", name="Show the answer").click()
        widget.get_by_role("button", name="Easy").click()
    expect(widget.locator(".tc-front")).to_have_text("Done for today.")
    expect(widget.locator(".tc-recall")).to_be_hidden()
    expect(widget).to_contain_text("Today: all done")
    expect(widget).to_contain_text(f"10 of {COUNT} begun")
    expect(widget.locator(".tc-card")).to_contain_text("The next ones come on ")
    assert widget.locator("button:visible").count() == 0


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_both_are_accessible_and_fit_their_window(progress, width, theme):
    widget = progress(FlashCards(), width=width, theme=theme)
    page = widget.page
    put(page, DONE)
    widget.get_by_role("button", name="Start anew").click()
    page.get_by_role("button", name="Show the answer").click()
    check_page(page)
