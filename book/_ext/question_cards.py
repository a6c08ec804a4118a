"""A question of a chapter, what the reader answers it with, and its answer: one card.

"Exercise" and a number is a graded notebook. What a chapter asks is a "Question", or a "Predict"
that wants a guess first. Questions and theorems are counted anew in each chapter.
"""

from __future__ import annotations

from itertools import count

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_enumerable_node, is_exercise_node, solution_node

from transformer_course.pages.jupyter import kind_and_title

CARD = "course-question"


def count_anew(app: Sphinx, env: BuildEnvironment) -> None:
    """Called by Sphinx when everything has its number: theorems begin with 1 in each chapter."""
    for figures in env.toc_fignumbers.values():
        for kind in ("theorem", "lemma", "corollary", "definition"):
            in_order = sorted(figures.get(kind, {}), key=figures.get(kind, {}).get)
            figures[kind] = {each: (number,) for number, each in enumerate(in_order, 1)}


class MakeCards(SphinxPostTransform):
    """Runs when sphinx_exercise has written its titles."""

    default_priority = 30
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Name each question and its answer, and put them into one box."""
        numbers, asked = count(1), {}
        for box in list(self.document.findall(is_exercise_node)):
            kind, text = name(box)
            if kind == "Question" and is_exercise_enumerable_node(box):
                kind = f"Question {next(numbers)}"
            kicker = nodes.inline("", kind, classes=["course-kicker"])
            title = nodes.title("", "", kicker, nodes.Text(text))
            plain = nodes.admonition("", title, *box.children[1:], **kept(box))
            box.replace_self(plain)
            asked[box["label"]] = plain, f"{kind}: {text}" if text else kind
        for answer in list(self.document.findall(solution_node)):
            box, text = asked[answer["target_label"]]
            on_paper = nodes.inline("", f" to {text}", classes=["course-on-paper"])
            answer.children[0] = nodes.title("", "", nodes.Text("Answer"), on_paper)
            answer.children[0].parent = answer
            put_together(box, answer)


def name(box: nodes.Element) -> tuple[str, str]:
    """What a box is called, and its title, from "Exercise (Predict: a row)" and the like."""
    return kind_and_title(box.children[0].astext().partition("(")[2].removesuffix(")"))


def kept(box: nodes.Element) -> dict[str, list[str]]:
    """What a box keeps of its attributes."""
    return {"ids": box["ids"], "names": box["names"], "classes": ["exercise"]}


def put_together(box: nodes.Element, answer: nodes.Element) -> None:
    """One card of a question, its answer, and the cell between them where there is one."""
    parent = box.parent
    first, last = parent.index(box), parent.index(answer) if answer in parent.children else -1
    if first < last <= first + 2:
        card = nodes.container("", *parent.children[first : last + 1], classes=[CARD])
        parent.children[first : last + 1] = [card]
        card.parent = parent


def add_transform(app: Sphinx) -> None:
    """Let it run on every page."""
    app.add_post_transform(MakeCards)
