"""AttentionPicture in a real browser: its numbers are torch's, by mouse, finger and keyboard."""

import math

import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, expect
from torch import Tensor

from transformer_course.model import attention, causal_mask
from transformer_course.widgets import AttentionPicture
from transformer_course.widgets.attention_picture import WORDS

LENGTH = len(WORDS)
SCORES = (".tc-of-scores .tc-heatmap", ".tc-drawing")
STEPS = ["1 Words", "2 Project", "3 Score", "4 Scale", "5 Mask", "6 Softmax", "7 Mix"]

folded = opens(AttentionPicture, ".tc-picture")


@pytest.fixture
def picture(folded):
    """The widget with the numbers of its row unfolded."""

    def unfolded(*widgets, **window) -> Locator:
        opened = folded(*widgets, **window)
        fold = opened.locator("summary")
        if fold.is_visible():
            fold.press("Enter")
        return opened

    return unfolded


def head(**traits) -> list[Tensor]:
    """Queries, keys and values of the head."""
    return [torch.from_numpy(each) for each in AttentionPicture(**traits).vectors()[1:]]


def shown(widget: Locator) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, scaled and masked scores, and weights of the row in sight."""
    rows = widget.locator(".tc-numbers tbody tr").evaluate_all(
        "rows => rows.map(row => [row.querySelector('input').value,"
        " row.cells[2].textContent, row.cells[4].textContent])"
    )
    words = {"NaN": math.nan, "−∞": -math.inf}
    numbers = [[words.get(x) or float(x.replace("−", "-")) for x in row] for row in rows]
    return tuple(torch.tensor(column).double() for column in zip(*numbers, strict=True))


def check_row(widget: Locator, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, row: int) -> None:
    """What is shown of a row is what torch computes, to the digits on display."""
    scores = (q @ k.T)[row]
    scaled = (scores / 4).masked_fill(~mask[row], -math.inf)
    weights = attention(q, k, v, mask)[1][row]
    for ours, theirs, digit in zip(
        shown(widget), (scores, scaled, weights), (0.1, 0.1, 0.01), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0.51 * digit + 1e-6, equal_nan=True)


def entry(widget: Locator, name: str) -> Locator:
    return widget.get_by_role("slider", name=name, exact=True)


ALL = torch.ones(LENGTH, LENGTH, dtype=torch.bool)


def test_every_row_is_torchs_and_another_word_moves_all_behind_it(picture):
    widget = picture()
    for row in (1, 0, 8):
        widget.get_by_role("group", name="The word that asks").get_by_role("button").nth(
            row
        ).click()
        widget.page.mouse.move(0, 0)
        check_row(widget, *head(), ALL, row)
    widget.get_by_role("button", name="Swap safe for stream").click()
    words = [*WORDS[:4], "stream", *WORDS[5:]]
    widget.page.mouse.move(0, 0)
    check_row(widget, *head(words=words), ALL, 1)
    expect(widget.locator(".tc-german")).to_contain_text("Das Ufer und der Bach")
    widget.get_by_label("Change bank to").select_option("money")
    words[1] = "money"
    check_row(widget, *head(words=words), ALL, 1)
    expect(widget.locator(".tc-german")).to_be_empty()
    widget.get_by_role("button", name="Reset").click()
    check_row(widget, *head(), ALL, 1)


def test_a_word_is_dragged_to_another_place_and_moved_by_keys(picture):
    widget = picture()
    row = widget.get_by_role("group", name="The word that asks").get_by_role("button")
    boxes = [row.nth(n).bounding_box() for n in (1, 2, 3)]
    mouse = widget.page.mouse
    for n, box in enumerate(boxes):
        mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
        if n == 0:
            mouse.down()
    mouse.up()
    mouse.move(0, 0)
    words = [WORDS[0], WORDS[2], WORDS[3], WORDS[1], *WORDS[4:]]
    assert row.all_inner_texts() == words
    check_row(widget, *head(words=words), ALL, 3)  # the word that asks is the one that was dragged
    row.nth(3).press("ArrowLeft")
    expect(row.nth(2)).to_be_focused()
    words[2], words[3] = words[3], words[2]
    assert row.all_inner_texts() == words
    row.nth(0).press("ArrowLeft")  # there is no place before the first
    assert row.all_inner_texts() == words
    mouse.move(0, 0)
    widget.get_by_role("button", name="Reset").click()
    assert row.all_inner_texts() == list(WORDS)


def test_the_word_that_asks_goes_on_asking_while_another_is_moved(picture):
    widget = picture()
    row = widget.get_by_role("group", name="The word that asks").get_by_role("button")
    for n in range(4, 1, -1):
        row.nth(n).press("ArrowLeft")  # safe, past what stands before bank, and past bank
    words = [WORDS[0], "safe", *WORDS[1:4], *WORDS[5:]]
    expect(row).to_have_text(words)
    check_row(widget, *head(words=words), ALL, words.index("bank"))
    widget.get_by_role("button", name="Swap safe for stream").click()
    words[1] = "stream"
    expect(row).to_have_text(words)
    row.nth(1).press("ArrowLeft")
    words[:2] = words[1], words[0]
    widget.get_by_role("button", name="Swap stream for safe").click()
    words[0] = "safe"
    expect(row).to_have_text(words)


def test_an_entry_is_pulled_by_the_mouse_and_by_keys(picture):
    widget = picture()
    q, k, v = head()
    hold = entry(widget, "q of bank, entry 3")
    hold.focus()
    for _ in range(3):
        hold.press("ArrowUp")
    pulled = float(hold.get_attribute("aria-valuenow"))
    assert pulled == pytest.approx(float(q[1, 2]) + 0.75, abs=0.02)
    q[1, 2] = pulled
    check_row(widget, q, k, v, ALL, 1)
    hold.press("ArrowRight")
    expect(entry(widget, "q of bank, entry 4")).to_be_focused()

    hold = entry(widget, "k of safe, entry 6")
    hold.scroll_into_view_if_needed()
    box = hold.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = widget.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y + 12, steps=4)
    mouse.up()
    pulled = float(hold.get_attribute("aria-valuenow"))
    assert pulled < float(k[4, 5]) - 2
    k[4, 5] = pulled
    check_row(widget, q, k, v, ALL, 1)


def test_an_arrow_pulled_changes_its_score_and_no_other_key(picture):
    widget = picture()
    before = shown(widget)[0]
    tip = entry(widget, "key of safe, along the query of bank")
    tip.scroll_into_view_if_needed()
    box = tip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = widget.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 40, y, steps=4)
    mouse.up()
    mouse.move(0, 0)
    after = shown(widget)[0]
    q, _, _ = head()
    along = float(tip.get_attribute("aria-valuenow"))
    assert after[4] < before[4] - 30
    assert after[4] == pytest.approx(along * float(q[1].norm()), abs=0.2)
    others = torch.arange(LENGTH) != 4
    torch.testing.assert_close(after[others], before[others])
    tip = entry(widget, "length of the query of bank")
    tip.focus()
    for _ in range(20):
        tip.press("ArrowLeft")  # a shorter query makes every score smaller
    ratio = (float(q[1].norm()) - 5) / float(q[1].norm())
    assert f"length {float(q[1].norm()) - 5:.1f}" in widget.inner_text()
    torch.testing.assert_close(shown(widget)[0], after * ratio, rtol=0.01, atol=0.15)


def test_the_names_of_the_arrows_stand_apart(picture):
    opened = picture()
    lines = (
        "names => names.map(n => n.getBoundingClientRect()).map(b => [b.x, b.right, b.y, b.bottom])"
    )
    for row in range(LENGTH):
        opened.locator(".tc-sentence button").nth(row).click()
        boxes = opened.locator(".tc-arrows text").evaluate_all(lines)
        for n, (left, right, top, bottom) in enumerate(boxes):
            for x, end, y, low in boxes[:n]:  # letters leave some of their line free
                assert left >= end or x >= right or min(bottom, low) - max(top, y) <= 5


def test_a_bar_below_zero_is_gray_beside_one_above(picture):
    fills = (
        picture()
        .locator(".tc-vector")
        .evaluate_all(
            "vectors => vectors.map(v => ['pos', 'neg'].map(kind => getComputedStyle("
            "v.querySelector(`[data-kind=${kind}]`)).fill))"
        )
    )
    assert len({above for above, _ in fills}) == 5  # each in the color of what it shows
    assert all(above != below for above, below in fills)


def test_a_score_is_typed_and_a_bad_one_refused(picture):
    widget = picture()
    field = widget.get_by_role("spinbutton", name="score of bank with The", exact=True)
    field.fill("94")
    field.press("Enter")
    weights = torch.tensor([94.0, *shown(widget)[0][1:]]).div(4).softmax(0).double()
    torch.testing.assert_close(shown(widget)[2], weights, rtol=0, atol=0.02)
    for bad in ("5000", ""):
        field.fill(bad)
        field.press("Enter")
        expect(widget.get_by_role("status")).not_to_be_empty()
        assert shown(widget)[0][0] == 94
    field.press("ArrowUp")
    assert shown(widget)[0][0] == 95
    expect(widget.get_by_role("status")).to_be_empty()


def test_masks_by_hand_causal_and_of_a_whole_row(picture):
    widget = picture(AttentionPicture(step=6))
    mask = ALL.clone()
    widget.get_by_role("button", name="mask safe for bank").click()
    widget.page.mouse.move(0, 0)
    mask[1, 4] = False
    check_row(widget, *head(), mask, 1)
    widget.get_by_role("button", name="Causal mask").click()
    check_row(widget, *head(), causal_mask(LENGTH), 1)
    for word in ("The", "bank"):
        widget.get_by_role("button", name=f"mask {word} for bank", exact=True).click()
    widget.page.mouse.move(0, 0)
    expect(widget.locator(".tc-said")).to_contain_text("Every key of “bank” is masked")
    assert shown(widget)[2].isnan().all()


def test_to_point_at_a_word_is_to_follow_its_row(picture):
    widget = picture()
    row = widget.get_by_role("group", name="The word that asks").get_by_role("button").nth(6)
    row.hover()
    expect(widget.locator(".tc-numbers caption")).to_have_text("The row of “old”")
    places = widget.locator(".tc-heatmap").evaluate_all("all => all.map(one => one.dataset.row)")
    assert sorted(places) == ["4", "4", *["6"] * 5]  # keys and values keep the word looked at
    widget.page.mouse.move(0, 0)
    expect(widget.locator(".tc-numbers caption")).to_have_text("The row of “bank”")


@pytest.mark.parametrize("width", [1280, 390, 345])
def test_steps_light_up_in_turn_and_nothing_jumps(picture, width):
    widget = picture(width=width)
    heights, later, strong = [], [], []
    for name in STEPS:
        widget.get_by_role("button", name=name).click()
        heights.append(widget.bounding_box()["height"])
        later.append(widget.locator(".tc-matrix.tc-later").count())
        used = widget.locator(".tc-matrix:not(.tc-quiet) .tc-caption b")
        strong.append(" ".join(used.all_inner_texts()))
    assert later == [6, 3, 2, 2, 2, 1, 0]
    assert strong == [
        *["X", "X Q K V", "Q K Scores", "Scores", "Scores"],
        *["Scores Weights", "V Weights Output"],
    ]
    for name in ("Swap safe for stream", "Causal mask"):
        widget.get_by_role("button", name=name).click()
        heights.append(widget.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_not_reached_is_not_there_and_what_is_has_its_room(picture, width):
    widget = picture(width=width)
    names, sizes = widget.locator(".tc-caption b:visible"), []
    for step, wanted in ((0, ["X"]), (1, ["X", "Q", "K", "V"])):
        widget.get_by_role("button", name=STEPS[step]).click()
        expect(names).to_have_text(wanted)
        box = widget.locator(".tc-of-x .tc-heatmap").bounding_box()
        sizes.append(box["width"] * box["height"])
    assert sizes[0] > 2 * sizes[1]
    widget.get_by_role("button", name=STEPS[2]).click()
    scores, all_rows = (widget.locator(each).bounding_box() for each in SCORES)
    assert scores["width"] > 0.7 * all_rows["width"]


def test_of_a_squeezed_part_the_first_and_last_word_are_named_and_those_in_question(picture):
    widget = picture()
    names = widget.locator(".tc-side").first.locator("span")
    seen = "all => all.filter(n => getComputedStyle(n).opacity > 0).map(n => n.textContent)"
    assert names.evaluate_all(seen) == list(WORDS)  # where there is room, all are
    widget.get_by_role("button", name=STEPS[2]).click()
    assert names.evaluate_all(seen) == ["The", "bank", "safe", "(end)"]


def test_on_a_phone_the_query_and_the_output_are_on_one_screen(picture):
    widget = picture(AttentionPicture(step=6), width=390)
    query, output = (
        widget.locator(f".tc-matrix.tc-of-{name}").bounding_box() for name in ("q", "output")
    )
    assert output["y"] + output["height"] - query["y"] < 700
    expect(widget.locator(".tc-matrix.tc-of-x")).to_be_hidden()
    widget.get_by_role("button", name=STEPS[1]).click()
    expect(widget.locator(".tc-matrix.tc-of-x")).to_be_visible()


def test_it_opens_at_the_words_and_wires_run_from_query_and_key_to_the_score(picture):
    widget = picture()
    expect(widget.locator("[aria-current=step]")).to_have_text("Words")
    expect(widget.locator(".tc-wire")).to_have_count(0)
    widget.get_by_role("button", name=STEPS[2]).click()
    expect(widget.locator(".tc-wire.tc-of-q, .tc-wire.tc-of-k")).to_have_count(2)
    digits = widget.locator(".tc-of-scores .tc-digits span")
    q, k, _ = head()
    scores = [f"{x:.0f}".replace("-0", "0").replace("-", "−") for x in (q @ k.T)[1].tolist()]
    assert digits.all_inner_texts() == scores
    widget.get_by_role("button", name=STEPS[3]).click()
    expect(digits.nth(4)).to_have_text(f"{float((q @ k.T)[1, 4]) / 4:.0f}")
    lines = widget.locator(".tc-of-scores .tc-heatmap").evaluate(
        "map => [...map.parentElement.querySelectorAll('.tc-digits')].map(one =>"
        " [one.getBoundingClientRect(), map.querySelector('.tc-row1').getBoundingClientRect()]"
        ".map(box => Math.round(box.y + box.height / 2)))[0]"
    )
    assert abs(lines[0] - lines[1]) <= 1  # the digits stand on their row


def test_at_the_last_step_the_wire_comes_from_a_value_that_counts(picture):
    widget = picture()
    widget.get_by_role("button", name=STEPS[6]).click()
    hint, taken = widget.locator(".tc-of-v .tc-caption"), widget.locator("text.tc-of-weights")
    expect(hint).to_contain_text("safe gives")
    expect(taken.last).to_have_text("× 0.99")
    why = widget.locator(".tc-why")
    expect(why).to_contain_text("“bank” takes that of “safe”.")
    widget.get_by_role("button", name="Swap safe for stream").click()
    widget.page.mouse.move(0, 0)
    expect(hint).to_contain_text("bank gives")
    expect(taken.last).to_have_text("× 1.00")
    expect(why).to_contain_text("“bank” keeps its own.")
    expect(why).to_contain_text("+ 0.00 × v of “stream”")  # the word looked at is told of, too
    ends = """node => {
      const wires = [...node.querySelectorAll("path.tc-of-v")];
      const row = node.querySelector(".tc-matrix.tc-of-v .tc-row1").getBoundingClientRect();
      const start = wires[0].getPointAtLength(0).matrixTransform(wires[0].getScreenCTM());
      return [row.top, start.y, row.bottom];
    }"""
    widget.page.wait_for_timeout(400)  # the rows have grown
    top, start, bottom = widget.evaluate(ends)
    assert top < start < bottom
    widget.get_by_role("button", name=STEPS[2]).click()
    expect(widget.locator(".tc-of-k .tc-caption")).to_contain_text("stream found")


WIRES = {0: [], 1: ["q", "k"], 2: ["q", "k"], 3: [], 4: [], 5: ["weights"], 6: ["weights", "v"]}


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("column", [0, 4, 8])
def test_a_step_has_its_own_wires_alone_and_words_stand_clear_of_each_other(folded, column, width):
    """From the query to the scores, the weights, the values and the output; no word lies on end."""
    widget = folded(AttentionPicture(column=column), width=width)
    for step, wanted in WIRES.items():
        widget.get_by_role("button", name=STEPS[step]).click()
        widget.page.mouse.move(0, 0)
        wires = widget.locator(".tc-wire:not([d=''])")
        kinds = [name.split("tc-of-")[1].split()[0] for name in attributes(wires, "class")]
        narrow = width < 800 and step == 1  # the value's road is long there, and rows tell it
        assert kinds == (["q"] if narrow else wanted)
        words = widget.locator(
            ".tc-wires text, .tc-matrix:not(.tc-later) .tc-tops span, .tc-caption :is(b, span)"
        )
        boxes = [each.bounding_box() for each in words.all() if each.text_content()]
        boxes = [box for box in boxes if box]  # on a phone a part may be away
        for n, one in enumerate(boxes):
            assert one["height"] < 24
            for other in boxes[:n]:
                assert any(
                    one[at] + one[size] <= other[at] + 1 or other[at] + other[size] <= one[at] + 1
                    for at, size in (("x", "width"), ("y", "height"))
                )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("column", [0, 4, 8])
def test_no_wire_crosses_another_and_the_query_runs_into_its_own_row(folded, column, width):
    widget = folded(AttentionPicture(step=2, column=column), width=width)
    widget.page.wait_for_timeout(400)  # the rows have grown
    crossings, end, row = widget.evaluate(CROSSINGS)
    assert crossings == []
    assert row[0] - 9 < end[0] <= row[0]
    assert row[1] < end[1] < row[2]
    widget.get_by_role("button", name=STEPS[6]).click()
    widget.page.wait_for_timeout(400)
    assert widget.evaluate(CROSSINGS)[0] == []  # the weight ends just before the value's way


CROSSINGS = """root => {
  const paths = [...root.querySelectorAll(".tc-wire")];
  const cells = paths.map((path) => {
    const long = path.getTotalLength();
    return Array.from({ length: Math.ceil(long) }, (_, n) => path.getPointAtLength(n));
  });
  const near = (a, b) => Math.abs(a.x - b.x) < 2 && Math.abs(a.y - b.y) < 2;
  const share = (n, m) => cells[n].some((a) => cells[m].some((b) => near(a, b)));
  const pairs = paths.flatMap((_, n) => paths.slice(0, n).map((_, m) => [n, m]));
  const q = paths.find((path) => path.matches(".tc-of-q")) ?? paths[0];
  const tip = q.getPointAtLength(q.getTotalLength()).matrixTransform(q.getScreenCTM());
  const box = root.querySelector(".tc-of-scores .tc-row1").getBoundingClientRect();
  return [
    pairs.filter(([n, m]) => share(n, m)).map(([n, m]) =>
      [m, n].map((k) => paths[k].classList[1].slice(6)).join(" ")),
    [tip.x, tip.y],
    [box.left, box.top, box.bottom],
  ];
}"""


@pytest.mark.parametrize("step", range(7))
def test_on_a_phone_no_word_of_the_drawing_is_cut_or_leaves_the_widget(folded, step):
    widget = folded(AttentionPicture(step=step), width=390)
    widget.get_by_role("button", name="Swap safe for stream").click()  # the longest word
    cut = widget.evaluate(
        """root => {
          const { left, right } = root.getBoundingClientRect();
          return [...root.querySelectorAll(".tc-caption, .tc-side span, .tc-wires text")]
            .filter((each) => each.textContent)
            .map((each) => {
              const range = document.createRange();
              range.selectNodeContents(each);
              const box = each.closest(".tc-caption")?.getBoundingClientRect() ?? { left, right };
              return [each.textContent, range.getBoundingClientRect(), box];
            })
            .filter(([, text, box]) =>
              text.width && (text.left < box.left - 1 || text.right > box.right + 1))
            .map(([text]) => text);
        }"""
    )
    assert cut == []


def attributes(nodes: Locator, name: str) -> list[str]:
    return nodes.evaluate_all("(all, name) => all.map(one => one.getAttribute(name))", name)


def test_it_is_accessible_and_fits_its_window(picture, window):
    page = picture(**window).page
    page.evaluate("scrollTo(0, 0)")  # no word lies below the bar that stays in sight
    check_page(page)


def test_two_widgets_on_a_page_do_not_disturb_each_other(show):
    first, second = show(AttentionPicture(), AttentionPicture(step=2)).locator(".tc-picture").all()
    first.locator("summary").press("Enter")
    second.locator("summary").press("Enter")
    first.get_by_role("button", name="Causal mask").click()
    first.page.mouse.move(0, 0)
    check_row(first, *head(), causal_mask(LENGTH), 1)
    check_row(second, *head(), ALL, 1)
    expect(second.locator("[aria-current=step]")).to_have_text("Score")


def test_clean_up_takes_the_view_away_and_stops_listening(picture):
    left = picture().page.evaluate(
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
        [str(AttentionPicture._esm), AttentionPicture().get_state()],
    )
    assert left == [1, 6, 0, 0]


@pytest.mark.parametrize(("width", "most"), [(1280, 800), (390, 800)])
def test_the_drawing_fits_a_window_before_its_numbers_are_unfolded(folded, width, most):
    widget = folded(width=width)
    assert widget.bounding_box()["height"] <= most
    expect(widget.locator(".tc-numbers")).to_be_hidden()
    widget.get_by_text("Change it: a word, the mask, a number").click()
    expect(widget.locator(".tc-numbers")).to_be_visible()
