"""An equation of the paper has the paper's number on the site; another is named by its section."""

import re
from pathlib import Path
from types import SimpleNamespace

import paper_numbers
import pytest
from docutils import nodes
from docutils.utils import new_document

from transformer_course.pages.references import PAPER, References

TEXT = Path(__file__).parents[2] / "book" / "text"


def test_labelled_equations_are_numbered_where_they_stand_and_where_they_are_named():
    page = new_document("page")
    labels = ["eq-ours", "eq-attention", None, "eq-other"]
    page += [nodes.math_block("", "x", label=label, number=7) for label in labels]
    domain = SimpleNamespace(equations={})
    env = SimpleNamespace(get_domain=lambda name: domain, docname="book/03-1-stacks")
    paper_numbers.renumber(SimpleNamespace(env=env), page)
    assert [node["number"] for node in page.children] == ["3.1a", "1", 7, "3.1b"]
    assert domain.equations["eq-other"] == ("book/03-1-stacks", "3.1b")


@pytest.mark.parametrize(("label", "number"), PAPER.items())
def test_each_equation_of_the_paper_stands_in_one_chapter_that_says_so(label, number):
    [text] = [t for path in TEXT.glob("*.md") if f"$$ ({label})" in (t := path.read_text())]
    assert re.search(rf"[Ee]quation {number}\b", text)


def test_no_two_equations_have_one_number():
    numbers = References.of(TEXT.parent).equations
    assert len(numbers) > 20
    assert len(set(numbers.values())) == len(numbers)
    assert [numbers[label] for label in ("eq-swiglu", "eq-speculative")] == ["7c", "7d"]
