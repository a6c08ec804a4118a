"""ArchitectureMap in a real browser: shapes and counts are the model's, by mouse and by key."""

from itertools import pairwise

import pytest
import torch
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.model import PRESETS, TINY, Transformer, record_attention
from transformer_course.pages import browser as tools
from transformer_course.widgets import ArchitectureMap
from transformer_course.widgets.architecture_map import MODULES, count_parameters


def block(widget: Locator, name: str) -> Locator:
    return widget.locator(f"[data-block={name}]")


def parameters(widget: Locator) -> int:
    return int(widget.locator(".tc-why b").inner_text().split()[0].replace(",", ""))


def shapes(widget: Locator) -> dict[str, str]:
    rows = widget.locator("tbody tr:has(th)")
    cells = "rows => rows.map(row => [...row.cells].slice(0, 2).map(cell => cell.textContent))"
    return dict(rows.evaluate_all(cells))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_block_has_the_parameters_of_the_packages_model(show, preset):
    widget = show(ArchitectureMap()).locator(".tc-map-figure")
    widget.get_by_label("Model").select_option(preset)
    counts = count_parameters(PRESETS[preset])
    shown = {}
    for name in MODULES:
        block(widget, name).click()
        shown[name] = parameters(widget)
    assert shown == {name: counts[name] for name in MODULES}
    expect(widget.locator(".tc-total")).to_have_text(f"{counts['model']:,}")


def test_shapes_are_those_of_a_forward_pass(show):
    config, batch, src_len, tgt_len = TINY, 3, 5, 7
    model = Transformer(config).eval()
    src, tgt = (torch.ones(batch, n, dtype=torch.long) for n in (src_len, tgt_len))
    with record_attention(model) as weights, torch.no_grad():
        memory, logits = model.encode(src), model(src, tgt)
    start = ArchitectureMap(preset="tiny", batch=batch, src_len=src_len, tgt_len=tgt_len)
    widget = show(start).locator(".tc-map-figure")
    for name in ("encoder_self_attn", "decoder_self_attn", "cross_attn"):
        block(widget, name).click()
        module = MODULES[name]
        assert shapes(widget)["scores"] == str(tuple(weights[module].shape))
    assert shapes(widget)["memory"] == str(tuple(memory.shape))
    block(widget, "linear").click()
    assert shapes(widget)["logits"] == str(tuple(logits.shape))


