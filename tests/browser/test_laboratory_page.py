"""Laboratory in a real browser: a Transformer learns there, in a worker, and says what it does."""

import re
from itertools import pairwise

import pytest
from conftest import check_page, opens, write_page
from playwright.sync_api import expect

from transformer_course.pages import browser as tools
from transformer_course.widgets import Laboratory, Progress

widget = opens(Laboratory, ".tc-laboratory")
LONG = 90_000  # milliseconds: a busy machine is slow


def start(opened, steps=200):
    opened.locator("summary").click()
    opened.get_by_label("Steps", exact=True).fill(str(steps))
    opened.get_by_role("button", name="Train").click()


def pick(opened, words):
    """Guess by the words of a sketch."""
    opened.get_by_role("radio", name=words).check()


# Words and buttons past the edge of a card or the one that they stand in, and words below 11 px.
PAST = """card => [...card.querySelectorAll("svg text, label, button, b")]
  .filter((node) => node.getClientRects().length && getComputedStyle(node).clipPath === "none")
  .map((node) => [node.textContent, node.getBoundingClientRect(),
    node.ownerSVGElement && node.getScreenCTM().a * parseFloat(getComputedStyle(node).fontSize),
    !node.ownerSVGElement && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0])
  .filter(([words, { right, width }, size, cut]) => width &&
    (cut || right > card.getBoundingClientRect().right - 8 || (words && size && size < 10.9)))
  .map(([words, , size]) => [words, size])"""


def share(opened):
    words = opened.locator(".tc-why").inner_text()
    return int(re.search(r"(\d+) of 100 new", words)[1])


def test_it_learns_to_reverse_rows_that_it_has_not_seen(widget):
    opened = widget()
    pick(opened, "about half")
    opened.get_by_role("button", name="Train").click()
    expect(opened.get_by_role("button", name="Stop")).to_be_visible()
    expect(opened.locator(".tc-guess input").first).to_be_disabled()  # a run locks the guess in
    why = opened.locator(".tc-why")
    expect(why).to_contain_text("You guessed “about half”: the loss ends at", timeout=LONG)
    assert share(opened) >= 80
    expect(opened.locator(".tc-good text")).to_have_text(list("remrofsnart"))
    expect(opened.locator(".tc-looks > b.tc-good")).to_have_text("✓ 11 of 11 letters right")
    expect(opened.locator(".tc-looks .tc-maps svg")).to_have_count(2)
    expect(opened.locator(".tc-maps rect")).to_have_count(2 * 12 * 12)  # with the end marks
    assert "Head 1 looks most at" in opened.locator(".tc-maps svg").first.get_attribute(
        "aria-label"
    )
    opened.get_by_label("Your row").fill("abcdef")
    expect(opened.locator(".tc-open text")).to_have_text(list("fedcba"))
    expect(opened.locator(".tc-good text")).to_have_text(list("fedcba"))


def test_it_stops_at_once_and_starts_anew_without_the_run_that_was_broken_off(widget):
    opened = widget()
    start(opened, 3000)
    expect(opened.locator(".tc-right")).to_contain_text("after 1", timeout=LONG)
    opened.get_by_role("button", name="Stop").click()
    expect(opened.locator(".tc-why")).to_contain_text("Stopped after")
    stopped = opened.locator(".tc-right").inner_text()
    opened.page.wait_for_timeout(400)
    assert opened.locator(".tc-right").inner_text() == stopped
    assert opened.locator("polyline").count() == 2  # its loss, its rows
    opened.get_by_label("Steps", exact=True).fill("200")
    opened.get_by_role("button", name="Again").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert opened.locator("polyline").count() == 2
    expect(opened.locator(".tc-marks")).not_to_contain_text("was ")
    # Of the reader's own settings the run before stands beside, one that has ended.
    opened.get_by_label("Label smoothing").fill("0.2")
    opened.get_by_role("button", name="Again").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert opened.locator("polyline").count() == 3
    expect(opened.locator(".tc-marks")).to_contain_text("was ")


def test_every_experiment_can_be_chosen_and_asks_first(widget):
    opened = widget()
    which = opened.get_by_label("Experiment")
    questions = set()
    for n in range(which.locator("option").count()):
        which.select_option(str(n))
        questions.add(opened.locator(".tc-question").inner_text())
        picks = which.input_value() == "4"  # there it is a letter of the picture that one picks
        expect(opened.locator(".tc-ask")).to_be_visible(visible=not picks)
        if picks:
            expect(opened.locator(".tc-looks > b")).to_have_text("Pick the letter that you expect")
    assert len(questions) == which.locator("option").count() >= 11
    opened.locator("summary").click()
    opened.get_by_label("Heads").select_option("4")
    expect(opened.locator(".tc-question")).to_contain_text("Your own settings")


