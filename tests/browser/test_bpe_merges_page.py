"""BpeMerges in a real browser: its merges and pieces are those of the package's tokenizer."""

import random
from collections import Counter

import pytest
from conftest import check_page
from playwright.sync_api import Locator, expect

from transformer_course.data import Tokenizer
from transformer_course.data.tokenizer import SPECIAL_PIECES
from transformer_course.errors import DataError
from transformer_course.pages import browser as tools
from transformer_course.widgets import BpeMerges
from transformer_course.widgets.sources import module

SAMPLES = [
    "A dog's ball, a dog's life: the dog barks; a cat's ball!",
    "aaaa aaaa aaa abab ababab <b>abab</b> a_b a_b 1+1=2 1+1=2",
    "e\u0301té été ÉTÉ naïve na\u0131ve Straße straße",
    "😀😀 👩‍👩‍👧 👩‍👩‍👧 ❤️ ❤️ 🏳️‍🌈",
    "Ночь, улица, фонарь, аптека. Ночь, улица. 中文中文 中文 日本語日本語 שלום שלום مرحبا مرحبا",
    "\u00a0tabs\tand\u2003spaces▁▁and\u0000controls\u200b\u200b tabs\r\n",
    "",
]
CALL = """async ([source, jobs]) => {
  const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  const { learn } = await import(url);
  return jobs.map(([text, other]) => {
    const learner = learn(text);
    while (learner.merge());
    const merges = learner.merges.map(({ left, right }) => [learner.pieces[left], learner.pieces[right]]);
    return [merges, learner.pieces, learner.encode(other)];
  });
}"""  # noqa: E501


def made_up(seed: int) -> str:
    """A text of few letters, so that many pairs are equally frequent."""
    draw = random.Random(seed)
    letters = "ab c,ß▁"[: draw.randint(3, 7)]
    return "".join(draw.choice(letters) for _ in range(draw.randint(10, 400)))


def test_merges_vocabulary_and_encoding_are_those_of_the_package(show):
    page = show(BpeMerges())
    texts = [*SAMPLES, *map(made_up, range(60))]
    jobs = [[text, texts[(n + 1) % len(texts)] + " lowest"] for n, text in enumerate(texts)]
    answers = page.evaluate(CALL, [module("bpe_learner.js"), jobs])
    for (text, other), (merges, pieces, encoded) in zip(jobs, answers, strict=True):
        try:
            tokenizer = Tokenizer.train([text], vocab_size=100_000)
        except DataError:
            assert merges == pieces == []
            continue
        assert [tuple(pair) for pair in merges] == tokenizer.merges
        learned = [tokenizer.id_to_piece(n) for n in range(4, len(tokenizer))]
        assert pieces == learned
        unknown = SPECIAL_PIECES[3]
        assert [unknown if x is None else x for x in encoded] == tokenizer.pieces(other)


def pieces(widget: Locator, place: str) -> list[str]:
    box = widget.locator(".tc-box").filter(has_text=place)
    return box.locator(".tc-pieces bdi").all_text_contents()


def check(widget: Locator, **state) -> None:
    """All that is shown is what the package says."""
    twin = BpeMerges(**state)
    tokenizer = twin.tokenizer()
    words = Counter(twin.text.split())
    each = [piece for word in words for piece in tokenizer.pieces(word)]
    assert pieces(widget, "The text now") == each
    often = widget.locator(".tc-row > small").all_text_contents()
    assert often == [f"{count} ×" for count in words.values()]
    assert pieces(widget, "A new word") == tokenizer.pieces(twin.word)
    learned = [tokenizer.id_to_piece(n) for n in range(4, len(tokenizer))]
    assert pieces(widget, "Vocabulary") == learned
    expect(widget.locator(".tc-why")).to_contain_text(f"{len(tokenizer.merges)} merge")


def open_text(widget: Locator) -> Locator:
    """The field of the text to learn from, which stands folded away."""
    field = widget.get_by_label("Text to learn from")
    expect(field).to_be_hidden()
    widget.get_by_text("Learn from a text of your own").click()
    return field


