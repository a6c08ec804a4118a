"""TrainedAttention in a real browser: its numbers are the export's, by mouse and by keyboard."""

import numpy as np
import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import TrainedAttention
from transformer_course.widgets.trained_attention import KINDS

widget = opens(TrainedAttention, ".tc-trained")


def selves() -> list[str]:
    """The encoder's heads from layer 2, head 4 on: the word itself gets more than half, or not."""
    start = TrainedAttention()
    rows = [start.between_words("dog", "encoder", n // 4 + 1, n % 4 + 1) for n in range(7, 16)]
    return ["itself" if round(each.diagonal().mean()) > 50 else "mixed" for each in rows]


SELVES = selves()


def decoder_names() -> list[str]:
    """Of each head of the decoder what gets more than half of its weight."""
    names = []
    for n in range(16):
        rows = TrainedAttention().between_words("dog", "decoder", n // 4 + 1, n % 4 + 1)
        own = np.eye(len(rows), dtype=bool)
        own[0, 0] = False
        back = np.tril(rows, -1)[:, 1:].sum() / len(rows)
        shares = {"start": rows[:, 0].mean(), "itself": (rows * own).sum() / len(rows)}
        shares["back"] = back
        most = max(shares, key=shares.__getitem__)
        names.append(most if round(shares[most]) > 50 else "mixed")
    return names


def check_row(widget: Locator, name: str, kind: str, layer: int, head: int, word: int) -> None:
    """The chosen word's percents, its lines, the sentence and the picked head are Python's."""
    start = TrainedAttention()
    queries, keys, title = KINDS[kind]
    rows = start.between_words(name, kind, layer, head)
    words = start.words(name, queries)
    expect(widget.locator(".tc-words [aria-pressed=true]")).to_have_text(words[word])
    shown = widget.locator(".tc-words li:visible")
    assert shown.locator("span").all_inner_texts() == start.words(name, keys)
    percents = [int(x.removesuffix(" %") or 0) for x in shown.locator("b").all_inner_texts()]
    np.testing.assert_allclose(percents, rows[word], atol=0.51)
    assert widget.locator("path.tc-chosen").count() == np.count_nonzero(rows[word] >= 1)
    said = widget.locator(".tc-why").inner_text()
    assert said.startswith(f"Layer {layer}, head {head} ")
    assert f"“{words[word]}”" in said
    expect(widget.locator(".tc-kinds [aria-pressed=true]")).to_have_attribute("aria-label", title)
    assert f"{rows[word].max():.0f} % to “" in said
    pressed = widget.locator(".tc-heads [aria-pressed=true]")
    does = pressed.inner_text()
    expect(pressed).to_have_attribute("aria-label", f"Layer {layer}, head {head}: {does}")
    pixel = "node => [...node.getContext('2d').getImageData(0, 0, node.width, node.height).data]"
    pixels = np.array(pressed.locator("canvas").evaluate(pixel)).reshape(*rows.shape, 4)
    np.testing.assert_allclose(pixels[..., 3], 2.55 * rows, atol=0.51)
    assert widget.locator(".tc-words button:visible").all_inner_texts() == words


def test_every_choice_by_mouse_shows_the_exported_numbers(widget):
    opened = widget()
    check_row(opened, "dog", "encoder", 3, 3, 11)
    opened.get_by_role("button", name="Layer 2, head 4").click()
    check_row(opened, "dog", "encoder", 2, 4, 11)
    opened.locator(".tc-words button").nth(4).click()
    check_row(opened, "dog", "encoder", 2, 4, 4)
    opened.get_by_role("button", name="Cross-attention").click()
    check_row(opened, "dog", "cross", 2, 4, 4)
    expect(opened.locator(".tc-why")).to_contain_text("(next comes “")
    opened.get_by_role("button", name="Decoder self-attention").click()
    check_row(opened, "dog", "decoder", 2, 4, 4)
    opened.locator(".tc-words button").nth(7).hover()
    check_row(opened, "dog", "decoder", 2, 4, 7)


def test_the_keyboard_reaches_sentences_heads_and_words(widget):
    opened = widget()
    page = opened.page
    opened.get_by_label("Sentence").press("ArrowDown")
    check_row(opened, "guitar", "encoder", 3, 3, 11)
    opened.locator(".tc-words [aria-pressed=true]").focus()
    page.keyboard.press("ArrowUp")
    check_row(opened, "guitar", "encoder", 3, 3, 10)
    opened.locator(".tc-heads [tabindex='0']").focus()
    expect(opened.get_by_role("button", name="Layer 3, head 3")).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):  # the second goes nowhere
        page.keyboard.press(key)
    expect(opened.get_by_role("button", name="Layer 2, head 4")).to_be_focused()
    check_row(opened, "guitar", "encoder", 2, 4, 10)


@pytest.mark.parametrize("width", [1280, 390])
def test_neither_heads_nor_sentences_change_its_height(widget, width):
    opened = widget(width=width)
    heights = []
    for name in TrainedAttention().data:
        opened.get_by_label("Sentence").select_option(name)
        for kind in KINDS.values():
            opened.get_by_role("button", name=kind[2]).click()
            heights.append(opened.bounding_box()["height"])
            opened.get_by_role("button", name="Next").press("Enter")
            heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2
    assert max(heights) <= 870  # a phone's window


def test_two_views_of_one_widget_stay_together(show):
    first, second = show(TrainedAttention(), views=[0, 0]).locator(".tc-trained").all()
    first.get_by_label("Sentence").select_option("guitar")
    second.get_by_role("button", name="Layer 1, head 2").click()
    for view in (first, second):
        check_row(view, "guitar", "encoder", 1, 2, 11)


def test_it_is_accessible_and_fits_its_window(widget, window):
    opened = widget(TrainedAttention(sentence="children"), **window)
    for name in ("Encoder self-attention", "Cross-attention"):
        opened.get_by_role("button", name=name).click()
        check_page(opened.page)


def test_each_head_says_what_it_does_in_this_sentence(widget):
    opened = widget(TrainedAttention(layer=2, head=2, word=8))
    rows = TrainedAttention().between_words("dog", "encoder", 2, 2)
    back, before = np.tril(rows, -1).sum(axis=1).mean(), np.diagonal(rows, -1).sum() / len(rows)
    expect(opened.locator(".tc-why")).to_contain_text(
        f"looks mostly back. Earlier words get {back:.0f}\u00a0%, the nearest {before:.0f}\u00a0%."
    )
    expect(opened.locator(".tc-heads button")).to_have_text(
        [*["itself"] * 4, "spread", "back", "ahead", *SELVES]
    )
    expect(opened.locator(".tc-given .tc-legend")).to_contain_text(
        f"Here mainly the word itself: {4 + SELVES.count('itself')} of 16 heads."
    )
    opened.get_by_role("button", name="Cross-attention").click()
    one = opened.locator(".tc-heads button").get_by_text("one", exact=True).count()
    expect(opened.locator(".tc-given .tc-legend")).to_contain_text(
        f"Here mostly one word: {one} of 16 heads."
    )
    opened.get_by_role("button", name="Decoder self-attention").click()
    names = opened.locator(".tc-heads button").all_inner_texts()
    assert names == decoder_names()
    back = names.count("back")
    expect(opened.locator(".tc-given .tc-legend")).to_contain_text(
        f"Here mainly earlier words: {back} of 16 heads."
    )


def test_a_head_without_a_majority_says_so_and_lists_its_shares(widget):
    opened = widget(TrainedAttention(layer=3, head=3))
    rows = TrainedAttention().between_words("dog", "encoder", 3, 3)
    shares = [part.sum() / len(rows) for part in (rows * np.eye(len(rows)), np.tril(rows, -1))]
    shares.append(np.triu(rows, 1).sum() / len(rows))
    assert max(shares) < 50
    own, earlier, later = (f"{share:.0f}\u00a0%" for share in shares)
    expect(opened.locator(".tc-why")).to_contain_text(
        f"Layer 3, head 3 is mixed. On average: itself {own}, earlier {earlier}, later {later}."
    )
    expect(opened.get_by_role("button", name="Layer 3, head 3")).to_have_text("mixed")


def test_heads_that_look_at_the_word_itself_stand_back_but_for_the_chosen_one(widget):
    opened = widget(TrainedAttention(layer=2, head=2))
    faint = opened.locator(".tc-heads .tc-usual")
    expect(faint).to_have_count(4 + SELVES.count("itself"))
    assert {*faint.locator("span").all_inner_texts()} == {"itself"}
    opacity = "node => getComputedStyle(node).opacity"
    assert faint.first.locator("canvas").evaluate(opacity) == "0.4"
    faint.first.click()
    assert faint.first.locator("canvas").evaluate(opacity) == "1"
    opened.get_by_role("button", name="Decoder self-attention").click()
    expect(faint).to_have_count(0)


def test_print_shows_words_and_heads_without_controls(widget):
    opened = widget()
    opened.page.emulate_media(media="print")
    assert opened.locator(".tc-stepbar:visible").count() == 0
    expect(opened.locator("canvas:visible")).to_have_count(16)
