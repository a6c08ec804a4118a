"""VariationRows in a real browser: what was measured, and nothing of it before a guess if asked."""

import itertools
import math
import re

import pytest
import variation_results
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import VariationRows

table = opens(VariationRows, ".tc-rows")
HEAD = "heads h"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return variation_results.whole(tmp_path_factory.mktemp("results"))


def turn(widget: Locator, knob: str, setting: str) -> None:
    knobs = widget.get_by_role("group", name=knob, exact=True)
    knobs.get_by_role("button", name=re.compile(f"^{re.escape(setting)}(,|$)")).click()


def guess(widget: Locator, text: str) -> None:
    widget.get_by_role("button", name=text, exact=True).click()


def settle(widget: Locator) -> None:
    widget.evaluate("node => Promise.all(node.getAnimations({subtree: true}).map(a => a.finished))")


def percent(widget: Locator, place: str, name: str = "cx") -> list[float]:
    return [float(node.get_attribute(name).rstrip("%")) for node in widget.locator(place).all()]


def hide(widget: Locator) -> None:
    widget.get_by_role("button", name="Guess first").click()
    for name in ("Perplexity", "BLEU", "Numbers"):  # perplexity is asked about, and no row is told
        expect(widget.get_by_role("button", name=name)).to_be_disabled()


def test_it_opens_on_every_knob_with_the_papers_curve_and_ours(table, folder):
    widget = table(VariationRows.of(folder))
    assert widget.locator(".tc-board circle.tc-paper").count() == 19
    assert widget.locator(".tc-board .tc-zero").count() == 9  # base is where better and worse part
    expect(widget.get_by_text("Press a setting to see ours beside it")).to_be_visible()
    expect(widget.locator(".tc-board :is(.tc-mean, .tc-seed, .tc-chance)")).to_have_count(0)
    turn(widget, HEAD, "1")
    expect(widget.locator(".tc-figure.tc-paper")).to_have_text("paper5.29against base’s 4.92")


def test_the_titles_question_is_answered_and_not_before_a_guess(table, folder):
    widget = table(VariationRows.of(folder))
    lead = widget.locator(".tc-why p")
    for name in ("BLEU", "perplexity"):
        guess(widget, name.capitalize() if name == "perplexity" else name)
        expect(lead).to_have_text(f"The paper’s {name} depends most on layers N.")
        expect(widget.locator(".tc-told .tc-own")).to_have_text(
            re.compile("^(Ours depends most on|It does not tell)")
        )
    hide(widget)
    expect(lead).to_have_text("Guess what each does to perplexity: no guess yet")


def test_one_seed_is_hollow_and_has_no_interval(table, tmp_path):
    variation_results.write(tmp_path, "base", 0, 10.0)
    variation_results.write(tmp_path, "C layers 1", 0, 12.5)
    widget = table(VariationRows.of(tmp_path, row="C layers 1"))
    assert widget.locator(".tc-board rect.tc-mean").count() == 1
    assert widget.locator(".tc-board rect.tc-lone").count() == 1
    assert widget.locator(".tc-board .tc-seed").count() == 0
    assert percent(widget, ".tc-board .tc-chance", "width") == [0]
    expect(widget.get_by_text("ours, smaller: 2 of 20 rows, one seed each")).to_be_visible()
    expect(widget.locator(".tc-figure.tc-ours")).to_have_text("ours12.50against base’s 10.00")
    expect(widget.locator(".tc-word.tc-mean")).to_have_text("25.0 % worse")
    expect(widget.get_by_text("No verdict yet")).to_be_visible()


def test_what_is_far_out_ends_in_an_arrow_with_its_number(table, tmp_path, window):
    variation_results.write(tmp_path, "base", 0, 10.0)
    variation_results.write(tmp_path, "C layers 4", 0, 30.0)
    widget = table(VariationRows.of(tmp_path, row="C layers 4"), **window)
    far, word = widget.locator(".tc-here .tc-far"), widget.locator(".tc-here .tc-word.tc-mean")
    expect(far).to_have_text("→")
    expect(word).to_have_text("200.0 % worse")
    assert widget.locator("rect.tc-mean").count() == 0
    arrow, text = far.bounding_box(), word.bounding_box()
    assert arrow["x"] + arrow["width"] < text["x"]


