"""The book's sources: text twins and notebooks agree, formulas are strict, checks can fail."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import chapters
import execute
import native_math
import nbformat
import page_assets
import pytest
import yaml
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
TWINS = chapters.twins()
NOTEBOOKS = sorted(chapters.BOOK.glob("*.ipynb"))
EVERY_TWIN = pytest.mark.parametrize("twin", TWINS, ids=lambda path: path.stem)
EVERY_NOTEBOOK = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
TWIN = """---
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Title

```{code-cell}
1 + 1
```
"""


@EVERY_TWIN
def test_a_text_twin_says_what_its_notebook_says(twin):
    assert chapters.differences(twin, chapters.notebook_of(twin)) == []


def test_every_notebook_has_a_text_twin():
    assert [path.stem for path in NOTEBOOKS] == [twin.stem for twin in TWINS]


@EVERY_NOTEBOOK
def test_a_notebook_is_executed_and_normalized(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    state = notebook.metadata.get("widgets", {}).get(chapters.WIDGET_STATE, {}).get("state", {})
    for model in state.values():
        assert "state" in model
    assert path.read_text(encoding="utf-8") == chapters.as_text(notebook)


@EVERY_NOTEBOOK
def test_a_notebook_carries_the_widgets_source_of_today(path):
    notebook = nbformat.read(path, as_version=4)
    state = notebook.metadata.get("widgets", {}).get(chapters.WIDGET_STATE, {}).get("state", {})
    known = {str(part) for cls in chapters.widget_classes() for part in (cls._esm, cls._css)}
    stored = {
        model["state"][key]
        for model in state.values()
        for key in ("_esm", "_css")
        if model["state"].get(key)
    }
    assert stored <= known, f"run `make refresh`: a widget changed since {path.name} was executed"


def test_a_refresh_puts_in_the_exercises_of_today_where_they_are_shown(tmp_path):
    path = chapters.BOOK / "05-2-loss.ipynb"
    text = path.read_text("utf-8")
    title = "What label smoothing does"
    old = tmp_path / path.name
    old.write_text(text.replace(title, "An old title"), encoding="utf-8")
    shown = text.count(title)
    assert shown > 2  # in the widget, in its two static twins
    assert chapters.refresh(old)
    assert old.read_text("utf-8").count(title) == shown  # digits may differ on another machine
    assert not chapters.refresh(old)


@EVERY_NOTEBOOK
def test_a_chapter_has_a_second_level_heading(path):
    text = "\n".join(
        cell.source
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
    )
    assert re.search(r"^## ", text, flags=re.MULTILINE), (
        "the theme's script fails on a page without"
    )


@EVERY_NOTEBOOK
def test_a_figure_ends_its_cell_since_it_is_lost_elsewhere(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or "plotting.show(" not in cell.source:
            continue
        shown = [
            ast.unparse(each).startswith("plotting.show(") for each in ast.parse(cell.source).body
        ]
        assert not any(shown[:-1]), cell.source[:200]


def test_the_table_of_contents_lists_every_page():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    entries = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    entries += [below for entry in entries for below in entry.get("sections", [])]
    listed = [contents["root"], *(entry["file"] for entry in entries)]
    exercises = {f"exercises/{path.stem}" for path in (ROOT / "exercises").glob("*.ipynb")}
    pages = {f"book/{path.stem}" for path in [*NOTEBOOKS, *chapters.BOOK.glob("*.md")]}
    pages |= exercises | {"exercises/index"}
    assert set(listed) == pages


def test_every_exercise_is_linked_once_where_the_reader_is_ready():
    links = [
        name
        for twin in TWINS
        for name in re.findall(r"\(\.\./exercises/([\w-]+)\.ipynb\)", twin.read_text())
    ]
    assert sorted(links) == [path.stem for path in sorted((ROOT / "exercises").glob("*.ipynb"))]


def test_a_changed_cell_is_seen(tmp_path):
    twin, notebook = tmp_path / "01.md", tmp_path / "01.ipynb"
    twin.write_text(TWIN, encoding="utf-8")
    notebook.write_text(chapters.normalize(chapters.read_twin(twin), twin), encoding="utf-8")
    assert chapters.differences(twin, notebook) == []
    twin.write_text(TWIN.replace("1 + 1", "1 + 2"), encoding="utf-8")
    assert chapters.differences(twin, notebook) == [
        "cell 2 differs between 01.md and 01.ipynb: 1 + 2"
    ]


def test_new_words_reach_a_notebook_without_a_run_and_new_code_does_not(tmp_path):
    twin, notebook = tmp_path / "01.md", tmp_path / "01.ipynb"
    twin.write_text(TWIN, encoding="utf-8")
    executed = chapters.read_twin(twin)
    executed.cells[1].outputs = [nbformat.v4.new_output("stream", text="2")]
    notebook.write_text(chapters.normalize(executed, twin), encoding="utf-8")
    assert not chapters.reword(twin, notebook)
    twin.write_text(TWIN.replace("# Title", "# A better title"), encoding="utf-8")
    assert chapters.reword(twin, notebook)
    assert chapters.differences(twin, notebook) == []
    assert nbformat.read(notebook, as_version=4).cells[1].outputs[0].text == "2"
    twin.write_text(TWIN.replace("1 + 1", "1 + 2"), encoding="utf-8")
    assert not chapters.reword(twin, notebook)


def test_a_missing_notebook_is_seen(tmp_path):
    twin = tmp_path / "01.md"
    twin.write_text(TWIN, encoding="utf-8")
    [line] = chapters.differences(twin, tmp_path / "01.ipynb")
    assert line == "01.md has no executed notebook: run `make execute`"


def test_an_unknown_chapter_is_refused_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["execute.py", "99-absent"])
    with pytest.raises(SystemExit, match="2"):
        execute.main()
    assert "no chapter 99-absent: expected one of" in capsys.readouterr().err


@pytest.mark.slow
def test_a_notebook_with_a_wrong_output_fails_nbval():
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-sanitize-with"]
    command += ["tests/nbval_sanitize.cfg", "tests/canary/wrong.ipynb", "-p", "no:cacheprovider"]
    command += ["-p", "local_kernels"]
    env = {**os.environ, "PYTHONPATH": "tests"}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed" in run.stdout


def test_no_word_about_a_color_holds_in_one_theme_only():
    """What is darker on a light page is brighter on a dark one."""
    folders = ("book/text/*.md", "exercises/sources/*.md", "transformer_course/widgets/*.js")
    lines = [
        f"{path.name}: {line.strip()}"
        for folder in folders
        for path in sorted(ROOT.glob(folder))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\b(?:dark|light|bright|pal)(?:er|est)\b|\bthe dark\b", line)
    ]
    assert lines == []


def test_words_in_formulas_stay_words():
    formula = native_math.to_mathml(r"\mathrm{softmax}(x)", False)
    assert "<mi>softmax</mi>" in formula


def test_bold_and_blackboard_letters_have_letters_of_their_own():
    formula = native_math.to_mathml(
        r"\mathbf{W} \in \R^{n}, \boldsymbol{\theta}, \mathcal{O}", True
    )
    assert all(letter in formula for letter in "𝐖ℝ𝜽𝒪")
    assert not re.search(r'mathvariant="(?!normal)', formula)


@pytest.mark.parametrize(
    ("latex", "rooms"),
    [
        (r"r \ln r", 2),
        (r"-\ln p", 1),
        (r"q(v) \ln p(v)", 2),
        (r"-\ln(1 - p)", 0),
        (r"x \log_2 x", 2),
        (r"x\, \ln\, x", 0),  # the author has made room
    ],
)
def test_a_functions_name_stands_apart_from_its_neighbors(latex, rooms):
    assert native_math.to_mathml(latex, False).count("<mspace") == rooms


def test_a_formula_keeps_its_latex_for_copying():
    assert r"\sqrt{d_k}</annotation>" in native_math.to_mathml(r"\sqrt{d_k}", False)


def test_a_mark_does_not_leave_its_formula():
    formula = native_math.to_mathml("x", False)
    held = native_math.hold_marks(f"<p>of {formula}, of {formula} and {formula}).</p>")
    assert held.count('<span class="course-hold"><math') == 2
    assert "</math>,</span> of" in held
    assert "</math>).</span></p>" in held
    shown = f"<div>{native_math.to_mathml('x', True)}.</div>"
    assert native_math.hold_marks(shown) == shown


@pytest.mark.parametrize("latex", [r"\foo", r"\frac{1", "x^", r"\begin{align} a"])
def test_latex_that_is_wrong_is_refused(latex):
    with pytest.raises(native_math.LatexError, match=r"Undefined|Unexpected|Expected|end of input"):
        native_math.to_mathml(latex, True)


@pytest.mark.slow
def test_a_wrong_formula_fails_the_build_and_names_its_page(tmp_path):
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_parser', 'course_site']\n"
        "myst_enable_extensions = ['dollarmath']\n"
        "html_math_renderer = 'native'\n",
        encoding="utf-8",
    )
    (tmp_path / "index.md").write_text("# Title\n\nThis $\\foo$ is wrong.\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", tmp_path, tmp_path / "out"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "book" / "_ext")}
    run = subprocess.run(command, capture_output=True, text=True, env=env)
    assert run.returncode != 0
    assert "index.md:3" in run.stderr
    assert r"LaTeX not understood: Undefined control sequence: \foo" in run.stderr


def test_what_the_theme_loads_is_among_what_we_put_together():
    package = Path(sys.modules["yaml"].__file__).parents[1] / "pydata_sphinx_theme"
    template = package / "theme/pydata_sphinx_theme/static/webpack-macros.html"
    theirs = set(re.findall(r"_static/([\w./-]+)", template.read_text(encoding="utf-8")))
    ours = {part for parts in page_assets.PARTS.values() for part in parts}
    # Of those left out, the second only imports basic.css, which is among ours.
    assert theirs - ours == {"scripts/fontawesome.js", "styles/theme.css"}


@pytest.mark.slow
def test_a_second_run_of_a_chapter_changes_nothing(tmp_path):
    twin = tmp_path / "01.md"
    cell = "from transformer_course.widgets import AttentionPicture, OneQuery\n"
    cell += "OneQuery().tables()\nAttentionPicture()"
    twin.write_text(TWIN.replace("1 + 1", cell), encoding="utf-8")

    def run():
        notebook = chapters.read_twin(twin)
        NotebookClient(notebook, kernel_name="python3", record_timing=False).execute()
        return chapters.normalize(notebook, twin)

    first = run()
    assert first.count('"_anywidget_id"') == 1  # what only computed is not kept
    assert (
        '"_anywidget_id": "transformer_course.widgets.attention_picture.AttentionPicture"' in first
    )
    assert chapters.WIDGET_STATE in first
    assert run() == first