def test_arrow_keys_follow_the_wires_and_tab_enters_once(show):
    widget = show(ArchitectureMap(block="src_tokens")).locator(".tc-map-figure")
    page, title = widget.page, widget.locator(".tc-title")
    widget.get_by_role("button", name="Play").focus()
    page.keyboard.press("Tab")  # to Next
    page.keyboard.press("Tab")
    expect(block(widget, "src_tokens")).to_be_focused()
    for _ in range(7):
        page.keyboard.press("ArrowUp")
    expect(block(widget, "cross_attn")).to_be_focused()
    expect(title).to_have_text("Decoder: cross-attention")
    assert widget.locator(".tc-wire.tc-on").count() == 2  # from below, and from the memory
    expect(widget.get_by_text("memory: keys, values")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text("Decoder stack")
    before = parameters(widget)
    widget.get_by_label("Model").focus()
    page.keyboard.press("ArrowDown")  # from base to big
    assert (before, parameters(widget)) == tuple(
        count_parameters(PRESETS[name])["decoder"] for name in ("base", "big")
    )


def test_sliders_change_the_shapes_at_once(show):
    widget = show(ArchitectureMap(block="softmax")).locator(".tc-map-figure")
    assert shapes(widget)["in"] == "(32, 12, 37000)"
    widget.get_by_text("Batch and lengths").click()
    widget.get_by_label("Target tokens", exact=True).fill("40")
    assert shapes(widget)["in"] == "(32, 40, 37000)"
    widget.get_by_label("Sentence pairs").press("ArrowRight")
    assert shapes(widget)["in"] == "(33, 40, 37000)"


def test_a_sentence_runs_through_every_block_in_order(show):
    widget = show(ArchitectureMap(block="src_tokens")).locator(".tc-map-figure")
    seen = []
    following = widget.get_by_role("button", name="Next")
    for _ in range(18):
        seen.append(widget.locator(".tc-block[aria-pressed=true]").get_attribute("data-block"))
        following.click(force=True)
    assert (seen[0], seen[6], seen[-1]) == ("src_tokens", "encoder_norm2", "softmax")
    assert set(seen) == set(MODULES) - {"encoder", "decoder"}
    expect(following).to_have_attribute("aria-disabled", "true")
    assert widget.locator(".tc-flow .tc-said").all_text_contents() == [
        row["told"] for row in ArchitectureMap().flow["made"]["softmax"]["rows"]
    ]


def test_at_first_the_question_stands_there_and_then_what_the_block_does(show):
    widget = show(ArchitectureMap(block="src_positions")).locator(".tc-map-figure")
    way = widget.locator(".tc-way")
    expect(way).to_contain_text("What follows “Ein Musiker”? Press Play, or any block.")
    expect(way).to_contain_text("Positions of the sourceout (32, 10, 512) · 0 parameters")
    texts = ArchitectureMap().texts
    for name in ("softmax", "encoder_norm1", "decoder", "src_positions"):
        block(widget, name).click()
        expect(way).to_contain_text(texts[name]["name"])
        expect(way.locator("span").last).to_have_text(texts[name]["role"].split(". ")[0] + ".")
    block(widget, "encoder_feed_forward").click()
    each = f"{count_parameters(PRESETS['base'])['encoder_feed_forward']:,}"
    expect(way).to_contain_text(f"out (32, 10, 512) · 6 × {each} parameters")
    assert way.bounding_box()["y"] < widget.locator(".tc-map").bounding_box()["y"]


@pytest.mark.parametrize("preset", PRESETS)
def test_which_block_holds_most_is_said_at_it_and_at_the_end(show, preset):
    widget = show(ArchitectureMap(preset=preset)).locator(".tc-map-figure")
    counts, layers = count_parameters(PRESETS[preset]), PRESETS[preset].num_layers
    held = {
        name: count * (layers if name.startswith(("encoder_", "decoder_", "cross")) else 1)
        for name, count in counts.items()
        if name not in ("encoder", "decoder", "model")
    }
    most = [name for name, count in held.items() if count == max(held.values())]
    for name in MODULES:
        block(widget, name).click()
        told = widget.locator(".tc-title + span").inner_text()
        assert told.endswith(", the most") == (name in most)
        assert ("Most in one block:" in widget.locator(".tc-why").inner_text()) == (
            name == "softmax"
        )
    text = "Feed-forward" if "feed" in most[0] else "Embedding"
    expect(widget.locator(".tc-why")).to_contain_text(
        f"Most in one block: {text}, {max(held.values()):,}, "
    )


def test_the_mark_on_the_bar_of_parameters_has_its_words(show):
    widget = show(ArchitectureMap(block="encoder_self_attn")).locator(".tc-map-figure")
    mark = widget.get_by_text("□ this block")
    expect(mark).to_have_text("□ this block, 6 layers")
    block(widget, "encoder").click()
    expect(mark).to_have_text("□ this block")
    block(widget, "softmax").click()  # holds none
    expect(mark).to_be_hidden()


def test_a_block_shows_what_it_makes_of_each_word(show):
    widget = show(ArchitectureMap(block="encoder_norm1")).locator(".tc-map-figure")
    made = ArchitectureMap().flow["made"]
    for name in MODULES:
        block(widget, name).click()
        expect(widget.locator(".tc-sentence b")).to_have_text(made[name]["title"])
        lines = widget.locator(".tc-line")
        for line, row in zip(lines.all(), made[name]["rows"], strict=True):
            expect(line.locator(".tc-name")).to_have_text(row["name"])
            shown = line.locator("rect:not(.tc-band) title").evaluate_all(
                "marks => marks.map((mark) => Number(mark.textContent.replace('−', '-')))"
            )
            expected = row.get("weights") or [x for x in row.get("bars", []) if x]
            if "share" in row:
                expected = [row["share"]]
            assert shown == pytest.approx(expected, abs=0.0051)


def test_it_opens_at_its_question_and_the_answer_stands_above_the_last_block(show):
    widget = show(ArchitectureMap()).locator(".tc-map-figure")
    expect(block(widget, "src_tokens")).to_have_attribute("aria-pressed", "true")
    expect(widget.locator(".tc-place")).to_have_text("1 of 18")
    words = widget.locator(".tc-word")
    expect(words).to_have_text(["“A musician performs.”", "“Ein Musiker …”", "?"])
    block(widget, "softmax").click()
    best = ArchitectureMap().flow["made"]["softmax"]["rows"][0]
    expect(words.last).to_have_text(f"“{best['name']}” {best['told']}")
    block(widget, "linear").click()
    expect(words.last).to_have_text("?")


def test_only_the_wires_into_a_block_are_lit(show):
    widget = show(ArchitectureMap(block="encoder_norm1")).locator(".tc-map-figure")
    expect(widget.locator(".tc-wire.tc-on")).to_have_count(2)  # from the attention, and around it
    expect(widget.get_by_text("queries", exact=True)).to_be_hidden()


def test_what_goes_around_a_sum_and_what_is_added_have_the_colors_of_their_rows(show):
    widget = show(ArchitectureMap(block="encoder_norm1")).locator(".tc-map-figure")
    color = "(one, name) => getComputedStyle(one)[name]"
    for name in ("encoder_norm1", "encoder_norm2", "decoder_norm1", "decoder_norm2"):
        block(widget, name).click()
        expect(widget.locator(".tc-kept")).to_be_visible()
        rows = widget.locator(".tc-line")
        for wire, n in ((".tc-around", 0), (".tc-added", 1)):
            lit = widget.locator(f".tc-wire{wire}").evaluate(color, "stroke")
            assert lit == rows.nth(n).locator("rect").first.evaluate(color, "fill")
        expect(widget.locator(".tc-rule")).to_have_count(1)  # above the sum
    block(widget, "cross_attn").click()
    expect(widget.locator(".tc-kept")).to_be_hidden()


def test_the_words_above_a_matrix_stand_in_one_line_apart(show, window):
    widget = show(ArchitectureMap(), **window).locator(".tc-map-figure")
    for name in ("encoder_self_attn", "decoder_self_attn", "cross_attn"):
        block(widget, name).click()
        heads = widget.locator(".tc-flow > text").all()
        boxes = [head.bounding_box() for head in heads]
        assert len({round(box["y"]) for box in boxes}) == 1
        for one, other in pairwise(boxes):
            assert other["x"] - one["x"] - one["width"] >= 3


def test_it_plays_along_the_wires_and_its_height_stays(show, window):
    widget = show(ArchitectureMap(block="decoder_norm3"), **window).locator(".tc-map-figure")
    heights = {widget.bounding_box()["height"]}
    widget.get_by_role("button", name="Play").click()
    expect(block(widget, "softmax")).to_have_attribute("aria-pressed", "true", timeout=8000)
    expect(widget.get_by_role("button", name="Play")).to_be_visible()
    for name in MODULES:
        block(widget, name).click()
        heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_the_vectors_of_both_ways_meet_at_a_sum(show):
    widget = show(ArchitectureMap(block="encoder_self_attn")).locator(".tc-map-figure")
    widget.page.emulate_media(reduced_motion="no-preference")
    seen = widget.evaluate(
        """async (root) => {
          root.querySelector(".tc-stepbar").lastChild.previousSibling.previousSibling.click();
          const seen = [];
          for (let n = 0; n < 60 && (!n || seen.at(-1)); n += 1) {
            seen.push(root.querySelectorAll(".tc-packets > g").length);
            await new Promise(requestAnimationFrame);
          }
          return seen;
        }"""
    )
    expect(block(widget, "encoder_norm1")).to_have_attribute("aria-pressed", "true")
    assert max(seen) == 2
    expect(widget.locator(".tc-packets > g")).to_have_count(0)


def test_two_views_stay_together(show):
    page = show(ArchitectureMap(), views=[0, 0])
    one, other = page.locator(".tc-map-figure").all()
    block(one, "linear").click()
    expect(other.locator(".tc-title")).to_have_text("Linear")
    expect(block(other, "linear")).to_have_attribute("aria-pressed", "true")


def test_a_block_links_to_its_chapter(show):
    widget = show(ArchitectureMap(block="src_positions")).locator(".tc-map-figure")
    link = widget.get_by_role("link", name="Chapter 3.5")
    expect(link).to_have_attribute("href", "03-5-positional-encoding.html")


def test_everyone_can_use_it(show, window):
    widget = show(ArchitectureMap(), **window).locator(".tc-map-figure")
    for name in ("encoder_self_attn", "decoder", "softmax"):
        block(widget, name).click()
        check_page(widget.page)
    narrow = window["width"] == tools.WIDTHS["narrow"]
    assert widget.locator(".tc-details").is_visible() != narrow
    inside = widget.get_by_role("button", name="Look inside")
    assert inside.is_visible() == narrow
    if narrow:  # one of both: the map, or what its open block does
        inside.click()
        expect(inside).to_have_attribute("aria-pressed", "true")
        expect(widget.locator(".tc-details")).to_be_visible()
        expect(widget.locator(".tc-map")).to_be_hidden()
        check_page(widget.page)
        inside.click()
    widget.page.emulate_media(media="print")
    expect(widget.locator(".tc-map")).to_be_visible()
    expect(widget.locator("input:visible, select:visible")).to_have_count(0)