def test_the_strips_stand_by_their_worst_and_before_a_guess_in_no_order_that_tells(table, folder):
    given = VariationRows.of(folder)
    widget = table(given)
    base = given.rows[0]
    keys = {"label smoothing": "smoothing", "all at once": "size"}
    for measure, sign in (("Perplexity", 1), ("BLEU", -1)):
        widget.get_by_role("button", name=measure, exact=True).click()
        names = widget.locator(".tc-board > [role=group]").evaluate_all(
            "all => all.map(it => it.ariaLabel)"
        )
        worst: dict[str, float] = {}
        for row in given.rows[1:]:
            behind = sign * (row[measure.lower()] - base[measure.lower()])
            worst[row["knob"]] = max(behind, worst.get(row["knob"], -math.inf))
        shown = [worst[keys.get(name, name.split()[-1])] for name in names]
        assert len(shown) == 9
        assert shown == sorted(shown, reverse=True)
    hide(widget)
    first = widget.locator(".tc-board > [role=group]").first
    expect(first).to_have_attribute("aria-label", HEAD)


def test_the_knob_that_is_turned_stands_out_with_its_setting(table, folder):
    widget = table(VariationRows.of(folder))
    here = widget.locator(".tc-here")
    expect(here).to_have_count(0)
    turn(widget, HEAD, "32")
    expect(here).to_have_attribute("aria-label", HEAD)
    expect(here.locator(".tc-turn")).to_have_text("32")
    large = here.locator("circle[r='7'], rect[width='12']")
    assert [one.get_attribute("class") for one in large.all()] == ["tc-mean", "tc-paper"]
    # By shape, too: a circle is the paper's, a diamond ours, as the legend has them.
    shapes = large.evaluate_all("all => all.map(it => it.tagName + getComputedStyle(it).rotate)")
    assert shapes == ["rect45deg", "circlenone"]
    mark = "node => getComputedStyle(node).rotate"
    assert widget.locator(".tc-legend .tc-mean").evaluate(mark) == "45deg"
    assert widget.locator(".tc-legend .tc-paper").evaluate(mark) == "none"


def test_a_pressed_strip_has_the_papers_figure_and_below_it_ours_that_came_out_of_it(table, folder):
    given = VariationRows.of(folder)
    widget = table(given)
    turn(widget, "width d_model", "256")
    settle(widget)
    names = widget.locator(".tc-here .tc-word")
    row = next(each for each in given.rows if each["name"] == "C d_model 64")
    logs = [[math.log(x) for x in each["seeds"]["perplexity"]] for each in (row, given.rows[0])]
    mine, base = (sum(each) / len(each) for each in logs)
    far = f"{100 * abs(math.expm1(mine - base)):.1f} % {'worse' if mine > base else 'better'}"
    expect(names).to_have_text(["16.9 % worse", far])
    above, below = (name.bounding_box() for name in names.all())
    assert above["y"] + above["height"] <= below["y"] + 3
    assert above["x"] + above["width"] == pytest.approx(below["x"] + below["width"], abs=1)
    marks = widget.locator(".tc-here :is(rect.tc-mean, .tc-far)")
    expect(marks).to_have_count(1)
    assert marks.bounding_box()["x"] < below["x"]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_strip_at_rest_has_the_papers_dots_alone_and_names_its_worst_setting(
    table, folder, width
):
    given = VariationRows.of(folder, row="A heads 1")
    widget = table(given, width=width)
    rest = widget.locator("[role=group]:not(.tc-here)")
    expect(rest.locator(":is(.tc-seed, .tc-mean, .tc-chance, .tc-far)")).to_have_count(0)
    base = given.rows[0]["perplexity"]
    for knob, label in (
        ("N", "layers N"),
        ("dropout", "dropout"),
        ("smoothing", "label smoothing"),
    ):
        rows = [row for row in given.rows[1:] if row["knob"] == knob]
        worst = max(rows, key=lambda row: row["perplexity"])
        far = 100 * (worst["perplexity"] / base - 1)
        strip = widget.get_by_role("group", name=label, exact=True)
        expect(strip.locator(".tc-word:visible")).to_have_text(
            f"{worst['setting']}: {far:.1f} % worse"
        )
    big = widget.get_by_role("group", name="all at once")
    expect(big.locator(".tc-word:visible")).to_have_text("big: 12.0 % better")


