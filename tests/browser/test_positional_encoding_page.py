"""PositionalEncoding in a real browser: its numbers are the package's, by mouse and by keyboard."""

import math
import re

import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.model import sinusoidal
from transformer_course.widgets import PositionalEncoding

VIEWS = ["Clock hands", "Dot products", "Shift"]
TABLE = sinusoidal(200, 32).double()
# By how much each hand stands further than the dashed one, clockwise.
TURNED = """all => all.map(clock => {
    const [from, to] = [...clock.querySelectorAll("line")].map(
        (line) => Math.atan2(line.x2.baseVal.value, -line.y2.baseVal.value));
    return (to - from + 2 * Math.PI) % (2 * Math.PI);
})"""


widget = opens(PositionalEncoding, ".tc-pos")


def go(widget: Locator, name: str) -> None:
    widget.get_by_role("button", name=name, exact=True).click()


def numbers(text: str) -> list[float]:
    """Numbers as a reader sees them."""
    return [float(x.replace("−", "-").replace(",", "")) for x in re.findall(r"−?[\d,]*\.\d+", text)]


def set_slider(widget: Locator, name: str, value: int) -> None:
    slider = widget.get_by_label(name, exact=True)
    slider.evaluate(
        "(node, to) => { node.value = to; node.dispatchEvent(new Event('input')); }", value
    )


def hand(widget: Locator, pair: int) -> tuple[float, float]:
    """Sine and cosine that one dial tells, and that its hand points to."""
    dial = widget.get_by_role("button", name=f"Pair {pair}:")
    sine, cosine = numbers(dial.get_attribute("aria-label"))[:2]
    x, y = (float(dial.locator(".tc-hand").get_attribute(name)) for name in ("x2", "y2"))
    assert (x / 20, -y / 20) == pytest.approx((sine, cosine), abs=0.006)
    return sine, cosine


def test_the_hands_are_the_packages_row_before_and_after_a_move(widget):
    opened = widget()
    go(opened, "Clock hands")
    for position in (20, 21, 63):
        set_slider(opened, "Position", position)
        for pair in (0, 1, 7, 15):
            exact = TABLE[position, 2 * pair : 2 * pair + 2].tolist()
            assert hand(opened, pair) == pytest.approx(exact, abs=0.00501)


def test_the_map_tells_any_of_its_numbers_by_mouse_and_by_keyboard(widget):
    opened = widget(PositionalEncoding(view=0))
    said, grid = opened.locator(".tc-asked"), opened.get_by_role("group", name="Table of numbers")
    box = grid.locator("canvas").bounding_box()
    grid.locator("canvas").click(
        position={"x": 11.5 * box["width"] / 32, "y": 40.5 * box["height"] / 64}
    )
    expect(said).to_contain_text("Position 40, dimension 11: cos(40 / 10,00010/32)")
    assert numbers(said.inner_text())[1] == pytest.approx(TABLE[40, 11].item(), abs=0.000501)
    for key in ("ArrowRight", "ArrowUp"):
        grid.press(key)
    expect(said.locator("sup")).to_have_text("12/32")
    expect(said).to_contain_text("Position 39, dimension 12: sin(39 / 10,00012/32)")
    assert numbers(said.inner_text())[1] == pytest.approx(TABLE[39, 12].item(), abs=0.000501)
    expect(opened.get_by_label("Position", exact=True)).to_have_value("39")


def test_the_color_of_a_cell_is_its_number(widget):
    opened = widget(PositionalEncoding(view=0))
    pixel = """(node, at) => [...node.getContext("2d").getImageData(...at, 1, 1).data]"""
    for pos, dimension in ((20, 0), (20, 1), (5, 9), (63, 30)):
        x = TABLE[pos, dimension].item()
        red, _, blue, alpha = opened.locator("canvas").evaluate(pixel, [dimension, pos])
        assert alpha == pytest.approx(230 * abs(x), abs=1)
        assert (blue > red) == (x > 0) or alpha < 2


