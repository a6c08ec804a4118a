"""AttentionFigures in a real browser: its lines are the export's, by mouse and by keyboard."""

import itertools
import re

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import AttentionFigures

# What an error is drawn in: a line that a head does not draw is none.
RED = """node => {
  const probe = node.appendChild(document.createElement("i"));
  probe.style.color = "var(--tc-error)";
  return getComputedStyle(probe).color;
}"""

widget = opens(AttentionFigures, ".tc-figures")


def check(widget: Locator, figure: str, name: str, layer: int, heads: list[int], word: int) -> None:
    """Words, lines, their strength and the text are Python's; Figure 5 draws no wrong one."""
    start = AttentionFigures(figure)
    one = start.data[name]
    shown = widget.locator(".tc-columns button:visible")
    for text, each in zip(shown.all_inner_texts(), one["words"], strict=True):
        assert text == each
    weights = {head: start.weights(name, layer, head) / 100 for head in heads}
    truth = [(a, b) for a, b, _ in one["truth"]]
    strongest = (lambda each: hits(each, truth)) if figure == "5" else others
    seen = [x for each in weights.values() for x in (strongest(each) if word < 0 else each[word])]
    least = 0 if word < 0 else 0.05  # fainter ones are not seen
    wanted = np.array(sorted(float(x) for x in seen if x >= least))
    drawn = widget.locator(".tc-columns .tc-drawn path")  # the strongest last, broad and dark
    for name, strength in (("opacity", 0.25 + 0.75 * wanted), ("width", 1 + 6 * wanted)):
        shown = f"list => list.map(node => Number(node.getAttribute('stroke-{name}')))"
        np.testing.assert_allclose(drawn.evaluate_all(shown), strength, atol=1e-6)
    if word >= 0:
        said = widget.locator(".tc-why").inner_text()
        for head in heads:
            assert re.search(rf"ead {head}.*: {100 * weights[head][word].max():.0f} % to “", said)
        answers = {one["words"][b] for a, b, _ in one["truth"] if a == word}
        marked = widget.locator(".tc-columns .tc-true").all_inner_texts()
        assert set(marked) == answers


def others(weights: np.ndarray) -> np.ndarray:
    """Of each word its strongest weight, but of those that look at themselves: that is no pair."""
    return weights.max(1)[weights.argmax(1) != np.arange(len(weights))]


def hits(weights: np.ndarray, truth: list[tuple[int, int]]) -> list[float]:
    """The strongest weights of the words that look most at the one that they hang on."""
    return [weights[a, b] for a, b in truth if weights[a].argmax() == b]


def choose(widget: Locator, name: str) -> None:
    widget.get_by_role("group", name="Sentence").get_by_text(name, exact=True).click()


def in_two_lines(widget: Locator, figure: str) -> None:
    if figure == "5":
        widget.get_by_role("button", name="As in the paper").click()


def opened_with(figure: str) -> tuple[str, int, list[int], int]:
    start = AttentionFigures(figure)
    return start.sentence, start.layer, start.heads, start.word


@pytest.mark.parametrize("figure", ["3", "4", "5"])
def test_it_opens_with_the_head_that_was_found(widget, figure):
    check(widget(AttentionFigures(figure)), figure, *opened_with(figure))


def test_words_heads_layers_and_sentences_are_chosen_by_mouse(widget):
    opened = widget(AttentionFigures("4"))
    name, layer, heads, _ = opened_with("4")
    opened.locator(".tc-columns button").nth(1).click()
    opened.page.mouse.move(0, 0)
    check(opened, "4", name, layer, heads, 1)
    opened.locator(".tc-columns button").nth(1).click()
    opened.page.mouse.move(0, 0)
    check(opened, "4", name, layer, heads, -1)
    other = 1 if heads == [2] else 2
    opened.get_by_role("button", name=f"Head {other}").click()
    opened.get_by_role("button", name="Layer 1").click()
    check(opened, "4", name, 1, sorted([*heads, other]), -1)
    choose(opened, "money")
    opened.get_by_role("button", name="Layer 2").click()
    check(
        opened,
        "4",
        "money",
        2,
        sorted([*heads, other]),
        AttentionFigures("4").data["money"]["asks"],
    )