@pytest.mark.parametrize("measure", ["perplexity", "bleu"])
def test_the_names_of_the_scale_lie_apart(table, folder, window, measure):
    for given in (VariationRows.of(folder, measure=measure), VariationRows(measure=measure)):
        names = table(given, **window).locator(".tc-scale text")
        boxes = sorted((one.bounding_box() for one in names.all()), key=lambda box: box["x"])
        lines = {round(box["y"]): [] for box in boxes}
        for box in boxes:
            lines[round(box["y"])].append(box)
        sides, marks = (lines[y] for y in sorted(lines))  # which way is better, and how far
        assert sides[0]["y"] + sides[0]["height"] <= marks[0]["y"] + 3
        for left, right in (*itertools.pairwise(sides), *itertools.pairwise(marks)):
            assert left["x"] + left["width"] < right["x"]


def test_a_curves_name_stays_in_the_panel(table, tmp_path):
    variation_results.write(tmp_path, "base", 0, 10.0)
    variation_results.write(tmp_path, "C layers 1", 0, 15.0)  # the lowest of all
    widget = table(VariationRows.of(tmp_path, row="C layers 1"))
    panel = widget.locator(".tc-here .tc-plot").bounding_box()
    for name in widget.locator(".tc-here .tc-word").all():
        box = name.bounding_box()
        assert panel["x"] <= box["x"]
        assert box["x"] + box["width"] <= panel["x"] + panel["width"]


def test_before_the_guess_no_figure_of_the_row_is_told_or_drawn(table, folder):
    widget = table(VariationRows.of(folder))
    hide(widget)
    turn(widget, HEAD, "1")
    expect(widget.get_by_text("h = 1, dk = dv = 512. Is its perplexity")).to_be_visible()
    assert widget.locator("circle, rect").count() == 0
    asked = widget.locator(".tc-turn")
    expect(asked).to_have_class(re.compile("tc-ask"))  # it is asked about, and not yet chosen
    expect(widget.locator("text.tc-ask")).to_have_text("?")
    words = widget.evaluate(
        "node => node.textContent + node.innerHTML.replace(/data-room=[^>]*/g, '')"
    )
    assert not [told for told in ("5.29", "24.9", "Ours agrees", "Eight heads") if told in words]
    guess(widget, "Better")
    assert widget.locator(".tc-board circle.tc-paper").count() == 1
    expect(widget.locator(".tc-ask")).to_have_count(0)
    expect(widget.get_by_text("No: perplexity is worse.")).to_be_visible()
    expect(widget.locator(".tc-figure.tc-paper")).to_have_text("paper5.29against base’s 4.92")
    expect(
        widget.get_by_text("A single head of the same total width has 0.9 BLEU less")
    ).to_be_visible()


def test_the_legend_explains_no_dot_that_is_not_there(table, folder):
    widget = table(VariationRows.of(folder))
    keys = widget.locator(".tc-legend > span:visible")
    expect(keys).to_have_text(["paper"])
    hide(widget)
    turn(widget, HEAD, "1")
    expect(keys).to_have_count(0)
    expect(widget.locator(".tc-chance")).to_have_count(0)
    guess(widget, "Worse")
    expect(keys).to_have_text(["paper", "ours, smaller", "one seed", "chance"])


