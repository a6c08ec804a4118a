"""Pages show no cell's statements that only carry a number into the text."""

from types import SimpleNamespace

import plumbing
import pytest
from docutils import nodes

KEPT = "x = 2\n\nprint(x)"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (f'{KEPT}\nglue("x", x, display=False)', KEPT),
        ('x = 2\nglue(\n    "x",\n    x,\n)\ny = 3', "x = 2\ny = 3"),
        ('for n in (1, 2):\n    glue(f"{n}", n)', ""),
        ('for n in (1, 2):\n    print(n)\n    glue(f"{n}", n)', "for n in (1, 2):\n    print(n)"),
        ('if True:\n    glue("x", 1)', None),  # without it, no body would be left
        ("%timeit glue(1)", None),
        ("def glue(x):\n    return x", None),
    ],
)
def test_what_only_carries_a_number_goes(code, shown):
    assert plumbing.without_glue(code) == (code if shown is None else shown)


def cell(code: str, *outputs: str, folded: bool = True) -> nodes.container:
    """As MyST-NB reads it."""
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    shown = [nodes.container("", nodes.paragraph("", text)) for text in outputs]
    return nodes.container("", source, *shown, **({"hide_mode": "input"} if folded else {}))


@pytest.mark.parametrize(
    ("cells", "left"),
    [
        ([cell("x"), cell("y"), cell("z", "2")], ["x\n\n\ny\n\n\nz"]),
        ([cell("x", "1"), cell("y")], ["x", "y"]),
        ([cell("x"), nodes.paragraph(), cell("y")], ["x", "y"]),
        ([cell("x"), cell("y", folded=False)], ["x", "y"]),
    ],
)
def test_folded_cells_in_a_row_are_folded_as_one_up_to_the_first_that_shows_something(cells, left):
    page = nodes.section("", *(each.deepcopy() for each in cells))
    plumbing.join_folded(None, page)
    assert [block.astext() for block in page.findall(nodes.literal_block)] == left


@pytest.mark.parametrize(
    ("code", "outputs", "name"),
    [
        ("import torch\n\nx = 1", [], "Code: imports"),
        ("import torch\n\n\ndef f():\n    return 1", [], "Code: imports, f"),
        ("def f(): 1\nclass A: pass\ndef g(): 2\ndef h(): 3", [], "Code: f, A, g, …"),
        ("def f(): 1\nplotting.show(fig, alt='A curve')", ["svg"], "Code of the figure"),
        ("x = 1\nprint(x)", ["1"], "Code of what follows"),
        ("x = 1", [], "Code"),
        ("for x in y:\n    assert x", [], "Code: checks"),
        ("%timeit x", ["1 ms"], "Code of what follows"),
    ],
)
def test_a_fold_says_what_is_in_it(code, outputs, name):
    folded, own, plain = (cell(code, *outputs, folded=x) for x in (True, True, False))
    folded["prompt_show"], own["prompt_show"] = "Code", "Its author's name"
    book = SimpleNamespace(config=SimpleNamespace(nb_code_prompt_show="Code"))
    plumbing.name_folds(book, nodes.section("", folded, own, plain))
    assert folded["prompt_show"] == name
    assert own["prompt_show"] == "Its author's name"
    assert "prompt_show" not in plain