def test_a_mouse_that_rests_on_a_word_changes_nothing(widget):
    opened = widget(AttentionFigures("4"))
    name, layer, heads, word = opened_with("4")
    opened.locator(".tc-columns button").nth(2).hover()
    check(opened, "4", name, layer, heads, word)


def test_the_keyboard_moves_among_words_and_escape_shows_all(widget):
    opened = widget(AttentionFigures("4"))
    name, layer, heads, word = opened_with("4")
    opened.locator(".tc-columns [aria-pressed=true]").focus()
    opened.page.keyboard.press("ArrowUp")
    check(opened, "4", name, layer, heads, word - 1)
    expect(opened.locator(".tc-columns [aria-pressed=true]")).to_be_focused()
    opened.page.keyboard.press("ArrowRight")
    check(opened, "4", name, layer, heads, word)
    opened.page.keyboard.press("Escape")
    check(opened, "4", name, layer, heads, -1)


def test_the_truth_can_be_hidden(widget):
    opened = widget(AttentionFigures("4"))
    assert opened.locator(".tc-columns .tc-true").count() > 0
    opened.get_by_label("Mark what is true").uncheck()
    expect(opened.locator(".tc-columns .tc-true")).to_have_count(0)
    expect(opened.locator(".tc-why")).not_to_contain_text("stands for")
    expect(opened.locator(".tc-bar .tc-share")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_words_nor_sentences_change_its_height(widget, width):
    opened = widget(AttentionFigures("3"), width=width)
    heights = []
    for name in AttentionFigures("3").data:
        choose(opened, name)
        for n in (0, 3, 5):
            opened.locator(".tc-columns button").nth(n).click()
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2
    assert opened.evaluate("node => node.scrollWidth <= node.clientWidth + 1")


def test_what_is_wrong_is_said_and_the_true_line_is_dashed(widget):
    opened = widget(AttentionFigures("4"))
    expect(opened.locator(".tc-why")).to_contain_text("No head of any layer finds it.")
    expect(opened.locator(".tc-german")).to_contain_text("And yet the German is right: Das Tier")
    expect(opened.locator(".tc-columns .tc-truths path")).to_have_count(2)
    missed = opened.locator(".tc-columns .tc-missed", has_text="missed")
    expect(missed).to_have_count(2)
    hue = "node => getComputedStyle(node).stroke"
    assert opened.locator(".tc-columns .tc-truths path").first.evaluate(hue) != opened.evaluate(RED)
    expect(opened.locator(".tc-looks .tc-no:visible")).to_have_text("✗ not “animal”")
    choose(opened, "wide")
    expect(opened.locator(".tc-why")).to_contain_text("Found by head 3 of layer 2.")
    expect(missed).to_have_count(0)  # what decides is framed, and not held against the head
    expect(opened.locator(".tc-columns .tc-true")).to_have_count(2)
    expect(opened.locator(".tc-german")).to_contain_text("It writes: Das Tier")
    choose(opened, "money")
    expect(opened.locator(".tc-why")).to_contain_text("Only head 1 of layer 1 finds it.")
    choose(opened, "tired")
    opened.get_by_label("Mark what is true").uncheck()
    expect(opened.locator(".tc-columns .tc-truths path")).to_have_count(0)
    expect(opened.locator(".tc-looks :is(.tc-no, .tc-right)").first).to_have_text("")


@pytest.mark.parametrize("figure", ["3", "4", "5"])
def test_where_there_is_room_words_stand_upright_and_apart_and_lines_end_at_them(widget, figure):
    opened = widget(AttentionFigures(figure))
    in_two_lines(opened, figure)
    for name, one in AttentionFigures(figure).data.items():
        choose(opened, name)
        for row in (".tc-columns button:visible", ".tc-columns li:visible"):
            nodes = opened.locator(row)
            assert nodes.count() == len(one["words"])
            assert min(nodes.evaluate_all(GAPS)) > 2  # letters do not meet
            modes = "all => all.map(node => getComputedStyle(node).writingMode)"
            assert set(nodes.evaluate_all(modes)) == {"horizontal-tb"}
        gaps = opened.locator(".tc-columns > svg").evaluate(ENDS)
        assert max(gaps) <= 12  # heads stand a little beside each other


def finds(start: AttentionFigures, name: str, layer: int, head: int) -> list[int]:
    """The words whose strongest weight is on the one that they hang on; head 5 is the rule."""
    rows = start.weights(name, layer, head) if head < 5 else None
    return [
        a
        for a, b, _ in start.data[name]["truth"]
        if b == (a + 1 if rows is None else int(rows[a].argmax()))
    ]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_row_a_head_has_a_mark_for_each_word_filled_where_it_finds_the_truth(widget, width):
    opened, start = widget(AttentionFigures("5"), width=width), AttentionFigures("5")
    height = opened.bounding_box()["height"]
    for name, layer in itertools.product(start.data, (2, 1)):
        choose(opened, name)
        opened.get_by_role("button", name=f"Layer {layer}").click()
        truth = start.data[name]["truth"]
        counts = []
        for head, row in enumerate(opened.locator(".tc-rows button").all(), start=1):
            wanted = finds(start, name, layer, head)
            counts.append(len(wanted))
            marks = "all => all.map(node => node.classList[0] ?? '')"
            shown = row.locator("i").evaluate_all(marks)
            assert [n for n, each in enumerate(shown) if each == "tc-full"] == wanted
            asks = {a for a, *_ in truth}
            assert {n for n, each in enumerate(shown) if each} == asks
            assert (
                row.get_attribute("aria-label")
                .split(":")[0]
                .endswith(f"finds {len(wanted)} of {len(truth)}")
            )
            assert row.locator("b").last.inner_text().split("/")[0] == str(len(wanted))
        expect(opened.locator(".tc-why b").first).to_have_text(
            f"Of {len(truth)} pairs the rule “next word” finds {counts[4]}, "
            f"layer {layer}’s best head finds {max(counts[:4])}."
        )
        # Each mark stands in line with its word.
        axis, side = ("y", "height") if width < 800 else ("x", "width")
        places = [
            [box[axis] + box[side] / 2 for box in nodes.evaluate_all(BOXES)]
            for nodes in (
                opened.locator(".tc-columns button:visible"),
                opened.locator(".tc-rows button").first.locator("i:visible"),
            )
        ]
        np.testing.assert_allclose(*places, atol=1.5)
        assert abs(opened.bounding_box()["height"] - height) <= 1
    for n in (0, 3):  # of one word only the chosen head speaks
        opened.locator(".tc-columns button").nth(n).click()
        expect(opened.locator(".tc-looks > span:visible")).to_have_count(1)
        assert abs(opened.bounding_box()["height"] - height) <= 1
    in_two_lines(opened, "5")
    assert abs(opened.bounding_box()["height"] - height) <= 1


BOXES = "all => all.map(node => node.getBoundingClientRect().toJSON())"


@pytest.mark.parametrize("width", [1280, 390])
def test_arcs_say_what_is_true_and_a_chosen_head_is_drawn_over_them(widget, width):
    opened, start = widget(AttentionFigures("5"), width=width), AttentionFigures("5")
    rows = opened.locator(".tc-rows button")
    for name, head in itertools.product(start.data, range(1, 6)):
        choose(opened, name)
        rows.nth(head - 1).click()
        opened.page.mouse.move(0, 0)
        expect(opened.locator(".tc-rows [aria-pressed=true]")).to_have_count(1)
        truth, wanted = start.data[name]["truth"], finds(start, name, 2, head)
        tags = opened.locator(".tc-tags span")
        assert tags.all_inner_texts() == [each.removesuffix(" of") for *_, each in truth]
        found = [each.removesuffix(" of") for a, _, each in truth if a in wanted]
        assert opened.locator(".tc-tags .tc-found").all_inner_texts() == found
        expect(opened.locator(".tc-columns .tc-truths path")).to_have_count(len(truth))
        expect(opened.locator(".tc-columns .tc-truths .tc-found")).to_have_count(len(wanted))
        expect(opened.locator(".tc-columns .tc-drawn .tc-hit")).to_have_count(len(wanted))
        boxes = tags.evaluate_all(BOXES)
        for one, other in itertools.combinations(boxes, 2):
            apart = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert apart or one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1
        if width > 800:
            assert min(opened.locator(".tc-columns button:visible").evaluate_all(GAPS)) > 2
    assert opened.evaluate("node => node.scrollWidth <= node.clientWidth + 1")


# Which labels a line runs through, and how close two feet at the words stand, in pixels.
CROSSED = """node => {
  const paths = [...node.querySelectorAll(".tc-columns > svg path")].map(path => {
    const matrix = path.getScreenCTM();
    const many = Math.ceil(path.getTotalLength());
    return Array.from({length: many + 1}, (_, n) =>
      path.getPointAtLength(n).matrixTransform(matrix));
  });
  return [...node.querySelectorAll(".tc-tags span")].filter(tag => {
    const range = document.createRange();
    range.selectNodeContents(tag);
    const box = range.getBoundingClientRect();
    return tag.checkVisibility() && paths.flat().some(({x, y}) =>
      x > box.left && x < box.right && y > box.top + 3 && y < box.bottom - 3);
  }).map(tag => tag.textContent);
}"""
FEET = """svg => [...svg.querySelectorAll(".tc-truths path")].flatMap(path => {
  const [from, to] = [...path.getAttribute("d").split(/M/)[1].matchAll(/([-\\d.]+) ([-\\d.]+)/g)]
    .map(([, x, y]) => [Number(x), Number(y)]).filter((_, n, all) => !n || n === all.length - 1);
  return [from, to];
})"""


@pytest.mark.parametrize("width", [1280, 820, 390])
def test_no_line_runs_through_a_label_and_arcs_stand_apart_at_their_words(widget, width):
    opened, start = widget(AttentionFigures("5"), width=width), AttentionFigures("5")
    picture = opened.locator(".tc-columns > svg")
    for name, head in itertools.product(start.data, (4, 5)):
        choose(opened, name)
        opened.locator(".tc-rows button").nth(head - 1).click()
        opened.page.mouse.move(0, 0)
        assert opened.evaluate(CROSSED) == [], (name, head)
        feet = sorted(along[width < 800] for along in picture.evaluate(FEET))
        assert len(feet) == 2 * len(start.data[name]["truth"])
        assert min(b - a for a, b in itertools.pairwise(feet)) > 5, name
    opened.locator(".tc-columns button", has_text="because").click()
    assert opened.evaluate(CROSSED) == []


def test_where_a_wrong_look_goes_is_drawn_once_its_word_is_pressed(widget):
    opened, start = widget(AttentionFigures("5")), AttentionFigures("5")
    lines = opened.locator(".tc-columns .tc-drawn path")
    [head] = start.heads
    wanted = finds(start, start.sentence, start.layer, head)
    expect(lines).to_have_count(len(wanted))
    wrong = next(a for a, *_ in start.data[start.sentence]["truth"] if a not in wanted)
    opened.locator(".tc-columns button").nth(wrong).click()
    row = start.weights(start.sentence, start.layer, head)[wrong]
    expect(lines).to_have_count(int((row >= 5).sum()))
    assert opened.locator(".tc-columns .tc-drawn .tc-hit").count() == 0


def test_a_mouse_over_a_row_draws_its_head_and_leaves_the_chosen_one(widget):
    opened, start = widget(AttentionFigures("5")), AttentionFigures("5")
    hues = "all => [...new Set(all.map(node => node.classList[0]))]"
    lines = opened.locator(".tc-columns .tc-drawn path")
    [head] = start.heads
    assert lines.evaluate_all(hues) == [f"tc-hue{head}"]
    opened.locator(".tc-rows button").nth(4).hover()
    assert lines.evaluate_all(hues) == ["tc-by-rule"]
    expect(opened.locator(".tc-rows [aria-pressed=true]")).to_contain_text(f"Head {head}")
    opened.page.mouse.move(0, 0)
    assert lines.evaluate_all(hues) == [f"tc-hue{head}"]


@pytest.mark.parametrize("word", [-1, 5])
def test_arcs_and_rows_are_accessible_and_fit_their_window(show, window, word):
    start = AttentionFigures("5")
    check_page(show(AttentionFigures("5", **(opened_traits(start) | {"word": word})), **window))


def opened_traits(start: AttentionFigures) -> dict:
    return {name: getattr(start, name) for name in ("sentence", "layer", "heads")}


def test_of_one_word_its_own_arc_stands_out(widget):
    opened = widget(AttentionFigures("5"))
    opened.locator(".tc-columns button", has_text="because").click()
    expect(opened.locator(".tc-tags span:visible")).to_have_text(["conjunction"])
    expect(opened.locator(".tc-truths path:not(.tc-faint)")).to_have_count(1)
    expect(opened.locator(".tc-why")).to_contain_text("Found by head 4 of layer 2.")
    opened.get_by_role("button", name="All words").click()
    expect(opened.locator(".tc-truths .tc-faint")).to_have_count(0)


# What is left free between the letters of neighbors, in pixels.
GAPS = """all => {
  const boxes = all.map(node => {
    const range = document.createRange();
    range.selectNodeContents(node.querySelector("span") ?? node);
    return range.getBoundingClientRect();
  });
  return boxes.slice(1).map((box, n) => box.left - boxes[n].right);
}"""

# How far each line begins and ends from the middle of the nearest word, in pixels.
ENDS = """svg => {
  const middles = [...svg.parentElement.querySelectorAll("button, li")]
    .map(node => node.getBoundingClientRect())
    .filter(({width}) => width)
    .map(({left, width}) => left + width / 2);
  return [...svg.querySelectorAll("path")].flatMap(path =>
    [0, path.getTotalLength()].map(at => {
      const {x} = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
      return Math.min(...middles.map(middle => Math.abs(middle - x)));
    }));
}"""


@pytest.mark.parametrize("figure", ["3", "4"])
def test_every_head_of_the_layer_has_its_share_of_the_true_partner_beside_chance(widget, figure):
    start, opened = AttentionFigures(figure), widget(AttentionFigures(figure))
    heads = opened.get_by_role("group", name="Heads")
    for name, one in start.data.items():
        choose(opened, name)
        [asks, answer, _] = one["truth"][0]
        chance = 100 / len(one["words"])
        expect(heads.locator("small")).to_have_text(
            f"weight on “{one['words'][answer]}” ¦ by chance: {chance:.0f} %"
        )
        for head, button in enumerate(heads.get_by_role("button").all(), start=1):
            row = start.weights(name, 2, head)[asks]
            right = " ✓" if row.argmax() == answer else ""
            expect(button.locator("b")).to_have_text(f"{row[answer]:.0f} %{right}")
            sizes = """node => [["::before", "width"], ["::after", "left"]].map(([part, name]) =>
              parseFloat(getComputedStyle(node, part)[name]) / node.clientWidth * 100)"""
            drawn = button.locator(".tc-share").evaluate(sizes)
            assert drawn == pytest.approx([row[answer], chance], abs=0.5)
    opened.locator(".tc-columns button").nth(0).click()  # of this word nothing is known
    expect(heads.locator(".tc-share")).to_have_count(0)


def test_words_that_no_strong_or_true_line_touches_are_quiet(widget):
    opened, start = widget(AttentionFigures("4")), AttentionFigures("4")
    one, row = start.data["tired"], start.weights("tired", 2, 3)[start.word]
    loud = {j for j, weight in enumerate(row) if weight >= 10}
    loud |= {b for a, b, _ in one["truth"] if a == start.word}
    below = opened.locator(".tc-columns li:visible span")
    quiet = below.evaluate_all("list => list.map(each => each.classList.contains('tc-quiet'))")
    assert [n for n, each in enumerate(quiet) if not each] == sorted(loud)
    expect(opened.locator(".tc-columns button:visible:not(.tc-quiet)")).to_have_text("it")


def test_only_the_chosen_heads_have_lines(widget):
    opened = widget(AttentionFigures("4"))
    hues = "all => [...new Set(all.map(node => node.classList[0]))].sort()"
    lines = opened.locator(".tc-columns .tc-drawn path")
    assert lines.evaluate_all(hues) == ["tc-hue3"]
    opened.get_by_role("button", name="Head 1").click()
    assert lines.evaluate_all(hues) == ["tc-hue1", "tc-hue3"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("figure", ["3", "4"])
def test_no_share_and_no_missed_meet(widget, figure, width):
    opened = widget(AttentionFigures(figure), width=width)
    heads = opened.locator(".tc-bar [class^=tc-hue]").all()
    edge = opened.bounding_box()
    for name in AttentionFigures(figure).data:
        choose(opened, name)
        for layer, head in itertools.product((1, 2), range(4)):
            opened.get_by_role("button", name=f"Layer {layer}").click()
            for n, each in enumerate(heads):
                if (each.get_attribute("aria-pressed") == "true") != (n == head):
                    each.click()
            shares = opened.locator(".tc-columns data:visible:not(:empty)")
            boxes = shares.evaluate_all("all => all.map(node => node.getBoundingClientRect())")
            assert all(box["right"] <= edge["x"] + edge["width"] for box in boxes)
            for one, other in itertools.combinations(boxes, 2):  # in the order of the words
                assert one["right"] <= other["left"] + 2 or one["bottom"] <= other["top"] + 4


def test_what_another_head_finds_is_missed_by_the_chosen_one(widget):
    opened = widget(AttentionFigures("3"))
    choose(opened, "dogs")
    expect(opened.locator(".tc-columns .tc-missed:not(:empty)")).to_have_text("missed")
    expect(opened.locator(".tc-why")).to_contain_text(
        re.compile("Found by heads 1 and 3 of layer 2. *Head 2: .*✗ not “dogs”")
    )
    opened.get_by_role("button", name="Head 1").click()
    expect(opened.locator(".tc-columns .tc-missed:not(:empty)")).to_have_count(0)


def test_figures_of_one_word_have_no_rule(widget):
    opened = widget(AttentionFigures("4"))
    expect(opened.locator(".tc-rows, .tc-arcs")).to_have_count(0)
    expect(opened.get_by_role("button", name="As in the paper")).to_have_count(0)
    expect(opened.locator(".tc-tags span")).to_have_text(["stands for", "told by"])


@pytest.mark.parametrize("figure", ["3", "4", "5"])
def test_on_a_phone_words_stand_below_each_other_and_lines_run_between_them(widget, figure):
    opened = widget(AttentionFigures(figure), width=390)
    in_two_lines(opened, figure)
    for name, one in AttentionFigures(figure).data.items():
        choose(opened, name)
        boxes = []
        for row in (".tc-columns button:visible", ".tc-columns li:visible"):
            nodes = opened.locator(row)
            boxes.append([node.bounding_box() for node in nodes.all()])
            assert len(boxes[-1]) == len(one["words"])
            for above, below in itertools.pairwise(boxes[-1]):
                assert above["y"] + above["height"] <= below["y"] + 0.5
            modes = "all => all.map(node => getComputedStyle(node).writingMode)"
            assert set(nodes.evaluate_all(modes)) == {"horizontal-tb"}
        for left, right in zip(*boxes, strict=True):  # a word and itself stand on one line
            assert abs(left["y"] - right["y"]) <= 1
        gaps = opened.locator(".tc-columns > svg").evaluate(
            ENDS.replace("width", "height").replace("left", "top").replace("{x}", "{y}")
            .replace("- x)", "- y)")
        )  # fmt: skip
        assert max(gaps) <= 8  # heads stand a little beside each other
        edge = opened.bounding_box()
        for end in opened.locator(".tc-columns li > :visible").all():
            box = end.bounding_box()
            assert box["x"] + box["width"] <= edge["x"] + edge["width"]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_words_stay_where_they_are_when_all_are_shown(widget, width):
    opened = widget(AttentionFigures("4"), width=width)
    name = opened.locator(".tc-columns li span").nth(2)

    def place() -> float:
        return name.bounding_box()["y"] - opened.bounding_box()["y"]

    before = place()
    opened.get_by_role("button", name="All words").click()
    assert abs(place() - before) <= 1


# Where the strongest line ends, in percent of its picture, once it moves no more.
END = """async svg => {
  await Promise.all(svg.getAnimations({subtree: true}).map(one => one.finished));
  const path = svg.querySelector(".tc-drawn path:last-child");
  const {x, y} = path.getPointAtLength(path.getTotalLength());
  return [x / svg.clientWidth * 100, y / svg.clientHeight * 100];
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_with_the_other_word_of_a_pair_the_line_swings_or_stays(widget, width):
    opened = widget(AttentionFigures("4"), width=width)
    picture = opened.locator(".tc-columns > svg")
    height = opened.bounding_box()["height"]
    along = 0 if width > 800 else 1

    def end() -> float:
        return picture.evaluate(END)[along]

    first = opened.locator(".tc-head .tc-first")
    expect(first).to_have_text(["tired", "money"])  # each begins a pair
    ends = {}
    for name in ("tired", "wide", "money", "boat"):
        choose(opened, name)
        expect(opened.locator(".tc-columns .tc-differs:visible")).to_have_text([name, name])
        ends[name] = end()
        assert abs(opened.bounding_box()["height"] - height) <= 1
        headline = opened.locator(".tc-why b").first
        if name == "wide":
            expect(headline).to_have_text(
                "The answer moves from “animal” to “street”; head 3 stays at “street”."
            )
    assert ends["tired"] == pytest.approx(ends["wide"], abs=3)
    assert ends["boat"] > ends["money"] + 20
    expect(headline).to_have_text("Head 3 moves from “bank” to “boat”.")


def test_a_line_glides_to_its_new_place_and_jumps_where_motion_is_unwelcome(widget):
    opened = widget(AttentionFigures("4"))
    opened.page.emulate_media(reduced_motion="no-preference")
    moving = """svg => svg.getAnimations({subtree: true})
      .filter(one => one.transitionProperty === "d").length"""
    picture = opened.locator(".tc-columns > svg")
    choose(opened, "money")
    picture.evaluate(END)
    choose(opened, "boat")
    assert picture.evaluate(moving) > 0
    opened.page.emulate_media(reduced_motion="reduce")
    choose(opened, "money")
    assert picture.evaluate(moving) == 0


def test_the_rule_draws_an_arc_from_every_word_to_the_next(widget):
    opened, start = widget(AttentionFigures("5")), AttentionFigures("5")
    for name, one in start.data.items():
        choose(opened, name)
        opened.locator(".tc-rows button").last.click()
        drawn = opened.locator(".tc-columns .tc-drawn path")
        expect(drawn).to_have_count(len(one["words"]) - 1)
        expect(opened.locator(".tc-drawn .tc-hit")).to_have_count(len(finds(start, name, 2, 5)))
