"""PageExercise in a real browser: every kind by mouse and by keyboard, kept over a reload."""

import json
import re
from pathlib import Path

import pytest
from conftest import check_page
from playwright.sync_api import Locator, Page, expect

from transformer_course.pages import browser as tools
from transformer_course.pages import practice
from transformer_course.widgets import PageExercise

README = Path(__file__).parents[2] / "book" / "practice" / "README.md"
FILES = sorted(path for path in README.parent.glob("*.toml") if path.stem != "cards")
STORE = "transformer-course/progress"
READ = f"JSON.parse(localStorage.getItem('{STORE}'))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The examples of the authors' how-to, one of each kind, as a chapter."""
    examples = re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)
    place = tmp_path_factory.mktemp("practice")
    (place / "how-to.toml").write_text("\n".join(examples), encoding="utf-8")
    return place


@pytest.fixture
def exercise(show, folder):
    """Opens a page with the example of one kind, and hands back the widget."""

    def open_kind(kind: str, **window) -> Locator:
        table = next(one for one in practice.read(folder / "how-to.toml") if one.kind == kind)
        return show(PageExercise(table.id, folder), **window).locator(".tc-exercise").first

    return open_kind


def message(widget: Locator) -> Locator:
    return widget.locator(".tc-message")


def stored(page: Page) -> dict:
    return page.evaluate(READ)["done"]


def press(widget: Locator, name: str) -> None:
    widget.get_by_role("button", name=name).click()


def test_a_number_is_locked_in_graded_and_kept(exercise):
    widget = exercise("number")
    box = widget.get_by_label("Your number")
    tries = widget.locator(".tc-tries")
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("Nothing is entered yet.")
    expect(tries).to_have_text("?")  # anywhere
    for text in ("abc", "<b>1</b>", "1 2"):
        box.fill(text)
        press(widget, "Lock in")
        expect(message(widget)).to_contain_text("is not a number like")
    expect(widget).to_contain_text("Worth 3 of 3 points now")
    box.fill("0.976")
    press(widget, "Lock in")
    expect(message(widget)).to_contain_text("without the scale")
    expect(tries).to_have_text("?0.976")
    judged = "(all) => all.map((one) => getComputedStyle(one, '::after').content)"
    assert tries.locator("span").evaluate_all(judged) == ['"too high"']
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("You tried that already.")
    box.fill("0.5")
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("It is higher.")
    expect(tries.locator("> *")).to_have_text(["0.5", "?", "0.976"])
    assert tries.locator("span").evaluate_all(judged) == ['"too low"', '"too high"']
    expect(widget).to_contain_text("Worth 1 of 3 points now")
    expect(widget.locator(".tc-why")).to_be_hidden()
    box.fill("82 %")
    box.press("Enter")
    expect(message(widget)).to_have_text("Right, on try 3: 1 of 3 points.")
    expect(box).to_have_value("0.82")
    expect(tries.locator("> *")).to_have_text(["0.5", "0.82", "0.976"])
    expect(widget.locator(".tc-why")).to_contain_text("the second key gets 0.82")
    [(name, entry)] = stored(widget.page).items()
    assert (name, entry["points"], entry["tries"]) == ("how-to/weight-of-cat", 1, 3)

    widget.page.reload()
    tools.settle(widget.page)
    expect(message(widget)).to_contain_text("1 of 3, tries: 3.")
    expect(box).to_have_value("0.82")
    press(widget, "Try again")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    expect(message(widget)).to_have_text("For practice: your points stay.")
    box.fill("0.82")
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("Right.")
    assert stored(widget.page)["how-to/weight-of-cat"]["points"] == 1


def test_hints_are_free_and_the_answer_costs_all_points(exercise):
    widget = exercise("number")
    expect(widget.get_by_role("button", name="Show me")).to_be_hidden()
    press(widget, "Hint 1 of 2")
    expect(widget.get_by_role("listitem")).to_have_text(["Scale first, then softmax."])
    press(widget, "Hint 2 of 2")
    expect(widget.get_by_role("button", name="Hint")).to_be_hidden()
    expect(widget).to_contain_text("Worth 3 of 3 points now")
    widget.get_by_label("Your number").fill("9")
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("It is lower.")
    assert "0.82" not in widget.inner_text()
    press(widget, "Show me")
    expect(message(widget)).to_have_text("The answer is shown.")
    expect(widget.get_by_label("Your number")).to_have_value("0.82")
    expect(widget.locator(".tc-tries > *")).to_have_text(["0.82", "9"])
    assert stored(widget.page)["how-to/weight-of-cat"]["points"] == 0


