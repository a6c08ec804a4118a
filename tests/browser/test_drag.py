"""What a drag costs and when a page can be used: the measure tells a slow page from a quick one."""

from itertools import pairwise

import drag as tool
import pytest
import weigh

import transformer_course.widgets as widgets

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<div class="course-widget"><div aria-label="Probe">
<label for="s">Speed</label><input id="s" type="range" min="0" max="%d" value="0"></div></div>
<script>
const spin = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
window.heard = [];
document.querySelector("input").addEventListener("input", (event) => {
  window.heard.push(Number(event.target.value));
  spin(%d);
});
spin(%d);
</script>"""


@pytest.fixture
def probe(page, tmp_path):
    """Opens a page whose slider takes some milliseconds to answer, and that takes some to load."""

    def open_probe(answer: int = 0, load: int = 0, top: int = 100):
        target = tmp_path / "probe.html"
        target.write_text(PAGE % (top, answer, load), encoding="utf-8")
        return page(target.as_uri())

    return open_probe


def test_the_time_of_the_widgets_own_script_is_in_the_work_of_a_frame(probe):
    [slow] = tool.drag(probe(answer=30), frames=10)
    assert (slow["widget"], slow["slider"], slow["frames"]) == ("Probe", "Speed", 10)
    assert 30 <= slow["handler_p95"] <= slow["work_p95"]
    assert slow["frame_p95"] >= 30
    [quick] = tool.drag(probe(), frames=10)
    assert quick["handler_p95"] < 30
    assert quick["cpu_mean"] < slow["cpu_mean"]


@pytest.mark.parametrize(("top", "values"), [(100, 20), (3, 4)])
def test_a_drag_goes_up_and_down_and_changes_the_value_in_every_frame(probe, top, values):
    opened = probe(top=top)
    tool.drag(opened, frames=40)
    heard = opened.evaluate("window.heard")
    assert len(heard) == 40
    assert len(set(heard)) >= values
    assert max(heard) == top
    assert all(one != other for one, other in pairwise(heard))


def test_a_page_that_computes_while_it_loads_can_be_used_later(chromium, probe):
    opened = probe(load=300)
    ready, computed = tool.interactive(opened, opened.url)
    assert ready >= 300
    quiet = probe()
    assert tool.interactive(quiet, quiet.url)[1] < computed


def test_every_widget_has_its_sliders_dragged(chromium, tmp_path):
    with weigh.open_page(chromium) as opened:
        widget = widgets.KVCache(figure="memory")
        rows = tool.drag_alone(opened, tmp_path, widget, frames=3)
    assert [row["slider"] for row in rows] == [
        "Heads of keys",
        "Tokens in a text",
        "Layers",
        "Heads of queries",
        "Width of a head",
        "Sequences at once",
    ]
    assert {row["widget"] for row in rows} == {"The cache of keys and values"}


def test_of_several_rounds_the_least_disturbed_drag_counts():
    one, other = {"slider": "a", "work_p95": 20}, {"slider": "b", "work_p95": 5}
    again = [{"slider": "a", "work_p95": 9}, {"slider": "b", "work_p95": 7}]
    assert weigh.least([[one, other], again]) == [again[0], other]
    assert "2 sliders, 1 over 16 ms a frame; slowest a with 20" in weigh.worst(
        [{**one, "work_p50": 8, "cpu_mean": 6}, {**other, "work_p50": 4, "cpu_mean": 3}]
    )
    assert weigh.worst([]) == "no slider"
