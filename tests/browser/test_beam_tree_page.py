"""BeamTree in a real browser: its searches are the package's, by mouse and by keyboard."""

import math
import re

import pytest
import torch
from conftest import check_page, opens
from playwright.sync_api import Locator, expect
from torch.testing import assert_close

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import pad
from transformer_course.decoding import encode_sources
from transformer_course.widgets import BeamTree
from transformer_course.widgets.beam_tree import MAX_BEAM, MAX_EXTRA, SENTENCES
from transformer_course.widgets.sources import module

ALPHAS = [n / 20 for n in range(21)]
SEARCH_ALL = """async ([source, searches, beams, alphas]) => {
  const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  const { search, greedy, pathTo, text } = await import(url);
  const whole = (table, each) => [text(table, pathTo(table, each.node)), each.score];
  return {
    beam: searches.map((table) => beams.map((beam) => alphas.map(
      (alpha) => search(table, beam, alpha).at(-1).finished.map((each) => whole(table, each))))),
    greedy: searches.map((table) => text(table, greedy(table))),
  };
}"""


opened = opens(BeamTree, ".tc-beam")


@pytest.fixture
def tree(opened):
    """A widget at the end of its search, if not another one is wanted."""
    return lambda widget=None, **window: opened(widget or BeamTree(step=99), **window)


def rows(widget: Locator) -> list[list[str]]:
    """The whole sentences as a reader sees them: name, log-probability, tokens, penalty, score."""
    return widget.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )


def twin(sentence: int, beam: int, alpha: float) -> list[list[str]]:
    """The same from the package."""
    [table] = BeamTree(sentence=sentence, beam=beam, alpha=alpha).tables()
    return [
        [f"{n} {name}", f"{log_prob:.2f}", f"{tokens:.0f}", f"{penalty:.2f}", f"{score:.2f}"]
        for n, (name, (log_prob, tokens, penalty, score)) in enumerate(
            zip(table.rows, table.cells, strict=True), start=1
        )
    ]


def agree(widget: Locator, sentence: int, beam: int, alpha: float) -> None:
    """Names and counts are equal, numbers to the two decimals on display."""
    got = [[cell.replace("−", "-") for cell in row] for row in rows(widget)[:-1]]
    expected = twin(sentence, beam, alpha)
    assert [row[0] for row in got] == [row[0] for row in expected]
    for mine, packaged in zip(got, expected, strict=True):
        for a, b in zip(mine[1:], packaged[1:], strict=True):
            assert abs(float(a) - float(b)) < 0.011


def test_every_offered_setting_finds_what_the_package_finds(tree):
    page = tree().page
    model, tokenizer = translator()
    sources = encode_sources(SENTENCES, tokenizer, model.config.max_len)
    found = page.evaluate(
        SEARCH_ALL,
        [module("beam_tree_search.js"), BeamTree().searches, [*range(1, MAX_BEAM + 1)], ALPHAS],
    )
    src = pad(sources)
    greedy = decoding.greedy(model, src, max_extra=MAX_EXTRA)
    assert found["greedy"] == [tokenizer.decode(ids) for ids in greedy]
    for beam in range(1, MAX_BEAM + 1):
        for place, alpha in enumerate(ALPHAS):
            packaged = decoding.beam_hypotheses(
                model, src, beam=beam, alpha=alpha, max_extra=MAX_EXTRA
            )
            mine = [sentence[beam - 1][place] for sentence in found["beam"]]
            for (each, hypotheses), first in zip(
                zip(mine, packaged, strict=True), greedy, strict=True
            ):
                assert [text for text, _ in each] == [tokenizer.decode(h.ids) for h in hypotheses]
                scores = [[score for _, score in each], [h.score for h in hypotheses]]
                assert_close(*map(torch.tensor, scores), rtol=0, atol=2e-3)
                if beam == 1:
                    assert hypotheses[0].ids == first
    assert len(found["beam"]) == len(SENTENCES)


