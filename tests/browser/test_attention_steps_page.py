"""AttentionSteps in a real browser: its numbers are the package's, by mouse and by keyboard."""

import json
import math
import re

import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, Page, expect
from torch import Tensor

from transformer_course.model import attention, causal_mask
from transformer_course.pages import browser as tools
from transformer_course.widgets import AttentionSteps

STEPS = ["1 Score", "2 Scale", "3 Normalize", "4 Aggregate"]
CONTRAST = """cell => {
  const channels = (text) => text.match(/[\\d.]+/g).slice(0, 3)
    .map((x) => text.startsWith("color(") ? +x : x / 255);
  const light = (text) => channels(text)
    .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
    .reduce((sum, x, n) => sum + x * [0.2126, 0.7152, 0.0722][n], 0);
  const [ink, paper] = [getComputedStyle(cell.firstElementChild), getComputedStyle(cell)];
  const [a, b] = [ink.color, paper.backgroundColor].map(light).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


steps = opens(AttentionSteps, ".tc-steps")


def numbers(widget: Locator, title: str) -> Tensor:
    """The numbers of a table that is in sight, as a reader sees them."""
    caption = widget.page.get_by_text(title, exact=True)
    table = widget.locator("table:visible").filter(has=caption)
    cells = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell =>"
        " cell.querySelector('input')?.value ?? cell.textContent))"
    )
    words = {"NaN": math.nan, "−∞": -math.inf}
    return torch.tensor(
        [[words.get(x) or float(x.replace("−", "-")) for x in row] for row in cells],
        dtype=torch.float64,
    )


def agree(shown: Tensor, exact: Tensor) -> None:
    """Equal to the two decimals on display."""
    torch.testing.assert_close(shown, exact, rtol=0, atol=0.00501, equal_nan=True)


def check_every_number(
    widget: Locator, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> None:
    """Walk through the four steps and compare all that is shown with the package."""
    mixed, weights = attention(query, key, value, mask)
    scores = query @ key.T
    scaled = scores / math.sqrt(query.size(-1))

    def go(name: str) -> None:
        widget.get_by_role("button", name=name).click()

    go(STEPS[0])
    agree(numbers(widget, "Query Q"), query)
    agree(numbers(widget, "Key K"), key)
    agree(numbers(widget, "Scores"), scores)
    go(STEPS[1])
    agree(numbers(widget, "Scores"), scores)
    agree(numbers(widget, "Scaled scores"), scaled)
    go(STEPS[2])
    agree(numbers(widget, "Scaled scores"), scaled.masked_fill(~mask, -math.inf))
    agree(numbers(widget, "Weights"), weights)
    go(STEPS[3])
    agree(numbers(widget, "Weights"), weights)
    agree(numbers(widget, "Value V"), value)
    agree(numbers(widget, "Output"), mixed)


def example() -> list[Tensor]:
    start = AttentionSteps()
    return [torch.tensor(x, dtype=torch.float64) for x in (start.query, start.key, start.value)]


def test_every_number_is_the_packages_before_and_after_edits(steps):
    widget = steps()
    query, key, value = example()
    mask = torch.ones(3, 3, dtype=torch.bool)
    check_every_number(widget, query, key, value, mask)

    for matrix, name, step in ((query, "query", 0), (key, "key", 0), (value, "value", 3)):
        widget.get_by_role("button", name=STEPS[step]).click()
        for (token, d), x in {(0, 1): -2.25, (1, 3): 0.5, (2, 2): 3}.items():
            matrix[token, d] = x
            word = ["the", "cat", "sat"][token]
            cell = widget.get_by_label(f"{name}, token {word}, dimension {d}")
            cell.fill(str(x))
            cell.press("Enter")
    widget.get_by_label("Causal mask").check()
    check_every_number(widget, query, key, value, causal_mask(3))

    widget.get_by_label("Causal mask").uncheck()
    check_every_number(widget, query, key, value, mask)
    widget.get_by_role("button", name="Reset").click()
    check_every_number(widget, *example(), mask)


def test_an_edited_query_moves_its_row_down_to_the_output_in_sight(steps):
    widget = steps()
    cell = widget.get_by_label("query, token the, dimension 0")
    for entry in ("1.5", "-4", "6"):
        cell.fill(entry)
        cell.press("Enter")
        query, key, value = example()
        query[0, 0] = float(entry)
        mixed, weights = attention(query, key, value)
        scores = query @ key.T
        exact = {"Scores": scores, "Scaled scores": scores / 2, "Weights": weights}
        for title, rows in {**exact, "Output": mixed}.items():
            agree(numbers(widget, title), rows)


def test_an_edit_ripples_from_the_scores_to_the_output(steps):
    widget = steps()
    widget.page.emulate_media(reduced_motion="no-preference")
    cell = widget.get_by_label("query, token the, dimension 0")
    cell.fill("-4")
    cell.press("Enter")
    late = widget.evaluate(
        """root => ["scores", "scaled", "weights", "output"].map((name) =>
          [...root.querySelectorAll(`.tc-of-${name} td`)].flatMap((cell) => cell.getAnimations())
            .filter((one) => !one.transitionProperty).map((one) => one.effect.getTiming().delay))"""
    )
    assert [sorted({*delays}) for delays in late] == [[0], [150], [300], [450]]
    assert all(1 <= len(delays) <= 4 for delays in late)  # the row of "the" alone


@pytest.mark.parametrize("width", [1280, 390])
def test_stepping_moves_nothing(steps, width):
    widget = steps(width=width)
    button = widget.get_by_role("button", name="Next")
    places = []
    for _ in STEPS:
        widget.get_by_label("Causal mask").click()
        box = widget.bounding_box()
        places.append([box["height"], button.bounding_box()["y"] - box["y"]])
        button.press("Enter")
    assert max(abs(a - b) for one in places for a, b in zip(one, places[0], strict=True)) <= 2


def test_large_numbers_stay_right(steps):
    query, key, value = (torch.full((3, 4), x, dtype=torch.float64) for x in (100, -100, 99.5))
    query[1], key[2] = 3.25, -7.5
    widget = steps(AttentionSteps(query=query, key=key, value=value))
    agree_loosely = numbers(
        widget, "Scores"
    )  # four digits before the point: shown without decimals
    torch.testing.assert_close(agree_loosely, query @ key.T, rtol=1e-3, atol=0.5)
    widget.get_by_role("button", name=STEPS[2]).click()
    agree(numbers(widget, "Weights")[:, :3], attention(query, key, value)[1])


def test_the_keyboard_reaches_everything(steps):
    widget = steps()
    page = widget.page
    widget.get_by_role("button", name=STEPS[0]).focus()
    for name, key in [(STEPS[1], "ArrowRight"), (STEPS[3], "End"), (STEPS[2], "ArrowLeft")]:
        page.keyboard.press(key)
        current = widget.locator("[aria-current=step]")
        assert current.inner_text().startswith(name)
        expect(current).to_be_focused()

    widget.get_by_role("button", name="the may attend to the").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[0, 1] = False
    expect(widget.get_by_role("status")).to_have_text("“the” may not attend to “cat”.")
    expect(widget.get_by_role("button", name="the may attend to cat")).to_have_attribute(
        "aria-pressed", "false"
    )
    page.keyboard.press("Tab")  # the weights
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(widget.locator("code")).to_contain_text("weight[2][0] = exp(0.50) ÷")
    page.keyboard.press("Tab")  # the output
    page.keyboard.press("ArrowDown")
    expect(widget.locator("[aria-current=step]")).to_contain_text(STEPS[3])
    expect(widget.locator("code")).to_contain_text("output[1][0]")
    widget.get_by_role("button", name=STEPS[3]).focus()
    page.keyboard.press("Home")
    expect(widget.locator("[aria-current=step]")).to_contain_text(STEPS[0])

    query, key, value = example()
    cell = widget.get_by_label("query, token the, dimension 1")
    cell.focus()
    page.keyboard.type("2.5")
    page.keyboard.press("Tab")
    query[0, 1] = 2.5
    expect(widget.get_by_label("query, token the, dimension 2")).to_be_focused()
    page.keyboard.press("ArrowDown")
    query[0, 2] = -0.5
    page.keyboard.type("7")
    page.keyboard.press("Escape")  # what was typed is taken back
    expect(widget.get_by_label("query, token the, dimension 2")).to_have_value("−0.5")
    check_every_number(widget, query, key, value, mask)

    widget.get_by_label("Causal mask").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="Reset")).to_be_focused()
    page.keyboard.press("Enter")
    check_every_number(widget, *example(), torch.ones(3, 3, dtype=torch.bool))


def test_pointing_at_a_number_says_where_it_comes_from(steps):
    widget = steps()
    said = widget.locator("code")
    expected = [
        ("score, query cat, key the", "score[1][0] = 0·0 + 1·2 + 0.5·0 + 1·1 = 3.00", 8),
        ("scaled score, query cat, key the", "scaled[1][0] = 3.00 ÷ √4 = 1.50", 1),
        ("weight, query cat, key the", "weight[1][0] = exp(1.50) ÷ (exp(1.50)", 3),
        ("output, token cat, dimension 0", "output[1][0] ≈ 0.63·1 + 0.23·0 + 0.14·1 ≈ 0.77", 6),
    ]
    for step, (name, text, operands) in enumerate(expected):
        widget.get_by_role("button", name=STEPS[step]).click()
        before = said.inner_text()
        widget.get_by_role("button", name=re.compile(rf"^\S+, {name}$")).hover()
        expect(said).to_contain_text(text)
        expect(widget.locator(".tc-feed")).to_have_count(operands)
        expect(widget.locator(".tc-pick")).to_have_count(1)
        widget.locator("ol").hover()
        assert said.inner_text() == before  # back to the number the reader follows


def test_a_number_being_typed_survives_the_pointer(steps):
    widget = steps()
    cell = widget.get_by_label("query, token cat, dimension 2")
    cell.focus()
    widget.page.keyboard.type("4")
    widget.locator("[data-name='score, query cat, key the']").hover()
    expect(cell).to_have_value("4")


def test_a_row_with_every_key_masked_is_shown_as_what_it_is(steps):
    widget = steps()
    widget.get_by_role("button", name=STEPS[2]).click()
    for word in ("the", "cat", "sat"):
        widget.get_by_role("button", name=f"cat may attend to {word}").click()
    expect(widget.locator("[aria-live]").first).to_contain_text(
        "Every key of “cat” is masked: 0 ÷ 0 is not a number, NaN."
    )
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    check_every_number(widget, *example(), mask)
    assert widget.get_by_label("Causal mask").evaluate("box => box.indeterminate")


@pytest.mark.parametrize(
    "bad", ["", "abc", "1e9", "101", "--1", "0x10", "1e999", "Infinity", "NaN", "1 2", "<b>7</b>"]
)
def test_a_cell_keeps_its_value_and_says_what_it_expects(steps, bad):
    widget = steps()
    before = numbers(widget, "Scores")
    cell = widget.get_by_label("query, token sat, dimension 0")
    cell.fill(bad)
    cell.press("Enter")
    expect(cell).to_have_value("2")
    expect(widget.get_by_role("status")).to_contain_text(
        "Expected a number from −100 to 100, like 0.5; the old value stays."
    )
    torch.testing.assert_close(numbers(widget, "Scores"), before)
    cell.fill("1")
    cell.press("Enter")
    expect(widget.get_by_role("status")).to_be_empty()


def test_two_widgets_on_a_page_do_not_disturb_each_other(show):
    page = show(AttentionSteps(), AttentionSteps(tokens=["a", "dog", "ran"], step=2))
    first, second = page.locator(".tc-steps").all()
    first.get_by_label("Causal mask").check()
    expect(second.get_by_label("Causal mask")).not_to_be_checked()
    expect(second.locator("[aria-current=step]")).to_contain_text(STEPS[2])
    check_every_number(first, *example(), causal_mask(3))
    check_every_number(second, *example(), torch.ones(3, 3, dtype=torch.bool))
    ids = first.page.locator(".tc-steps [id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(AttentionSteps(), views=[0, 0]).locator(".tc-steps").all()
    second.get_by_role("button", name="Next").click()
    second.get_by_role("button", name="Next").click()
    second.get_by_role("button", name="sat may attend to cat").click()
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[2, 1] = False
    check_every_number(first, *example(), mask)


def test_clean_up_takes_the_view_away_and_stops_listening(steps, tmp_path):
    page = steps().page
    left = page.evaluate(
        """async ([source, state]) => {
          const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
          const heard = new Map();
          const model = {
            get: (name) => state[name], set() {}, save_changes() {},
            on: (name, run) => heard.set(name, run),
            off: (name, run) => { if (heard.get(name) === run) heard.delete(name); },
          };
          const el = document.createElement("div");
          const stop = (await import(url)).default.render({model, el});
          const before = [el.childElementCount, heard.size];
          stop();
          return [...before, el.childElementCount, heard.size];
        }""",
        [str(AttentionSteps._esm), AttentionSteps().get_state()],
    )
    assert left == [1, 5, 0, 0]


def test_every_step_is_accessible_and_fits_its_window(steps, window):
    widget = steps(AttentionSteps(mask=causal_mask(3)), **window)
    for name in STEPS:
        widget.get_by_role("button", name=name).click()
        check_page(widget.page)
        tables = widget.locator(".tc-op:visible")
        assert not any(
            tables.evaluate_all("all => all.map(one => one.scrollWidth > one.clientWidth)")
        )
        # A gradient hides the color behind a number from axe, so the cells are measured here.
        cells = widget.locator("td[data-kind]:visible")
        assert cells.count() >= 9
        assert min(cells.evaluate_all(f"cells => cells.map({CONTRAST})")) >= 4.5


def test_all_seven_tables_are_in_sight_in_any_step_and_the_steps_own_are_marked(steps, window):
    widget = steps(**window)
    marked = [["Query Q", "Key K"], ["Scores"], ["Scaled scores"], ["Weights", "Value V"]]
    results = ["Scores", "Scaled scores", "Weights", "Output"]
    for name, inputs, result in zip(STEPS, marked, results, strict=True):
        widget.get_by_role("button", name=name).click()
        expect(widget.locator("table:visible")).to_have_count(7)
        assert sorted(widget.locator(".tc-fed caption b").all_inner_texts()) == sorted(inputs)
        assert widget.locator(".tc-here caption b").all_inner_texts() == [result]


def test_print_shows_all_tables_and_no_controls(steps):
    widget = steps()
    widget.page.emulate_media(media="print")
    assert widget.locator("table:visible").count() == 7
    assert widget.locator(".tc-stepbar:visible, ol:visible").count() == 0


def test_nothing_moves_for_readers_who_asked_for_that(steps):
    widget = steps()  # the page is opened with prefers-reduced-motion
    cell = widget.locator("td[data-kind]:visible").first
    assert cell.evaluate("node => getComputedStyle(node).transitionDuration") == "0s"
    widget.page.emulate_media(reduced_motion="no-preference")
    assert cell.evaluate("node => getComputedStyle(node).transitionDuration") != "0s"


def built_pages() -> list[str]:
    """The pages of the built site that show the widget."""
    return [
        name
        for name in tools.pages()
        if "widgets.attention_steps.AttentionSteps" in (tools.SITE / name).read_text("utf-8")
    ]


@pytest.mark.parametrize("theme", tools.THEMES)
def test_the_book_shows_it_alive_without_a_kernel(site, page, theme):
    pages = built_pages()
    assert pages, "no chapter shows AttentionSteps: it belongs to the one on section 3.2.1"
    for name in pages:
        opened: Page = page(f"{site}/{name}", theme=theme)
        widget = opened.locator(".tc-steps").first
        saved = opened.locator('script[type="application/vnd.jupyter.widget-state+json"]')
        states = json.loads(saved.text_content())["state"].values()
        state = next(one["state"] for one in states if "query" in one["state"])
        numbers_of = [
            torch.tensor(state[trait], dtype=torch.float64) for trait in ("query", "key", "value")
        ]
        check_every_number(widget, *numbers_of, torch.tensor(state["mask"]))
        widget.get_by_label("Causal mask").check()
        check_every_number(widget, *numbers_of, causal_mask(3))
        assert re.search(r"= NaN|\d", widget.locator("code").inner_text())
        assert opened.problems == []