def test_a_guess_is_locked_and_counted(table):
    widget = table()
    hide(widget)
    turn(widget, "layers N", "2")
    guess(widget, "Worse")
    for text in ("Better", "Worse"):
        expect(widget.get_by_role("button", name=text, exact=True)).to_have_count(0)
    expect(widget.get_by_role("status")).to_have_text("1 of 1 right")
    turn(widget, "positions", "learned")
    guess(widget, "Better")
    expect(widget.get_by_role("status")).to_have_text("1 of 2 right")
    turn(widget, "layers N", "2")
    expect(widget.get_by_text("Right: perplexity is worse.")).to_be_visible()
    told = widget.get_by_role("group", name="layers N").get_by_role("button").first
    expect(told).to_have_attribute("aria-label", "2, 24.2 % worse, guessed right")


def test_one_knob_is_turned_and_the_others_spring_back(table):
    widget = table()
    turned = lambda: widget.locator(".tc-turn").all_inner_texts()  # noqa: E731
    on = lambda knob: widget.get_by_role("group", name=knob, exact=True).locator(  # noqa: E731
        "[aria-pressed=true]"
    )
    assert turned() == []
    turn(widget, "dropout", "0.2")
    assert turned() == ["0.2"]
    turn(widget, "width d_model", "1024")
    assert turned() == ["1024"]
    expect(on("dropout")).to_have_text("0.1")
    turn(widget, HEAD, "16")
    expect(on("width d_model")).to_have_text("512")
    expect(on("key width d_k")).to_have_text("32")  # the paper keeps h times d_k
    expect(widget.get_by_text("16 heads of 32, not 8 of 64")).to_be_visible()
    turn(widget, "all at once", "base")
    assert turned() == []
    expect(widget.get_by_text("The base model", exact=True)).to_be_visible()