def test_a_button_that_goes_hands_the_focus_on(exercise):
    widget = exercise("number")
    page = widget.page
    for n in (1, 2):
        widget.get_by_role("button", name=f"Hint {n} of 2").focus()
        page.keyboard.press("Enter")
    expect(widget.get_by_role("button", name="Lock in")).to_be_focused()
    widget.get_by_label("Your number").fill("9")
    widget.get_by_role("button", name="Lock in").focus()
    page.keyboard.press("Enter")
    expect(message(widget)).to_have_text("It is lower.")
    expect(widget.get_by_role("button", name="Lock in")).to_be_focused()
    widget.get_by_role("button", name="Show me").focus()
    page.keyboard.press("Enter")
    expect(widget.get_by_role("button", name="Try again")).to_be_focused()


def test_a_matrix_is_filled_with_arrow_keys(exercise):
    widget = exercise("matrix")
    page = widget.page
    page.keyboard.press("Tab")
    for text, keys in (("1", ["ArrowRight"]), ("0", ["ArrowDown"]), ("4", ["ArrowLeft"] * 2)):
        page.keyboard.type(text)
        for key in keys:  # within what was typed an arrow moves the caret, at its edge the cell
            page.keyboard.press(key)
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="Check")).to_be_focused()
    page.keyboard.press("Enter")
    expect(message(widget)).to_contain_text("its exponential is 1")
    widget.get_by_label("0, 1").fill("x")
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Row “0”, column “1”: “x” is not a number")
    widget.get_by_label("0, 1").fill("7")
    press(widget, "Check")
    expect(message(widget)).to_have_text("3 of 4 cells are right. Look at row “0” first.")
    expect(widget.get_by_label("0, 1")).to_have_attribute("aria-invalid", "true")
    widget.get_by_label("0, 1").fill("−∞")
    expect(widget.get_by_label("0, 1")).to_have_attribute("aria-invalid", "false")
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Right, on try 3")


def test_a_mask_is_painted_by_dragging_and_by_keys(exercise):
    widget = exercise("mask")
    page = widget.page
    press(widget, "Check")
    expect(message(widget)).to_have_text("Nothing is painted yet.")
    first, last = (widget.get_by_role("button", name=f"the, {word}") for word in ("the", "sat"))
    first.hover()
    page.mouse.down()
    box = last.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5, steps=12)
    page.mouse.up()
    expect(widget.locator("[aria-pressed=true]")).to_have_count(3)
    first.focus()
    for key in ("ArrowDown", "Space", "ArrowDown", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)
    press(widget, "Check")
    expect(message(widget)).to_have_text("Cells too many: 2, too few: 2. Look at row “the” first.")
    expect(widget.locator(".tc-row th")).to_have_text("the")
    for name in ("the, cat", "the, sat", "cat, cat", "sat, sat"):
        widget.get_by_role("button", name=name).click()
    press(widget, "Check")
    expect(message(widget)).to_have_text("Right, on try 2: 1 of 2 points.")
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")  # it is over: nothing moves


def test_every_option_chosen_is_explained(exercise):
    widget = exercise("choice")
    page = widget.page
    press(widget, "Check")
    expect(message(widget)).to_have_text("Choose first.")
    expect(widget.locator(".tc-check small:visible")).to_have_count(0)
    widget.get_by_label("Each column").check()
    press(widget, "Check")
    option, why = wrong_option(widget)
    expect(message(widget)).to_have_text(f"{option} does not hold. {why}")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Right, on try 2")
    expect(widget.locator(".tc-check small:visible")).to_have_count(2)
    for card in widget.locator(".tc-check").all():  # its mark and its reason, and no box any more
        holds = card.get_by_role("img", name="Holds.", exact=True).count()
        assert holds == ("Each column" not in card.inner_text())
        expect(card.get_by_role("img")).to_have_text("✓" if holds else "✗")
        expect(card.get_by_role("radio")).to_have_count(0)


