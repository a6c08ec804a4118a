"""A chapter's questions do not share a name and a number with the graded notebooks."""

from types import SimpleNamespace

import pytest
import question_titles
from docutils import nodes
from docutils.utils import new_document
from sphinx_exercise.nodes import exercise_node, exercise_subtitle, exercise_title


def box(subtitle: str) -> exercise_node:
    """As the directive makes it, of a title in one or two parts."""
    title = exercise_title("", "", nodes.Text("Exercise"))
    title += exercise_subtitle("", "", nodes.Text(subtitle))
    return exercise_node("", title)


@pytest.mark.parametrize(
    ("subtitle", "shown"),
    [("Cheaper?", ["Question", "Cheaper?"]), ("Predict: a row", ["Predict: a row"])],
)
def test_a_box_is_named_where_it_stands_and_where_its_answer_names_it(subtitle, shown):
    page, kept, other = new_document("page"), box(subtitle), box(subtitle)
    page += box(subtitle)
    registry = {
        "ours": {"docname": "book/02-background", "node": kept},
        "theirs": {"docname": "book/03-3-feed-forward", "node": other},
    }
    env = SimpleNamespace(docname="book/02-background", sphinx_exercise_registry=registry)
    for _ in range(2):  # one node may stand in both
        question_titles.rename(SimpleNamespace(env=env), page)
    for each in (page.children[0], kept):
        assert [part.astext() for part in each.children[0].children] == shown
    assert other.children[0].children[0].astext() == "Exercise"


def test_a_number_is_that_of_a_question():
    config = SimpleNamespace(numfig_format={"figure": "Figure %s"})
    question_titles.name_numbers(SimpleNamespace(), config)
    assert config.numfig_format == {"figure": "Figure %s", "exercise": "Question %s"}
