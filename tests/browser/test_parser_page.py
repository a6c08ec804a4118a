"""Parser in a real browser: it writes PyTorch's trees, and no text or failure breaks the page."""

import functools
import http.server
import re
import shutil
import threading
from collections.abc import Iterator

import pytest
from conftest import opens, write_page
from playwright.sync_api import Locator, Page, expect

from transformer_course import carried
from transformer_course.data import line_of, tree_words
from transformer_course.decoding import parse
from transformer_course.pages import browser as tools
from transformer_course.widgets import Parser
from transformer_course.widgets.parser import FILES

SENTENCES = [
    "A man in a blue shirt is standing on a ladder.",
    "I see the man with the microscope.",
    "We don't know whether the mice (of both strains) were smaller.",
]
WEIGHTS = "model.safetensors"
OWN = "by your own browser"


class Failing(http.server.SimpleHTTPRequestHandler):
    """A server of the site that has no weights while `missing`."""

    missing = False

    def do_GET(self):
        if self.missing and self.path.endswith(WEIGHTS):
            return self.send_error(404)
        return super().do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def site_of_one(tmp_path, request) -> Iterator[str]:
    """The address of a site with one page, the widget on it, and the model where it belongs."""
    model = tmp_path / "_static" / "course" / "parser"
    model.mkdir(parents=True)
    for name in FILES.values():
        shutil.copy(carried.PARSER / name, model)
    write_page(tmp_path, [Parser(*getattr(request, "param", ()))], [0])
    index = tmp_path / "index.html"
    text = index.read_text(encoding="utf-8").replace("<html", '<html data-content_root="./"', 1)
    icon = '<link rel="icon" href="data:,">'
    index.write_text(text.replace("<style>", f"{icon}<style>", 1), encoding="utf-8")
    Failing.missing = False
    handler = functools.partial(Failing, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


alone = opens(Parser, ".tc-parser")


@pytest.fixture
def widget(page, site_of_one):
    """Opens the page and gives the widget: `widget(width=390, theme="dark")`."""
    return lambda **window: page(site_of_one, **window).locator(".tc-parser")


def ask(widget: Locator, text: str) -> list[str]:
    """Parse a text by the widget, and give the line that it wrote; nothing, if there is none."""
    box = widget.get_by_label("English sentence")
    box.fill(text)
    box.press("Enter")
    expect(widget.locator(".tc-go")).to_have_text("Parse", timeout=30_000)
    expect(widget).not_to_have_attribute("data-writing", "")
    found = widget.locator(".tc-brackets")
    gone = widget.locator(".tc-found").get_attribute("inert") is not None
    return [] if gone else found.inner_text().split()


def test_it_writes_the_trees_that_pytorch_writes(widget):
    shown = widget()
    words = [tree_words(text) for text in SENTENCES]
    found = parse(*carried.parser(), words)
    for text, tree in zip(SENTENCES, [each.tree for each in found], strict=True):
        assert tree is not None
        asked = {"-LRB-": "(", "-RRB-": ")"}
        assert ask(shown, text) == [asked.get(token, token) for token in line_of(tree)]
        labels = [token[1:] for token in line_of(tree) if token[0] == "("]
        assert shown.locator(".tc-part").all_text_contents() == labels
        assert shown.locator(".tc-leaf").all_text_contents() == [
            asked.get(word, word) for word in tree.words()
        ]
        expect(shown.locator(".tc-facts")).to_contain_text(OWN)
    assert shown.page.problems == []


def test_examples_are_there_at_once_and_nothing_is_fetched_before_one_asks(page, site_of_one):
    asked: list[str] = []
    opened: Page = page("about:blank")
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(site_of_one)
    tools.settle(opened)
    widget = opened.locator(".tc-parser")
    for example in Parser().examples:
        widget.get_by_role("button", name=example["text"]).click()
        expect(widget.locator(".tc-brackets")).to_have_text(" ".join(example["line"]) + " ")
        expect(widget.get_by_label("English sentence")).to_have_value(example["text"])
    assert [url for url in asked if "parser" in url] == []
    ask(widget, "A dog runs.")
    ask(widget, "A cat runs.")
    assert [url.rsplit("/", 1)[1] for url in asked if "parser" in url] == ["tokens.json", WEIGHTS]


def test_a_constituent_is_explained_by_mouse_and_by_keyboard(widget):
    shown = widget()
    first = Parser().examples[0]
    parts, why = shown.locator(".tc-part"), shown.locator(".tc-why")
    everything = " ".join(first["words"]).removesuffix(" .")
    expect(why).to_have_text("Point at a label, or use the arrow keys.")
    expect(shown.locator(".tc-spanned")).to_have_text(["with", "a", "fork"])
    parts.nth(0).hover()
    expect(why).to_have_text(f"S, sentence or clause: {everything}.")
    parts.nth(0).focus()
    shown.page.keyboard.press("ArrowDown")
    expect(parts.nth(1)).to_be_focused()
    expect(why).to_have_text(f"{parts.nth(1).get_attribute('aria-label')}.")
    spanned = " ".join(shown.locator(".tc-spanned").all_text_contents())
    expect(why).to_have_text(re.compile(f": {re.escape(spanned)}\\.$"))
    assert spanned != everything
    shown.page.keyboard.press("ArrowUp")
    expect(parts.nth(0)).to_be_focused()
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("Home")
    expect(parts.nth(0)).to_be_focused()
    assert shown.locator(".tc-part[tabindex='0']").count() == 1
    shown.get_by_text("More about this tree").click()
    names = shown.locator(".tc-outline > li").inner_text().split("\n")
    assert names[0] == "S, sentence or clause"
    assert [name for name in names if ", " not in name or name == ","] == first["words"]
    explained = shown.locator(".tc-names dt").all_inner_texts()
    assert set(explained) == {token[1:] for token in first["line"] if token[0] == "("}


def test_a_doubtful_phrase_has_the_other_tree_dashed_beside_it(widget):
    shown = widget()
    example = Parser().examples[0]
    asks = "Does “with a fork” go with “eating” or with “a pizza”? The parser writes “eating”: "
    both = [f"{100 * share:.0f}\u00a0%" for share in (example["share"], 1 - example["share"])]
    meaning = shown.locator(".tc-meaning")
    expect(meaning).to_have_text(f"{asks}{both[0]} against {both[1]}.")
    assert shown.locator(".tc-ghost text").all_text_contents() == both
    ask(shown, "The mice with two copies were smaller.")  # a phrase, but one place to hang it on
    expect(meaning).to_contain_text("It was least sure when it wrote “")
    assert shown.locator(".tc-ghost > *").count() == 0
    assert shown.locator(".tc-spanned").count() == 0
    ask(shown, "The old woman gave her dog a bone in the garden.")
    expect(meaning).to_contain_text(
        "This tree is broken: S holds “a” outside any phrase. It was least sure"
    )
    ask(shown, SENTENCES[1])
    expect(meaning).to_contain_text("go with “see” or with “the man”?")


def test_a_mistaken_tree_is_called_so_in_words_and_in_red(alone):
    shown = alone(Parser(("I see the man with the beard.", SENTENCES[1])))
    expect(shown.locator(".tc-meaning")).to_contain_text("A reader says “the man”.")
    color = "node => getComputedStyle(node).stroke"
    own, other = (shown.locator(f".tc-ghost path{kind}") for kind in (".tc-own", ":not(.tc-own)"))
    wrong = [one.evaluate(color) for one in (own, other)]
    shown.get_by_role("button", name=SENTENCES[1]).click()
    expect(shown.locator(".tc-meaning")).not_to_contain_text("A reader says")
    expect(own).to_have_count(1, timeout=10_000)
    sure = [one.evaluate(color) for one in (own, other)]
    assert len({*wrong, *sure}) == 4


@pytest.mark.parametrize("site_of_one", [[["I see the man with the beard."]]], indirect=True)
def test_a_mistaken_tree_that_the_page_parses_itself_is_called_so_too(widget):
    shown = widget()
    ask(shown, "I see the man with the beard.")
    expect(shown.locator(".tc-meaning")).to_contain_text("A reader says “the man”.")
    expect(shown.locator(".tc-ghost.tc-wrong")).to_have_count(1)
    ask(shown, SENTENCES[1])
    expect(shown.locator(".tc-meaning")).not_to_contain_text("A reader says")


def test_where_another_word_gives_the_same_shares_it_says_so(alone):
    beard, microscope = (f"I see the man with the {noun}." for noun in ("beard", "microscope"))
    shown = alone(Parser((beard, microscope, SENTENCES[0])))
    meaning = shown.locator(".tc-meaning")
    expect(meaning).not_to_contain_text("again:")
    shown.get_by_role("button", name=microscope).click()
    expect(meaning).to_contain_text("again: “microscope” made no difference.")
    shown.get_by_role("button", name=microscope).click()
    expect(meaning).not_to_contain_text("again:")
    shown.get_by_role("button", name=SENTENCES[0]).click()
    shown.get_by_role("button", name=beard).click()
    expect(meaning).not_to_contain_text("again:")


@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_is_the_same_for_every_example_of_the_chapter(alone, width):
    nouns = [f"I see the man with the {noun}." for noun in ("beard", "microscope")]
    shown = alone(Parser((*nouns, "A man is eating a pizza with a fork.")), width=width)
    heights = []
    for chip in shown.locator(".tc-examples button").all():
        chip.click()
        heights.append(shown.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2


def test_the_tree_grows_token_by_token_unless_motion_is_unwanted(widget):
    shown = widget()
    example = Parser().examples[1]
    chip = shown.get_by_role("button", name=example["text"])
    line = shown.locator(".tc-brackets")
    shown.page.emulate_media(reduced_motion="no-preference")
    chip.click()
    expect(shown).to_have_attribute("data-writing", "")
    begun = line.inner_text().split()
    assert begun == example["line"][: len(begun)]
    assert len(begun) < len(example["line"])
    expect(line).to_have_text(" ".join(example["line"]) + " ")
    expect(shown).not_to_have_attribute("data-writing", "")
    shown.page.emulate_media(reduced_motion="reduce")
    chip.click()
    assert line.inner_text().split() == example["line"]


def test_odd_texts_get_one_line_and_the_old_tree_goes_pale(widget):
    shown = widget()
    messages = {
        "": "There is no word in this: type an English sentence.",
        " \n\t ": "There is no word in this",
        "word " * 300: "This text has 300 words. The page parses one sentence, of 40 words at most",
        "x" * 9999: "This text has 9999 characters",
        "A dog 🎉 runs": "and “🎉” is no part of it",
        "Собака лает": "and “С” is no part of it",
        "<img src=x onerror=alert(1)>": "This has tags of HTML in it",
        "?!...": "There is no word in this",
    }
    for text, message in messages.items():
        assert ask(shown, "A dog runs.")[0][0] == "("
        assert ask(shown, text) == []
        expect(shown.locator(".tc-meaning")).to_contain_text(message)
        expect(shown.locator(".tc-found")).to_have_css("opacity", "0.5")
    assert shown.locator("img, script").count() == 0
    assert ask(shown, "A dog runs.")
    expect(shown.locator(".tc-meaning")).to_contain_text("It was least sure")
    assert shown.page.problems == []


@pytest.mark.parametrize("width", [1280, 390])
def test_an_empty_box_keeps_the_last_tree_and_the_height(alone, width):
    shown = alone(width=width)
    height = shown.bounding_box()["height"]
    ask(shown, "")
    expect(shown.locator(".tc-leaf")).to_have_count(len(Parser().examples[0]["words"]))
    expect(shown.locator(".tc-meaning")).to_have_text(
        "There is no word in this: type an English sentence."
    )
    assert abs(shown.bounding_box()["height"] - height) <= 2 or width == 390
    shown.get_by_role("button", name=Parser().examples[0]["text"]).click()
    expect(shown.locator(".tc-found")).not_to_have_attribute("inert", "")
    assert abs(shown.bounding_box()["height"] - height) <= 2


def test_a_broken_tree_is_called_so_and_no_question_is_asked_about_it(widget):
    shown = widget()
    for text, flaw in {
        "The old man who lives near the river saw the boy.": "S holds “saw” outside",
        "Who saw the dog that the man with the telescope bought yesterday?": "VP begins with “th",
        "A boy in a red shirt is throwing a ball to his dog.": "S holds “shirt” outside",
        "Is the girl with the blue hat happy?": "S holds “hat” outside any phrase.",
    }.items():
        assert ask(shown, text)
        expect(shown.locator(".tc-meaning")).to_contain_text(f"This tree is broken: {flaw}")
        expect(shown.locator(".tc-meaning")).not_to_contain_text("go with")
        assert shown.locator(".tc-ghost > *").count() == 0


def test_words_that_it_does_not_know_are_named(widget):
    shown = widget()
    ask(shown, "A zyzzyva sees a man.")
    expect(shown.locator(".tc-note")).to_contain_text("“zyzzyva”")
    ask(shown, "A man.")
    expect(shown.locator(".tc-note")).to_be_empty()


def test_a_failed_load_says_why_and_can_be_tried_again(widget):
    shown = widget()
    Failing.missing = True
    shown.locator(".tc-go").click()
    expect(shown.locator(".tc-meaning")).to_contain_text(
        f"The server has no {WEIGHTS}: it answered 404"
    )
    expect(shown.locator(".tc-found")).to_have_attribute("inert", "")
    expect(shown.locator(".tc-go")).to_have_text("Try again")
    Failing.missing = False
    shown.locator(".tc-go").click()
    expect(shown.locator(".tc-facts")).to_contain_text(OWN, timeout=30_000)
    expect(shown.locator(".tc-meaning")).not_to_contain_text("The server")


def test_it_can_be_stopped_and_asked_again(widget):
    shown = widget()
    ask(shown, "A dog runs.")
    box, go = shown.get_by_label("English sentence"), shown.locator(".tc-go")
    box.fill("a dog and " * 12 + "a cat run")
    twice = "it => { it.click(); const name = it.textContent; it.click(); return name; }"
    assert go.evaluate(twice) == "Stop"  # at once: a fast machine is done in a tenth of a second
    expect(shown.locator(".tc-meaning")).to_have_text("Stopped.")
    expect(shown.locator(".tc-found")).to_have_attribute("inert", "")
    line = ask(shown, SENTENCES[0])
    [found] = parse(*carried.parser(), [tree_words(SENTENCES[0])])
    assert found.tree is not None
    assert line == line_of(found.tree)


def test_a_page_outside_the_book_without_a_kernel_says_so(show):
    widget = show(Parser()).locator(".tc-parser")
    widget.locator(".tc-go").click()
    expect(widget.locator(".tc-meaning")).to_contain_text("Python did not answer: run this cell")


def test_on_a_phone_the_doubt_is_seen_whole_and_what_is_wider_says_so(page, site_of_one):
    opened: Page = page("about:blank", width=390)
    opened.add_init_script(
        "const real = window.matchMedia.bind(window);"
        "window.matchMedia = (query) => query === '(hover: none)' ? {matches: true} : real(query);"
    )
    opened.goto(site_of_one)
    tools.settle(opened)
    widget = opened.locator(".tc-parser")
    view, why = widget.locator(".tc-view"), widget.locator(".tc-why")
    expect(why).to_have_text("Tap a label.")
    assert view.evaluate("view => view.scrollWidth <= view.clientWidth")  # the pizza
    sizes = """view => { const {a} = view.querySelector("svg").getScreenCTM();
        return [...view.querySelectorAll("text")].map(
            text => a * parseFloat(getComputedStyle(text).fontSize)) }"""
    assert min(view.evaluate(sizes)) >= 11
    hint = "why => getComputedStyle(why, '::before').content"
    assert why.evaluate(hint) == "none"
    widget.get_by_role("button", name=Parser().examples[2]["text"]).click()
    assert view.evaluate("view => view.scrollWidth > view.clientWidth")
    assert why.evaluate(hint) == '"scroll for more"'


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark"), (320, "light")])
def test_it_fits_every_width_and_axe_finds_nothing(widget, width, theme):
    shown = widget(width=width, theme=theme)
    ask(shown, SENTENCES[2])
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tools.axe_violations(shown.page) == []
    outside = """all => all.some(it => it.getBoundingClientRect().right >
        it.closest('.tc-view').scrollWidth + it.closest('.tc-view').getBoundingClientRect().left)"""
    assert not shown.locator(".tc-leaf").evaluate_all(outside)