def wrong_option(widget: Locator) -> tuple[int, str]:
    """The option that says "Each column": its number, and why it does not hold."""
    options = widget.locator(".tc-check").all_inner_texts()
    place = ["Each column" in text for text in options].index(True)
    why = widget.locator(".tc-check small").nth(place).text_content() or ""
    return place + 1, why


@pytest.mark.parametrize("width", [1280, 390])
def test_a_wrong_check_moves_nothing_and_its_reason_has_its_room(exercise, width):
    widget = exercise("choice", width=width)
    card = widget.bounding_box()
    expect(message(widget)).to_have_text("Choose one.")
    said = message(widget).bounding_box()  # the room is shown, and no other is empty
    assert card["y"] + card["height"] - (said["y"] + said["height"]) < 24  # the card's edge
    parts = [*widget.locator(".tc-check").all(), widget.get_by_role("button", name="Check")]
    widget.get_by_label("Each column").check()
    before = [part.bounding_box() for part in parts]
    press(widget, "Check")
    expect(message(widget)).to_contain_text("does not hold.")
    assert [part.bounding_box() for part in parts] == before
    assert widget.bounding_box() == card
    assert message(widget).bounding_box() == said
    size = "all => Math.min(...all.map((x) => parseFloat(getComputedStyle(x).fontSize)))"
    assert widget.locator("*").evaluate_all(size) >= 11
    widget.get_by_role("radio").nth(2 - wrong_option(widget)[0]).check()
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Right")
    assert message(widget).bounding_box()["y"] > parts[0].bounding_box()["y"]


def test_an_empty_cell_shows_that_it_is_asked_for(exercise):
    cells = exercise("matrix").locator("td > input")
    assert cells.count()
    for cell in cells.all():
        expect(cell).to_have_attribute("placeholder", "?")


def lines(widget: Locator) -> list[str]:
    return [text.split(" ", 1)[0] + text[-12:] for text in widget.locator("li").all_inner_texts()]


def test_lines_are_moved_by_buttons_and_by_keys(exercise):
    widget = exercise("order")
    page = widget.page
    press(widget, "Check")
    expect(message(widget)).to_have_text("This is the order you were given.")
    grips = widget.locator(".tc-grip")
    wanted = ["query @", "sqrt", "masked_fill", "softmax", "@ value"]
    for place, text in enumerate(wanted):
        line = grips.filter(has_text=text)
        line.focus()
        while (now := [text in each for each in grips.all_inner_texts()].index(True)) > place:
            page.keyboard.press("ArrowUp")
            expect(line).to_be_focused()
            expect(line).to_contain_text(f"{now}.")
    widget.get_by_role("button", name="Move up: mixed").click()
    press(widget, "Check")
    expect(message(widget)).to_have_text("Line 4 is too early: one below it comes first.")
    expect(grips.nth(3)).to_contain_text("4↓")
    widget.get_by_role("button", name="Move down: mixed").click()
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Right, on try 2")
    assert len(lines(widget)) == 5


def order(widget: Locator) -> list[str]:
    """The lines as they stand, without their numbers."""
    return [text.split(".", 1)[1].strip() for text in widget.locator(".tc-grip").all_inner_texts()]


def test_a_line_is_dragged_by_the_mouse_and_escape_puts_it_back(exercise):
    widget = exercise("order")
    mouse, before = widget.page.mouse, order(widget)
    boxes = [grip.bounding_box() for grip in widget.locator(".tc-grip").all()]
    [first, third, last] = [boxes[n]["y"] + boxes[n]["height"] / 2 for n in (0, 2, 4)]
    x = boxes[0]["x"] + 60
    for end, wanted in ((third, [1, 2, 0, 3, 4]), (last + 300, [1, 2, 3, 4, 0])):
        mouse.move(x, first)
        mouse.down()
        mouse.move(x, (first + end) / 2, steps=4)
        mouse.move(x, last + 200)
        widget.page.keyboard.press("Escape")
        mouse.up()
        assert order(widget) == before
        mouse.move(x, first)
        mouse.down()
        mouse.move(x, end + 4, steps=8)
        expect(widget.locator(".tc-dragged")).to_have_count(1)
        mouse.up()
        expect(widget.locator(".tc-dragged")).to_have_count(0)
        assert order(widget) == [before[n] for n in wanted]
        before = order(widget)
    widget.get_by_role("button", name="Move up").last.click()
    assert order(widget) == [*before[:3], before[4], before[3]]


