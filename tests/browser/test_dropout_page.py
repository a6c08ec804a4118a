"""Dropout in a real browser: its numbers are Python's, by mouse and by keyboard."""

import re

import numpy as np
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import Dropout

widget = opens(Dropout, ".tc-dropout")


def said(opened):
    """Of one mask: zeros of how many, and the scale; of a mean: masks, scale and gaps."""
    text = opened.locator(".tc-why").inner_text()
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


def expected(**traits):
    python = Dropout(**traits)
    first, second = np.array(python.vectors[python.place])
    whole = second if python.place else first + second
    left = python.left(whole)
    scale = 1 / (1 - python.p)
    if python.average:
        return [python.draw + 1, scale, 100 * np.abs(left - whole).sum() / np.abs(whole).sum()]
    return [int((left == 0).sum()), 16, scale]


def heights(opened, row, kind="tc-is"):
    """How tall a row's bars are, as drawn."""
    bars = opened.locator(f".tc-row{row} .{kind}")
    return np.array([float(bar.get_attribute("height")) for bar in bars.all()])


def test_every_number_is_pythons_by_mouse_and_by_keyboard(widget):
    opened = widget()
    np.testing.assert_allclose(said(opened), expected(), atol=0.51)
    opened.get_by_role("button", name="New mask").click()
    opened.get_by_label("Dropped share p").press("End")
    np.testing.assert_allclose(said(opened), expected(draw=1, p=0.5), atol=0.51)
    opened.get_by_role("button", name="Next").press("Enter")
    np.testing.assert_allclose(said(opened), expected(draw=1, p=0.5, place=1), atol=0.51)
    opened.get_by_role("button", name="Next").press("Enter")
    np.testing.assert_allclose(said(opened), expected(draw=1, p=0.5, place=2), atol=0.51)
    opened.get_by_role("button", name="Average 100").click()
    mean = expected(draw=99, p=0.5, place=2, average=True)
    np.testing.assert_allclose(said(opened), mean, atol=0.51)
    opened.get_by_label("Training").press("Space")
    expect(opened.locator(".tc-why")).to_contain_text("nothing is dropped")


def test_a_hole_in_what_a_layer_says_is_none_in_the_sum(widget):
    python = Dropout(place=1)
    opened = widget(python)
    holes = python.mask(0) < python.p
    came_in, says, total = (heights(opened, row) for row in range(3))
    assert (says[holes] == 0).all()
    np.testing.assert_allclose(total[holes], came_in[holes])
    assert (total[holes] > 0).all()
    expect(opened.locator(".tc-cross.tc-on")).to_have_count(int(holes.sum()))
    expect(opened.locator(".tc-old")).to_have_count(int(holes.sum()))


def test_at_the_bottom_the_hole_is_in_the_sum_itself(widget):
    opened = widget()
    python = Dropout()
    holes = python.mask(0) < python.p
    assert (heights(opened, 0)[holes] > 0).all()
    assert (heights(opened, 2)[holes] == 0).all()


def test_what_is_multiplied_stands_out_of_its_veiled_outline(widget):
    opened = widget()
    python = Dropout()
    kept = python.mask(0) >= python.p
    now, before = heights(opened, 2)[kept], heights(opened, 2, "tc-was")[kept]
    np.testing.assert_allclose(now, before / (1 - python.p), atol=0.2)
    expect(opened.locator(".tc-row2 small")).to_have_text("5 of 16 dropped, rest × 1.43")
    veil = opened.locator(".tc-row2 .tc-was:not(.tc-lost)").first
    assert veil.evaluate("one => getComputedStyle(one).fill") != "none"


def test_each_place_names_the_vector_that_is_dropped(widget):
    opened = widget()
    names = opened.locator(".tc-result b")
    opened.get_by_role("button", name="Next").click()
    expect(names.nth(1)).to_have_text("Self-attention says")
    opened.get_by_role("button", name="Next").click()
    expect(names.nth(1)).to_have_text("Feed-forward says")
    opened.get_by_role("button", name="1 Embeddings").click()
    # From the bottom up, as the layer is drawn.
    expect(names).to_have_text(["The sum goes on", "Its position", "The word’s embedding"])


def test_where_nothing_is_dropped_nothing_speaks_of_it(widget):
    opened = widget()
    told, layer = opened.locator(".tc-why"), opened.locator(".tc-layer:visible")
    expect(layer).not_to_have_class(re.compile("tc-none"))
    opened.get_by_role("button", name="Average 100").click()
    expect(told).to_contain_text("On average a mask takes nothing away")
    opened.get_by_label("Dropped share p").press("Home")
    expect(told).to_contain_text("At p = 0 no mask drops anything")
    expect(layer).to_have_class(re.compile("tc-none"))
    opened.get_by_role("button", name="Next").click()  # elsewhere one mask is shown again
    opened.get_by_label("Dropped share p").press("End")
    expect(told).to_contain_text("A mask zeroes")
    expect(layer).not_to_have_class(re.compile("tc-none"))
    opened.get_by_label("Training").press("Space")
    expect(layer).to_have_class(re.compile("tc-none"))
    expect(layer).to_have_attribute("aria-label", re.compile("dropout is off"))


