"""Translator in a real browser: it translates as PyTorch does, and no failure breaks the page."""

import functools
import http.server
import re
import shutil
import threading
import time
from collections.abc import Iterator

import pytest
import torch
from conftest import write_page
from playwright.sync_api import Locator, Page, expect

from transformer_course import carried
from transformer_course.data import make_batch
from transformer_course.decoding import evaluating, translate
from transformer_course.model import record_attention
from transformer_course.pages import browser as tools
from transformer_course.widgets import Translator
from transformer_course.widgets.translator import FILES, FOLDER, NAME

translator = functools.partial(carried.translator, NAME)
SENTENCES = [
    "A brown dog jumps over a fence.",
    "Two children are playing with a ball on the beach.",
    "A woman in a yellow coat waits for the train.",
    "Three men are fixing the roof of a house.",
    "People are dancing on a stage.",
    "An old man sits on a chair and reads the newspaper.",
    "A boy with a helmet rides his bike down a hill.",
    "The band plays in front of a large crowd.",
    "Someone is climbing a steep rock wall.",
    "Nobody expects the Spanish inquisition!",
]
WEIGHTS = "model.safetensors"
SIZE = (FOLDER / FILES["weights"]).stat().st_size
OWN = "by your own browser"


class Failing(http.server.SimpleHTTPRequestHandler):
    """A server of the site whose weights come as its `mode` says."""

    mode = "well"

    def do_GET(self):
        if self.mode == "well" or not self.path.endswith(WEIGHTS):
            return super().do_GET()
        if self.mode == "missing":
            return self.send_error(404)
        content = (FOLDER / FILES["weights"]).read_bytes()
        damaged = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
        sent = {"short": content[:1000], "damaged": damaged, "longer": content + b"!"}.get(
            self.mode, content[:50_000]
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(content if self.mode == "cut" else sent)))
        self.end_headers()
        self.wfile.write(sent)
        if self.mode == "cut":
            time.sleep(0.5)  # the browser has begun to read when the connection ends
        self.close_connection = True

    def log_message(self, *arguments):
        pass