def test_first_comes_the_guess_and_train_is_quiet_until_then(widget, window):
    opened = widget(Laboratory(steps=100), **window)
    ask, train = opened.locator(".tc-ask"), opened.get_by_role("button", name="Train")
    color = "node => getComputedStyle(node).backgroundColor"
    expect(ask).to_have_text("Guess ↓")
    first, below = ask.bounding_box(), opened.locator(".tc-guess label").first.bounding_box()
    assert first["y"] + first["height"] <= below["y"] + 1  # right above what it speaks of
    assert below["height"] >= 24
    quiet = train.evaluate(color)
    opened.get_by_role("radio").first.focus()
    opened.page.keyboard.press("Space")
    expect(ask).to_be_hidden()
    loud = train.evaluate(color)
    assert [quiet == "rgba(0, 0, 0, 0)", loud == "rgba(0, 0, 0, 0)"] == [True, False]
    opened.get_by_label("Experiment").select_option("1")
    expect(ask).to_be_visible()
    assert train.evaluate(color) == quiet
    train.press("Enter")  # one may train without a guess
    expect(opened.locator(".tc-why")).to_contain_text("You made no guess", timeout=LONG)
    expect(ask).to_be_hidden()


@pytest.mark.parametrize("small", [False, True])
def test_on_the_narrowest_phone_nothing_runs_past_the_card(widget, small):
    opened = widget(Laboratory(small=small, steps=100), width=320)
    for n in [] if small else range(11):
        opened.get_by_label("Experiment").select_option(str(n))
        assert opened.evaluate(PAST) == [], n
    if not small:
        opened.get_by_label("Experiment").select_option("0")
        pick(opened, "hardly any")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert opened.evaluate(PAST) == []


ENDS = "all => all.map((line) => [line.x1, line.x2].map((x) => x.baseVal.value))"


def test_before_a_run_one_sees_where_letters_belong_and_no_noise(widget):
    opened = widget()
    opened.get_by_label("Your row").fill("cab")
    expect(opened.locator(".tc-read text")).to_have_text(["c", "a", "b"])
    expect(opened.locator(".tc-open text")).to_have_text(["b", "a", "c"])
    expect(opened.locator(".tc-maps svg")).to_have_count(0)  # what only a training fills
    routes = opened.locator(".tc-looks line").evaluate_all(ENDS)
    columns = sorted({end for pair in routes for end in pair})
    assert [[columns.index(end) for end in pair] for pair in routes] == [[2, 0], [1, 1], [0, 2]]
    expect(opened.locator(".tc-look")).to_have_count(0)  # an untrained look is noise
    start(opened)
    expect(opened.locator(".tc-maps svg")).to_have_count(2)
    expect(opened.locator(".tc-right")).to_contain_text("after", timeout=LONG)
    assert opened.locator(".tc-look").count() % 4 == 0  # three letters and the end mark


@pytest.mark.parametrize("small", [False, True])
def test_before_a_run_one_sees_what_the_untrained_model_writes(widget, small):
    opened = widget(Laboratory(small=small))
    expect(opened.locator(".tc-right")).to_have_text(re.compile(r"^\d+ of 100 right, untrained$"))
    for text in ("transformer", "cab"):
        opened.get_by_label("Your row").fill(text)
        expect(opened.locator(".tc-open text")).to_have_text(list(text[::-1]))
        expect(opened.locator(".tc-wrong text").first).to_be_visible()
        # Its way leads from the last letter to the first that it must write.
        expect(opened.locator(".tc-looks .tc-mine text")).to_have_text([text[-1]] * 2)
        expect(opened.locator(".tc-looks .tc-strong")).to_have_count(1)
        # What is wrong besides letters is said: marks, and that it finds no end.
        output = opened.locator(".tc-wrong text, .tc-good text").all_text_contents()
        told = opened.locator(".tc-looks .tc-red").all_text_contents()
        marks = ["no letter"] if "·" in output else []
        assert told == marks + (["too long"] if len(output) > len(text) else [])


def test_without_a_mask_what_it_will_write_alone_is_open(widget):
    opened = widget(Laboratory(experiment=3, mask=False))
    expect(opened.locator(".tc-looks")).to_contain_text("Alone, at first")
    texts = opened.locator(".tc-looks svg text").all_text_contents()
    assert texts.count("?") == len("transformer")


@pytest.mark.parametrize("heads", [1, 4])
def test_each_head_has_a_pill_as_wide_as_it_is_and_a_look_at_every_letter(widget, heads):
    opened = widget(Laboratory(experiment=4, heads=heads, row="cabbage"))
    pills = opened.locator(".tc-looks .tc-own")
    expect(pills).to_have_count(heads)
    widths = pills.evaluate_all("all => all.map((pill) => pill.width.baseVal.value)")
    each = 4 if heads == 1 else 2  # pixels: one head alone has the whole width to be picked in
    assert sum(widths) == 32 * each  # d_model
    told = opened.locator(".tc-looks text", has_text="wide").all_text_contents()
    assert told == [f"{32 // heads} wide"] * heads
    # A look at each letter and at the end mark, and what it makes of them.
    expect(opened.locator(".tc-looks .tc-thin")).to_have_count((7 + 2) * heads)