def test_beam_alpha_and_sentence_are_moved_and_the_numbers_stay_the_packages(tree):
    widget = tree()
    agree(widget, 0, 4, 0.6)
    verdict = widget.locator(".tc-verdict")
    best, greedy = rows(widget)[0][-1], rows(widget)[-1][-1]
    first = "Ein Musiker spielt auf einem Schar."
    expect(verdict).to_contain_text(f"Beam: Ein Musiker spielt. scores {best}")
    expect(verdict).to_contain_text(f"Greedy: {first} scores {greedy}, lower")
    widget.get_by_label("Beam size").fill("1")  # the mouse's way of moving a range
    agree(widget, 0, 1, 0.6)
    expect(verdict).to_contain_text(f"Beam, greedy: {first} scores {greedy}")

    widget.get_by_label("To translate").select_option("1")
    widget.get_by_label("Beam size").press("End")
    widget.get_by_label("Beam size").press("ArrowLeft")
    widget.get_by_label("Length penalty α").press("End")
    agree(widget, 1, 4, 1.0)
    long = rows(widget)[0][0]
    widget.get_by_label("Length penalty α").press("Home")
    agree(widget, 1, 4, 0.0)
    assert rows(widget)[0][0] != long
    widget.get_by_text("Why it stops here").click()
    expect(widget.get_by_text("By α: 0.00 to ")).to_be_visible()


def test_steps_go_forward_and_back_and_the_tree_grows(tree):
    widget = tree()
    page = widget.page
    boxes = widget.locator(".tc-box")
    everything = boxes.count()
    widget.get_by_role("button", name="1 the start").click()
    assert boxes.count() == 1
    expect(widget.locator(".tc-say")).to_contain_text("Nothing is written yet.")
    widget.get_by_role("button", name="Next").click()
    expect(widget.locator(".tc-say")).to_have_text(
        "After 1 token the beam keeps 4 of 8 continuations. First dropped: “In”. "
        "Greedy is at “Ein”."
    )
    assert boxes.count() == 9
    expect(widget.locator("[data-fate=dropped].tc-now")).to_have_count(4)
    widget.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    assert boxes.count() == 1 + 4 + 8  # of the step before only what was kept
    widget.get_by_role("button", name="Back").click()
    assert boxes.count() == 9
    widget.get_by_role("button", name="Next").press("End")
    assert boxes.count() == everything
    expect(widget.locator(".tc-stop")).to_contain_text("The search stops: the best beginning left")


def test_tab_stops_at_the_tree_once(tree):
    widget = tree()
    widget.get_by_role("button", name=re.compile("^10 ")).focus()
    widget.page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="start", exact=True)).to_be_focused()
    widget.page.keyboard.press("Tab")
    expect(widget.get_by_role("slider", name="Beam size")).to_be_focused()


def test_a_box_says_how_its_number_came_about(tree):
    widget = tree()
    page = widget.page
    model, tokenizer = translator()
    src = torch.tensor(encode_sources([SENTENCES[0]], tokenizer, model.config.max_len))
    with decoding.evaluating(model):
        log_probs = model(src, torch.tensor([[1]]))[0, -1].log_softmax(-1)
    first = log_probs[tokenizer.vocab["▁Ein"]].item()

    widget.get_by_role("button", name="start", exact=True).focus()
    page.keyboard.press("ArrowRight")
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    expect(widget.locator(".tc-cost")).to_contain_text("Place 1 of its step: kept.")
    expect(widget.locator("code")).to_contain_text(f"= {first:.2f}".replace("-", "−"))
    page.keyboard.press("ArrowLeft")
    expect(widget.get_by_role("button", name="start", exact=True)).to_be_focused()

    widget.locator(".tc-box[data-fate=finished]").first.click()
    code = widget.locator("code")
    expect(code).to_contain_text("÷ 6)0.60 = −")
    said = float(code.inner_text().split("= −")[-1])
    # The page multiplies probabilities of three digits: the last digit of a sum may differ.
    assert said == pytest.approx(-BeamTree().tables()[0].cells[0][3], abs=0.011)
    assert widget.locator(".tc-box[tabindex='0']").count() == 1


def test_a_reader_goes_a_way_of_their_own_and_pays_the_models_price(tree):
    widget = tree()
    own = widget.locator(".tc-own")
    own.locator("summary").click()
    model, tokenizer = translator()
    src = torch.tensor(encode_sources([SENTENCES[0]], tokenizer, model.config.max_len))
    ids, total = [1], 0.0
    while own.locator(".tc-choice:visible").count():
        with decoding.evaluating(model):
            row = model(src, torch.tensor([ids]))[0, -1]
            row[:2] = float("-inf")  # padding and the start mark never follow
            row = row.log_softmax(-1)
        first = own.locator(".tc-choice").first
        share = float(first.locator("data").inner_text())
        piece = row.argmax().item()
        assert abs(row[piece].exp().item() - share) < 1e-3
        ids, total = [*ids, piece], total + row[piece].item()
        first.click()
        told = widget.locator("code").inner_text().replace("−", "-").split(";")[0]
        assert abs(float(told.split("=")[-1]) - total) < 0.011
    expect(own.locator(".tc-line")).to_have_text(tokenizer.decode(ids[1:-1]))
    own.get_by_role("button", name="Start again").click()
    expect(own.locator(".tc-line")).to_have_text("First word, and its probability")


