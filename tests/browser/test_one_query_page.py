"""OneQuery in a real browser: the head's own numbers, a table that fills, and no jumps."""

import re

import pytest
from conftest import check_page, opens
from playwright.sync_api import expect

from transformer_course.widgets import OneQuery
from transformer_course.widgets.attention_picture import WORDS

widget = opens(OneQuery, ".tc-ask")


def words(opened):
    return opened.locator(".tc-word")


def cells(opened, kind):
    return opened.locator(f".tc-cell.tc-of-{kind} span")


@pytest.mark.parametrize("head", [1, 4])
@pytest.mark.parametrize("noun", ["safe", "stream"])
def test_its_scores_and_shares_are_those_of_numpy(widget, noun, head):
    opened = widget()
    opened.get_by_role("button", name=f"Head {head}").click()
    if noun != "safe":
        opened.get_by_role("button", name=f"Swap safe for {noun}").click()
    sentence = [*WORDS[:4], noun, *WORDS[5:]]
    for row in range(len(WORDS)):
        words(opened).nth(row).click()
        [table] = OneQuery(words=sentence, row=row, head=head).tables()
        wanted = [f"{score:.0f}".replace("-", "−") for score in table.cells[:, 0]]
        expect(cells(opened, "scores")).to_have_text([t.replace("−0", "0") for t in wanted])
        shares = [f"{100 * share:.0f} %" if share >= 0.005 else "" for share in table.cells[:, 1]]
        expect(cells(opened, "weights")).to_have_text(shares)


def test_bars_of_scores_are_as_long_as_the_scores_say(widget):
    opened = widget()
    for row in (1, 4, 8):
        words(opened).nth(row).click()
        scores = OneQuery(row=row).tables()[0].cells[:, 0]
        bars = opened.locator(".tc-cell.tc-of-scores i")
        long = bars.evaluate_all("all => all.map((one) => one.getBoundingClientRect().width)")
        assert [wide / max(long) for wide in long] == pytest.approx(
            abs(scores) / abs(scores).max(), abs=0.03
        )


def test_a_score_that_stays_keeps_its_bar_when_the_neighbor_is_another(widget):
    opened = widget()
    words(opened).nth(1).click()
    bar = opened.locator(".tc-cell.tc-of-scores i").nth(1)
    opened.page.wait_for_timeout(500)
    wide = bar.bounding_box()["width"]
    opened.get_by_role("button", name="Swap safe for stream").click()
    opened.page.wait_for_timeout(500)
    assert wide > 20
    assert bar.bounding_box()["width"] == pytest.approx(wide, abs=0.01)


def test_another_neighbor_turns_the_german_noun(widget):
    opened = widget()
    noun = opened.locator("[lang=de] b")
    expect(noun).to_have_text("Bank")
    opened.get_by_role("button", name="Swap safe for stream").click()
    expect(noun).to_have_text("Ufer")
    said = opened.locator(".tc-why")
    expect(said).to_have_text(
        "This head finds “bank” no better match than itself. Head 4 reads “stream”: Ufer."
    )
    opened.get_by_role("button", name="Head 4").click()
    expect(opened.get_by_role("button", name="Head 1")).to_have_attribute("aria-pressed", "false")
    expect(said).to_contain_text("“bank” has read “stream”: Ufer.")
    opened.get_by_role("button", name="Head 1").click()
    opened.get_by_role("button", name="Swap stream for safe").click()
    expect(opened.locator(".tc-why")).to_contain_text("“bank” has read “safe”: Bank.")


def test_what_makes_shares_of_scores_stands_above_them(widget):
    opened = widget()
    between = opened.locator(".tc-top.tc-of-weights")
    expect(between).to_have_text("÷ √16, softmaxshare")
    expect(between.locator("small")).to_have_css("opacity", "1")
    opened.locator("ol button").nth(3).click()
    expect(between.locator("small")).to_have_css("opacity", "0")
    expect(opened.locator(".tc-writes small")).to_have_text("The grammar translator writes")


def test_a_share_times_its_value_flows_into_the_sum(widget):
    opened = widget()
    ends = "path => path.getBBox().height"
    for row in range(len(WORDS)):
        words(opened).nth(row).click()
        [table] = OneQuery(row=row).tables()
        shares = table.cells[:, 1]
        expect(opened.locator(".tc-flow g path")).to_have_count(int((shares >= 0.03).sum()))
        thick = opened.locator(".tc-flow g path").evaluate_all(
            "all => all.map((path) => (path.getAttribute('stroke-width') - 1) / 5)"
        )
        assert thick == pytest.approx(shares[shares >= 0.03])
        for n in (0, int(shares.argmax())):  # of a value, the part that its share lets through
            whole, part = opened.locator(".tc-cell.tc-of-v").nth(n).locator("svg").all()
            tall = [one.locator("[data-kind=pos]").evaluate(ends) for one in (whole, part)]
            assert tall[1] == pytest.approx(tall[0] * shares[n], abs=1e-3)
    opened.locator("ol button").nth(4).click()
    expect(opened.locator(".tc-flow")).to_have_css("opacity", "0")


def test_bars_are_there_in_forced_colors(widget):
    opened = widget()
    bar = opened.locator(".tc-cell.tc-of-weights i").nth(4)
    color = "one => getComputedStyle(one).backgroundColor"
    before = bar.evaluate(color)
    opened.page.emulate_media(forced_colors="active")
    assert bar.evaluate(color) == before