@pytest.mark.parametrize(("layers", "norm"), [(6, "post"), (6, "pre"), (2, "post")])
def test_tokens_that_grow_alike_close_their_fan_and_norm_before_stands_beside(widget, layers, norm):
    """After each layer of both stacks the mean cosine of two tokens, as a fan of that angle."""
    opened = widget(Laboratory(experiment=6, layers=layers, norm=norm))
    looks = opened.locator(".tc-looks svg")
    names = ["norm after", "norm before"]
    mine = names[norm == "pre"]
    expect(looks.locator("text.tc-loud").first).to_have_text(mine)
    for name in names:
        expect(looks).to_contain_text(name)
    expect(looks.locator("path")).to_have_count(2 * (layers + 1))
    expect(looks.locator("path.tc-strong")).to_have_count(layers + 1)
    texts = looks.locator("text").all_text_contents()
    cosines = [float(text) for text in texts if re.fullmatch(r"\d\.\d\d", text)]
    post, pre = cosines[: layers + 1], cosines[layers + 1 :]
    assert post[0] == pre[0]  # what comes in
    assert post[-1] > pre[-1] > pre[0]
    angle = """all => all.map((path) => {
      const [a, b, c] = [0, 0.5, 1].map((t) => path.getPointAtLength(t * path.getTotalLength()));
      const [u, v] = [[a.x - b.x, a.y - b.y], [c.x - b.x, c.y - b.y]];
      return (u[0] * v[0] + u[1] * v[1]) / Math.hypot(...u) / Math.hypot(...v);
    })"""
    assert looks.locator("path").evaluate_all(angle) == pytest.approx(cosines, abs=0.02)


# What stands beside an experiment, and where it ends: the mean of the last hundred steps.
BESIDE = [
    (1, {"positions": "none"}, "positions", 0.62),
    (4, {"heads": 1}, "two heads", 0.62),
    (5, {"warmup": 0}, "warm-up", 0.62),
    (6, {"layers": 6, "steps": 600}, "one layer", 1.09),
    (7, {"layers": 6, "steps": 600, "norm": "pre"}, "norm after", 2.88),
    (8, {"rate": 10}, "usual rate", 0.62),
    (9, {"smoothing": 0}, "smoothing", 0.62),
]
END = """line => { const { x, y } = line.points[line.points.length - 1]; return [x, y]; }"""


@pytest.mark.parametrize(("experiment", "changes", "name", "value"), BESIDE)
def test_a_recorded_run_stands_beside_whatever_ran_before(widget, experiment, changes, name, value):
    opened = widget(Laboratory(experiment=experiment, **changes))
    marks, lines = opened.locator(".tc-marks"), opened.locator("polyline")
    chart = opened.locator("svg.tc-chart")
    expect(marks).to_have_text(name)  # while one guesses, its name, on its way
    expect(marks.locator("circle")).to_have_count(0)
    expect(lines).to_have_count(1)
    steps = changes.get("steps", 1200)
    expect(chart.locator(".tc-axis")).to_contain_text(f"{steps:,} steps")
    far, high = lines.evaluate(END)
    assert far == pytest.approx(32 + 248 * (steps - 50) / steps, abs=0.1)
    ticks = "all => all.slice(0, 2).map((line) => line.y1.baseVal.value)"
    zero, one = chart.locator(".tc-axis line:not(.tc-known)").evaluate_all(ticks)
    assert (zero - high) / (zero - one) == pytest.approx(value, abs=0.01)
    opened.locator("summary").click()
    opened.get_by_label("Label smoothing").fill("0.2")  # of other settings it is no comparison
    expect(lines).to_have_count(0)
    opened.get_by_label("Label smoothing").fill("0" if experiment == 9 else "0.1")
    expect(lines).to_have_count(1)
    if experiment == 4:
        opened.get_by_label("Steps", exact=True).fill("200")
        start = opened.get_by_role("button", name=re.compile("Train|Again"))
        for _ in range(2):
            start.click()
            expect(opened.locator(".tc-why")).to_contain_text("rows are right", timeout=LONG)
            expect(marks).to_contain_text(f"{name} 2.36")  # after 200 steps
            expect(chart.locator(".tc-axis")).to_contain_text("200 steps")


def test_beside_six_layers_stand_those_with_the_norm_before_once_they_have_run(widget):
    pre = Laboratory(experiment=7, layers=6, norm="pre", steps=100)
    opened = widget(pre)
    marks = opened.locator(".tc-marks")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("rows are right", timeout=LONG)
    opened.get_by_label("Experiment").select_option("6")
    expect(marks).to_have_text("norm before")
    expect(opened.locator("polyline")).to_have_count(1)
    expect(opened.locator(".tc-axis")).to_contain_text("600 steps")
    opened.get_by_label("Experiment").select_option("7")
    expect(marks).to_have_text("norm after")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_sentence_is_seen_whole(widget, width):
    opened = widget(Laboratory(experiment=10, task="phrases", steps=2000), width=width)
    field = opened.get_by_label("Your sentence")
    assert len(field.input_value()) > 40
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth")
    train, another = (each.bounding_box() for each in opened.locator(".tc-body button").all())
    assert train["x"] + train["width"] <= another["x"]


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("row", ["transformer", "cba"])
def test_a_target_stands_before_the_usual_one_on_one_axis(widget, smoothing, row):
    opened = widget(Laboratory(experiment=9, smoothing=smoothing, row=row))
    say = []
    for each in (smoothing, 0.1):
        even = each / 24  # of 24 tokens the right one has its share of it, too
        say.append(f"{round(1000 * (1 - each + even)) / 10:g} % on {row[-1]}, smoothing {each:g}")
    told = opened.locator(".tc-looks svg text", has_text="%")
    expect(told).to_have_text([*say, "0.4 % on each other"])
    for kind, each in (("part", 0.1), ("own", smoothing)):
        bars = opened.locator(f".tc-looks rect.tc-{kind}")
        heights = bars.evaluate_all("all => all.map((bar) => bar.height.baseVal.value)")
        assert len(heights) == 24
        parts = [each / 24] * 23 + [1 - 23 * each / 24]
        assert sorted(heights) == pytest.approx([276 * part for part in parts], abs=1e-3)
    frame = opened.locator(".tc-looks").bounding_box()
    for box in [each.bounding_box() for each in told.all()]:
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]