def test_a_finger_drags_by_the_handle_and_scrolls_by_the_words(exercise):
    widget = exercise("order", width=390)
    page, before = widget.page, order(widget)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def swipe(part: str, to: int) -> None:
        boxes = [each.bounding_box() for each in widget.locator(part).all()]
        x, *ys = boxes[0]["x"] + 8, *(boxes[n]["y"] + boxes[n]["height"] / 2 for n in (0, to))
        for n in range(9):
            y = ys[0] + (ys[1] + 4 - ys[0]) * n / 8
            kind = "touchMove" if n else "touchStart"
            session.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(".tc-grip", 3)
    assert order(widget) == before
    widget.locator(".tc-drag").last.scroll_into_view_if_needed()
    swipe(".tc-drag", 2)
    assert order(widget) == [before[n] for n in (1, 2, 0, 3, 4)]
    assert widget.locator(".tc-drag").first.evaluate("x => getComputedStyle(x).touchAction") == (
        "none"
    )


def test_only_what_was_just_solved_moves_and_nothing_with_reduced_motion(exercise):
    for motion, count in (("no-preference", 5), ("reduce", 0)):  # two points, two texts, a picture
        widget = exercise("number")
        widget.page.emulate_media(reduced_motion=motion)
        moving = "x => x.getAnimations({subtree: true}).filter((a) => a.playState === 'running' "
        moving += "&& !(a instanceof CSSTransition)).length"
        assert widget.evaluate(moving) == 0
        widget.get_by_label("Your number").fill("9")
        press(widget, "Lock in")
        assert widget.evaluate(moving) == 0
        widget.get_by_label("Your number").fill("0.82")
        solve = widget.get_by_role("button", name="Lock in").element_handle()
        assert widget.evaluate(f"(x, go) => (go.click(), ({moving})(x))", solve) == count
        expect(message(widget)).to_contain_text("Right, on try 2")
        widget.page.reload()
        tools.settle(widget.page)
        assert widget.evaluate(moving) == 0
        widget.page.evaluate("localStorage.clear()")


def test_a_right_answer_takes_no_more_room_than_its_words(exercise, window):
    widget = exercise("number", **window)
    room = "(one) => getComputedStyle(one, '::after').content"
    assert message(widget).evaluate(room) != "none"  # for the longest that may be said
    assert message(widget).get_attribute("data-room") is None  # it has a rule in stage.css
    widget.get_by_label("Your number").fill("0.82")
    press(widget, "Lock in")
    expect(message(widget)).to_contain_text("Right")
    assert message(widget).evaluate(room) == "none"
    assert message(widget).bounding_box()["height"] < 66  # two lines, where letters are wide


def test_formulas_are_drawn_and_code_stays_code(exercise):
    widget = exercise("number")
    expect(widget.locator(".tc-prompt msub")).to_have_text("dk")
    press(widget, "Hint 1 of 2")
    press(widget, "Hint 2 of 2")
    expect(widget.locator("li math")).to_have_text("exp(2.5)")
    widget.get_by_label("Your number").fill("0.976")
    press(widget, "Lock in")
    root = message(widget).locator("msqrt").bounding_box()
    letter = message(widget).locator("msqrt mi").first.bounding_box()
    assert root["width"] > letter["width"] > 0  # the browser draws it, with its sign
    lines = exercise("order").locator(".tc-grip")
    expect(lines.locator("code")).to_have_count(5)
    expect(lines.locator("math")).to_have_count(0)


def cards(widget: Locator) -> list[dict[str, Locator]]:
    """The cards of both sides, by their words."""
    sides = widget.locator(".tc-pairs > div").all()
    return [
        {card.locator("span").inner_text(): card for card in side.get_by_role("button").all()}
        for side in sides
    ]