def test_the_dot_product_is_that_of_two_rows_and_does_not_move_with_the_position(widget):
    opened = widget(PositionalEncoding(view=2))
    said = opened.locator(".tc-why")
    for position, k in ((20, 5), (31, 5), (31, -7)):
        set_slider(opened, "Position", position)
        set_slider(opened, "Shift k", k)
        exact = (TABLE[position] @ TABLE[position + k]).item()
        assert numbers(said.inner_text())[:2] == pytest.approx([exact, exact], abs=0.00501)
        expect(opened.locator(".tc-dots b.tc-other")).to_have_text(f"{exact:.2f}")
        marked = [opened.locator(f".tc-map .tc-{name}").bounding_box() for name in ("row", "far")]
        bars = [opened.locator(f".tc-dots path.tc-{name}") for name in ("own", "other")]
        for row, bar in zip(marked, bars, strict=True):
            middles = [box["y"] + box["height"] / 2 for box in (row, bar.bounding_box())]
            assert middles[0] == pytest.approx(middles[1], abs=3)
        full, far = [bar.evaluate("bar => bar.getBBox().width") for bar in bars]
        assert far / full == pytest.approx(exact / 16, abs=0.001)


def test_a_pair_of_rows_is_pressed_in_the_map_of_products_and_its_ridge_holds_all_like_it(widget):
    opened = widget(PositionalEncoding(view=2))
    grid = opened.get_by_role("group", name="Table of dot products")
    box = grid.locator("canvas").bounding_box()
    at = {"x": 10.5 * box["width"] / 64, "y": 40.5 * box["height"] / 64}
    grid.locator("canvas").click(position=at)
    said, key = opened.locator(".tc-why"), opened.locator(".tc-given .tc-legend:not(.tc-ends)")
    expect(said).to_contain_text(f"PE(10)·PE(40) = {(TABLE[10] @ TABLE[40]).item():.2f}")
    expect(key).to_contain_text(f"30 apart: {(TABLE[10] @ TABLE[40]).item():.2f} all along")
    for name, pair in (("ArrowUp", "PE(10)·PE(39)"), ("ArrowRight", "PE(11)·PE(39)")):
        grid.press(name)
        expect(said).to_contain_text(pair)
    products = TABLE[:64] @ TABLE[:64].T
    expect(key).to_contain_text(f"{products.min().item():.2f}")
    alpha = (products - products.min()) / (16 - products.min()) * 230
    pixel = """(node, at) => [...node.getContext("2d").getImageData(...at, 1, 1).data]"""
    for p, q in ((0, 0), (3, 20), (20, 3), (60, 40)):
        shown = opened.locator("canvas").evaluate(pixel, [q, p])[3]
        assert shown == pytest.approx(alpha[p, q].item(), abs=1)


def test_hands_that_hardly_turn_over_all_positions_are_gray(widget):
    opened = widget()
    angles = PositionalEncoding().angles(63) * 180 / math.pi
    expect(opened.locator(".tc-slow")).to_have_count(int((angles < 15).sum()))
    expect(opened.get_by_text("Gray: under 15° from 0 to 63")).to_be_visible()


@pytest.mark.parametrize(("held", "to"), [(20, 21), (20, 60), (21, 20)])
def test_the_hands_that_tell_two_positions_apart_are_colored_and_counted(widget, held, to):
    opened = widget(PositionalEncoding(position=held))
    go(opened, f"Hold {held}")
    expect(opened.locator(".tc-why")).to_contain_text("Step on: which hands leave it?")
    expect(opened.locator(".tc-apart")).to_have_count(0)
    set_slider(opened, "Position", to)
    angles = PositionalEncoding().angles
    off = (angles(to) - angles(held)) * 180 / math.pi % 360
    clear = {pair for pair, each in enumerate(off) if min(each, 360 - each) > 15}
    expect(opened.locator(".tc-why")).to_contain_text(
        f"At {to}, {len(clear)} of 16 hands stand more than 15° from where they stood at {held}"
    )
    names = opened.locator(".tc-apart").evaluate_all("all => all.map(each => each.ariaLabel)")
    assert {int(name.split()[1].rstrip(":")) for name in names} == clear
    assert all(f"degrees from position {held}" in name for name in names)
    expect(opened.locator(".tc-alike")).to_have_count(16 - len(clear))
    go(opened, f"Let {held} go")
    expect(opened.locator(":is(.tc-apart, .tc-alike)")).to_have_count(0)