def test_the_picture_is_of_the_place_alone(widget):
    opened = widget()
    layer, names = opened.locator(".tc-layer:visible"), []
    for place in range(3):
        opened.locator(".tc-stepbar li button").nth(place).click()
        expect(layer).to_have_count(1)
        names.append(layer.locator("text").all_text_contents())
    assert names[0] == ["Embedding", "Position", "+", "Dropout"]
    assert names[1:] == [
        [part, "Dropout", "+", "Norm"] for part in ("Self-attention", "Feed-forward")
    ]


def heights_of_crosses(opened):
    """From the top, in pixels of the picture."""
    ways = opened.locator(".tc-row2 .tc-cross.tc-on").evaluate_all(
        "all => all.map((one) => one.getAttribute('transform'))"
    )
    return [float(way.split()[1].rstrip(")")) for way in ways]


def with_its_clock_stopped(opened):
    """It moves, but only while the test lets its clock run."""
    opened.page.clock.install()
    opened.page.clock.pause_at(opened.page.evaluate("Date.now() + 60000"))
    opened.page.emulate_media(reduced_motion="no-preference")
    return opened


def test_a_mask_falls_and_then_what_it_hits_is_gone(widget):
    opened = with_its_clock_stopped(widget())
    page = opened.page
    python = Dropout(draw=1)
    holes = python.mask(1) < python.p
    ground = float(opened.locator(".tc-row2 .tc-ground").get_attribute("y1"))
    opened.get_by_role("button", name="New mask").click()
    page.clock.run_for(100)
    assert 0 < max(heights_of_crosses(opened)) < ground
    whole = heights(opened, 2, "tc-was")
    np.testing.assert_allclose(heights(opened, 2), whole)
    page.clock.run_for(2000)
    np.testing.assert_allclose(heights_of_crosses(opened), [ground] * int(holes.sum()), atol=0.06)
    np.testing.assert_allclose(
        heights(opened, 2), np.where(holes, 0, whole / (1 - python.p)), atol=0.2
    )


def test_the_mean_shows_its_first_masks_one_by_one_and_counts_to_the_last(widget):
    opened = with_its_clock_stopped(widget())
    page = opened.page
    opened.get_by_role("button", name="Average 100").click()
    note, counts = opened.locator(".tc-row2 small"), []
    for _ in range(16):
        page.clock.run_for(200)
        counts.append(int(re.search(r"masks: (\d+) of 100", note.inner_text())[1]))
        crosses = opened.locator(".tc-cross.tc-on").count()
        python = Dropout(draw=counts[-1] - 1, average=True)
        hits = int((python.mask(python.draw) < python.p).sum())
        assert crosses == (hits if counts[-1] <= 8 else 0)
        if counts[-1] > 1:
            np.testing.assert_allclose(
                said(opened), expected(draw=python.draw, average=True), atol=0.51
            )
    assert counts == sorted(counts)
    assert {1, 100} < {*counts}
    assert sum(count <= 8 for count in counts) >= 5  # of 15 times: as slow as eyes


def test_a_mask_that_spares_all_says_so(widget):
    luck = np.full((100, 16), 0.9).tolist()
    opened = widget(Dropout(luck=luck, place=1))
    expect(opened.locator(".tc-why")).to_contain_text("spares all of these 16 numbers")
    expect(opened.locator(".tc-why")).not_to_contain_text("gray")
    expect(opened.locator(".tc-row2 small")).to_have_text("")


def test_each_step_says_something_new(widget):
    opened = widget()
    told = []
    for place in ("1 Embeddings", "2 Self-attention", "3 Feed-forward"):
        opened.get_by_role("button", name=place).click()
        told.append(opened.locator(".tc-why").inner_text())
    assert "all layers above do without" in told[0]
    assert "still stands in the sum" in told[1]
    assert "draws a mask of its own" in told[2]


def test_its_height_stays(widget, window):
    opened = widget(**window)
    heights = {opened.bounding_box()["height"]}
    opened.get_by_label("Dropped share p").press("End")
    opened.get_by_role("button", name="Average 100").click()
    for place in ("1 Embeddings", "3 Feed-forward"):
        opened.get_by_role("button", name=place).click()
        heights.add(opened.bounding_box()["height"])
    opened.get_by_label("Training").press("Space")
    heights.add(opened.bounding_box()["height"])
    assert len(heights) == 1


def test_it_is_whole_in_both_themes_and_on_a_phone(widget, window):
    check_page(widget(**window).page)