def test_partners_are_joined_by_pressing_both_and_parted_by_pressing_again(exercise):
    widget = exercise("match")
    keys = widget.page.keyboard
    lines = widget.locator(".tc-pairs line")
    lefts, rights = cards(widget)
    scores, mixed, value = lefts.values()
    scores.click()
    expect(scores).to_have_attribute("aria-pressed", "true")
    scores.click()
    expect(scores).to_have_attribute("aria-pressed", "false")
    scores.click()
    rights["(5, 2)"].click()
    expect(scores).to_have_attribute("aria-label", re.compile(r"^1\. .*, joined to \(5, 2\)$"))
    expect(rights["(5, 2)"].locator("i")).to_have_text("1")
    expect(lines).to_have_count(1)
    both = [each.bounding_box() for each in (scores, rights["(5, 2)"])]
    ends = [box["y"] + box["height"] / 2 for box in both]
    drawn = lines.bounding_box()
    assert abs(drawn["y"] - min(ends)) < 2
    assert abs(drawn["height"] - abs(ends[0] - ends[1])) < 4  # as thick as it is
    assert abs(drawn["width"] - (both[1]["x"] - both[0]["x"] - both[0]["width"])) < 4
    press(widget, "Check")
    expect(message(widget)).to_have_text("Number 2 has no partner yet.")
    rights["(2, 7)"].click()  # the partner first is as good
    mixed.click()
    value.focus()
    keys.press("Enter")
    rights["(5, 7)"].focus()
    keys.press("Space")
    press(widget, "Check")
    expect(message(widget)).to_have_text("2 of 3 are right. Rows are queries, columns are keys.")
    expect(widget.locator("button.tc-off")).to_have_count(1)
    expect(scores).to_have_class(re.compile("tc-off"))
    assert lines.evaluate_all("all => all.map((one) => one.classList.contains('tc-off'))") == [
        True,
        False,
        False,
    ]
    rights["(5, 2)"].click()  # parts them, and is picked
    expect(scores).not_to_have_attribute("aria-label", re.compile("joined"))
    rights["(5, 2)"].click()
    scores.click()
    rights["(2, 7)"].click()  # it leaves the partner it had
    expect(lines).to_have_count(2)
    mixed.click()
    rights["(2, 7)"].click()
    scores.click()
    rights["(2, 5)"].click()
    press(widget, "Check")
    expect(message(widget)).to_contain_text("Right, on try 2: 2 of 3 points.")
    scores.click(force=True)
    expect(scores).to_have_attribute("aria-pressed", "false")  # it is over
    expect(scores).to_have_attribute("aria-disabled", "true")
    expect(lines).to_have_count(3)


@pytest.mark.parametrize("kind", practice.KINDS)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_a_check_is_wrong(exercise, kind, width):
    widget = exercise(kind, width=width)
    before = widget.bounding_box()["height"]
    if kind == "number":
        widget.get_by_label("Your number").fill("9")
    elif kind == "matrix":
        for cell in widget.locator("td input").all():
            cell.fill("9")
    elif kind == "mask":
        widget.locator("td button").nth(2).click()
    elif kind == "choice":
        widget.get_by_label("Each column").check()
    elif kind == "order":
        widget.get_by_role("button", name="Move down").first.click()
    else:
        lefts, rights = cards(widget)
        for left, right in zip(lefts.values(), list(rights.values())[::-1], strict=False):
            left.click()
            right.click()
    press(widget, "Lock in" if kind == "number" else "Check")
    expect(widget).to_have_attribute("data-outcome", "wrong")
    assert widget.bounding_box()["height"] == before
    if kind != "number":
        press(widget, "Show me")
        expect(message(widget)).to_have_text("The answer is shown.")


@pytest.mark.parametrize("kind", practice.KINDS)
def test_each_kind_is_accessible_and_fits_before_and_after(exercise, kind):
    for width, theme in ((1280, "light"), (390, "dark")):
        widget = exercise(kind, width=width, theme=theme)
        assert tools.axe_violations(widget.page) == []
        widget.page.evaluate(
            "([key, done]) => { localStorage.setItem(key, JSON.stringify({version: 1, done})); "
            "dispatchEvent(new StorageEvent('storage', {key})); }",
            [STORE, {name: entry for name, entry in [done_of(widget)]}],
        )
        expect(widget.locator(".tc-why")).to_be_visible()
        check_page(widget.page)
        widget.page.evaluate("localStorage.clear()")


