"""EncoderTrip in a real browser: every matrix is the package's, by mouse and by keyboard."""

import re

import numpy as np
import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.model import EncoderLayer
from transformer_course.widgets import EncoderTrip
from transformer_course.widgets.encoder_trip import TRAINED, read_out, trip
from transformer_course.widgets.sources import module

OTHER = ["a", "child", "hears", "the", "man"]
# The result of each step, # for the number of the head.
RESULTS = ["embedded", "x", "query#", "key#", "value#", "scores#", "weights#", "mixed#", "concat"]
RESULTS += ["attended", "sum1", "norm1", "hidden", "thought", "sum2", "norm2"]


opened = opens(EncoderTrip, ".tc-trip")


def numbers(widget: Locator) -> np.ndarray:
    """The result of the step, as a reader sees it."""
    rows = widget.locator(".tc-out tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return np.array([[float(x.replace("−", "-")) for x in row] for row in rows])


def go(widget: Locator, step: int) -> None:
    """By the map of the layer, then on within its part."""
    parts = (0, 2, 10, 12, 14)
    part = sum(first <= step for first in parts) - 1
    widget.locator(".tc-layer button").nth(part).click()
    for _ in range(step - parts[part]):
        widget.get_by_role("button", name="Next").click()


def german(widget: Locator) -> list[str]:
    return widget.locator(".tc-sentence span").all_inner_texts()


def test_the_browser_computes_the_packages_encoder_layer_to_six_digits(opened):
    layer = EncoderLayer(8, 2, 16, dropout=0.0).double()
    weights = {n: torch.tensor(x, dtype=torch.float64) for n, x in TRAINED["weights"].items()}
    layer.load_state_dict(
        {n.removeprefix("layer."): x for n, x in weights.items() if n.startswith("layer.")}
    )
    widget = opened()
    ids = [TRAINED["english"].index(word) for word in OTHER]
    run = widget.page.evaluate(
        """async ([code, weights, ids]) => {
          const file = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
          return (await import(file)).trip(weights, ids);
        }""",
        [module("encoder_trip_numbers.js"), TRAINED["weights"], ids],
    )
    x = weights["embedding.weight"][ids] * 8**0.5 + torch.tensor(run["pe"], dtype=torch.float64)
    found = torch.tensor(run["norm2"], dtype=torch.float64)
    torch.testing.assert_close(found, layer(x[None])[0].detach(), rtol=0, atol=1e-6)
    for name, rows in trip(OTHER).items():
        np.testing.assert_allclose(run[name], rows, rtol=0, atol=1e-6)


@pytest.mark.parametrize("head", [1, 2])
def test_every_step_shows_the_packages_numbers(opened, head):
    widget = opened(EncoderTrip(step=0, head=head))
    run = trip(EncoderTrip().sentence)
    for step, name in enumerate(RESULTS):
        expect(widget.locator(".tc-place")).to_have_text(f"{step + 1} of 16")
        exact = run[name.replace("#", str(head))]
        np.testing.assert_allclose(numbers(widget), exact, rtol=0, atol=0.00501)
        if step < 15:
            widget.get_by_role("button", name="Next").click()
    expect(widget.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")


def test_another_noun_changes_its_article_and_every_matrix(opened):
    widget = opened(EncoderTrip(step=6))
    before = numbers(widget)
    assert (
        german(widget)
        == read_out(EncoderTrip().sentence)
        == ["die", "Katze", "sieht", "einen", "Hund"]
    )
    widget.get_by_label("word 2").select_option("child")
    sentence = ["the", "child", "sees", "a", "dog"]
    assert german(widget) == read_out(sentence) == ["das", "Kind", "sieht", "einen", "Hund"]
    exact = trip(sentence)["weights1"]
    np.testing.assert_allclose(numbers(widget), exact, rtol=0, atol=0.00501)
    assert np.abs(before - exact).max() > 0.05
    widget.get_by_label("word 4").press("ArrowUp")  # from "a" to "the"
    assert german(widget)[3] == "den"


def test_an_article_is_unknown_until_it_has_looked_at_its_noun(opened):
    widget = opened(EncoderTrip(step=5))
    assert german(widget) == ["?", "Katze", "sieht", "?", "Hund"]
    widget.get_by_role("button", name="Next").click()
    assert german(widget) == read_out(EncoderTrip().sentence)


def test_the_keyboard_steps_and_asks(opened):
    widget = opened(EncoderTrip(step=4))
    page = widget.page
    widget.get_by_role("button", name="Next").focus()
    place = widget.locator(".tc-place")
    for key, step in (("ArrowRight", 6), ("End", 16), ("Home", 1)):
        page.keyboard.press(key)
        expect(place).to_have_text(f"{step} of 16")
    expect(widget.get_by_role("button", name="Next")).to_be_focused()
    cell = widget.locator(".tc-out button").first
    cell.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(widget.locator(".tc-out tr.tc-loud button").nth(1)).to_be_focused()
    expect(widget.locator(".tc-why")).to_have_text(re.compile("^E.id. √8, “cat”, column 1: "))
    raw = np.array(TRAINED["weights"]["embedding.weight"])[TRAINED["english"].index("cat"), 1]
    shown = f"{raw:.2f} · √8".replace("-", "−")
    expect(widget.locator(".tc-why span")).to_contain_text(shown)


@pytest.mark.parametrize(
    ("step", "fed"), [(1, 2), (2, 8 + 9), (5, 4 + 4), (6, 5), (8, 1), (12, 8 + 9)]
)
def test_pointing_at_a_number_shows_what_it_was_computed_from(opened, step, fed):
    widget = opened(EncoderTrip(step=step))
    widget.locator(".tc-out button").nth(3).hover()
    assert widget.locator(".tc-feed").count() == fed
    assert widget.locator(".tc-pick").count() == 1


def test_one_word_is_strong_in_every_table_and_in_the_sentence(opened):
    widget = opened(EncoderTrip(step=10))
    strong = widget.locator(".tc-loud th")
    expect(strong).to_have_text(["the"] * 3)  # x, what attention adds, their sum
    widget.get_by_role("button", name="Hund: row 5, “dog”").click()
    expect(strong).to_have_text(["dog"] * 3)
    expect(widget.locator(".tc-sentence .tc-on span")).to_have_text("Hund")
    go(widget, 5)
    widget.get_by_role("button", name="?: row 1, “the”").click()
    widget.locator(".tc-out button").nth(3).hover()
    expect(strong).to_have_text(["the", "a", "the"])  # the query, the key, their score
    go(widget, 2)
    widget.locator(".tc-out button").nth(3).hover()
    expect(strong).to_have_text(["the", "col 3", "the"])  # x, what it is multiplied by, the query


SPANS = """(columns, part) => columns.map((column) => {
  const { style } = column.querySelector(part);
  return [parseFloat(style.top), 100 - parseFloat(style.bottom)];
})"""


def spans(widget: Locator, part: str = "i") -> np.ndarray:
    """Where each bar of the chart starts and ends, in percent of its height, from its top."""
    return np.array(widget.locator(".tc-plot > div").evaluate_all(SPANS, part))


def of(*ends: np.ndarray) -> np.ndarray:
    """The same, of numbers: their ends, with 0 in sight."""
    every = np.concatenate([*ends, [0]])
    down = 100 * (every.max() - np.stack(ends)) / (every.max() - every.min())
    return np.sort(down.T, axis=1)


@pytest.mark.parametrize("width", [1280, 390])
def test_one_word_stands_alone_and_each_column_is_a_sum_in_one_bar(opened, width):
    widget = opened(EncoderTrip(step=10), width=width)
    expect(widget.locator(".tc-heat tbody tr:visible")).to_have_count(3)
    run = trip(EncoderTrip().sentence)
    x, added = run["x"][0], run["attended"][0]
    picked = [f"{abs(value[1]):.2f}" for value in (x, added, x + added)]
    assert x[1] > -added[1] > 0
    expect(widget.locator(".tc-why span")).to_have_text("{} − {} ≈ {}".format(*picked))
    made = x + added
    scale = (0 * x, x, made)
    every = np.concatenate(scale)

    def part(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        down = 100 * (every.max() - np.stack([a, b])) / (every.max() - every.min())
        return np.sort(down.T, axis=1)

    np.testing.assert_allclose(spans(widget), part(0 * x, x), atol=0.1)  # what came in
    np.testing.assert_allclose(spans(widget, "s"), part(x, made), atol=0.1)  # what moves it
    np.testing.assert_allclose(spans(widget, "u"), part(0 * x, made), atol=0.1)  # the sum
    turned = widget.locator(".tc-plot > div").evaluate_all(
        "all => all.map(it => getComputedStyle(it.querySelector('s')).rotate)"
    )
    assert turned == ["180deg" if each < 0 else "none" for each in added]
    widget.get_by_label("All words").check()
    expect(widget.locator(".tc-how")).to_be_hidden()
    for table in widget.locator(".tc-heat").all():
        expect(table.locator("tbody tr:visible")).to_have_count(5)


@pytest.mark.parametrize("step", [2, 5, 7, 12, 13])
def test_products_lie_end_to_end_and_end_at_their_sum(opened, step):
    widget = opened(EncoderTrip(step=step))
    run = trip(EncoderTrip().sentence)
    names = {2: "self_attn.query_proj", 12: "feed_forward.expand", 13: "feed_forward.contract"}
    if step in names:
        a = run[{2: "x", 12: "norm1", 13: "hidden"}[step]][0]
        weights = TRAINED["weights"]
        b = [*weights[f"layer.{names[step]}.weight"][1], weights[f"layer.{names[step]}.bias"][1]]
        products = np.array([*a, 1]) * b
    elif step == 5:
        products = run["query1"][0] * run["key1"][1]
    else:
        products = run["weights1"][0] * run["value1"][:, 1]
    ends = np.array([0, *products.cumsum()])
    np.testing.assert_allclose(spans(widget), of(ends[:-1], ends[1:]), atol=0.1)
    said = widget.locator(".tc-how p b").inner_text().replace("−", "-")
    assert float(said.removeprefix("= ")) == pytest.approx(ends[-1], abs=0.00501)
    if len(products) < 10:
        digits = widget.locator(".tc-plot data").all_inner_texts()
        shown = [float(x.replace("−", "-")) for x in digits]
        np.testing.assert_allclose(shown, products, atol=0.00501)


def test_lines_show_how_much_a_word_looks_at_each(opened):
    widget = opened(EncoderTrip(step=2))
    paths = widget.locator(".tc-sentence path")

    def wide() -> np.ndarray:
        found = paths.evaluate_all("all => all.map(it => Number(it.getAttribute('stroke-width')))")
        return np.array(found).reshape(5, 5)

    assert (wide() > 0).tolist() == np.eye(5, dtype=bool).tolist()  # each word is alone
    go(widget, 6)
    weights = trip(EncoderTrip().sentence)
    np.testing.assert_allclose(wide()[0], 1 + 11 * weights["weights1"][0], atol=0.01)
    assert (wide()[1:] == 0).all()
    widget.get_by_role("button", name="Head 2").click()
    np.testing.assert_allclose(wide()[0], 1 + 11 * weights["weights2"][0], atol=0.01)
    widget.get_by_label("All words").check()
    np.testing.assert_allclose(wide(), 1 + 11 * weights["weights2"], atol=0.01)


def test_what_is_multiplied_meets_and_the_result_drops_where_motion_is_welcome(opened):
    widget = opened(EncoderTrip(step=1))
    names = "it => getComputedStyle(it).animationName"
    cell, out = widget.locator(".tc-inputs td > *").first, widget.locator(".tc-out .tc-pick > *")
    go(widget, 2)
    assert [cell.evaluate(names), out.evaluate(names)] == ["none", "none"]
    widget.page.emulate_media(reduced_motion="no-preference")
    assert [cell.evaluate(names), out.evaluate(names)] == ["tc-meets", "tc-drops"]
    go(widget, 6)
    article = widget.locator(".tc-sentence span").first
    assert article.evaluate(names) == "tc-turns"
    assert article.evaluate("it => getComputedStyle(it, '::after').content") == '"?"'
    assert widget.locator(".tc-sentence span").nth(1).evaluate(names) == "none"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_norm_draws_each_distance_from_the_dashed_mean(opened, width):
    widget = opened(EncoderTrip(step=11), width=width)
    came = trip(EncoderTrip().sentence)["sum1"][0]
    mean = came * 0 + came.mean()
    np.testing.assert_allclose(spans(widget), of(mean, came), atol=0.1)
    dashed = widget.locator(".tc-plot hr").last
    expect(dashed).to_have_css("border-top-style", "dashed")
    top = 100 * (came.max() - came.mean()) / (came.max() - min(0, came.min()))
    assert float(dashed.evaluate("it => parseFloat(it.style.top)")) == pytest.approx(top, abs=0.1)


def test_what_is_scaled_starts_gray_and_shares_are_of_all(opened):
    widget = opened()
    widget.get_by_label("All words").uncheck()
    raw = np.array(TRAINED["weights"]["embedding.weight"][0])
    made = trip(EncoderTrip().sentence)["embedded"][0]
    gray = spans(widget)
    high = made.max() - made.min()
    np.testing.assert_allclose(gray[:, 1] - gray[:, 0], 100 * np.abs(raw) / high, atol=0.1)
    go(widget, 6)
    weights = trip(EncoderTrip().sentence)["weights1"][0]
    np.testing.assert_allclose(spans(widget), of(0 * weights, weights), atol=0.1)


def test_it_opens_at_its_question_with_all_words_and_then_follows_one(opened):
    widget = opened()
    expect(widget.locator(".tc-place")).to_have_text("1 of 16")
    expect(widget.get_by_label("All words")).to_be_checked()
    expect(widget.locator(".tc-head > b")).to_have_text("How does “the” find its noun?")
    expect(widget.locator(".tc-heat tbody tr:visible")).to_have_count(10)
    box = widget.get_by_label("All words")
    go(widget, 1)
    expect(box).not_to_be_checked()
    box.check()
    go(widget, 10)
    expect(box).to_be_checked()  # what the reader chose stays


@pytest.mark.parametrize("step", [5, 7])
def test_a_phone_has_one_line_for_the_title_and_one_for_what_is_chosen(opened, step):
    widget = opened(EncoderTrip(step=step), width=390)
    assert widget.locator(".tc-head > b").bounding_box()["height"] < 32
    parts = [widget.locator(".tc-check")]
    parts += [widget.get_by_role("button", name=f"Head {head}") for head in (1, 2)]
    box, *heads = [part.bounding_box() for part in parts]
    assert box["x"] + box["width"] < heads[0]["x"]
    assert heads[1]["x"] + heads[1]["width"] < 390
    middles = [each["y"] + each["height"] / 2 for each in (box, *heads)]
    np.testing.assert_allclose(middles, middles[0], atol=1)


@pytest.mark.parametrize("width", [1280, 390])
def test_scores_stand_above_their_weights_and_clear_of_the_words_beside_them(opened, width):
    widget = opened(
        EncoderTrip(step=6, sentence=["the", "woman", "sees", "a", "child"]), width=width
    )
    widget.get_by_label("All words").check()
    scores, weights = (widget.locator(f"{place} table") for place in (".tc-inputs", ".tc-result"))
    for above, below in zip(scores.locator("td").all(), weights.locator("td").all(), strict=True):
        assert abs(above.bounding_box()["x"] - below.bounding_box()["x"]) < 1
    for word in (*scores.locator("tbody th").all(), *weights.locator("tbody th").all()):
        assert word.evaluate("it => parseFloat(getComputedStyle(it).paddingRight)") >= 4


@pytest.mark.parametrize("step", [2, 12, 13])
def test_each_number_stands_above_the_weight_it_is_multiplied_by(opened, step):
    widget = opened(EncoderTrip(step=step))
    came, weight = (row.locator("td").all() for row in widget.locator(".tc-inputs .tc-loud").all())
    assert len(weight) == len(came) + 1  # the bias
    for above, below in zip(came, weight, strict=False):
        assert abs(above.bounding_box()["x"] - below.bounding_box()["x"]) < 1
    for above, below in zip(weight, widget.locator(".tc-plot > div").all(), strict=True):
        places = [it.bounding_box() for it in (above, below)]
        middles = [it["x"] + it["width"] / 2 for it in places]
        assert abs(middles[0] - middles[1]) < 2  # and its product below


@pytest.mark.parametrize("width", [1280, 390])
def test_all_words_take_no_more_room_than_one(opened, width):
    widget = opened(EncoderTrip(step=6), width=width)
    one = widget.bounding_box()["height"]
    widget.get_by_label("All words").check()
    assert abs(widget.bounding_box()["height"] - one) < 1


def test_a_query_meets_the_key_of_the_picked_column(opened):
    widget = opened(EncoderTrip(step=5))
    for n, word in enumerate(EncoderTrip().sentence):
        widget.locator(".tc-out tr.tc-loud button").nth(n).hover()
        expect(widget.locator(".tc-inputs tbody th:visible")).to_have_text(["the", word])


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("all_words", [False, True])
def test_stepping_moves_nothing_and_keeps_the_result_in_sight(opened, width, all_words):
    widget = opened(EncoderTrip(step=0), width=width)
    widget.get_by_label("All words").set_checked(all_words)
    button = widget.get_by_role("button", name="Next")
    places = []
    for _ in range(16):
        top, height = (widget.bounding_box()[key] for key in ("y", "height"))
        result, control = widget.locator(".tc-out").bounding_box(), button.bounding_box()
        places.append([height, result["y"] - top, control["y"] - top, control["x"]])
        seen = result["y"] + result["height"] - control["y"]
        assert 0 < seen < (600 if width == 1280 else 700)  # of 800, and of 844 on a phone
        button.press("Enter")
    np.testing.assert_allclose(places, [places[0]] * 16, atol=2)


GAPS = """rows => rows.flatMap((row) => {
  const cells = [...row.querySelectorAll("td > *")];
  const inked = ({ opacity, color }) => opacity === "1" && color !== "rgba(0, 0, 0, 0)";
  const ink = cells.filter((cell) => inked(getComputedStyle(cell))).map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  });
  return ink.slice(1).map((box, n) => box.left - ink[n].right);
})"""


@pytest.mark.parametrize("all_words", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_number_touches_its_neighbor(opened, width, all_words):
    widget = opened(EncoderTrip(step=0), width=width)
    widget.get_by_label("All words").set_checked(all_words)
    for step in range(16):
        go(widget, step)
        for table in widget.locator(".tc-heat").all():
            if not table.locator("tbody td:visible").count():
                continue  # of a sum in one picture only the result has numbers
            table.locator("tbody td:visible").last.hover()
            gaps = table.locator("tbody tr:visible").evaluate_all(GAPS)
            assert min(gaps, default=2) > 1.5, step + 1


def test_color_comes_before_digits_which_a_pointer_or_the_focus_brings(opened):
    widget = opened(EncoderTrip(step=6))
    widget.get_by_label("All words").check()
    cell = widget.locator(".tc-out td > *").last
    expect(cell).to_have_css("opacity", "0")
    assert cell.text_content() == "0.78"
    widget.locator(".tc-out td > *").first.focus()
    expect(cell).to_have_css("opacity", "1")


def test_play_goes_on_by_itself_until_a_control_is_touched(opened):
    widget = opened(EncoderTrip(step=12))
    button = widget.locator(".tc-go")
    button.click()
    expect(button).to_have_text("Pause")
    expect(widget.locator(".tc-told")).to_contain_text("Narrow.")
    widget.get_by_label("word 2").focus()
    widget.page.keyboard.press("ArrowDown")
    expect(button).to_have_text("Play")
    button.click()
    expect(widget.locator(".tc-place")).to_have_text("16 of 16")
    expect(button).to_have_text("Play")


def test_the_map_of_the_layer_says_where_a_step_stands_and_goes_there(opened):
    widget = opened(EncoderTrip(step=5))
    current = widget.locator(".tc-layer [aria-current=true]")
    expect(current).to_have_text("Attention")
    widget.get_by_role("button", name="Feed-forward").click()
    expect(current).to_have_text("Feed-forward")
    expect(widget.locator(".tc-place")).to_have_text("13 of 16")
    expect(widget.locator(".tc-told")).to_contain_text("Widen.")


def test_a_tensor_has_its_own_color_above_zero_and_gray_below(opened):
    widget = opened(EncoderTrip(step=5))
    roles = widget.locator(".tc-heat").evaluate_all("all => all.map(it => it.style.cssText)")
    for style, name in zip(roles, ("q", "k", "scores"), strict=True):
        assert f"--role: var(--tc-{name})" in style


def test_two_views_stay_together(show):
    one, other = show(EncoderTrip(step=6), views=[0, 0]).locator(".tc-trip").all()
    one.get_by_role("button", name="Head 2").click()
    one.get_by_label("word 5").select_option("woman")
    exact = trip(["the", "cat", "sees", "a", "woman"])["weights2"]
    np.testing.assert_allclose(numbers(other), exact, rtol=0, atol=0.00501)
    assert german(other)[3:] == ["eine", "Frau"]


def test_where_nothing_hovers_one_is_told_to_tap(opened):
    page = opened(width=390).page
    expect(page.locator(".tc-trip .tc-legend")).to_contain_text("Point at a result.")
    page.add_init_script(
        "const real = window.matchMedia.bind(window);"
        "window.matchMedia = (query) => query === '(hover:none)' ? {matches: true} : real(query);"
    )
    page.reload()
    expect(page.locator(".tc-trip .tc-legend")).to_contain_text("Tap a result.")


def test_everyone_can_use_it(opened, window):
    widget = opened(**window)
    for step in (0, 6, 11, 12):
        go(widget, step)
        check_page(widget.page)
    widget.page.emulate_media(media="print")
    expect(widget.locator(".tc-out")).to_be_visible()
    expect(widget.locator(".tc-bar")).to_be_hidden()