def test_the_two_pieces_that_merge_next_fit_into_each_other(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    shape = "all => all.map(one => getComputedStyle(one, '::before').clipPath)"
    for row in widget.locator(".tc-row:has(.tc-next), tr.tc-next").all():
        point, notch = row.locator("span.tc-next").evaluate_all(shape)
        assert [point[:8], notch[:8]] == ["polygon("] * 2
        assert point != notch
    assert widget.locator("span.tc-next").all_text_contents()[:2] == ["▁lo ", "w "]
    rest = widget.locator(".tc-piece:not(.tc-next)").evaluate_all(shape)
    assert set(rest) == {"none"}


def test_the_buttons_go_on_and_back(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    check(widget)
    widget.get_by_role("button", name="Merge", exact=True).click()
    check(widget, done=5)
    widget.get_by_role("button", name="Merge 10").click()
    check(widget, done=15)
    widget.get_by_role("button", name="Merge 10").click(force=True)  # there is no merge left
    check(widget, done=15)
    expect(widget.get_by_role("button", name="Merge 10")).to_have_attribute("aria-disabled", "true")
    widget.get_by_role("button", name="Back").click()
    check(widget, done=14)
    widget.get_by_role("button", name="Reset").click()
    check(widget, done=0)
    widget.get_by_role("button", name="Back").click(force=True)
    check(widget, done=0)


def test_the_keyboard_types_a_text_and_a_word_and_merges(show):
    page = show(BpeMerges())
    widget = page.locator(".tc-bpe")
    for _ in range(10):  # five buttons, the words, the new one and its pieces, the list, the fold
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("hot hotter hottest")
    check(widget, text="hot hotter hottest", done=0)
    for _ in range(8):
        page.keyboard.press("Shift+Tab")
    expect(widget.get_by_role("button", name="Merge", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    check(widget, text="hot hotter hottest", done=2)
    widget.get_by_label("A new word").fill("a hot shot")
    check(widget, text="hot hotter hottest", done=2, word="a hot shot")
    expect(widget.get_by_text("1 unknown")).to_be_visible()


@pytest.mark.parametrize("text", [*SAMPLES[:-1], "<img src=x onerror=alert(1)>"])
def test_any_text_is_text(show, text):
    page = show(BpeMerges())
    widget = page.locator(".tc-bpe")
    open_text(widget).fill(text)
    widget.get_by_role("button", name="Merge", exact=True).click()
    expect(widget.locator("img")).to_have_count(0)
    expect(widget.locator(".tc-why")).to_contain_text("1 merge so far")
    assert page.problems == []
    assert tools.overflow(page) <= 0


def test_an_empty_text_and_too_long_a_one_are_told(show):
    page = show(BpeMerges())
    widget = page.locator(".tc-bpe")
    field = open_text(widget)
    field.fill("")
    expect(widget.locator(".tc-why")).to_contain_text("There is no text yet.")
    widget.get_by_role("button", name="Merge 10").click(force=True)
    field.fill("word " * 5000)
    expect(widget.get_by_role("status")).to_contain_text("Expected at most 20,000")
    assert len(field.input_value()) == 20_000
    widget.get_by_role("button", name="Merge 10").click()
    expect(widget.locator(".tc-why")).to_contain_text("4 merges so far, and no pair occurs twice")
    assert pieces(widget, "Vocabulary")[-1] == "▁word"
    field.fill("short")
    expect(widget.get_by_role("status")).to_be_empty()
    assert page.problems == []


def test_two_views_stay_together(show):
    first, second = show(BpeMerges(), views=[0, 0]).locator(".tc-bpe").all()
    open_text(second).fill("so so so")
    second.get_by_role("button", name="Merge", exact=True).click()
    check(first, text="so so so", done=1)


def test_it_is_accessible_and_fits_its_window(show, window):
    text = "low lower " + "Donaudampfschifffahrtsgesellschaft " * 3
    page = show(BpeMerges(text=text, word="x" * 60, done=30), **window)
    check_page(page)


def test_print_keeps_the_tables_and_the_text(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    widget.page.emulate_media(media="print")
    assert widget.locator(".tc-stepbar:visible").count() == 0
    check(widget)


def test_it_plays_until_no_pair_is_left_and_its_height_stays(show, window):
    widget = show(BpeMerges(done=12), **window).locator(".tc-bpe")
    heights = {widget.bounding_box()["height"]}
    widget.get_by_role("button", name="Play").click()
    expect(widget.locator(".tc-why")).to_contain_text("15 merges so far", timeout=10_000)
    expect(widget.get_by_role("button", name="Play")).to_be_visible(timeout=5000)
    heights.add(widget.bounding_box()["height"])
    widget.get_by_role("button", name="Reset").click()
    heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_a_new_merge_closes_up_and_an_old_one_stays_still(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    closing = widget.locator(".tc-join")
    assert closing.count() == 0
    widget.get_by_role("button", name="Merge", exact=True).click()
    assert closing.all_text_contents() == ["▁low "] * 4  # low, lower, lowest, the vocabulary
    widget.get_by_label("A new word").fill("slow")
    assert closing.count() == 0
    widget.get_by_role("button", name="Back").click()
    assert closing.count() == 0


def test_pairs_are_bars_as_long_as_their_counts(show):
    widget = show(BpeMerges(done=0)).locator(".tc-bpe")
    rows = widget.locator("tbody tr").all()
    counts = [int(row.locator("td").last.inner_text()) for row in rows]
    assert counts == [9, 9, 8, 7, 7]
    wide = [row.locator("i").evaluate("bar => parseFloat(bar.style.width)") for row in rows]
    assert wide == pytest.approx([100 * count / 9 for count in counts], abs=0.01)


def test_the_best_bar_falls_into_the_words_that_hold_the_pair(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    parts = widget.locator("tr.tc-next i b").evaluate_all("all => all.map(b => b.style.flexGrow)")
    assert parts == ["5", "2"]  # low, lower
    marked = widget.locator(".tc-row .tc-next bdi").all_text_contents()
    assert marked == ["▁lo", "w"] * 2


def test_letters_keep_their_places_when_their_pieces_close_up(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    ends = """all => all.map(row => {
      const range = document.createRange();
      range.selectNodeContents(row.lastChild.lastElementChild.firstChild);
      return Math.round(range.getBoundingClientRect().right);
    })"""
    rows = widget.locator(".tc-row")
    before = rows.evaluate_all(ends)
    widget.get_by_role("button", name="Merge 10").click()
    assert rows.evaluate_all(ends) == pytest.approx(before, abs=1)


def numbers(widget: Locator, kind: str = "") -> list[int]:
    return [int(each) for each in widget.locator(f".tc-tree {kind} text").all_text_contents()]


def test_the_new_word_has_a_tree_of_its_merges_in_their_order(show, window):
    start = BpeMerges()
    widget = show(start, **window).locator(".tc-bpe")
    merges = start.tokenizer().merges
    assert sorted(numbers(widget, "g:not(.tc-soon)")) == [1, 2, 3, 4]
    told = ", ".join(f"merge {n}: {''.join(pair)}" for n, pair in enumerate(merges, start=1))
    spoken = widget.get_by_role("img").get_attribute("aria-label")
    assert sorted(spoken.split(", ")) == told.split(", ")
    assert set(numbers(widget, ".tc-late")) == {4}
    assert numbers(widget, ".tc-soon") == [5]  # dashed: what merges next
    expect(widget.locator(".tc-grow")).to_have_count(0)
    widget.get_by_role("button", name="Merge", exact=True).click()
    assert sorted(numbers(widget)) == [1, 2, 3, 4, 5]
    assert numbers(widget, ".tc-grow") == [5]
    widget.get_by_label("A new word").fill("newest widest lower")
    widget.get_by_role("button", name="Merge 10").click()
    boxes = widget.locator(".tc-tree rect").evaluate_all(
        "all => all.map(node => node.getBoundingClientRect().toJSON())"
    )
    chips = widget.locator(".tc-pieces:has(.tc-tree)").bounding_box()
    assert min(box["top"] for box in boxes) >= chips["y"]  # none is cut
    for n, one in enumerate(boxes):
        for other in boxes[:n]:
            middle = [abs(one[a] + one[b] / 2 - other[a] - other[b] / 2) for a, b in SIDES]
            assert max(middle) >= 12  # no number lies on another
    widget.get_by_role("button", name="Reset").click()
    assert numbers(widget, "g:not(.tc-soon)") == []
    expect(widget.get_by_role("img")).to_have_attribute("aria-label", "no merge yet")


SIDES = [("left", "width"), ("top", "height")]


def test_beside_the_tree_its_rows_are_named_and_nothing_lies_apart(show, window):
    widget = show(BpeMerges(done=1), **window).locator(".tc-bpe")
    word = widget.locator(".tc-word")
    ring, chips = (widget.locator(name) for name in (".tc-tree .tc-late rect", ".tc-word bdi"))
    middles = {}
    for name, row in (("merge", ring), ("6 pieces", chips.first)):
        label, shown = word.get_by_text(name, exact=True).bounding_box(), row.bounding_box()
        middles[name] = abs(label["y"] + label["height"] / 2 - shown["y"] - shown["height"] / 2)
        assert label["x"] + label["width"] <= chips.first.bounding_box()["x"]
    assert max(middles.values()) < 6, middles
    label, field = (word.locator(name).bounding_box() for name in ("label", "input"))
    gaps = [field["x"] - label["x"] - label["width"], field["y"] - label["y"] - label["height"]]
    assert 0 <= max(gaps) < 16, gaps
    assert label["y"] - word.bounding_box()["y"] < 48  # no void above its name


def test_all_of_it_fits_a_phone_and_the_whole_vocabulary_is_in_sight(show, window):
    widget = show(BpeMerges(done=15), **window).locator(".tc-bpe")
    assert widget.bounding_box()["height"] < (860 if window["width"] < 600 else 680)
    for pieces in widget.locator(".tc-pieces").all():
        assert pieces.evaluate("node => node.scrollHeight - node.clientHeight") <= 0
    assert widget.locator(".tc-pieces").last.inner_text().endswith("▁lower")


def test_each_leg_of_the_tree_ends_at_its_letter(show):
    widget = show(BpeMerges(done=15, word="widest x😀")).locator(".tc-bpe")
    legs = widget.locator(".tc-tree path").evaluate_all(
        """all => all.flatMap(path => [...path.getAttribute("d").matchAll(/L(\\S+) 74/g)]
          .map(([, x]) => Number(x) + path.ownerSVGElement.getBoundingClientRect().left))"""
    )
    letters = widget.locator(".tc-pieces:has(.tc-tree) bdi").first.evaluate(
        """bdi => [...bdi.textContent].map((_, n) => {
          const range = document.createRange();
          range.setStart(bdi.firstChild, n); range.setEnd(bdi.firstChild, n + 1);
          const { left, right } = range.getBoundingClientRect();
          return (left + right - parseFloat(getComputedStyle(bdi).letterSpacing)) / 2; })"""
    )
    assert len(letters) == len("▁widest")
    assert sorted(legs) == pytest.approx(letters, abs=0.5)


def test_with_less_motion_no_merge_rises(show):
    widget = show(BpeMerges()).locator(".tc-bpe")
    name = "node => getComputedStyle(node).animationName"
    widget.page.emulate_media(reduced_motion="no-preference")
    widget.get_by_role("button", name="Merge", exact=True).click()
    assert widget.locator(".tc-grow").first.evaluate(name) == "tc-rise"
    widget.page.emulate_media(reduced_motion="reduce")
    assert widget.locator(".tc-grow").first.evaluate(name) == "none"
