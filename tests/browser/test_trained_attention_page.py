"""TrainedAttention in a real browser: its numbers are the export's, by mouse and by keyboard."""

import re
from collections import Counter

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
    chosen = words[word].replace(".", "“.”")
    expect(widget.locator(".tc-words [aria-pressed=true]")).to_have_text(chosen)
    shown = widget.locator(".tc-words li:visible")
    listed = [word.replace("“.”", ".") for word in shown.locator("span").all_inner_texts()]
    assert listed == start.words(name, keys)
    percents = [int(x.removesuffix(" %") or 0) for x in shown.locator("b").all_inner_texts()]
    np.testing.assert_allclose(percents, rows[word], atol=0.51)
    assert widget.locator("path.tc-chosen").count() == np.count_nonzero(rows[word] >= 1)
    said = widget.locator(".tc-why").inner_text()
    assert said.startswith(f"Layer {layer}, head {head} ")
    assert f"“{words[word]}”" in said
    expect(widget.locator(".tc-kinds [aria-pressed=true]")).to_have_attribute("aria-label", title)
    assert f"{rows[word].max():.0f} % to “" in said
    pressed = widget.locator(".tc-cards [aria-pressed=true]")
    does = pressed.locator("span").first.inner_text()
    label = f"Layer {layer}, head {head}: {does}"
    expect(widget.locator(".tc-heads [aria-pressed=true]")).to_have_attribute("aria-label", label)
    pixel = "node => [...node.getContext('2d').getImageData(0, 0, node.width, node.height).data]"
    pixels = np.array(pressed.locator("canvas").evaluate(pixel)).reshape(*rows.shape, 4)
    np.testing.assert_allclose(pixels[..., 3], 2.55 * rows, atol=0.51)
    listed = widget.locator(".tc-words button:visible").all_inner_texts()
    assert [each.replace("“.”", ".") for each in listed] == words


def kinds(widget: Locator) -> dict[str, int]:
    """How many heads of each kind it counts."""
    shown = widget.locator(".tc-cards button:visible p").all_inner_texts()
    pairs = [" ".join(text.split()).split(" × ") for text in shown]
    return {name: int(count) for name, count in pairs}


def tops(widget: Locator, path: str) -> list[tuple[int, ...]]:
    """From which word, and to which, such lines go."""
    ways = widget.locator(path).evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    pairs = [re.match(r"M0 ([\d.]+)C.* ([\d.]+)$", way).groups() for way in ways]
    return [tuple(round(float(y) / 24 - 0.5) for y in pair) for pair in pairs]


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
    labels = [f"Layer {n // 4 + 1}, head {n % 4 + 1}: " for n in range(16)]
    does = [*["itself"] * 4, "spread", "back", "ahead", *SELVES]
    for decoder in (False, True):
        if decoder:
            opened.get_by_role("button", name="Decoder self-attention").click()
            does = decoder_names()
        heads = opened.locator(".tc-heads button")
        named = heads.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
        assert named == [label + what for label, what in zip(labels, does, strict=True)]
        assert kinds(opened) == Counter(does)


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
    expect(opened.locator(".tc-cards [aria-pressed=true]")).to_contain_text("mixed")


def test_a_kind_of_head_is_chosen_at_its_square_and_all_of_it_are_shaded(widget):
    opened = widget(TrainedAttention(layer=2, head=2))
    shaded = opened.locator(".tc-heads .tc-alike")
    expect(shaded).to_have_count(1)
    opened.locator(".tc-cards button", has_text="itself").click()
    check_row(opened, "dog", "encoder", 1, 1, 11)
    expect(shaded).to_have_count(4 + SELVES.count("itself"))
    opened.get_by_role("button", name="Layer 4, head 4").click()
    check_row(opened, "dog", "encoder", 4, 4, 11)


def test_playing_goes_over_the_words_and_what_is_past_stays_green(widget):
    opened = widget(TrainedAttention(layer=2, head=2, word=0))
    opened.page.emulate_media(reduced_motion="reduce")
    rows = TrainedAttention().between_words("dog", "encoder", 2, 2)
    words = TrainedAttention().words("dog", "src")
    next_word = opened.get_by_role("button", name="Next", exact=True)
    for word in range(1, len(words)):
        next_word.click()
        past = [tuple(pair) for pair in np.argwhere(rows >= 20).tolist() if pair[0] < word]
        assert sorted(tops(opened, ".tc-passed")) == past
    expect(next_word).to_have_attribute("aria-disabled", "true")
    expect(opened.locator(".tc-place")).to_have_text(f"{len(words)} of {len(words)}")
    opened.get_by_label("Sentence").select_option("children")
    length = len(TrainedAttention().words("children", "src"))
    expect(opened.locator(".tc-place")).to_have_text(f"{length} of {length}")
    expect(opened.locator(".tc-stepbar")).to_have_count(1)
    opened.get_by_role("button", name="Play", exact=True).click()  # from the first word again
    expect(opened.locator(".tc-place")).to_have_text(f"2 of {length}")


def test_print_shows_words_and_heads_without_controls(widget):
    opened = widget()
    opened.page.emulate_media(media="print")
    assert opened.locator(".tc-stepbar:visible").count() == 0
    expect(opened.locator("canvas:visible")).to_have_count(5)
