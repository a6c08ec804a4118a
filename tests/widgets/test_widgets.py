"""Every widget: browser code that loads nothing and stays small, a form for readers without."""

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
from not_run import NEEDS_NODE

import transformer_course.widgets as widgets
from transformer_course.pages import plotting
from transformer_course.widgets import CourseWidget, sources

FOLDER = sources.HERE
CLASSES = [
    each
    for each in map(widgets.__dict__.get, widgets.__all__)
    if isinstance(each, type) and issubclass(each, CourseWidget) and each is not CourseWidget
]
EVERY_WIDGET = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
EVERY_SOURCE = pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.[jc]s*")), ids=lambda path: path.name
)
ADDRESSES = ("http:", "https:", "//cdn", 'url("', "url(.", "url(/", "@import", "import(")
LARGE = {
    "AttentionPicture": 16_800,  # a head drawn whole: wires, bars to pull, arrows, a row to edit
    "BeamTree": 14_150,  # a tree at every step, and on a phone its two ways alone
    "PageExercise": 15_400,  # six kinds of question with their graders, cards in pairs, a picture
    "Translator": 22_300,  # a tokenizer, a Transformer, two searches, and what multiplies for them
    "Parser": 22_000,  # the same, with a rule for a tokenizer, and a tree to draw
    "Laboratory": 31_100,  # a Transformer that learns, with every gradient, and a phrasebook
}
MARKUP = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(")


@EVERY_WIDGET
def test_a_widget_carries_its_module_with_its_neighbors_written_out(cls):
    code = str(cls._esm)
    assert code == sources.module(cls._esm_name)
    assert not re.search(r"^import\b", code, flags=re.MULTILINE)
    assert len(re.findall(r"^export default \{ render", code, flags=re.MULTILINE)) == 1


def test_of_a_shared_module_a_page_carries_what_its_widget_names_and_what_that_names(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "HERE", tmp_path)
    (tmp_path / "shared.js").write_text(
        "const two = () => {\n  return 2;\n};\n\nexport const four = () =>\n  two() + two();\n\n"
        'export function idle(x) {\n  return idle("two");\n}\nexport const twice = [\n  1,\n];\n'
    )
    own = (
        'import { four } from "./shared.js";\nconst x = { role: "idle", y: m.twice, z: four() };\n'
        "const kinds = {\n  idle: 1,\n  twice(x) {\n    return x;\n  },\n};\n"
    )
    (tmp_path / "own.js").write_text(own)
    carried = sources.module("own.js")
    assert carried == (
        "const two = () => {\nreturn 2;\n};\n\nconst four = () =>\ntwo() + two();\n\n\n"
        'const x = { role: "idle", y: m.twice, z: four() };\n'
        "const kinds = {\nidle: 1,\ntwice(x) {\nreturn x;\n},\n};\n"
    )


@EVERY_WIDGET
def test_a_widget_with_a_worker_carries_what_answers_there(cls):
    code = str(cls._esm)
    assert ("function startWorker(" in code) == ("function serve(" in code)


@NEEDS_NODE
@EVERY_WIDGET
def test_what_a_page_carries_is_one_module_without_a_name_declared_twice(cls, tmp_path):
    path = tmp_path / "widget.mjs"
    path.write_text(str(cls._esm), encoding="utf-8")
    run = subprocess.run(["node", "--check", path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@EVERY_SOURCE
def test_no_text_of_browser_code_goes_on_in_a_second_line(path):
    """What a page carries has no indents, so that a text with one would change."""
    text = re.sub(r'"`"|/[^/\n]*`[^/\n]*/', "", path.read_text(encoding="utf-8"))
    lines = text.splitlines() if path.suffix == ".js" else []
    assert [line for line in lines if line.count("`") % 2] == []


@EVERY_WIDGET
def test_a_widget_has_the_same_text_each_time_and_numbers_in_tables(cls):
    one, other = cls(), cls()
    assert one.as_text() == other.as_text()
    assert "0x" not in one.as_text() + one.as_html()
    assert one.tables()
    assert "<td>" in one.as_html()


@EVERY_WIDGET
def test_a_widgets_state_is_plain_data_of_a_modest_size(cls):
    state = {name: x for name, x in cls().get_state().items() if not name.startswith("_")}
    assert len(gzip.compress(json.dumps(state).encode())) <= 24_000


@EVERY_WIDGET
def test_a_widgets_code_stays_small(cls):
    """Script and style together, with what they share, as a page carries them."""
    most = LARGE.get(cls.__name__, 14_000)
    assert len(gzip.compress((str(cls._esm) + str(cls._css)).encode())) <= most


@EVERY_SOURCE
def test_every_rule_of_a_style_sheet_ends(path):
    """A browser takes a sheet without a brace as it is, and leaves out what comes after."""
    text = path.read_text(encoding="utf-8") if path.suffix == ".css" else ""
    assert text.count("{") == text.count("}")


@EVERY_SOURCE
def test_no_text_of_a_style_sheet_holds_what_parts_rules(path):
    """What a page carries has no spaces there, so that a text with one would change."""
    text = path.read_text(encoding="utf-8") if path.suffix == ".css" else ""
    texts = re.findall(r'"[^"\n]*"', re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    assert [each for each in texts if re.search("[{};>]", each)] == []


def test_in_the_dark_jupyter_has_the_colors_of_the_site():
    site = FOLDER.parents[1] / "book" / "_static" / "course" / "course.css"

    def colors(text: str, where: str) -> dict[str, str]:
        rule = text.split(where, 1)[1].split("}", 1)[0]
        return dict(re.findall(r"(--(?:course-\w+|site-red)): ?(#\w+)", rule))

    expected = colors(site.read_text(encoding="utf-8"), 'html[data-theme="dark"]')
    found = colors(sources.style("dropout.js"), "[data-jp-theme-light=false]")
    assert {f"--course-{name}" for name in plotting.VARIABLES.values()} <= set(found)
    assert found == expected


@EVERY_WIDGET
def test_a_widgets_own_style_outweighs_what_the_widgets_share(cls):
    """Each widget of a page brings the shared sheet along, so the last one stands below all others'
    own sheets: these must win by weight, not by their place."""
    own = sources.HERE / Path(cls._esm_name).with_suffix(".css")
    assert not own.exists() or own.read_text(encoding="utf-8").startswith(".tc.tc-")


@pytest.mark.parametrize(
    "name",
    [
        "attention_picture",
        "encoder_trip",
        "kv_cache",
        "masked_softmax",
        "online_softmax",
        "three_uses",
    ],
)
def test_where_attention_is_drawn_a_color_is_named_by_what_it_means(name):
    """Blue is what asks, orange what is found, and so on: `--tc-q`, `--tc-k`, never a bare hue."""
    sheet = (FOLDER / f"{name}.css").read_text(encoding="utf-8")
    assert re.findall(r"var\(--hue\d\)|#[0-9a-f]{6}", sheet) == []


def test_weights_have_one_color_in_every_table():
    sheet = (FOLDER / "shared.css").read_text(encoding="utf-8")
    assert '[data-kind="seq"] { --hue: var(--tc-weights); }' in sheet


@EVERY_SOURCE
def test_browser_code_loads_nothing_and_writes_no_markup(path):
    text = sources.COMMENT.sub("", path.read_text(encoding="utf-8"))  # types may name modules
    for kind in ("2000/svg", "1998/Math/MathML"):  # the names of languages, which load nothing
        text = text.replace(f"http://www.w3.org/{kind}", "")
    assert not [word for word in (*ADDRESSES, *MARKUP) if word in text]
    assert path.suffix != ".js" or path.read_text(encoding="utf-8").startswith("// @ts-check")


@EVERY_SOURCE
def test_no_number_that_changes_is_read_aloud_by_itself(path):
    """An output element is a live region: ten of them speak ten times. A status line tells."""
    assert 'h("output"' not in path.read_text(encoding="utf-8")


def test_a_widget_without_tables_still_has_a_stable_text_form():
    assert CourseWidget().as_text() == "CourseWidget()"