# The settings, the peak at the left axis, what is said of the red, and how far ten steps go: the
# sum of their rates, (32 * 100) ** -0.5 at the peak, beside the size of a weight, 32 ** -0.5.
RATES = [
    ({"experiment": 5, "warmup": 0}, "0.018", ["the climb left out"], ["0.18", "0.01", "0.18"]),
    ({"experiment": 8, "rate": 10}, "0.18", [], ["0.10", "0.01", "0.18"]),
    ({"experiment": 8, "rate": 3, "warmup": 300}, "0.031", [], ["0.01", "0.01", "0.18"]),
]


@pytest.mark.parametrize(("settings", "peak", "told", "far"), RATES)
def test_a_rate_stands_beside_the_usual_one_and_over_how_far_ten_steps_go(
    widget, settings, peak, told, far
):
    opened = widget(Laboratory(**settings))
    picture = opened.locator(".tc-looks svg")
    texts = picture.locator("text").all_text_contents()
    assert texts[:2] == [peak, "0"]
    assert "1,200 steps" in texts
    assert picture.locator(".tc-red").all_text_contents() == told
    expect(picture.locator(".tc-more")).to_have_count(1)
    assert texts[-5::2] == far


# How many tiles each line runs through.
BEHIND = """(lines, boxes) => lines.map((line) => {
  const end = (n) => new DOMPoint(line[`x${n}`].baseVal.value, line[`y${n}`].baseVal.value)
    .matrixTransform(line.getScreenCTM());
  const [from, to] = [end(1), end(2)];
  const spots = Array.from({ length: 200 }, (_, n) => [
    from.x + ((to.x - from.x) * n) / 199, from.y + ((to.y - from.y) * n) / 199]);
  return boxes.filter(({ x, y, width, height }) => spots.some(([a, b]) =>
    a > x + 2 && a < x + width - 2 && b > y + 2 && b < y + height - 2)).length;
})"""


@pytest.mark.parametrize(
    ("experiment", "row", "says"),
    [
        (1, "transformer", "two answers"),
        (1, "abba", "one answer"),
        (2, "transformer", "one answer"),
    ],
)
def test_a_bag_without_order_has_two_answers_unless_it_is_to_be_sorted(
    widget, experiment, row, says
):
    task = ["reverse", "sort"][experiment - 1]
    opened = widget(Laboratory(experiment=experiment, positions="none", task=task, row=row))
    expect(opened.locator(".tc-looks svg")).to_contain_text(f"One bag, {says}")
    answers = "".join(opened.locator(".tc-open text").all_text_contents())
    back = row[::-1]
    assert answers == (2 * "".join(sorted(row)) if task == "sort" else back + row)
    # From each letter that may begin an answer one way leads there, behind no other letter.
    ways, tiles = opened.locator(".tc-looks line"), opened.locator(".tc-looks .tc-tile")
    begin = row.count(row[-1]) + row.count(row[0])
    expect(ways).to_have_count(2 * len(row) if task == "sort" else begin)
    if row == "transformer":
        hidden = ways.evaluate_all(BEHIND, [tile.bounding_box() for tile in tiles.all()])
        assert set(hidden) == {1}  # its own letter, where it begins


# What each experiment shows before its run: the title of its picture, and what its chart is of.
PICTURES = [
    ("Each letter to its place", "New rows right, of 100"),
    ("A bag of letters", "Loss"),
    ("A bag of letters", "New rows right, of 100"),
    ("The answer is in sight", "New rows right, of 100"),
    ("Pick the letter that you expect", ""),
    ("Ten steps one way move a weight", "Loss"),
    ("How alike its tokens are", "Loss"),
    ("How alike its tokens are", "Loss"),
    ("Ten steps one way move a weight", "Loss"),
    ("What it should believe", "Loss"),
    ("Which word is which", "New sentences right, of 100"),
]


def test_without_smoothing_one_sees_what_it_believes_of_the_first_letter(widget, window):
    opened = widget(Laboratory(experiment=9, steps=300, smoothing=0.0), **window)
    picture = opened.locator(".tc-looks .tc-plot > svg")
    expect(picture).to_contain_text("100 % on r, smoothing 0")
    opened.get_by_role("button", name="Train").click()
    expect(opened.get_by_role("button", name="Again")).to_be_visible(timeout=LONG)
    expect(opened.locator(".tc-looks > b")).to_have_text("What it believes, and should")
    expect(picture).to_contain_text("100 % on r: its target")
    high = picture.locator("rect.tc-own").evaluate_all(
        "all => all.map((bar) => Number(bar.getAttribute('height')))"
    )
    assert sum(high) == pytest.approx(276, abs=0.1)
    told = picture.locator("text.tc-loud").first.text_content()
    assert float(told.split()[0]) == pytest.approx(
        high["abcdefghijklmnopqrst".index("r")] / 2.76, abs=0.06
    )
    rest = 100 - high["abcdefghijklmnopqrst".index("r")] / 2.76
    expect(picture).to_contain_text(re.compile(r"[\d.]+ % on all others"))
    said = re.search(r"([\d.]+) % on all others", picture.text_content())
    assert float(said[1]) == pytest.approx(rest, abs=0.06)