def test_it_opens_whole_and_plays_from_the_start(widget):
    opened = widget()
    opened.page.clock.install()
    opened.get_by_role("button", name="Play").click()
    expect(opened).to_have_attribute("data-step", "0")
    expect(opened.locator(".tc-query")).to_have_css("opacity", "0")
    for step in range(1, 6):
        opened.page.clock.run_for(7000)
        assert int(opened.get_attribute("data-step")) >= step
    expect(opened.locator(".tc-output")).to_have_css("opacity", "1")


def test_scores_come_as_the_query_passes(widget):
    opened = widget(OneQuery(step=2))
    opened.page.emulate_media(reduced_motion="no-preference")
    opened.get_by_role("button", name="Next").click()
    later = opened.locator(".tc-cell.tc-not-yet")
    opened.page.wait_for_function("() => document.querySelector('.tc-not-yet')")
    expect(later).to_have_count(0)
    expect(cells(opened, "scores").nth(4)).to_be_visible()


def test_with_less_motion_all_scores_are_there_at_once(widget):
    opened = widget(OneQuery(step=2))  # opened with prefers-reduced-motion
    opened.get_by_role("button", name="Next").click()
    assert opened.locator(".tc-not-yet").count() == 0


def test_arrow_keys_let_another_word_ask(widget):
    opened = widget()
    words(opened).nth(1).press("ArrowDown")
    expect(words(opened).nth(2)).to_have_attribute("aria-pressed", "true")
    expect(words(opened).nth(2)).to_be_focused()
    expect(opened.locator(".tc-reads b")).to_have_text("what “and” has read")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays(widget, width):
    opened = widget(width=width)
    heights = []
    for swap in range(2):
        opened.get_by_role("button", name=f"Head {1 + 3 * swap}").click()
        for row in range(len(WORDS)):
            words(opened).nth(row).click()
            for tab in opened.locator(".tc-stepbar li button").all():
                tab.click()
                heights.append(
                    (opened.bounding_box()["height"], opened.locator(".tc-why").inner_text())
                )
        if not swap:
            opened.get_by_role("button", name="Swap safe for stream").click()
    assert max(heights)[0] - min(heights)[0] <= 2, max(heights)


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(**window)
    check_page(opened.page)


def test_of_another_sentence_it_says_no_translation(widget):
    opened = widget(OneQuery(words=[*WORDS[:4], "tired", *WORDS[5:]]))
    expect(opened.locator(".tc-why")).to_contain_text("“bank”")
    expect(opened.locator(".tc-writes")).to_be_hidden()
    other = widget(OneQuery(words=["and", *WORDS[1:]]))
    expect(other.locator(".tc-why")).to_contain_text("“bank”")
    expect(other.locator(".tc-writes")).to_be_hidden()


def test_columns_that_come_later_are_empty_with_a_quiet_name(widget):
    opened = widget(OneQuery(step=0))
    color, soft = "node => getComputedStyle(node).color", opened.locator(".tc-writes small")
    for name in ("k", "scores", "weights", "v"):
        title = opened.locator(f".tc-top.tc-of-{name}")
        assert title.evaluate(color) == soft.evaluate(color)
        for inner in opened.locator(f".tc-cell.tc-of-{name} > *").all()[:2]:
            expect(inner).to_have_css("opacity", "0")
    opened.locator("ol button").nth(2).click()
    expect(opened.locator(".tc-cell.tc-of-k > *").first).to_have_css("opacity", "1")
    assert opened.locator(".tc-top.tc-of-k").evaluate(color) != soft.evaluate(color)


def test_on_a_phone_a_share_stands_clear_of_its_bar_and_of_the_value(widget):
    opened = widget(OneQuery(), width=390)
    top = opened.locator(".tc-cell.tc-of-weights.tc-top-one")
    number, bar = (top.locator(name).bounding_box() for name in ("span", "i"))
    value = opened.locator(".tc-cell.tc-of-v.tc-top-one").bounding_box()
    assert number["y"] + number["height"] <= bar["y"] + 1
    assert number["x"] + number["width"] + 14 <= value["x"]  # the × has its place
    arrow = opened.locator(".tc-top small")
    names = [
        opened.locator(f".tc-top.tc-of-{name}").bounding_box() for name in ("scores", "weights")
    ]
    box = arrow.bounding_box()
    assert box["width"] > 40
    assert all(box["y"] + box["height"] <= name["y"] + name["height"] - 12 for name in names)


def test_no_name_of_a_step_is_cut_when_it_is_bold(widget):
    opened = widget(OneQuery(), width=390)
    for tab in opened.locator(".tc-stepbar li button").all():
        tab.click()
        assert tab.evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("row", [1, 4])
def test_the_products_bars_add_up_to_the_scores(widget, row):
    opened = widget(OneQuery(row=row, step=3))
    scores = OneQuery(row=row).tables()[0].cells[:, 0]
    read = "all => all.map((one) => [...one.children].map((p) => p.getAttribute('d')).join(''))"
    bars = opened.locator(".tc-cell > .tc-of-scores")
    drawn = [[-float(x) for x in re.findall(r"v(-?[\d.e-]+)", d)] for d in bars.evaluate_all(read)]
    assert [len(each) for each in drawn] == [16] * len(WORDS)
    sums = [sum(each) for each in drawn]
    scale = scores[row] / sums[row]
    assert [scale * each for each in sums] == pytest.approx(scores, abs=0.01)
    assert max(abs(x) for each in drawn for x in each) <= 1
    expect(bars.first).to_have_css("opacity", "1")
    opened.get_by_role("button", name="Next").click()
    expect(bars.first).to_have_css("opacity", "0")
    expect(opened.locator(".tc-cell > .tc-of-k").first).to_have_css("opacity", "1")