def test_every_step_has_ways_and_those_not_marked_come_to_an_end(tree):
    widget = tree()
    own = widget.locator(".tc-own")
    own.locator("summary").click()
    ways = own.locator(".tc-choice:visible")
    expect(ways).to_have_count(4)
    expect(own).to_contain_text("“…”: dropped in the end.")
    for last in range(3):
        for _ in range(40):
            choices = ways.filter(has_not_text="…")
            if not choices.count():
                break
            choices.nth(min(last, choices.count() - 1)).click()
        expect(widget.locator("code")).to_contain_text("score =")
        own.get_by_role("button", name="Start again").click()
    while ways.count():
        ways.last.click()
    expect(own.locator(".tc-line")).to_have_text(re.compile(" …$"))
    expect(widget.locator("code")).not_to_contain_text("score =")


def test_what_leads_to_a_beginning_that_is_kept_is_marked(tree):
    widget = tree()
    widget.get_by_role("button", name="after 4 tokens").click()
    kept = widget.locator(".tc-now[data-fate=kept]")
    expect(kept).to_have_count(4)
    parent = BeamTree().searches[0]["parent"]
    ways = set()
    for box in kept.all():
        node = int(box.get_attribute("data-node"))
        while node:
            ways.add(node)
            node = parent[node]
    live = widget.locator(".tc-box.tc-live")
    marked = live.evaluate_all("all => all.map(box => Number(box.dataset.node))")
    assert sorted(marked) == sorted(ways)
    assert len(ways) < widget.locator(".tc-box").count() - 1  # of what was kept before, not all
    expect(widget.locator("path.tc-live")).to_have_count(len(ways))
    expect(widget.locator(".tc-cost")).to_contain_text("Colored: leads to what is kept.")
    widget.get_by_role("button", name="Next").click()
    while widget.get_by_role("button", name="Next").is_enabled():
        widget.get_by_role("button", name="Next").click()
    expect(live).to_have_count(0)  # at the end the best alone is marked


def test_on_a_phone_every_beginning_that_is_kept_is_in_the_list(tree):
    widget = tree(width=390)
    for step in range(1, 9):
        widget.get_by_role("button", name=f"after {step} token").click()
        kept = widget.locator(".tc-now[data-fate=kept]").count()
        ended = widget.locator("tbody tr:not(.tc-alive, .tc-row)").count()
        greedy = widget.locator(".tc-row").count()
        expect(widget.locator(".tc-alive:visible")).to_have_count(min(kept, 6 - ended - greedy))


def test_another_sentence_is_shown_at_the_end_of_its_search(tree):
    widget = tree()
    widget.get_by_role("button", name="1 the start").click()
    expect(widget.locator("thead th").first).to_have_text("Beginnings kept")
    widget.get_by_label("To translate").select_option(index=1)
    expect(widget.locator("thead th").first).to_contain_text("Whole sentences: the best")


def widths(widget: Locator) -> list[tuple[float, float]]:
    """Of each branch: how likely its word is, and how wide it is drawn."""
    recorded = BeamTree().searches[0]
    boxes = widget.locator(".tc-box").all()[1:]
    links = widget.locator(".tc-branch").all()
    return [
        (
            math.exp(recorded["log_prob"][int(box.get_attribute("data-node"))] / 10_000),
            link.evaluate("link => parseFloat(link.style.strokeWidth)"),
        )
        for box, link in zip(boxes, links, strict=True)
    ]


def test_a_branch_is_as_wide_as_its_word_is_likely_and_widest_where_one_looks(tree):
    widget = tree(BeamTree(step=1))
    for chance, wide in widths(widget):
        assert abs(wide - max(1, 6 * chance)) < 0.01
    widget.get_by_role("button", name="Next").press("End")
    won = widget.locator(".tc-branch").evaluate_all(
        "links => links.map(link => link.classList.contains('tc-won'))"
    )
    assert 0 < sum(won) < len(won)
    for (chance, wide), winner in zip(widths(widget), won, strict=True):
        assert abs(wide - max(2 if winner else 1, 3 * chance)) < 0.01