def test_a_shift_turns_the_chosen_pair_by_its_matrix(widget):
    opened = widget(PositionalEncoding(view=3))
    opened.get_by_role("button", name="Pair 2:").focus()
    opened.page.keyboard.press("ArrowRight")
    expect(opened.get_by_role("button", name="Pair 3:")).to_be_focused()
    opened.get_by_label("Shift k").focus()
    opened.page.keyboard.press("ArrowRight")  # from 5 to 6
    angle = 6 * PositionalEncoding().angles(1)[3] * 180 / math.pi
    expect(opened.get_by_text("Pair 3: k ω = 6 · 0.1778 =")).to_contain_text(f"{angle:.1f}°")
    turned = opened.locator(".tc-turns > div").evaluate_all(TURNED)
    assert turned == pytest.approx([math.radians(angle)] * 3)  # wherever a hand starts
    assert opened.locator(".tc-turns small").all_inner_texts() == ["0 → 6", "20 → 26", "57 → 63"]
    opened.get_by_text("The same as a matrix").click()
    matrix, hands = (
        torch.tensor(numbers(" ".join(table.locator("td").all_inner_texts()))).view(2, -1)
        for table in opened.locator(".tc-sum table").all()
    )
    before, after, direct = hands.T
    torch.testing.assert_close(before, TABLE[20, 6:8].float(), rtol=0, atol=0.000501)
    torch.testing.assert_close(direct, TABLE[26, 6:8].float(), rtol=0, atol=0.000501)
    torch.testing.assert_close(matrix @ before, after, rtol=0, atol=0.002)
    torch.testing.assert_close(after, direct, rtol=0, atol=0)
    said = "so turned, 32 of 32 numbers of one code are those of the other."
    expect(opened.locator(".tc-why")).to_contain_text(said)


def test_it_plays_from_position_to_position_and_map_and_hands_go_along(widget):
    opened = widget(PositionalEncoding(position=60))
    opened.get_by_role("button", name="Play").click()
    expect(opened.get_by_label("Position", exact=True)).to_have_value("63", timeout=5000)
    expect(opened.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    expect(opened.get_by_role("button", name="Play")).to_be_visible()
    opened.page.wait_for_timeout(350)
    assert hand(opened, 1) == pytest.approx(TABLE[63, 2:4].tolist(), abs=0.00501)
    row = opened.locator(".tc-map .tc-row")
    assert float(row.evaluate("row => parseFloat(row.style.top)")) == pytest.approx(100 * 63 / 64)
    opened.get_by_role("button", name="Back").click()
    expect(opened.locator(".tc-asked")).to_contain_text("Position 62")


def test_no_view_and_no_step_changes_its_height(widget, window):
    opened = widget(**window)
    heights = set()
    for name in VIEWS:
        go(opened, name)
        for position in (0, 20, 63):
            set_slider(opened, "Position", position)
            heights.add(opened.bounding_box()["height"])
    assert len(heights) == 1


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(PositionalEncoding(), views=[0, 0]).locator(".tc-pos").all()
    set_slider(first, "Position", 33)
    go(second, "Dot products")
    for one in (first, second):
        expect(one.locator(".tc-asked")).to_contain_text("Position 33")
        expect(one.locator(".tc-why")).to_contain_text("PE(33)·PE(38)")


def test_the_largest_and_the_smallest_table_are_drawn(widget):
    opened = widget(PositionalEncoding(d_model=4, length=2, position=1))
    for name in VIEWS:
        go(opened, name)
    set_slider(opened, "dmodel", 6)
    set_slider(opened, "Length", 200)
    for name in VIEWS:
        go(opened, name)
        assert "NaN" not in opened.inner_text()
    assert opened.get_by_role("button", name="Pair").count() == 8  # larger while hands are shifted
    go(opened, VIEWS[0])
    assert opened.get_by_role("button", name="Pair").count() == 16


@pytest.mark.parametrize("pair", [2, 12])
def test_a_shift_is_drawn_for_the_eight_hands_about_as_fast_as_the_chosen_one(widget, pair):
    opened = widget(PositionalEncoding(view=3, pair=pair))
    dials = opened.get_by_role("button", name=re.compile(r"^Pair \d+:"))
    first = 8 * (pair // 8)
    for n in range(8):
        expect(dials.nth(n)).to_have_accessible_name(re.compile(f"^Pair {first + n}:"))
    expect(opened.get_by_role("button", name=f"Pair {pair}:")).to_have_attribute(
        "aria-pressed", "true"
    )


def test_every_view_is_accessible_and_fits_its_window(widget, window):
    opened = widget(**window)
    for name in VIEWS:
        go(opened, name)
        check_page(opened.page)


def test_print_shows_the_picture_and_its_sentence_without_controls(widget):
    opened = widget()
    opened.page.emulate_media(media="print")
    assert opened.locator(":is(.tc-bar, .tc-stepbar):visible").count() == 0
    assert opened.locator(".tc-dials button:visible").count() == 16
    expect(opened.locator("canvas")).to_be_visible()
    expect(opened.locator(".tc-why")).to_be_visible()