def test_the_keyboard_turns_guesses_and_goes_on(table):
    widget = table()
    hide(widget)
    keys = widget.page.keyboard
    widget.get_by_role("button", name="Guess first").focus()
    for key in ("Tab", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        keys.press(key)
    expect(widget.get_by_text("N = 8. Is its perplexity")).to_be_visible()
    widget.get_by_role("button", name="Next setting").focus()
    keys.press("Tab")
    expect(widget.get_by_role("button", name="Better", exact=True)).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(widget.get_by_text("Right: perplexity is about the same.")).to_be_visible()
    expect(widget.get_by_role("button", name="Next setting")).to_be_focused()
    keys.press("Enter")
    expect(widget.get_by_text("dmodel = 256, dk")).to_be_visible()
    expect(widget.get_by_role("button", name="Better", exact=True)).to_be_focused()


@pytest.mark.parametrize(("name", "measure"), [("C layers 1", "perplexity"), ("big", "bleu")])
def test_dots_stand_where_the_figures_are_on_one_scale(table, folder, name, measure):
    given = VariationRows.of(folder, row=name, guesses={name: "same"}, measure=measure)
    widget = table(given)
    base, row = given.rows[0], next(each for each in given.rows if each["name"] == name)
    # Twice as many percent, or points, are twice as far; better is at the left in both.
    bleu = measure == "bleu"
    level = float if bleu else math.log
    loss = lambda x: -x if bleu else 100 * math.expm1(x)  # noqa: E731
    zero = percent(widget, ".tc-board .tc-zero", "x1")[0]
    texts = [
        (one.text_content(), float(one.get_attribute("x").rstrip("%")))
        for one in widget.locator(".tc-scale text").all()
        if not one.get_attribute("class")
    ]
    base_at = [text for text, _ in texts].index("base")
    sizes = [
        (float(re.sub(r"[^\d.]", "", text) or 0) * (1 if n > base_at else -1), x)
        for n, (text, x) in enumerate(texts)
    ]
    step, end = sizes[-1]
    one = (end - zero) / step
    assert step > 0
    assert one > 0
    assert [x for _, x in sizes] == pytest.approx([zero + one * n for n, _ in sizes], abs=0.05)
    own = [level(x) for x in base["seeds"][measure]]
    mean = sum(own) / len(own)
    at = lambda x: zero + one * loss(x)  # noqa: E731
    wanted = [at(level(x) - mean) for x in row["seeds"][measure]]
    assert percent(widget, ".tc-board .tc-seed", "cx") == pytest.approx(wanted, abs=0.05)
    paper = at(level(row[measure]) - level(base[measure]))
    assert percent(widget, ".tc-board circle.tc-paper", "cx") == pytest.approx([paper], abs=0.05)
    verdict = row["verdicts"][measure]
    ends = sorted(at(n * verdict["bound"]) for n in (-1, 1))  # around base, in each strip
    for name, wide in (("x", ends[0]), ("width", ends[1] - ends[0])):
        drawn = percent(widget, ".tc-here .tc-chance", name)
        assert drawn == pytest.approx([wide], abs=0.05)
    expect(widget.locator(".tc-chance")).to_have_count(1)
    band = widget.locator(".tc-here .tc-chance").bounding_box()  # it holds for ours alone
    papers, ours = (
        widget.locator(f".tc-here .tc-plot :is(circle, rect).tc-{kind}").first.bounding_box()
        for kind in ("paper", "mean")
    )
    assert papers["y"] + papers["height"] <= band["y"]
    assert band["y"] < ours["y"] + ours["height"] / 2 < band["y"] + band["height"]
    wide = verdict["bound"] if measure == "bleu" else 100 * math.expm1(verdict["bound"])
    told = widget.locator(".tc-told")
    expect(told).to_contain_text(verdict["says"].split()[-1])
    expect(told).to_contain_text("3 seeds")
    if "hardly" not in told.inner_text():
        expect(told).to_contain_text(f"±\u00a0{wide:.1f}")


def test_the_whole_table_is_shown_on_request_with_its_verdicts_and_leads_to_a_row(table, folder):
    given = VariationRows.of(folder)
    widget = table(given)
    widget.get_by_role("button", name="Numbers").click()
    guess(widget, "BLEU")
    lines = widget.locator(".tc-all tbody tr")
    expect(lines).to_have_count(20)
    for line, row in zip(lines.all()[1:], given.rows[1:], strict=True):
        cells = line.locator("td").all_inner_texts()
        assert [float(cells[0]), float(cells[3])] == [row["perplexity"], row["bleu"]]
        says = [row["verdicts"][x]["says"] for x in ("perplexity", "bleu")]
        assert [cells[2], cells[5]] == ["" if x == "cannot tell" else x for x in says]
        if "*" in cells[1]:  # what hardly learned is neither right nor wrong
            signs = {one.get_attribute("data-sign") for one in line.locator(".tc-says").all()}
            assert signs <= {"*", ""}
    expect(widget.get_by_text("✓ agrees, ✗ opposite, blank: we cannot tell")).to_be_visible()
    widget.get_by_role("button", name=re.compile("^E: learned positions")).click()
    expect(widget.get_by_text("Learned positions", exact=True)).to_be_visible()


def test_with_one_seed_the_table_has_no_verdicts_but_differences_and_marks_what_hardly_learned(
    table, tmp_path
):
    variation_results.write(tmp_path, "base", 0, 10.0)
    variation_results.write(tmp_path, "C layers 4", 0, 20.0)  # of the paper's 8 layers
    widget = table(VariationRows.of(tmp_path, view="all"))
    for text in ("verdict", "seeds"):
        expect(widget.locator(".tc-all").get_by_text(text)).to_have_count(0)
    line = widget.locator(".tc-all tbody tr").filter(has_text="C: N = 8")
    assert line.locator("td").all_inner_texts()[:2] == ["4.88 −0.8 %", "20.00* +100.0 %"]
    line.get_by_role("button").click()
    expect(widget.get_by_text("Ours hardly learned")).to_be_visible()


def test_what_has_not_run_says_so_beside_the_papers_dot(table):
    widget = table(VariationRows(row="big"))
    expect(widget.locator(".tc-figure.tc-ours")).to_have_text("ours–not run yet")
    expect(widget.locator(".tc-legend")).to_contain_text("ours, smaller: not run yet")
    assert widget.locator(".tc-board circle.tc-paper").count() == 19
    assert widget.locator(":is(rect.tc-mean, .tc-seed)").count() == 0


def test_who_guesses_first_is_shown_no_table_of_question_marks(table, folder):
    widget = table(VariationRows.of(folder, view="all"))
    expect(widget.locator(".tc-all")).to_be_visible()
    hide(widget)
    expect(widget.locator(".tc-all")).to_be_hidden()
    expect(widget.get_by_role("button", name="Better", exact=True)).to_be_visible()
    widget.get_by_role("button", name="Guess first").click()
    expect(widget.get_by_role("button", name="Numbers")).to_be_enabled()


def test_two_views_stay_together(show, folder):
    first, second = show(VariationRows.of(folder), views=[0, 0]).locator(".tc-rows").all()
    hide(first)
    hide(second)
    turn(second, "dropout", "0.0")
    guess(first, "Worse")
    expect(second.get_by_text("Right: perplexity is worse.")).to_be_visible()


def test_the_frame_keeps_its_height_and_fits_a_phone(table, folder, window):
    given = VariationRows.of(folder)
    widget = table(given, **window)
    heights = {widget.bounding_box()["height"]}
    hide(widget)
    heights.add(widget.bounding_box()["height"])
    for _ in given.rows[1:]:
        widget.get_by_role("button", name="Next setting").click()
        heights.add(widget.bounding_box()["height"])
        guess(widget, "About the same")
        heights.add(widget.bounding_box()["height"])
    widget.get_by_role("button", name="Guess first").click()
    guess(widget, "BLEU")
    heights.add(widget.bounding_box()["height"])
    widget.get_by_role("button", name="Numbers").click()
    heights.add(widget.bounding_box()["height"])
    assert max(heights) - min(heights) < 0.5, heights
    assert heights.pop() <= 900


def test_it_is_accessible_and_fits_its_window(table, folder, window):
    widget = table(VariationRows.of(folder, row="A heads 1"), **window)
    check_page(widget.page)
    hide(widget)
    check_page(widget.page)
    guess(widget, "Better")
    settle(widget)
    check_page(widget.page)
    widget.get_by_role("button", name="Guess first").click()
    widget.get_by_role("button", name="Numbers").click()
    settle(widget)
    check_page(widget.page)


def test_print_shows_the_answer_and_nothing_to_press_for_it(table, folder):
    widget = table(VariationRows.of(folder, row="big", guesses={"big": "better"}))
    widget.page.emulate_media(media="print")
    expect(widget.get_by_text("Right: perplexity is better.")).to_be_visible()
    for text in ("Next setting", "Numbers"):
        expect(widget.get_by_role("button", name=text)).to_have_count(0)


def test_on_a_phone_the_pressed_strip_keeps_its_percentages(table, folder):
    widget = table(VariationRows.of(folder, row="A heads 1"), width=390)
    for name in widget.locator(".tc-here .tc-word").all():
        assert name.locator("tspan").evaluate("each => getComputedStyle(each).fontSize") == "12px"


def test_at_rest_one_setting_of_a_knob_has_the_largest_dot(table):
    widget = table(VariationRows(row="A heads 1"))
    for strip in widget.locator("[role=group]:not(.tc-here) .tc-plot:visible").all():
        sizes = [float(x.get_attribute("r")) for x in strip.locator("circle.tc-paper").all()]
        assert sizes.count(5) == 1
        assert max(sizes) == 5


def test_no_name_of_a_lane_leaves_the_widget_at_any_setting(table, folder, window):
    widget = table(VariationRows.of(folder), **window)
    outside = """node => {
      const { left, right } = node.getBoundingClientRect();
      return [...node.querySelectorAll(".tc-plot text, .tc-scale text")]
        .map((text) => [text.textContent, text.getBoundingClientRect()])
        .filter(([, box]) => box.left < left || box.right > right).map(([text]) => text);
    }"""
    for button in widget.locator(".tc-board button").all():
        button.click()
        settle(widget)
        assert widget.evaluate(outside) == []