def test_at_the_end_stands_what_was_kept_with_the_winner_along_the_top(tree):
    widget = tree()
    boxes = widget.locator(".tc-box")
    dropped = widget.locator(".tc-box[data-fate=dropped]:not(.tc-chain, .tc-won)")
    expect(dropped).to_have_count(0)
    tops = {round(box.bounding_box()["y"]) for box in widget.locator(".tc-won.tc-box rect").all()}
    assert len(tops) == 1
    assert min(round(box.bounding_box()["y"]) for box in boxes.locator("rect").all()) in tops
    ends = widget.locator(".tc-box[data-fate=finished] text:first-of-type").all_text_contents()
    listed = {f"■ {row[-1]}" for row in rows(widget)[:-1]}
    out = widget.locator(".tc-box.tc-out text:first-of-type").all_text_contents()
    assert listed <= {*ends}
    assert {*ends} - listed == {*out}  # one more end has a score, and is not among the best
    expect(widget.locator("thead")).to_contain_text("Whole sentences: the best 4")
    assert len(ends) == len({*ends})  # each once


def test_midway_stand_the_beginnings_kept_and_no_sentence_before_it_is_finished(opened):
    widget = opened()  # as the chapter opens it
    kept = widget.locator(".tc-now[data-fate=kept]")
    listed = widget.locator("tbody tr td:nth-child(2)").all_text_contents()
    numbers = kept.locator(".tc-sum").all_text_contents()
    value = lambda text: float(text.replace("−", "-"))  # noqa: E731
    assert listed == sorted(numbers, key=value, reverse=True)
    dropped = widget.locator("[data-fate=dropped] .tc-sum").all_text_contents()
    assert min(map(value, numbers)) >= max(map(value, dropped))
    line = "node => getComputedStyle(node).textDecorationLine"
    words = widget.locator("[data-fate=dropped].tc-now text:not(.tc-sum)").all()
    assert {word.evaluate(line) for word in words} == {"line-through"}
    assert widget.locator(".tc-row").count() == 0  # greedy has not ended
    assert widget.locator(".tc-branch").count() == widget.locator(".tc-box").count() - 1
    widget.get_by_role("button", name="Next").click()
    expect(widget.locator("tbody tr")).to_have_count(5)  # one whole sentence, four kept
    expect(widget.locator("tbody tr").first).to_contain_text("Ein Musiker spielt.")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_is_one_for_every_beam_and_sentence(tree, width):
    widget = tree(width=width)
    heights = set()
    for sentence in range(len(SENTENCES)):
        widget.get_by_label("To translate").select_option(str(sentence))
        for beam in (1, 2, MAX_BEAM):
            widget.get_by_label("Beam size").fill(str(beam))
            for step in (1, 4, -1):
                widget.locator(".tc-stepbar li button").nth(step).dispatch_event("click")
                heights.add(widget.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_the_two_ends_to_compare_tell_their_scores(tree):
    widget = tree()
    best, greedy = rows(widget)[0][-1], rows(widget)[-1][-1]
    expect(widget.locator(".tc-box.tc-won text:first-of-type").last).to_have_text(f"■ {best}")
    expect(widget.locator(".tc-box.tc-chain text:first-of-type").last).to_have_text(f"■ {greedy}")
    assert best != greedy
    widget.get_by_label("Length penalty α").press("Home")
    expect(widget.locator(".tc-box.tc-won text:first-of-type").last).to_have_text(
        f"■ {rows(widget)[0][-1]}"
    )
    assert rows(widget)[0][-1] != best


def test_no_branch_crosses_a_word_of_its_column(tree):
    crossed = tree().locator(".tc-view").evaluate(CROSSED)
    assert crossed == []


# Words that a branch comes into, of other boxes than the two that it joins.
CROSSED = """view => {
  const words = [...view.querySelectorAll(".tc-box text:not(.tc-sum)")]
    .map(text => [text.textContent, text.getBoundingClientRect()]);
  return [...view.querySelectorAll(".tc-branch")].flatMap(path => {
    const points = Array.from({length: 200}, (_, n) =>
      path.getPointAtLength(n / 199 * path.getTotalLength()).matrixTransform(path.getScreenCTM()));
    const [first, last] = [points[0], points.at(-1)];
    return words.filter(([, {left, right, top, bottom}]) => {
      const at = ({x, y}) => x > left && x < right && y > top && y < bottom;
      const near = ({x, y}) => y > top && y < bottom && x > left - 30 && x < right + 30;
      return points.some(at) && !near(first) && !near(last);
    }).map(([word]) => word);
  });
}"""


@pytest.mark.parametrize("sentence", [0, 1])
def test_on_a_phone_its_height_stays_from_step_to_step(tree, sentence):
    widget = tree(BeamTree(sentence=sentence), width=390)
    heights = set()
    for tab in widget.locator(".tc-stepbar li button").all():
        tab.dispatch_event("click")
        heights.add(widget.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2
    assert max(heights) < 810


def test_it_plays_to_the_end_and_its_height_stays(tree):
    widget = tree()
    widget.get_by_role("button", name="1 the start").click()
    heights = {widget.bounding_box()["height"]}
    widget.get_by_role("button", name="Play").click()
    expect(widget.locator(".tc-say")).to_contain_text("After 2 tokens", timeout=5000)
    heights.add(widget.bounding_box()["height"])
    widget.get_by_role("button", name="Pause").click()
    widget.get_by_role("button", name="Next").press("End")
    heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("sentence", "step"), [(0, 4), (0, 99), (1, 99), (1, 6)])
def test_no_letter_is_small_and_no_word_is_cut_where_one_looks_first(tree, sentence, step, width):
    widget = tree(BeamTree(sentence=sentence, step=step), width=width)
    widget.page.wait_for_timeout(1000)
    view = widget.locator(".tc-view")
    sizes = view.evaluate(
        "view => [...view.querySelectorAll('text')].map(each => parseFloat("
        "getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 11
    cut = view.evaluate(
        "(view) => { const {left, right} = view.getBoundingClientRect();"
        "return [...view.querySelectorAll('text')].filter(each => each.textContent)"
        ".map(each => [each.textContent, each.getBoundingClientRect()])"
        ".filter(([, box]) => box.left < left - 1 && box.right > left + 1).map(([word]) => word)}"
    )
    assert cut == []
    last = widget.locator(".tc-now, .tc-box.tc-won").last
    seen, box = view.bounding_box(), last.bounding_box()
    assert box["x"] + box["width"] <= seen["x"] + seen["width"] + 1


@pytest.mark.parametrize("sentence", range(len(SENTENCES)))
def test_on_a_phone_the_decision_is_in_view_whole_with_the_probability_of_each_word(tree, sentence):
    widget = tree(BeamTree(sentence=sentence, step=99), width=390)
    view = widget.locator(".tc-view")
    assert view.evaluate("view => view.scrollWidth - view.clientWidth") <= 0
    boxes = widget.locator(".tc-box:is(.tc-won, .tc-chain)")
    assert boxes.count() == widget.locator(".tc-box").count() - 1  # and the start
    recorded = BeamTree().searches[sentence]
    for box in boxes.all():
        chance = math.exp(recorded["log_prob"][int(box.get_attribute("data-node"))] / 10_000)
        assert float(box.locator(".tc-sum").text_content()) == pytest.approx(chance, abs=0.0051)
    expect(widget.locator(".tc-cost")).to_contain_text("At a word: its probability.")


def test_where_there_is_room_a_search_on_its_way_takes_the_whole_width(tree):
    widget = tree(BeamTree(step=4), width=1280)
    view = widget.locator(".tc-view")
    assert view.evaluate("view => view.scrollWidth - view.clientWidth") <= 0
    drawn = view.locator("svg").bounding_box()["width"]
    assert drawn > 0.9 * view.bounding_box()["width"]


def test_two_views_of_one_tree_stay_together(show):
    first, second = show(BeamTree(), views=[0, 0]).locator(".tc-beam").all()
    second.get_by_label("To translate").select_option("3")
    second.get_by_label("Beam size").fill("2")
    agree(first, 3, 2, 0.6)
    ids = first.page.locator(".tc-beam [id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_it_is_accessible_and_fits_its_window(tree, window):
    widget = tree(BeamTree(sentence=1, beam=5, alpha=1.0), **window)
    for key in ("End", "Home"):
        widget.get_by_role("button", name="Play").press(key)
        check_page(widget.page)


def test_print_shows_the_tree_and_no_controls(tree):
    widget = tree()
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-view svg:visible, table:visible").count() == 2
    assert widget.locator(":is(.tc-bar, .tc-stepbar, .tc-own):visible").count() == 0
