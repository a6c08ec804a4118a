"""The script that runs widgets on a page without a kernel, on pages made for these tests."""

import json
from pathlib import Path

import pytest
import shared_sources

from transformer_course.pages import browser as tools

HOST = Path(__file__).parents[2] / "book" / "_static" / "course" / "widgets-host.js"
COUNTER = """
export default { render({ model, el }) {
  const button = document.createElement("button");
  const draw = () => { button.textContent = `value ${model.get("value")}`; };
  button.onclick = () => { model.set("value", model.get("value") + 1); model.save_changes(); };
  model.on("change:value", draw);
  draw();
  el.append(button);
} };
"""


def anywidget(source=COUNTER, **state):
    return {
        "model_module": "anywidget",
        "model_name": "AnyModel",
        "state": {"_esm": source, **state},
    }


@pytest.fixture
def mount(tmp_path, page):
    """Opens a page with these saved models and a view of each named one."""

    def build(models, views, gap=0, **more):
        kind = "application/vnd.jupyter.widget"
        saved = shared_sources.share(json.dumps({"state": models, **more}))
        scripts = [f'<script type="{kind}-state+json">{saved}</script>']
        for model_id in views:
            view = json.dumps({"model_id": model_id})
            place = f'<script type="{kind}-view+json">{view}</script>'
            scripts.append(f'<div style="padding-bottom: {gap}px">{place}</div>')
        html = f'<title>t</title><link rel="icon" href="data:,"><body>{"".join(scripts)}'
        html += f"<script>{HOST.read_text(encoding='utf-8')}</script>"
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        with tools.serve(tmp_path) as address:
            return page(f"{address}/page.html")

    return build


def outcome(page):
    return page.evaluate("document.documentElement.dataset.courseWidgets")


def test_two_views_of_one_widget_stay_together(mount):
    page = mount({"a": anywidget(value=3)}, ["a", "a"])
    page.locator("button").first.click()
    assert page.locator("button").all_inner_texts() == ["value 4", "value 4"]
    assert outcome(page) == "ready"
    assert page.problems == []


def test_what_is_in_sight_starts_before_the_rest(mount):
    note = """export default { render({ model, el }) {
      const { courseInSight = "" } = document.documentElement.dataset;
      el.textContent = `${model.get("name")} ${courseInSight}`;
    } };"""
    page = mount({name: anywidget(note, name=name) for name in "abc"}, ["a", "b", "c"], gap=900)
    shown = page.locator(".course-widget").all_inner_texts()
    assert [text.strip() for text in shown] == ["a", "b", "c ready"]
    assert outcome(page) == "ready"


def test_linked_traits_follow_each_other(mount):
    link = {"source": ["IPY_MODEL_a", "value"], "target": ["IPY_MODEL_b", "value"]}
    models = {"a": anywidget(value=0), "b": anywidget(value=0)}
    page = mount({**models, "l": {"model_name": "LinkModel", "state": link}}, ["a", "b"])
    page.locator("button").last.click()
    assert page.locator("button").all_inner_texts() == ["value 1", "value 1"]


def test_a_widget_that_fails_says_so_and_leaves_the_others_alone(mount):
    broken = anywidget("export default { render() { throw new Error('on purpose'); } };")
    page = mount({"a": broken, "b": anywidget(value=1)}, ["a", "b"])
    assert page.locator(".course-needs-python").inner_text().startswith("This widget did not start")
    assert page.locator("button").inner_text() == "value 1"
    assert outcome(page) == "failed"
    assert any("on purpose" in problem for problem in page.problems)


def test_a_control_that_runs_python_says_where_it_works(mount):
    slider = {"model_module": "@jupyter-widgets/controls", "model_name": "IntSlider", "state": {}}
    page = mount({"a": slider}, ["a"])
    assert "Open the chapter in Jupyter" in page.locator(".course-needs-python").inner_text()


def test_a_widgets_styles_are_added_once(mount):
    styled = anywidget(value=0, _css="button { color: rgb(1, 2, 3); }")
    page = mount({"a": styled, "b": styled}, ["a", "b"])
    assert page.locator("style").count() == 1
    color = page.locator("button").last.evaluate("it => getComputedStyle(it).color")
    assert color == "rgb(1, 2, 3)"


def test_code_that_widgets_share_is_looked_up_and_plain_code_still_runs(mount):
    css = "button { color: rgb(4, 5, 6); }"
    shared = anywidget({"source": 1}, value=1, _css={"source": 0})
    models = {"a": shared, "b": shared | {}, "c": anywidget(value=7)}
    page = mount(models, ["a", "b", "c"], sources=[css, COUNTER])
    page.locator("button").nth(1).click()
    assert page.locator("button").all_inner_texts() == ["value 1", "value 2", "value 7"]
    color = page.locator("button").first.evaluate("it => getComputedStyle(it).color")
    assert (color, outcome(page), page.problems) == ("rgb(4, 5, 6)", "ready", [])


def test_shared_rules_do_not_come_again_and_overrule_a_widgets_own(mount):
    shared = ".x {\n  color: rgb(1, 1, 1);\n}\nbutton {\n  color: rgb(2, 2, 2);\n}\n"
    own = [f"button {{\n  {rule};\n}}\n" for rule in ("color: rgb(3, 3, 3)", "margin: 7px")]
    models = {
        name: anywidget(value=0, _css=shared + css) for name, css in zip("ab", own, strict=True)
    }
    page = mount(models, ["a", "b"])
    style = "it => [getComputedStyle(it).color, getComputedStyle(it).margin]"
    assert page.locator("button").last.evaluate(style) == ["rgb(3, 3, 3)", "7px"]
    assert page.locator("style").count() == 1
    assert outcome(page) == "ready"
