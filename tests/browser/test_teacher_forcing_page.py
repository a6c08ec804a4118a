"""TeacherForcing in a real browser: its rows are Python's, by mouse and by keyboard."""

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import TeacherForcing


def rows(widget: Locator) -> list[list[str]]:
    """What is read, said and given in the rows in sight; the picture of the mask left out."""
    lines = widget.locator("tbody tr:visible").all()
    return [[line.locator("td").nth(n).inner_text() for n in (0, 2, 3, 4)] for line in lines]


def seen(widget: Locator) -> list[list[bool]]:
    """The picture of the mask."""
    return widget.locator("tbody tr:visible").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.tc-see i:not([hidden])')]"
        ".map(cell => ['yes', 'leak'].includes(cell.dataset.see)))"
    )


def check(widget: Locator, bug: str) -> None:
    """In training, all that is shown is what Python says."""
    twin = TeacherForcing(bug=bug)
    model = twin.lesson["models"][bug]
    for shown, pair, p, first in zip(
        rows(widget), twin.pairs(), model["right"], model["first"], strict=True
    ):
        assert (shown[0], shown[1], shown[3]) == (*pair, first[0])
        assert float(shown[2]) == pytest.approx(p, abs=0.0051)
    assert seen(widget) == twin.mask().tolist()


def test_the_rows_and_the_mask_are_pythons_with_and_without_a_bug(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    check(widget, "none")
    expect(widget.locator("[data-see=leak]:visible")).to_have_count(1)  # in the legend
    widget.get_by_label("Code").select_option("forgot the shift")
    check(widget, "shift")
    expect(widget.locator("tbody [data-see=leak]:visible")).to_have_count(8)
    widget.get_by_label("Code").select_option("no causal mask")
    check(widget, "mask")
    expect(widget.locator("tbody [data-see=leak]:visible")).to_have_count(7)


def test_the_keyboard_walks_the_positions(show):
    page = show(TeacherForcing())
    widget = page.locator(".tc-forcing")
    widget.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    expect(widget.locator("[aria-live]")).to_contain_text("Position 3 sees")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="position 3: reads ▁sieht")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(widget.get_by_role("button", name="position 2:")).to_be_focused()
    expect(widget.locator("[aria-live]")).to_contain_text("The model gives it 0.11")
    page.keyboard.press("End")
    expect(widget.get_by_role("button", name="position 7:")).to_be_focused()
    expect(widget.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Home")
    expect(widget.locator("[aria-live]")).to_contain_text("Position 0 sees <s> and must say “▁Der”")


def test_a_row_can_be_pressed_anywhere(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    widget.get_by_text("▁Hund").first.click()
    expect(widget.locator("[aria-live]")).to_contain_text("Position 4")


def test_generating_writes_one_piece_a_pass_and_reads_it_back(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    widget.get_by_label("Mode").select_option("generating")
    written = TeacherForcing().lesson["models"]["none"]["written"]
    for done in range(1, len(written) + 1):
        shown = rows(widget)
        assert [row[1] for row in shown] == [
            piece if n < done else "" for n, (piece, _) in enumerate(written)
        ]
        assert [row[0] for row in shown[1:done]] == [row[1] for row in shown[: done - 1]]
        assert float(shown[done - 1][2]) == pytest.approx(written[done - 1][1], abs=0.0051)
        widget.get_by_role("button", name="Next").click(force=True)  # at the end it is disabled
    expect(widget.locator("[aria-live]")).to_contain_text("Since pass 3")


def test_a_model_that_was_trained_with_a_bug_repeats_itself(show):
    page = show(TeacherForcing(bug="shift", mode="generating", position=11))
    widget = page.locator(".tc-forcing")
    written = TeacherForcing().lesson["models"]["shift"]["written"]
    assert [row[1] for row in rows(widget)] == [piece for piece, _ in written]
    widget.get_by_label("Code").select_option("as it should be")  # it wrote fewer pieces
    expect(widget.locator("[aria-live]")).to_contain_text("Pass 8 of 8")
    widget.get_by_label("Mode").select_option("training")
    check(widget, "none")


def test_two_views_stay_together(show):
    first, second = show(TeacherForcing(), views=[0, 0]).locator(".tc-forcing").all()
    second.get_by_label("Code").select_option("no causal mask")
    check(first, "mask")


def test_it_is_accessible_and_fits_its_window(show, window):
    widgets = [TeacherForcing(bug="mask"), TeacherForcing(bug="shift", mode="generating")]
    page = show(*widgets, **window)
    check_page(page)
    boxes = page.locator(".tc-op")
    assert not any(boxes.evaluate_all("all => all.map(x => x.scrollWidth > x.clientWidth)"))


def test_print_keeps_the_rows_and_the_words(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-bar:visible").count() == 0
    assert len(rows(widget)) == 8