@pytest.fixture
def site_of_one(tmp_path) -> Iterator[str]:
    """The address of a site with one page, the widget on it, and the model where it belongs."""
    model = tmp_path / "_static" / "course" / "model"
    model.mkdir(parents=True)
    for name in FILES.values():
        shutil.copy(FOLDER / name, model)
    write_page(tmp_path, [Translator()], [0])
    index = tmp_path / "index.html"
    text = index.read_text(encoding="utf-8").replace("<html", '<html data-content_root="./"', 1)
    icon = '<link rel="icon" href="data:,">'
    index.write_text(text.replace("<style>", f"{icon}<style>", 1), encoding="utf-8")
    Failing.mode = "well"
    handler = functools.partial(Failing, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


@pytest.fixture
def widget(page, site_of_one):
    """Opens the page and gives the widget: `widget(width=390, theme="dark")`."""
    return lambda **window: page(site_of_one, **window).locator(".tc-translator")


def more(widget: Locator) -> None:
    """Unfold what is rarely chosen."""
    widget.locator("details").evaluate("it => { it.open = true; }")


def ask(widget: Locator, text: str, search: str | None = None) -> str:
    """Translate a text by the widget, and give what it wrote."""
    if search:
        more(widget)
        widget.get_by_label("Search").select_option(label=search)
    box = widget.get_by_label("English sentence")
    box.fill(text)
    box.press("Enter")
    go = widget.locator(".tc-go")
    expect(go).to_have_text("Translate", timeout=30_000)
    return widget.locator(".tc-said").inner_text()


def told(line: Locator) -> list[float]:
    """What a screen reader is told of the words of a line: their weights."""
    names = [each.get_attribute("aria-label") for each in line.get_by_role("button").all()]
    return [float(name.rsplit(", ", 1)[1]) for name in names]


@pytest.mark.parametrize(("search", "beam"), [("greedy", 1), ("beam of 4", 4)])
def test_it_translates_as_pytorch_does(widget, search, beam):
    shown = widget()
    expected = translate(*translator(), SENTENCES, beam=beam)
    found = [ask(shown, text, search) for text in SENTENCES]
    assert found == expected
    facts = shown.locator(".tc-told")
    expect(facts).to_contain_text(f"{OWN}, {search}.")
    assert float(facts.inner_text().split(" ms, ")[1].split()[0].replace(",", "")) > 1
    assert shown.page.problems == []


def test_examples_are_there_at_once_and_nothing_is_fetched_before_one_asks(page, site_of_one):
    asked: list[str] = []
    opened: Page = page("about:blank")
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(site_of_one)
    tools.settle(opened)
    widget = opened.locator(".tc-translator")
    for example in Translator().examples:
        widget.get_by_role("button", name=example["text"]).click()
        expect(widget.locator(".tc-said")).to_have_text(example["translation"])
        expect(widget.get_by_label("English sentence")).to_have_value(example["text"])
    assert [url for url in asked if "model" in url] == []
    ask(widget, "A dog.")
    ask(widget, "A cat.")
    assert [url.rsplit("/", 1)[1] for url in asked if "model" in url] == [
        "tokenizer.json",
        WEIGHTS,
        "words.txt",
    ]


def test_every_look_shows_what_pytorch_saw_by_mouse_and_by_keyboard(widget):
    model, tokenizer = translator()
    shown = widget()
    output = ask(shown, SENTENCES[0])
    batch = make_batch([(tokenizer.encode(SENTENCES[0]), tokenizer.encode(output))])
    with evaluating(model), record_attention(model) as weights:
        memory = model.encode(batch.src)
        model.decode(batch.tgt_in, memory)
    above, below = (shown.get_by_label(f"Words that {who}") for who in ("are looked at", "look"))
    pieces = [tokenizer.id_to_piece(int(i)) for i in batch.src[0]]
    assert not [piece for piece in pieces if not piece.startswith(("▁", ".", "<"))]  # words all

    def agree(exact: torch.Tensor) -> None:
        torch.testing.assert_close(torch.tensor(told(above)), exact, rtol=0, atol=0.00502)

    below.get_by_role("button").nth(0).click()
    agree(weights["decoder_layers.3.cross_attn"][0, :, 0].mean(0))
    more(shown)
    shown.get_by_label("Layer").select_option("2")
    shown.get_by_label("Head").select_option("3")
    agree(weights["decoder_layers.1.cross_attn"][0, 2, 0])
    below.get_by_role("button").nth(0).focus()
    shown.page.keyboard.press("ArrowRight")
    expect(below.get_by_role("button").nth(1)).to_be_focused()
    shown.page.keyboard.press("Enter")
    expect(below.get_by_role("button").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(shown.locator(".tc-why")).to_contain_text(", head 3 of layer 2 looks most at “")
    shown.page.keyboard.press("ArrowUp")
    expect(above.get_by_role("button").nth(1)).to_be_focused()
    column = [cells for cells in told(below)]
    first = weights["decoder_layers.1.cross_attn"][0, 2, 0, 1].item()
    assert column[0] == pytest.approx(first, abs=0.00502)

    shown.get_by_label("Look at").select_option("encoder")
    below.get_by_role("button").nth(2).click()
    agree(weights["encoder_layers.1.self_attn"][0, 2, 2])
    shown.get_by_label("Look at").select_option("decoder")
    below.get_by_role("button").nth(0).click()
    names = [each.get_attribute("aria-label") for each in above.get_by_role("button").all()]
    assert names[0] == "start, 1.00"
    assert names[-1].endswith(", ✕")
    assert shown.page.problems == []


def test_a_rival_is_gone_on_from(widget):
    shown = widget()
    ask(shown, "Two dogs are playing in the snow.", "greedy")
    shown.get_by_label("Words that look").get_by_role("button").first.click()
    rivals = shown.get_by_role("group", name="Go on with").get_by_role("button")
    expect(rivals).to_have_count(5)
    expect(rivals.first).to_have_attribute("aria-label", re.compile(r"^Zwei, \d+ %, written$"))
    other = rivals.nth(1)
    word = other.locator("b").inner_text()
    other.click()
    expect(shown.locator(".tc-said")).to_have_text(re.compile(f"^{word}"))
    expect(shown.locator(".tc-go")).to_have_text("Translate")
    expect(rivals.first).to_be_focused()
    told = shown.locator(".tc-why")
    expect(told).to_have_text(
        re.compile(rf"^You chose “{word}” \((< )?\d+ %\)\. Likeliest here: “Zwei” \(\d+ %\)\.$")
    )
    ask(shown, "Two dogs are playing in the snow.", "greedy")
    expect(told).to_contain_text("The model was least sure of")
    assert shown.page.problems == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_models_own_sentence_stands_beside_the_readers_and_one_press_goes_back(widget, width):
    shown = widget(width=width)
    told, why = shown.locator(".tc-told"), shown.locator(".tc-why")
    said, go = shown.locator(".tc-said"), shown.locator(".tc-go")
    rivals = shown.get_by_role("group", name="Go on with").get_by_role("button")
    back = shown.get_by_role("button", name="Model’s own")
    others = shown.locator(".tc-rivals [aria-disabled=false]")
    own, height = ask(shown, "The platypus sleeps."), shown.bounding_box()["height"]
    doubt = why.inner_text()
    warning = shown.locator(".tc-message")
    expect(warning).to_contain_text("It never met “platypus”")
    expect(back).to_be_hidden()

    def compared(other: Locator) -> None:
        before = said.inner_text()
        other.click()
        expect(said).not_to_have_text(before)
        expect(go).to_have_text("Translate")
        expect(why).to_contain_text("You chose “")
        means = r"On average \d+ % a token; yours (< )?\d+ %\."
        expect(told).to_have_text(re.compile(f"^The model’s own: “{re.escape(own)}” {means}$"))
        expect(warning).to_be_empty()
        assert shown.bounding_box()["height"] == height

    def is_back() -> None:
        expect(said).to_have_text(own)
        expect(why).to_have_text(doubt)
        expect(go).to_have_text("Translate")
        expect(back).to_be_hidden()
        expect(rivals.first).to_be_focused()
        assert shown.bounding_box()["height"] == height

    compared(others.first)
    compared(others.last)  # from one of the reader's to the next
    back.click()
    is_back()
    compared(others.first)
    others.last.evaluate("it => { it.click(); document.querySelector('.tc-replay + *').click(); }")
    shown.page.wait_for_timeout(500)  # what was on its way does not come any more
    is_back()
    assert shown.page.problems == []


def test_who_comes_back_to_the_models_own_sentence_by_rivals_has_not_begun_it(widget):
    shown = widget()
    own, doubt = shown.locator(".tc-said").inner_text(), shown.locator(".tc-why").inner_text()
    rivals = shown.get_by_role("group", name="Go on with")
    rivals.get_by_role("button", name="euch").click()
    expect(shown.locator(".tc-why")).to_contain_text("You chose “euch”", timeout=30_000)
    rivals.get_by_role("button", name="dich").click()
    expect(shown.locator(".tc-said")).to_have_text(own)
    expect(shown.locator(".tc-why")).to_have_text(doubt)
    expect(shown.get_by_role("button", name="Model’s own")).to_be_hidden()


def test_a_rival_without_an_answer_is_not_told_as_chosen(widget):
    shown = widget()
    doubt = shown.locator(".tc-why").inner_text()
    Failing.mode = "missing"
    rival = shown.get_by_role("group", name="Go on with").get_by_role("button").nth(1)
    rival.click()
    expect(shown.locator(".tc-message")).to_contain_text("it answered 404")
    expect(shown.locator(".tc-why")).to_have_text(doubt)
    Failing.mode = "well"
    ask(shown, "I love you.")
    rival.evaluate("it => { it.click(); document.querySelector('.tc-go').click(); }")
    expect(shown.locator(".tc-message")).to_have_text("Stopped.")
    expect(shown.locator(".tc-why")).to_have_text(doubt)
    expect(shown.get_by_role("button", name="Model’s own")).to_be_hidden()


def test_a_word_of_either_language_tells_of_itself_and_nothing_moves(widget):
    shown = widget()
    told, height = shown.locator(".tc-why"), shown.bounding_box()["height"]
    expect(told).to_contain_text("least sure of “dich”, looking most at “you”. Main rival: “euch”.")
    above, below = (shown.get_by_label(f"Words that {who}") for who in ("are looked at", "look"))
    above.get_by_role("button").nth(1).click()
    expect(told).to_have_text(re.compile(r"^“love” is looked at most by “liebe” \(0\.\d\d\)"))
    expect(above.get_by_role("button").nth(1)).to_have_attribute("aria-pressed", "true")
    below.get_by_role("button").nth(1).click()
    expect(told).to_contain_text("To write “liebe”, ")
    above.get_by_role("button").nth(0).click()
    below.get_by_role("button").nth(1).click()  # the same one again
    expect(told).to_contain_text("To write “liebe”, ")
    assert shown.bounding_box()["height"] == height


def test_a_sentence_of_twenty_words_stands_in_one_line(widget):
    shown = widget()
    ask(shown, "A woman in a red dress eats hot soup with a spoon because it is cold outside.")
    for line in shown.locator(".tc-line").evaluate_all(LINES):
        assert len(line) == 1
    lines = shown.locator(".tc-line")
    assert lines.evaluate_all("all => all.every(it => it.scrollWidth <= it.clientWidth)")
    assert shown.locator(".tc-threads").evaluate("it => it.scrollWidth <= it.clientWidth")


def test_on_a_phone_a_long_sentence_scrolls_and_no_thread_crosses_a_word(widget):
    shown = widget(width=390)
    heights = []
    for text in [*SENTENCES, "Two dogs are playing in the snow and a man is sitting on a bench."]:
        ask(shown, text)
        for line in shown.locator(".tc-line").evaluate_all(LINES):
            assert len(line) == 1
        heights.append(shown.bounding_box()["height"])
    assert len(set(heights)) == 1
    threads = shown.locator(".tc-threads")
    assert threads.evaluate("it => it.scrollWidth > it.clientWidth")
    hint = "it => getComputedStyle(it, '::before').content"
    assert "scroll for more" in shown.locator(".tc-below").evaluate(hint)
    size = "it => parseFloat(getComputedStyle(it).fontSize)"
    assert shown.locator(".tc-word").first.evaluate(size) >= 13.9
    last = shown.get_by_label("Words that look").get_by_role("button").last
    last.focus()  # a line scrolls to what has the focus, and the threads with it
    assert threads.evaluate("it => it.scrollLeft > 0")
    off = threads.evaluate("""it => {
      const path = [...it.querySelectorAll("path")].at(-1);
      const end = path.getPointAtLength(path.getTotalLength()).x - it.scrollLeft;
      const word = [...it.querySelectorAll(".tc-word")].at(-1).firstChild.getBoundingClientRect();
      return end + it.getBoundingClientRect().x - word.x - word.width / 2;
    }""")
    assert abs(off) < 1


def test_it_plays_unless_motion_is_unwanted(widget):
    shown = widget()
    hidden = shown.get_by_label("Words that look").locator(".tc-hidden")
    play = shown.get_by_role("button", name="▶ Play")
    shown.page.emulate_media(reduced_motion="no-preference")
    play.click()
    expect(hidden.last).to_be_attached()
    expect(hidden).to_have_count(0, timeout=10_000)
    shown.page.emulate_media(reduced_motion="reduce")
    expect(play).to_be_hidden()


def test_the_words_stay_where_they_are_when_one_is_chosen(widget):
    shown = widget(width=390)
    words = shown.get_by_label("Words that look").get_by_role("button")
    where = "all => all.map(it => Math.round(it.getBoundingClientRect().x))"
    before = words.evaluate_all(where)
    words.nth(2).click()
    assert words.evaluate_all(where) == before


LINES = """sides => sides.map(side => {
  const lines = {};
  for (const word of side.querySelectorAll("button"))
    (lines[Math.round(word.getBoundingClientRect().y)] ??= []).push(word.firstChild.textContent);
  return Object.values(lines);
})"""


def test_a_failed_load_says_why_and_can_be_tried_again(widget):
    shown = widget()
    failures = {
        "missing": f"The server has no {WEIGHTS}: it answered 404",
        "short": f"{WEIGHTS} broke off after 1,000 of {SIZE:,} bytes",
        "cut": f"{WEIGHTS} broke off after ",
        "damaged": f"{WEIGHTS} came damaged: its checksum is ",
        "longer": f"{WEIGHTS} has {SIZE + 1:,} bytes or more, expected {SIZE:,}",
    }
    for mode, message in failures.items():
        Failing.mode = mode
        shown.locator(".tc-go").click()
        expect(shown.locator(".tc-message")).to_contain_text(message)
        expect(shown.locator(".tc-go")).to_have_text("Try again")
        expect(shown.locator("progress")).to_be_hidden()
    Failing.mode = "well"
    shown.locator(".tc-go").click()
    expect(shown.locator(".tc-told")).to_contain_text(OWN, timeout=30_000)
    expect(shown.locator(".tc-message")).to_be_empty()


def test_without_a_connection_the_examples_stay_and_the_reader_is_told(widget):
    shown = widget()
    shown.page.context.set_offline(True)
    shown.locator(".tc-go").click()
    expect(shown.locator(".tc-message")).to_contain_text("No answer from the server")
    expect(shown.locator(".tc-said")).to_have_text(Translator().examples[0]["translation"])
    shown.page.context.set_offline(False)
    shown.get_by_role("button", name="Try again").click()
    expect(shown.locator(".tc-told")).to_contain_text(OWN, timeout=30_000)


def test_a_page_opened_as_a_file_says_how_to_open_it(page, site_of_one, tmp_path):
    widget = page((tmp_path / "index.html").as_uri()).locator(".tc-translator")
    widget.locator(".tc-go").click()
    expect(widget.locator(".tc-message")).to_contain_text("through a server: make serve")
    assert widget.page.problems == []


def test_a_page_outside_the_book_without_a_kernel_says_so(show):
    widget = show(Translator()).locator(".tc-translator")
    widget.locator(".tc-go").click()
    expect(widget.locator(".tc-message")).to_contain_text("Python did not answer: run this cell")


def test_odd_texts_get_a_message_and_do_no_harm(widget):
    shown = widget()
    nothing = "There is nothing to translate yet"
    messages = {
        "": nothing,
        " \n\t ": nothing,
        "▁": nothing,
        "word " * 300: "This text has 300 words, and the page takes 120 pieces",
        "x" * 9999: "This text has 9999 characters",
        "antidisestablishmentarianism " * 60: "pieces, and the page takes 120 at most",
        "Ein 🎉 and 日本": "It has never seen “🎉”, “日”, “本”. Each becomes <unk>",
        "<img src=x onerror=alert(1)>": "It has never seen “<”, “>”. Each becomes <unk>",
    }
    for text, message in messages.items():
        ask(shown, text)
        expect(shown.locator(".tc-message")).to_contain_text(message)
    assert shown.locator("img, script").count() == 0
    assert ask(shown, SENTENCES[0]) == translate(*translator(), [SENTENCES[0]])[0]
    expect(shown.locator(".tc-message")).to_be_empty()
    assert shown.page.problems == []


@pytest.mark.parametrize("text", ["", "word " * 300, "antidisestablishmentarianism " * 60])
def test_a_text_without_a_translation_does_not_keep_the_last_one(widget, text):
    shown = widget()
    before = ask(shown, "A dog.")
    assert ask(shown, text) == "—"
    expect(shown.locator(".tc-said")).not_to_contain_text(before)
    expect(shown.locator(".tc-told")).to_contain_text("Shown is the last one, of “A dog.”")
    expect(shown).to_have_class(re.compile("tc-stale"))
    for old in (".tc-threads", ".tc-why"):  # the rivals of its words too
        expect(shown.locator(old)).to_have_css("opacity", "0.35")
    assert ask(shown, "A dog.") == before
    expect(shown.locator(".tc-why")).to_have_css("opacity", "1")
    ask(shown, text)
    example = Translator().examples[1]
    shown.get_by_role("button", name=example["text"]).click()
    expect(shown.locator(".tc-said")).to_have_text(example["translation"])
    assert shown.page.problems == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_warning_moves_nothing(widget, width):
    shown = widget(width=width)
    ask(shown, "The dog sleeps.")
    height = shown.bounding_box()["height"]
    ask(shown, "The zebrafish and the platypus sleep.")
    expect(shown.locator(".tc-message")).to_contain_text("It never met")
    assert shown.bounding_box()["height"] == height


def test_a_word_it_never_met_is_named(widget):
    shown = widget()
    ask(shown, "The platypus sleeps.")
    message = shown.locator(".tc-message")
    expect(message).to_contain_text("It never met “platypus”")
    ask(shown, "Where is my pill?")
    expect(message).to_contain_text("It hardly met “pill”")
    ask(shown, "The plumber is here")
    expect(message).to_contain_text("It is not sure of “Pumumum”")
    ask(shown, "My sister's car is red.")
    expect(message).to_contain_text("who owns what: “sister's”")
    ask(shown, "The dog sleeps.")
    expect(shown.locator(".tc-message")).to_be_empty()


def test_a_translation_can_be_stopped_and_the_page_goes_on(widget):
    shown = widget()
    ask(shown, "A dog.")
    shown.get_by_label("English sentence").fill("a dog and a cat and " * 20)
    shown.page.evaluate(
        """() => {
          const [line, go] = ["[aria-label='Words that look']", ".tc-go"]
            .map((place) => document.querySelector(place));
          new MutationObserver((_, observer) => {
            if (line.querySelectorAll("button").length < 2 || go.textContent !== "Stop") return;
            observer.disconnect();
            go.click();
          }).observe(line, { childList: true });
        }"""
    )  # as soon as it has written two words
    shown.locator(".tc-go").click()
    expect(shown.locator(".tc-message")).to_have_text("Stopped.")
    expect(shown.locator(".tc-said")).to_have_text("—")
    assert ask(shown, SENTENCES[4]) == translate(*translator(), [SENTENCES[4]])[0]


LATE = """() => {
  const post = self.postMessage.bind(self);
  self.postMessage = (message) => setTimeout(() => post(message), 1500);
}"""
ASKED_STOPPED_ASKED = """([first, second]) => {
  const [box, go] = ["textarea", ".tc-go"].map((place) => document.querySelector(place));
  box.value = first;
  go.click();
  setTimeout(() => {
    go.click();
    box.value = second;
    go.click();
  }, 500);
}"""


def test_an_answer_that_comes_after_its_stop_is_not_the_answer_to_the_next_sentence(widget):
    shown = widget()
    ask(shown, SENTENCES[0])
    [worker] = shown.page.workers
    worker.evaluate(LATE)  # the first translation is done, and on its way, when it is stopped
    shown.page.evaluate(ASKED_STOPPED_ASKED, ["A dog.", SENTENCES[4]])
    expect(shown.locator(".tc-go")).to_have_text("Stop")
    expect(shown.locator(".tc-go")).to_have_text("Translate", timeout=30_000)
    [expected] = translate(*translator(), [SENTENCES[4]])
    expect(shown.locator(".tc-said")).to_have_text(expected)


AT_THE_THIRD_TOKEN = """() => {
  const post = self.postMessage.bind(self);
  let tokens = 0;
  self.postMessage = (message) => {
    tokens += message.kind === "token";
    if (tokens === 3) END;
    post(message);
  };
}"""
ENDINGS = {  # how a worker may end in the middle of a sentence, and what the reader is told
    "setTimeout(() => { throw new Error('no memory'); })": (
        "No translation: the browser has ended its worker (Uncaught Error: no memory). Try again."
    ),
    "self.close()": "No translation: the browser's worker has stopped answering. Try again.",
}


@pytest.mark.parametrize(("end", "message"), ENDINGS.items())
def test_a_worker_that_dies_is_told_of_and_the_next_sentence_has_a_new_one(widget, end, message):
    shown = widget()
    page = shown.page
    page.evaluate(
        "() => { const usual = setInterval; window.setInterval = (f, ms) => usual(f, ms / 5); }"
    )  # its patience, for this test
    ask(shown, SENTENCES[0])
    [worker] = page.workers
    worker.evaluate(AT_THE_THIRD_TOKEN.replace("END", end))
    box = shown.get_by_label("English sentence")
    box.fill(SENTENCES[1])
    box.press("Enter")
    expect(shown.locator(".tc-message")).to_have_text(message, timeout=30_000)
    expect(shown.locator(".tc-go")).to_have_text("Translate")
    expect(shown.locator(".tc-said")).to_have_text("—")
    assert ask(shown, SENTENCES[4]) == translate(*translator(), [SENTENCES[4]])[0]
    expect(shown.locator(".tc-message")).to_be_empty()
    assert [each.url for each in page.workers] != [worker.url]


def test_words_appear_as_they_are_found(widget):
    shown = widget()
    ask(shown, "A dog.")
    shown.page.evaluate(
        """() => {
          const line = document.querySelector("[aria-label='Words that look']");
          window.seen = new Set();
          new MutationObserver(() => window.seen.add(line.querySelectorAll("button").length))
            .observe(line, { childList: true });
        }"""
    )
    ask(shown, "A boy and a girl run through the tall grass with a small white dog.", "greedy")
    words = shown.get_by_label("Words that look").get_by_role("button").count()
    seen = shown.page.evaluate("[...window.seen]")
    assert seen == [n for n in range(words + 1) if n or 0 in seen]


def test_where_workers_are_refused_the_page_does_it_itself(widget):
    shown = widget()
    refused = "class { constructor() { throw new Error('no workers here'); } }"
    silent = """class {
      constructor() { setTimeout(() => this.onerror(new Event("error"))); }
      postMessage() {}
      terminate() {}
    }"""
    for broken in (refused, silent):
        shown.page.evaluate(f"() => {{ window.Worker = {broken}; }}")
        assert ask(shown, SENTENCES[4]) == translate(*translator(), [SENTENCES[4]])[0]
        shown.page.reload()
        tools.settle(shown.page)


def test_the_page_of_the_book_keeps_the_code_in_a_table_and_still_starts_a_worker(
    widget, tmp_path, site_of_one
):
    assert '"_esm": {"source": ' in (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = widget()
    assert ask(shown, SENTENCES[4]) == translate(*translator(), [SENTENCES[4]])[0]
    [worker] = shown.page.workers  # it lives: it is the one that has translated
    assert worker.url.startswith("blob:")


def test_it_is_accessible_in_every_state_and_fits(widget, window):
    shown = widget(**window)
    for state in ("an example", "a translation", "looking back"):
        if state == "a translation":
            ask(shown, "A dog and a 🎉 are running.")  # with a message
        if state == "looking back":
            more(shown)
            shown.get_by_label("Look at").select_option("decoder")
            shown.get_by_label("Words that look").get_by_role("button").nth(1).click()
        assert tools.axe_violations_in_both_themes(shown.page) == [], state
        assert tools.overflow(shown.page) <= 0, state


def test_the_keyboard_reaches_everything_and_tabbing_by_changes_nothing(widget):
    shown = widget()
    page = shown.page
    more(shown)
    before = shown.locator(".tc-why").inner_text()
    page.keyboard.press("Tab")
    expect(shown.get_by_label("English sentence")).to_be_focused()
    stops = []
    for _ in range(17):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("document.activeElement.closest('[role=group]').ariaLabel")
            + ": "
            + page.evaluate("document.activeElement.tagName")
        )
    name = "A translator from English to German"
    lines = [f"Words that {who}: BUTTON" for who in ("are looked at", "look")]
    expected = [f"{name}: BUTTON", *["Examples: BUTTON"] * 4, *lines]
    expected += ["Go on with: BUTTON"] * 5 + [f"{name}: SUMMARY", *[f"{name}: SELECT"] * 4]
    assert stops == expected
    assert shown.locator(".tc-why").inner_text() == before


def test_in_print_it_is_a_figure(widget):
    shown = widget()
    shown.page.emulate_media(media="print")
    expect(shown.locator(".tc-said")).to_be_visible()
    expect(shown.locator(".tc-threads")).to_be_visible()
    expect(shown.locator("textarea")).to_be_hidden()
    expect(shown.locator(".tc-go")).to_be_hidden()


def test_the_rivals_hang_below_their_word_by_threads_as_thick_as_they_are_likely(widget, window):
    shown = widget(**window)
    ends = """it => {
      const middle = (node) => {
        const { x, width } = node.getBoundingClientRect();
        return x + width / 2;
      };
      const rivals = [...it.querySelectorAll(".tc-rivals button b")].map(middle);
      const left = it.getBoundingClientRect().x - it.scrollLeft;
      return [middle(it.querySelector(".tc-least span")), rivals,
        [...it.querySelectorAll(".tc-fan")].map((path) => [
          path.getPointAtLength(0).x + left,
          path.getPointAtLength(path.getTotalLength()).x + left,
          parseFloat(path.getAttribute("stroke-width")),
        ])];
    }"""
    fan = shown.locator(".tc-fan")
    expect(fan).to_have_count(5)
    word, rivals, threads = shown.locator(".tc-threads").evaluate(ends)
    for rival, (from_x, to_x, _) in zip(rivals, threads, strict=True):
        assert abs(from_x - word) < 1
        assert abs(to_x - rival) < 1
    widths = [width for *_, width in threads]
    assert widths == sorted(widths, reverse=True)
    shown.get_by_label("Words that are looked at").get_by_role("button").nth(1).click()
    expect(shown.locator(".tc-rivals")).to_have_css("opacity", "0")
    shown.get_by_label("Words that look").get_by_role("button").nth(1).click()
    expect(shown.locator(".tc-least")).to_have_text("liebe")
    expect(shown.locator(".tc-rivals")).to_have_css("opacity", "1")
