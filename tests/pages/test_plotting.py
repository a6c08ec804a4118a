"""Figures of the book: themed, described, repeatable."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from transformer_course.pages import plotting

SHEET = Path(__file__).parents[2] / "book/_static/course/course.css"
DARK_PAGE, LIGHT_PAGE = "#121212", "#ffffff"


def line_figure():
    fig, ax = plotting.subplots()
    ax.plot([0, 1], [1, 0], label="falling")
    ax.legend()
    return plotting.show(fig, alt='A "falling" line.')


def luminance(color):
    parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in to_rgb(color)]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def contrast(color, page):
    light, dark = sorted([luminance(color), luminance(page)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colors_of(theme):
    sheet = SHEET.read_text(encoding="utf-8")
    start = sheet.index(":root {" if theme == "light" else 'html[data-theme="dark"] {')
    block = sheet[start : sheet.index("}", start)]
    return dict(re.findall(r"--course-(\w+): (#\w{6})", block))


def test_a_figure_without_words_is_refused():
    fig, _ = plotting.subplots()
    with pytest.raises(ValueError, match="alt is empty: expected one or two sentences"):
        plotting.show(fig, alt=" ")


def test_the_words_stand_in_the_figure_and_in_its_text_form():
    figure = line_figure()
    assert 'role="img" aria-label="A &quot;falling&quot; line."' in figure.svg()
    assert repr(figure) == 'Figure: A "falling" line.'


def test_every_color_of_a_figure_is_a_variable():
    svg = re.sub(r"var\(--course-\w+, #\w{6}\)", "", line_figure().svg())
    assert re.findall(r"#[0-9a-f]{6}\b", svg) == []


def test_the_same_figure_is_drawn_the_same_twice():
    assert line_figure().svg() == line_figure().svg()


def test_its_text_is_in_the_pages_font_and_may_grow_where_it_is_no_formula():
    fig, ax = plotting.subplots()
    ax.set(title="plain", xlabel=r"$d_k$", xscale="log", xlim=(1, 1000))
    styles = re.findall(r'style="([^"]*font-family[^"]*)"', plotting.show(fig, alt="Axes.").svg())
    assert len(styles) > 8
    assert {re.search("font-family: ([^;]*)", each)[1] for each in styles} == {"var(--course-font)"}
    grows = [each for each in styles if "* var(--course-zoom, 1))" in each]
    assert len(grows) == 7  # the title and the y axis' six numbers
    assert line_figure().png() == line_figure().png()


def test_a_figure_offers_svg_png_and_words():
    bundle = line_figure()._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert bundle["text/html"].startswith("<svg ")


def test_a_heatmap_has_its_first_row_on_top_and_writes_its_numbers():
    fig, ax = plotting.subplots()
    mesh = plotting.heatmap(ax, [[0.1, 0.2], [0.3, 0.4]], rows=["a", "b"], form=".1f")
    assert ax.get_ylim() == (2, 0)
    assert [text.get_text() for text in ax.texts] == ["0.1", "0.2", "0.3", "0.4"]
    assert mesh.get_clim() == (0, 0.4)
    plotting.show(fig, alt="Four numbers.")


def test_a_diverging_heatmap_is_centered_on_zero():
    fig, ax = plotting.subplots()
    assert plotting.heatmap(ax, [[-3.0, 1.0]], diverging=True).get_clim() == (-3, 3)
    plotting.show(fig, alt="Two numbers.")


def test_zero_is_the_pages_own_color():
    assert plotting.sequential()(0.0)[3] == 0
    assert plotting.DIVERGING(0.5)[3] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("theme", "page"), [("light", LIGHT_PAGE), ("dark", DARK_PAGE)])
def test_every_line_color_has_a_contrast_of_three_to_one(theme, page):
    colors = colors_of(theme)
    assert set(colors) == set(plotting.VARIABLES.values())
    too_faint = {name for name, color in colors.items() if contrast(color, page) < 3}
    assert too_faint <= {"grid"}


def test_the_light_theme_is_what_the_figures_are_drawn_in():
    assert {name: color for color, name in plotting.VARIABLES.items()} == colors_of("light")


def test_a_heatmap_of_weights_has_their_color_and_no_other():
    fig, ax = plotting.subplots()
    plotting.heatmap(ax, [[0.0, 1.0]], color=plotting.WEIGHTS)
    drawn = plotting.show(fig, alt="Weights.").svg()
    assert "--course-green" in drawn
    assert "--course-blue" not in drawn


def test_the_colors_of_attention_are_those_of_the_widgets():
    sheet = (SHEET.parents[3] / "transformer_course/widgets/shared.css").read_text("utf-8")
    hues = dict(re.findall(r"--(hue\d): var\(--course-(\w+)", sheet))
    named = {name: hues[hue] for name, hue in re.findall(r"--tc-(\w+): var\(--(hue\d)\)", sheet)}
    ours = {
        "q": plotting.QUERIES,
        "k": plotting.KEYS,
        "v": plotting.VALUES,
        "weights": plotting.WEIGHTS,
        "output": plotting.OUTPUTS,
    }
    assert {
        name: plotting.VARIABLES[color] for name, color in ours.items()
    }.items() <= named.items()