@pytest.mark.parametrize("width", [1280, 390])
def test_each_experiment_opens_with_its_own_picture_and_guesses_to_pick(widget, width):
    opened = widget(width=width)
    which = opened.get_by_label("Experiment")
    heights = set()
    phone = width < 1000
    for n, (picture, chart) in enumerate(PICTURES):
        which.select_option(str(n))
        expect(opened.locator(".tc-looks > b")).to_have_text(picture)
        result = opened.locator(".tc-result")
        if chart:
            expect(result.locator("b")).to_have_text(chart)
        elif not phone:  # the picture of the row has all the room
            expect(result).to_be_hidden()
        axis = opened.locator(".tc-chart .tc-axis text").all_inner_texts() if chart else []
        assert len([text for text in axis if text == "0"]) <= 2  # one measure: its 0 and step 0
        heights.add(round(opened.bounding_box()["height"]))
        labels = opened.locator(".tc-guess label")
        assert labels.count() >= 3
        frame = opened.bounding_box()
        boxes = [labels.nth(each).bounding_box() for each in range(labels.count())]
        for each, box in enumerate(boxes):  # inside the widget, and none on another
            assert box["x"] >= frame["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
            for other in boxes[:each]:
                apart_x = max(box["x"], other["x"]) - min(
                    box["x"] + box["width"], other["x"] + other["width"]
                )
                apart_y = max(box["y"], other["y"]) - min(
                    box["y"] + box["height"], other["y"] + other["height"]
                )
                assert max(apart_x, apart_y) >= -1 - 4 * (not chart), (picture, each)
    assert max(heights) - min(heights) <= 24, heights
    assert max(heights) <= 870  # a phone's window


def test_a_sketch_can_be_picked_by_its_curve_or_by_the_arrow_keys(widget):
    opened = widget(Laboratory(experiment=1, positions="none"))
    radios = opened.get_by_role("radio")
    expect(opened.locator("path.tc-mine")).to_have_count(0)
    opened.locator(".tc-sketches path").nth(1).dispatch_event("click")
    expect(radios.nth(1)).to_be_checked()
    radios.nth(1).press("ArrowDown")
    expect(radios.nth(2)).to_be_checked()
    expect(opened.locator(".tc-sketches path").nth(2)).to_have_class("tc-mine")


def test_one_picks_the_letter_that_the_head_should_look_at_in_its_row(widget, window):
    opened = widget(Laboratory(experiment=4, heads=1, steps=200), **window)
    expect(opened.get_by_role("radio")).to_have_count(12)  # each letter, and the end mark
    expect(opened.locator(".tc-mine")).to_have_count(0)
    opened.get_by_role("radio", name="r, the last letter").check()
    expect(opened.locator(".tc-looks .tc-mine")).to_have_text("r")
    expect(opened.locator(".tc-looks .tc-strong")).to_have_count(2)  # to the head, and on
    opened.get_by_role("radio", name="r, the last letter").press("ArrowRight")
    expect(opened.get_by_role("radio", name="the end mark")).to_be_focused()
    expect(opened.locator(".tc-looks .tc-mine")).to_have_text("■")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text(
        re.compile("You guessed “the end mark”: it looks most at .*, and .* new rows are right"),
        timeout=LONG,
    )
    expect(opened.locator(".tc-looks .tc-dashed")).to_have_count(1)  # the guess, beside its looks
    expect(opened.locator(".tc-looks")).to_contain_text("Dashed: your guess")
    expect(opened.get_by_role("radio").first).to_be_hidden()
    maps = opened.locator(".tc-maps svg")  # beside the head's, where each letter belongs
    expect(maps).to_have_count(2)
    belongs = ", ".join([*"remrofsnart", "the end mark"])
    expect(maps.nth(1)).to_have_attribute("aria-label", f"Where each belongs: {belongs}")


def test_another_row_asks_anew_for_its_letter(widget):
    opened = widget(Laboratory(experiment=4, heads=1))
    opened.get_by_role("radio", name="last letter").check()
    opened.get_by_label("Your row").fill("cab")
    expect(opened.get_by_role("radio")).to_have_count(4)
    expect(opened.get_by_role("radio", checked=True)).to_have_count(0)


def test_a_runs_loss_and_its_rows_have_an_axis_each_and_no_words_on_another(widget, window):
    opened = widget(Laboratory(steps=200), **window)
    pick(opened, "hardly any")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    lines = opened.locator(".tc-lines polyline")
    first, second = (lines.nth(n).bounding_box() for n in range(2))
    assert first["y"] + first["height"] < second["y"]
    words = [*opened.locator(".tc-marks text").all(), opened.locator(".tc-guess label").nth(2)]
    boxes = sorted([each.bounding_box() for each in words], key=lambda box: box["y"])
    for box, below in pairwise(boxes):
        assert box["y"] + box["height"] <= below["y"] + 3


def test_no_label_of_a_head_is_smaller_than_eleven_pixels(widget, window):
    opened = widget(Laboratory(steps=200), **window)
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    expect(opened.locator(".tc-maps text").last).to_be_visible()
    sizes = opened.locator(".tc-maps text, .tc-chart text").evaluate_all(
        """all => all.filter((x) => x.textContent && x.getBoundingClientRect().width)
          .map((x) => [x.getScreenCTM(), parseFloat(getComputedStyle(x).fontSize)])
          .map(([{ a, b }, size]) => Math.hypot(a, b) * size)"""
    )
    assert len(sizes) > 50
    assert min(sizes) >= 10.9


OWN = [
    ({"experiment": 1, "positions": "none"}, "A bag of letters", ".tc-bag"),
    ({"experiment": 3, "mask": False}, "The answer is in sight", ".tc-bad"),
    ({"experiment": 6, "layers": 6}, "How alike its tokens are", "path.tc-strong"),
]


@pytest.mark.parametrize(("settings", "title", "part"), OWN)
def test_after_a_run_an_experiment_keeps_its_own_picture_and_adds_what_it_writes(
    widget, settings, title, part
):
    opened = widget(Laboratory(**settings, steps=100))
    looks = opened.locator(".tc-looks")
    drawn = looks.locator(part).count()
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    expect(looks.locator("b")).to_have_text(title)
    expect(looks.locator(part)).to_have_count(drawn)
    texts = looks.locator("svg text").all_text_contents()
    assert texts.count("writes") == 1
    assert not any("Green" in each for each in texts)  # nothing is green in it
    expect(opened.locator(".tc-maps svg")).to_have_count(0)  # where lines cross alone
    assert opened.locator(".tc-right").inner_text() == "Trained for 100 steps"


def test_after_a_run_the_fans_are_those_of_what_has_learned_beside_the_untrained(widget):
    opened = widget(Laboratory(experiment=6, layers=6, steps=100))
    texts = opened.locator(".tc-looks svg text")
    number = re.compile(r"\d\.\d\d")
    before = [text for text in texts.all_text_contents() if number.fullmatch(text)]
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    names = ["untrained", "trained"]
    assert [text for text in texts.all_text_contents() if text in names] == names
    expect(opened.locator(".tc-looks text.tc-loud").first).to_have_text("trained")
    after = [text for text in texts.all_text_contents() if number.fullmatch(text)]
    assert after[:7] == before[:7]
    assert after[7:] != before[7:]
    opened.get_by_label("Your row").fill("")  # one token alone is like itself
    expect(texts.get_by_text("1.00")).to_have_count(14)
    assert opened.page.problems == []


def test_the_small_form_has_one_geometry_and_its_untrained_heads(widget):
    opened = widget(Laboratory(small=True, steps=100), width=1280)
    expect(opened.locator(".tc-maps svg")).to_have_count(2)
    picture = opened.locator(".tc-looks .tc-plot svg")
    before = picture.bounding_box()
    expect(opened.locator(".tc-looks > small")).to_have_text(re.compile("^Row: .* Filled: "))
    square = opened.locator(".tc-maps rect").first
    assert square.bounding_box()["width"] >= 12.5
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    assert picture.bounding_box() == before
    # What it came to for this row stands above it, and follows the row.
    came = opened.locator(".tc-looks > b.tc-red")
    expect(came).to_have_text(re.compile("^✗ \\d+ of 11 letters right"))
    opened.get_by_label("Your row").fill("ab")
    expect(opened.locator(".tc-looks > b")).to_have_text(re.compile("^[✓✗] [012] of 2 letters"))


def test_what_it_did_not_write_has_no_letter_and_no_look(widget):
    opened = widget(Laboratory(steps=200, mask=False))
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    written = opened.locator(":is(.tc-good, .tc-wrong) text").count()
    assert written < 11  # of "transformer": without a mask it has learned to copy, not to write


def test_what_came_of_a_run_takes_the_place_of_its_question(widget):
    opened = widget(Laboratory(steps=200, experiment=1, positions="none"))
    question, why = opened.locator(".tc-question"), opened.locator(".tc-why")
    expect(question).to_be_visible()
    opened.get_by_role("button", name="Train").click()
    expect(why).to_contain_text("new rows are right", timeout=LONG)
    expect(question).not_to_be_visible()
    opened.get_by_label("Experiment").select_option("0")
    expect(question).to_be_visible()
    expect(why).to_have_text("")


def test_a_row_of_nothing_and_of_other_signs_is_no_trouble(widget):
    opened = widget()
    start(opened)
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    for text in ("", "42 ÄÖ", "zzzz", "a", "abcdefghijkl"):
        opened.get_by_label("Your row").fill(text)
    expect(opened.locator(".tc-open text")).to_have_text(list("lkjihgfedcba"))
    assert opened.page.problems == []


def test_where_workers_are_refused_it_learns_in_the_page(show):
    opened = show(Laboratory())
    opened.evaluate(
        "() => { window.Worker = class { constructor() { throw new Error('refused'); } }; }"
    )
    place = opened.locator(".tc-laboratory")
    start(place)
    expect(place.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_its_height_stays_when_it_begins_and_while_it_learns(widget, width, small):
    opened = widget(Laboratory(small=small), width=width)
    heights = [opened.bounding_box()["height"]]
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-right")).to_contain_text("after", timeout=LONG)
    heights.append(opened.bounding_box()["height"])
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    heights.append(opened.bounding_box()["height"])
    assert max(heights) - min(heights) <= 24, heights  # a line of text at the most
    assert max(heights) <= 870  # a phone's window


def test_everyone_can_use_it(widget, window):
    opened = widget(**window)
    start(opened)
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    check_page(opened.page)


def test_a_prepared_experiment_can_be_asked_for(widget):
    opened = widget(Laboratory(experiment=1))
    expect(opened.get_by_label("Experiment")).to_have_value("1")
    expect(opened.get_by_label("Positions")).to_have_value("none")
    expect(opened.locator(".tc-question")).not_to_contain_text("Your own settings")


def test_a_link_holds_the_settings(widget):
    opened = widget()
    opened.locator("summary").click()
    opened.get_by_label("Positions").select_option("none")
    opened.get_by_label("Mask in the decoder").uncheck()
    link = opened.get_by_role("link", name="A link to these settings")
    wanted = "#laboratory?positions=none&mask=false"
    assert link.get_attribute("href") == wanted
    opened.page.goto(opened.page.url.split("#")[0] + wanted)
    opened.page.reload()
    expect(opened.get_by_label("Positions")).to_have_value("none")
    expect(opened.get_by_label("Mask in the decoder")).not_to_be_checked()
    expect(opened.locator(".tc-question")).to_contain_text("Your own settings")


def test_the_small_form_has_one_experiment_and_no_settings(widget):
    opened = widget(Laboratory(small=True, steps=300))
    for hidden in ("Experiment", "Your guess", "Steps"):
        assert opened.get_by_label(hidden, exact=True).count() == 0
    assert opened.get_by_role("radio").count() == 0
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-question")).not_to_contain_text("Press Train")
    expect(opened.locator(".tc-why")).to_contain_text("of 100 new rows are right.", timeout=LONG)
    expect(opened.locator(".tc-maps svg")).to_have_count(2)
    opened.get_by_label("Your row").fill("abc")
    expect(opened.locator(".tc-open text")).to_have_text(list("cba"))


def test_it_learns_german_with_its_attention_over_the_words(widget):
    opened = widget(Laboratory(task="phrases", steps=600, experiment=10))
    opened.get_by_role("button", name="Train").click()
    why = opened.locator(".tc-why")
    expect(why).to_contain_text("of 100 new sentences are right.", timeout=LONG)
    assert share(opened) >= 30
    expect(opened.locator(".tc-maps svg")).to_have_count(0)  # the lines show it
    strongest = """all => all.filter((line) => line.getAttribute("stroke-opacity") > 0.4)
        .map((line) => [line.y1, line.y2].map((y) => y.baseVal.value))"""
    assert len(opened.locator(".tc-look").evaluate_all(strongest)) >= 4
    opened.get_by_label("Your sentence").fill("The king sees the dog.")
    expect(opened.locator(".tc-looks")).to_contain_text("should write der König sieht den Hund .")
    opened.get_by_label("Your sentence").fill("dog the banana")
    expect(opened.locator(".tc-looks")).to_contain_text("has no such sentence")
    opened.get_by_role("button", name="Another").click()
    expect(opened.locator(".tc-looks")).to_contain_text("should write")


TEN_TIMES = {"experiment": 8, "rate": 10, "steps": 200}


def guess(opened, words):
    """Guess, train, and wait until the run has decided."""
    pick(opened, words)
    opened.get_by_role("button", name=re.compile("Train|Again")).click()
    expect(opened.locator(".tc-guess input").first).to_be_disabled()
    expect(opened.locator(".tc-why")).to_contain_text(
        re.compile(f"You guessed “{words}”: the loss ends at [23]"), timeout=LONG
    )


def test_the_readers_own_run_decides_on_the_guess_and_the_first_guess_counts(widget):
    opened = widget(Laboratory(**TEN_TIMES))
    score, why = opened.locator(".tc-score"), opened.locator(".tc-why")
    expect(score).to_have_text("")
    guess(opened, "all the way")
    expect(why).to_contain_text("You guessed otherwise.")
    expect(score).to_contain_text("Foreseen so far: 0 of 1.")
    for other in ("0", "8"):  # chosen anew, it asks anew
        opened.get_by_label("Experiment").select_option(other)
    guess(opened, "stuck at guessing")
    expect(why).to_contain_text("You foresaw it. Your first guess counts.")
    expect(score).to_contain_text("Foreseen so far: 0 of 1.")


def test_a_guess_that_holds_is_a_point_that_stays_and_counts_with_the_exercises(show):
    page = show(Laboratory(**TEN_TIMES), Progress())
    opened = page.locator(".tc-laboratory")
    guess(opened, "stuck at guessing")
    expect(opened.locator(".tc-why")).to_contain_text("You foresaw it.")
    rows = page.locator(".tc-progress").get_by_role("listitem")
    row = rows.filter(has_text="Train a Transformer")
    expect(row).to_contain_text("1 of 11")
    page.reload()
    expect(opened.locator(".tc-score")).to_contain_text("Foreseen so far: 1 of 1.")
    expect(row).to_contain_text("1 of 11")


def test_another_experiment_begins_without_a_guess(widget):
    opened = widget(Laboratory(**TEN_TIMES))
    pick(opened, "stuck at guessing")
    for experiment in ("1", "6", "0"):
        opened.get_by_label("Experiment").select_option(experiment)
        expect(opened.get_by_role("radio", checked=True)).to_have_count(0)


def test_without_a_guess_nothing_is_counted(widget):
    opened = widget(Laboratory(**TEN_TIMES))
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text(
        re.compile("^You made no guess, so nothing is counted: the loss ends at .*, and 0 of 100"),
        timeout=LONG,
    )
    expect(opened.locator(".tc-score")).to_have_text("")


def test_the_task_is_told_and_the_picked_sketch_stays_in_the_chart_dotted(widget):
    opened = widget(Laboratory(experiment=6, layers=6, steps=200))
    expect(opened.locator(".tc-asks")).to_contain_text("Task: reverse letters")
    pick(opened, "partway")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-guess label").first).to_be_hidden()
    expect(opened.locator(".tc-guess label").nth(1)).to_be_visible()  # its words stay at its end
    expect(opened.locator(".tc-sketches .tc-mine")).to_be_visible()
    expect(opened.locator(".tc-sketches path:not(.tc-mine)").first).to_be_hidden()
    opened.get_by_label("Experiment").select_option("10")
    expect(opened.locator(".tc-asks")).to_contain_text("Task: English to German")
    expect(opened.locator(".tc-sketches .tc-mine")).to_have_count(0)


def test_another_experiment_begins_untrained_and_without_the_run_before(widget):
    opened = widget(Laboratory(steps=200))
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    expect(opened.get_by_role("button", name="Again")).to_be_visible()
    opened.get_by_label("Experiment").select_option("1")
    expect(opened.get_by_role("button", name="Train")).to_be_visible()
    expect(opened.locator(".tc-right")).to_have_text("")
    expect(opened.locator(".tc-marks")).to_have_text("positions")  # the recorded one
    expect(opened.locator("polyline")).to_have_count(1)
    expect(opened.locator(".tc-axis")).to_contain_text("1,200 steps")
    opened.get_by_label("Experiment").select_option("10")
    expect(opened.locator(".tc-asks")).to_contain_text("Task: English to German")
    expect(opened.locator("polyline")).to_have_count(0)  # what came of letters is not shown


def test_where_storage_is_refused_the_verdict_says_so(widget):
    opened = widget(Laboratory(**TEN_TIMES))
    opened.page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new Error('refused'); }; }"
    )
    guess(opened, "stuck at guessing")
    said = "You foresaw it. This browser keeps no progress"
    expect(opened.locator(".tc-why")).to_contain_text(said)