def done_of(widget: Locator) -> tuple[str, dict]:
    saved = widget.page.locator("script[type$='state+json']").text_content()
    name = json.loads(saved)["state"]["0"]["state"]["exercise"]["id"]
    return name, {"points": 1, "tries": 2, "when": "2026-01-02"}


REFUSE = {
    "refused": "Object.defineProperty(window, 'localStorage', {get() { throw new Error(); }})",
    "full": "Storage.prototype.setItem = () => { throw new Error('full'); }",
    "no JSON": f"localStorage.setItem('{STORE}', 'hello')",
    "other version": f"localStorage.setItem('{STORE}', '{{\"version\": 9, \"done\": {{}}}}')",
    "edited": f"localStorage.setItem('{STORE}', JSON.stringify({{version: 1, done: "
    "{a: {points: 'x'}, 'how-to/causal': null, __proto__x: 3}}))",
}


@pytest.mark.parametrize("how", REFUSE)
def test_bad_storage_is_a_message_and_the_exercise_works(exercise, how):
    widget = exercise("number")
    page = widget.page
    page.add_init_script(REFUSE[how])
    page.reload()
    tools.settle(page)
    widget.get_by_label("Your number").fill("0.82")
    press(widget, "Lock in")
    expect(message(widget)).to_have_text("Right, on try 1: 3 of 3 points.")
    note = widget.get_by_role("status").last
    if how in ("refused", "full"):
        expect(note).to_have_text(
            "This browser keeps no progress: it lasts until you leave the page."
        )
    else:
        expect(note).to_contain_text("It is set aside.")
        kept = page.evaluate(f"localStorage.getItem('{STORE}/aside')")
        assert kept
        assert stored(page)["how-to/weight-of-cat"]["points"] == 3
    assert page.problems == []


def test_print_shows_the_prompt_and_the_answer_and_no_buttons(exercise):
    widget = exercise("number")
    expect(widget.get_by_text("Answer: 0.82")).to_be_hidden()
    widget.page.emulate_media(media="print")
    expect(widget.get_by_text("Answer: 0.82")).to_be_visible()
    assert widget.locator("button:visible").count() == 0


def test_two_views_of_one_exercise_stay_together(show, folder):
    page = show(PageExercise("how-to/weight-of-cat", folder), views=[0, 0])
    first, second = page.locator(".tc-exercise").all()
    first.get_by_label("Your number").fill("0.82")
    press(second, "Lock in")
    for view in (first, second):
        expect(message(view)).to_contain_text("Right, on try 1")


STRAY = """(root) => {
  const canvas = root.querySelector(".tc-sketch").getBoundingClientRect();
  const texts = [...root.querySelectorAll(".tc-sketch text")]
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  const cut = ({left, right, top, bottom}) => left < canvas.left - 1 || right > canvas.right + 1
    || top < canvas.top - 3 || bottom > canvas.bottom + 3;
  const struck = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3;
  return texts.filter(([_, a], n) => cut(a) || texts.some(([_, b], m) => m < n && struck(a, b)))
    .map(([words]) => words);
}"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_words_of_a_picture_are_cut_or_struck(show, path):
    pictured = [PageExercise(one.id) for one in practice.read(path) if one.picture]
    if not pictured:
        return
    over = [PageExercise(one.exercise["id"]) for one in pictured]
    for one in over:
        one.work = {"again": True, "outcome": "shown"}
    widgets = show(*pictured, *over, width=390).locator(".tc-exercise").all()
    assert [bool(one.locator(".tc-told").count()) for one in widgets] == sorted([0, 1] * len(over))
    for widget in widgets:
        assert widget.evaluate(STRAY) == [], widget.get_attribute("aria-label")


def test_a_picture_tells_when_it_is_over_and_not_before(exercise):
    widget = exercise("number")
    asked, told = widget.locator(".tc-asked text"), widget.locator(".tc-told text")
    expect(asked).to_have_text("?")
    expect(told).to_have_count(0)
    assert widget.locator("svg.tc-sketch").get_attribute("aria-hidden") == "true"
    widget.get_by_label("Your number").fill("0.82")
    press(widget, "Lock in")
    expect(told).to_have_text("0.82")
    expect(asked).to_have_count(0)
    press(widget, "Try again")
    expect(asked).to_have_text("?")
