"""A chapter in Jupyter: no mark that only the site understands, folded what the site folds."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from transformer_course.pages.jupyter import for_jupyter, with_outputs
from transformer_course.pages.references import References

BOOK = Path(__file__).parents[2] / "book"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
MYST = re.compile(r"\{[a-z:]+\}`|^(?:`{3,}|:{3,})\{|^:[a-z]+:|^\([\w-]+\)=|^\{[.#]|\)\{\.", re.M)


@pytest.fixture
def references(tmp_path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "01-here.md").write_text(
        "# Here\n\n(there)=\n## The other *place*\n\n(no-heading)=\nWords.\n\n"
        "$$\nx\n$$ (eq-attention)\n\n$$\ny\n$$ (eq-ours)\n\n"
        "````{prf:theorem} A\n:label: thm-a\n````\n\n"
        "{cite:p}`one2017,two2018` {cite:t}`three2019`\n"
    )
    (tmp_path / "text" / "02-next.md").write_text("# Next\n")
    (tmp_path / "glossary.md").write_text('# G\n\n```{glossary}\nnat\n  A "unit" of $e$.\n```\n')
    (tmp_path / "references.bib").write_text(
        "@misc{one2017, author={Kaiser, {\\L}ukasz and Doe, A.}, title={{One}}, year=2017, url={u}}"
        "@misc{two2018, author={Roe, B. and Poe, C. and Moe, D.}, title={{Two}}, year=2018}"
        "@misc{three2019, author={{van} Dyk, E.}, title={{Three}}, year=2019, url={v}}"
    )
    return References.of(tmp_path)


def shown(references, *sources, values=None):
    """What a chapter of these cells of Markdown becomes, glued values first."""
    glue = [
        new_output(
            "display_data", {"text/plain": repr(value)}, metadata={"scrapbook": {"name": key}}
        )
        for key, value in (values or {}).items()
    ]
    cells = [new_code_cell("glue", outputs=glue), *map(new_markdown_cell, sources)]
    found = for_jupyter(new_notebook(cells=cells), "01-here", references)
    return [cell.source for cell in found.cells[1:]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_chapter_shows_a_mark_of_myst(path):
    cells = nbformat.read(path, as_version=4).cells
    words = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert [found[0] for text in words if (found := MYST.search(text))] == []
    assert all(words)


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("{glue:text}`n` of {glue:text}`x:.1f`", "3,000 of 0.2"),
        ("{doc}`02-next` {doc}`it <02-next>`", "[Next](02-next.ipynb) [it](02-next.ipynb)"),
        ("{doc}`terms <glossary>`", "[terms](glossary.md)"),
        ("{ref}`there`", "[The other *place*](#The-other-%2Aplace%2A)"),
        ("{ref}`this <no-heading>`", "this"),
        ("{term}`nats <nat>`", "[nats](glossary.md \"A 'unit' of e.\")"),
        ("{eq}`eq-ours` {eq}`eq-attention`", "(1a) (1)"),
        ("{prf:ref}`thm-a`", "Theorem 1"),
        ("(there)=\n{.course-map}\n[a](b){.start} c", "[a](b) c"),
        ("$$\ny\n$$ (eq-ours)", "$$\ny\n\\tag{1a}\n$$"),
        ("{cite:t}`three2019`", "[van Dyk \\[2019\\]](v)"),
        ("{cite:p}`one2017,two2018`", "\\[[Kaiser and Doe, 2017](u); Roe et al., 2018\\]"),
        ("```python\n{doc}`02-next`\n```", "```python\n{doc}`02-next`\n```"),
    ],
)
def test_a_role_is_what_it_stands_for(references, source, plain):
    assert shown(references, source, values={"n": "3,000", "x": 0.25}) == [plain]


def test_boxes_keep_their_names_and_what_is_folded_stays_folded(references):
    assert shown(
        references,
        "```{exercise} Predict: a row\n:label: a\n:nonumber:\nGuess.\n```\n\n"
        "```{exercise} Why?\n:label: b\nSay.\n```\n\n```{exercise} How?\n:label: c\nSo.\n```",
        "````{prf:theorem} A\n:label: thm-a\n\n$x$\n````\n\n````{prf:proof}\nOf it.\n````\n\n"
        "```{admonition} *More*\n:class: dropdown\nHidden.\n```",
    ) == [
        "**Predict: A row**\n\nGuess.\n\n**Question 1: Why?**\n\nSay.\n\n"
        "**Question 2: How?**\n\nSo.",
        "**Theorem 1: A**\n\n$x$\n\n<details><summary>Proof</summary>\n\nOf it.\n\n</details>\n\n"
        "<details><summary>More</summary>\n\nHidden.\n\n</details>",
    ]


def test_the_works_of_a_page_are_listed_with_their_links(references):
    [text] = shown(references, "```{bibliography}\n:filter: docname in docnames\n```")
    assert text.split("\n") == [
        "- B. Roe, C. Poe, D. Moe (2018). Two.",
        "- E. van Dyk (2019). [Three](v).",
        "- Łukasz Kaiser, A. Doe (2017). [One](u).",
    ]


def test_an_answer_is_folded_over_all_its_cells(references):
    start, end = "```{solution-start} a\n:class: dropdown\n```", "```{solution-end}\n```"
    cells = [
        new_markdown_cell(f"Asked.\n\n{start}\n\nFirst."),
        new_code_cell("1"),
        new_markdown_cell(f"Second.\n\n{end}\n\nAfter."),
        new_code_cell("2"),
        new_markdown_cell(start),
        new_code_cell("3"),
        new_markdown_cell(f"Third.\n\n{end}"),
    ]
    found = for_jupyter(new_notebook(cells=cells), "01-here", references).cells
    fold = "<details><summary>{}</summary>\n\n{}\n\n</details>"
    assert [cell.source for cell in found] == [
        "Asked.\n\n" + fold.format("Answer", "First."),
        "1",
        fold.format("Answer, continued", "Second.") + "\n\nAfter.",
        "2",
        "**Answer**, in the folded cells:",
        "3",
        fold.format("Answer", "Third."),  # the first words of this one
    ]
    hidden = {"source_hidden": True, "outputs_hidden": True}
    folded = [cell.metadata.get("jupyter") for cell in found if cell.cell_type == "code"]
    assert folded == [hidden, None, hidden]


@pytest.mark.parametrize(
    ("tag", "hidden"),
    [
        ("hide-input", {"source_hidden": True}),
        ("remove-input", {"source_hidden": True}),
        ("hide-cell", {"source_hidden": True, "outputs_hidden": True}),
        ("remove-output", {"outputs_hidden": True}),
        ("nbval-ignore-output", None),
    ],
)
def test_what_the_site_folds_is_folded_in_jupyter(references, tag, hidden):
    cell = new_code_cell("1", metadata={"tags": [tag]})
    [found] = for_jupyter(new_notebook(cells=[cell]), "01-here", references).cells
    assert found.metadata.get("jupyter") == hidden
    assert found.metadata["tags"] == [tag]


@pytest.mark.parametrize("role", ["doc", "ref", "term", "prf:ref", "eq", "cite:p", "glue:text"])
def test_what_is_not_there_is_an_error(references, role):
    with pytest.raises(KeyError, match="absent"):
        shown(references, f"{{{role}}}`absent`")


def test_outputs_come_from_the_run_and_words_from_the_text():
    ran = new_notebook(
        cells=[new_markdown_cell("old"), new_code_cell("1", outputs=[], execution_count=7)],
        metadata={"widgets": {}},
    )
    text = new_notebook(cells=[new_code_cell("1"), new_markdown_cell("new")])
    both = with_outputs(text, ran)
    assert both.cells[0].execution_count == 7
    assert both.cells[1].source == "new"
    assert both.metadata == {"widgets": {}}
    assert text.cells[0].execution_count is None