def test_a_loss_that_is_no_number_ends_the_run_with_a_sentence_on_why(widget):
    broken = Laboratory()
    step = "const loss = this.gradients(batch);"
    assert broken._esm.count(step) == 1
    broken._esm = broken._esm.replace(step, f"{step[:-1]} * (this.optimizer.steps < 30 ? 1 : NaN);")
    opened = widget(broken)
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-why")).to_have_text(
        "The run has ended: the loss of step 31 is not a number any more: choose a lower rate or a "
        "longer warm-up.",
        timeout=LONG,
    )
    expect(opened.get_by_role("button", name="Again")).to_be_visible()


SPY = """() => {
  const Usual = window.Worker;
  window.Worker = class extends Usual {
    constructor(...given) { super(...given); window.lastWorker = this; }
  };
}"""


@pytest.fixture
def served(page, tmp_path):
    """A page with a laboratory from a server, where workers are allowed; as a file they are not."""
    write_page(tmp_path, [Laboratory(steps=600)], [0])
    with tools.serve(tmp_path) as address:
        yield page(f"{address}/index.html")


def test_a_worker_that_dies_is_told_of_and_the_next_run_has_a_new_one(served):
    page = served
    page.add_init_script(f"({SPY})()")
    page.reload()
    opened = page.locator(".tc-laboratory")
    opened.get_by_role("button", name="Train").click()
    expect(opened.locator(".tc-right")).to_contain_text(re.compile("after [1-9]"), timeout=LONG)
    assert len(page.workers) == 1  # it is there that it learns
    page.evaluate(
        "() => lastWorker.dispatchEvent(new ErrorEvent('error', { message: 'no memory' }))"
    )
    expect(opened.locator(".tc-why")).to_have_text(
        "The run has ended: the browser has ended its worker (no memory). Nothing else is lost; "
        "press Again."
    )
    opened.get_by_role("button", name="Again").click()
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_run_waits_while_its_page_is_hidden_and_loses_nothing(served):
    page = served
    opened = page.locator(".tc-laboratory")
    opened.get_by_role("button", name="Train").click()
    right = opened.locator(".tc-right")
    expect(right).to_contain_text(re.compile("after [1-9]"), timeout=LONG)
    page.evaluate(HIDE, True)
    expect(opened.locator(".tc-state")).to_have_text("It waits: this page is hidden.")
    page.wait_for_timeout(300)  # a turn that was on its way
    waited = right.inner_text()
    page.wait_for_timeout(600)
    assert right.inner_text() == waited
    page.evaluate(HIDE, False)
    expect(opened.locator(".tc-why")).to_contain_text("new rows are right", timeout=LONG)
    expect(right).to_contain_text("600 steps")
