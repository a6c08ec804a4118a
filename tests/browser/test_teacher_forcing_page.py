"""TeacherForcing in a real browser: its rows are Python's, by mouse and by keyboard."""

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.widgets import TeacherForcing


def rows(widget: Locator, mode: str = "training") -> list[list[str]]:
    """What is read, said and given in the rows of one half."""
    return widget.locator(f"[data-mode={mode}] tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )


def shown(piece: str) -> str:
    """Without the mark of a word's start; a lone dot in quotation marks."""
    return "“.”" if piece == "." else piece.replace("▁", "")


def seen(widget: Locator) -> list[list[bool]]:
    """The mask, row by row: which of the words that are read are marked as seen from each place."""
    reads = widget.locator("[data-mode=training] tbody .tc-reads")
    mask = []
    for step in widget.locator(".tc-stepbar li button").all():
        step.click()
        marks = reads.evaluate_all("all => all.map(each => each.dataset.see)")
        mask.append([mark in ("yes", "leak") for mark in marks])
    return mask


def leaking(widget: Locator) -> list[str]:
    """The answer that each place can see, or nothing."""
    found = []
    for step in widget.locator(".tc-stepbar li button").all():
        step.click()
        found.append("".join(widget.locator("tbody [data-see=leak]").all_text_contents()))
    return found


def check(widget: Locator, bug: str) -> None:
    """In training, all that is shown is what Python says."""
    twin = TeacherForcing(bug=bug)
    model = twin.lesson["models"][bug]
    for row, pair, p, first in zip(
        rows(widget), twin.pairs(), model["right"], model["first"], strict=True
    ):
        assert (row[0], row[1], row[3]) == tuple(map(shown, (*pair, first[0])))
        assert float(row[2]) == pytest.approx(p, abs=0.0051)
    assert seen(widget) == twin.mask().tolist()


def test_the_rows_and_the_mask_are_pythons_with_and_without_a_bug(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    check(widget, "none")
    expect(widget.locator("[data-see=leak]:visible")).to_have_count(0)
    widget.get_by_role("button", name="forgot the shift").click()
    check(widget, "shift")
    assert leaking(widget) == ["Der", "Mann", "sieht", "seinen", "Hund", "an", "“.”", "</s>"]
    widget.get_by_role("button", name="forgot the mask").click()
    check(widget, "mask")
    assert leaking(widget) == ["Der", "Mann", "sieht", "seinen", "Hund", "an", "“.”", ""]


def test_the_keyboard_walks_the_positions(show):
    page = show(TeacherForcing(position=2))
    widget = page.locator(".tc-forcing")
    half = widget.locator("[data-mode=training]")
    widget.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    expect(widget.locator("[aria-live]")).to_contain_text("Position 4 reads “sieht”, although")
    here = half.get_by_role("button", name="position 4: reads ▁sieht")
    expect(here).to_have_attribute("tabindex", "0")
    here.focus()
    page.keyboard.press("ArrowUp")
    expect(half.get_by_role("button", name="position 3:")).to_be_focused()
    expect(widget.locator("[aria-live]")).to_contain_text(
        "Position 3 must say “sieht” (probability 0.11)"
    )
    page.keyboard.press("End")
    expect(half.get_by_role("button", name="position 8:")).to_be_focused()
    expect(widget.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Home")
    expect(widget.locator("[aria-live]")).to_contain_text(
        "Position 1 must say “Der” (probability 0.75)"
    )


def test_all_rows_are_as_large_and_the_one_in_question_reads_the_word_above(show):
    widget = show(TeacherForcing(position=3)).locator(".tc-forcing")
    current = widget.locator("tr.tc-row")
    expect(current.locator(".tc-reads")).to_have_text(["sieht", "schaut"])
    expect(widget.locator(".tc-read")).to_have_text(["sieht", "schaut"])  # one row above
    told = "all => all.map(one => one.dataset.from)"
    reads = current.locator(".tc-reads")
    assert reads.evaluate_all(told) == ["reference", "own word"]
    boxes = [row.bounding_box() for row in widget.locator("tbody tr").all()]
    assert len({box["height"] for box in boxes}) == 1
    widget.get_by_role("button", name="forgot the shift").click()
    assert reads.evaluate_all(told) == ["answer", "own word"]


def test_one_pass_asks_all_places_while_alone_each_word_takes_a_pass(show):
    """All bars of training stand from the start, within one bracket; on the right one is added."""
    widget = show(TeacherForcing(position=0)).locator(".tc-forcing")
    models = TeacherForcing().lesson["models"]["none"]
    written = [p for _, p in models["written"]]
    size = "cells => cells.map(cell => parseFloat(getComputedStyle(cell).backgroundSize))"
    bars = [
        widget.locator(f"[data-mode={mode}] .tc-says:visible")
        for mode in ("training", "generating")
    ]
    for done in range(1, 9):
        assert bars[0].evaluate_all(size) == pytest.approx([100 * p for p in models["right"]])
        assert bars[1].evaluate_all(size) == pytest.approx([100 * p for p in written[:done]])
        widget.get_by_role("button", name="Next").click(force=True)
    bracket = widget.get_by_text("one pass", exact=True).bounding_box()
    rows = [row.bounding_box() for row in widget.locator("[data-mode=training] tbody tr").all()]
    assert bracket["y"] <= rows[0]["y"] + 2
    assert bracket["y"] + bracket["height"] >= rows[-1]["y"] + rows[-1]["height"] - 2
    expect(widget.get_by_role("columnheader", name="pass", exact=True)).to_have_count(1)


def test_what_is_hatched_has_its_name_in_the_legend(show):
    widget = show(TeacherForcing(position=3)).locator(".tc-forcing")
    hatched = widget.locator("tbody [data-see=no]")
    for code, named in (("correct code", 1), ("forgot the shift", 1), ("forgot the mask", 0)):
        widget.get_by_role("button", name=code).click()
        assert (hatched.count() > 0) == bool(named)
        expect(widget.locator(".tc-legend").get_by_text("hidden", exact=True)).to_be_visible(
            visible=bool(named)
        )


def test_a_row_can_be_pressed_anywhere(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    widget.locator("[data-mode=training]").get_by_text("Hund").first.click()
    expect(widget.locator("[aria-live]")).to_contain_text("Position 5")
    widget.locator("[data-mode=generating]").get_by_text("schaut").first.click()
    expect(widget.locator("[aria-live]")).to_contain_text("Pass 3 of 8 writes “schaut”")


def test_generating_writes_one_piece_a_pass_and_reads_it_back(show):
    widget = show(TeacherForcing(position=0, mode="generating")).locator(".tc-forcing")
    written = TeacherForcing().lesson["models"]["none"]["written"]
    for done in range(1, len(written) + 1):
        now = rows(widget, "generating")
        assert [row[1] for row in now] == [
            shown(piece) if n < done else "" for n, (piece, _) in enumerate(written)
        ]
        assert [row[0] for row in now[1:done]] == [row[1] for row in now[: done - 1]]
        assert float(now[done - 1][2]) == pytest.approx(written[done - 1][1], abs=0.0051)
        widget.get_by_role("button", name="Next").click(force=True)  # at the end it is disabled
    expect(widget.locator("[aria-live]")).to_contain_text("since pass 3")


def test_a_model_that_was_trained_with_a_bug_repeats_itself(show):
    page = show(TeacherForcing(bug="shift", mode="generating", position=11))
    widget = page.locator(".tc-forcing")
    written = TeacherForcing().lesson["models"]["shift"]["written"]
    assert [row[1] for row in rows(widget, "generating")] == [
        shown(piece) for piece, _ in written[:8]
    ]
    expect(widget.locator("[aria-live]")).to_contain_text("Pass 8 of 12")
    widget.get_by_role("button", name="correct code").click()
    expect(widget.locator("[aria-live]")).to_contain_text("Pass 8 of 8")
    widget.get_by_role("button", name="In training").click()
    expect(widget.locator("[aria-live]")).to_contain_text("Position 8")
    check(widget, "none")


def test_both_halves_play_together_and_the_height_stays(show, window):
    widget = show(TeacherForcing(position=5), **window).locator(".tc-forcing")
    heights = {widget.bounding_box()["height"]}
    widget.get_by_role("button", name="Play").click()
    expect(widget.locator(".tc-place")).to_have_text("8 of 8", timeout=6000)
    current = widget.locator("tr.tc-row th")
    expect(current).to_have_text(["8", "8"])
    for name in ("On its own", "forgot the shift", "forgot the mask", "In training"):
        widget.get_by_role("button", name=name).click()
        heights.add(widget.bounding_box()["height"])
    widget.get_by_role("button", name="Back").press("Home")
    heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_on_a_phone_one_half_is_whole_and_of_the_other_stands_the_position_in_question(show):
    widget = show(TeacherForcing(position=3), width=390).locator(".tc-forcing")
    shown_rows = [
        widget.locator(f"[data-mode={mode}] tbody tr:visible")
        for mode in ("training", "generating")
    ]
    expect(shown_rows[0]).to_have_count(8)
    expect(shown_rows[1]).to_have_count(2)  # and the one that its word comes from
    expect(shown_rows[1].locator(".tc-reads")).to_have_text(["Mann", "schaut"])
    widget.get_by_role("button", name="On its own").click()
    expect(shown_rows[0]).to_have_count(2)
    expect(shown_rows[1]).to_have_count(8)


def test_two_views_stay_together(show):
    first, second = show(TeacherForcing(), views=[0, 0]).locator(".tc-forcing").all()
    second.get_by_role("button", name="forgot the mask").click()
    check(first, "mask")


def test_it_is_accessible_and_fits_its_window(show, window):
    widgets = [TeacherForcing(bug="mask"), TeacherForcing(bug="shift", mode="generating")]
    page = show(*widgets, **window)
    check_page(page)
    boxes = page.locator(".tc-half")
    assert not any(boxes.evaluate_all("all => all.map(x => x.scrollWidth > x.clientWidth)"))


def test_print_keeps_the_rows_and_the_words(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-stepbar:visible").count() == 0
    assert len(rows(widget)) == 8


def test_the_probability_is_a_bar_under_the_word_and_what_is_beside_the_pair_has_its_name(show):
    widget = show(TeacherForcing(position=3)).locator(".tc-forcing")
    says = widget.locator("tr.tc-row .tc-says")
    height = "cell => getComputedStyle(cell).backgroundSize.split(', ')[0].split(' ')[1]"
    assert says.evaluate_all(f"cells => cells.map({height})") == ["5px", "5px"]
    heads = widget.locator("thead tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(each => each.textContent))"
    )
    assert heads == [
        ["", "reads", "must say", "p", "would say"],
        ["pass", "reads", "writes", "p", "reference"],
    ]
    assert [row[3] for row in rows(widget)[2:4]] == ["schaut", "seinem"]
    assert [row[3] for row in rows(widget, "generating")[2:]] == ["sieht", "seinen", *[""] * 4]
    number, card = (
        widget.locator(f"[data-mode=generating] tr.tc-row {one}").bounding_box()
        for one in ("button", ".tc-reads")
    )
    assert card["x"] - number["x"] - number["width"] >= 6


def ends(half: Locator) -> list[float]:
    """Where the arrow of now starts and ends: x and y, x and y, in the page."""
    return half.locator(".tc-arrow .tc-here").evaluate(
        """path => [0, path.getTotalLength()].flatMap(at => {
            const { x, y } = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
            return [x, y];
        })"""
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_one_arrow_in_each_half_leads_from_the_word_that_goes_in_to_where_it_is_read(show, width):
    widget = show(TeacherForcing(), width=width).locator(".tc-forcing")
    expect(widget.locator("[aria-live]")).to_contain_text("Which of the two goes in at position 4?")
    widget.get_by_role("button", name="Next").click()
    wrong = [("training", "forgot the shift", "seinen"), ("training", "forgot the mask", "sieht")]
    for mode, code, word in [
        ("training", "correct code", "sieht"),
        ("generating", "correct code", "schaut"),
        *wrong,
    ]:
        widget.get_by_role("button", name=code).click()
        half = widget.locator(f"[data-mode={mode}]")
        expect(half.locator(".tc-row .tc-reads")).to_have_text(word)
        giver = half.locator(".tc-row" if code == "forgot the shift" else ".tc-from")
        expect(giver.locator(".tc-says")).to_have_text(word)
        x, y, to_x, to_y = ends(half)
        says = giver.locator(".tc-says").bounding_box()
        reads = half.locator(".tc-row .tc-reads").bounding_box()
        assert says["y"] < y < says["y"] + says["height"]
        assert reads["y"] < to_y < reads["y"] + reads["height"]
        assert 0 < to_x - reads["x"] - reads["width"] < x - reads["x"] - reads["width"]
    widget.get_by_role("button", name="Back").press("Home")  # the first word is the start mark
    here = widget.locator(".tc-arrow .tc-here")
    expect(here).to_have_count(2)
    expect(widget.locator(".tc-here[d]")).to_have_count(0)
    widget.get_by_role("button", name="forgot the shift").click()
    expect(widget.locator(".tc-here[d]")).to_have_count(1)  # of the bug: straight
    wide = width > 400
    arrows = widget.locator("[data-mode=training] .tc-arrow path:not(.tc-tip)[d]")
    expect(arrows).to_have_count(8)
    widget.get_by_role("button", name="correct code").click()
    expect(arrows).to_have_count(7)  # of all places at once
    alone = widget.locator("[data-mode=generating] .tc-arrow path:not(.tc-tip)[d]")
    expect(alone).to_have_count(0)
    widget.get_by_role("button", name="Next").press("End")
    expect(alone).to_have_count(7 if wide else 1)


def test_each_half_says_which_word_goes_in_and_what_a_bug_made_of_the_model(show):
    widget = show(TeacherForcing()).locator(".tc-forcing")
    notes = widget.locator(".tc-half > p small")
    expect(notes).to_have_text(["reads the reference", "reads its own words"])
    widget.get_by_role("button", name="forgot the shift").click()
    expect(notes).to_have_text(["reads what it must say", "writes only “.”"])
