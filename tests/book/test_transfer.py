"""Ten questions that a reader of two chapters can answer, and two more after chapter 5.4.

Each sentence that an answer rests on stands in the text that nobody has to unfold.
"""

import re
from pathlib import Path

import pytest

TEXT = Path(__file__).parents[2] / "book" / "text"
ONE, MANY = "03-2-1-scaled-dot-product-attention", "03-2-2-multi-head-attention"
ANSWERS = {
    "why divide by the root of d_k": (ONE, "random scores spread like"),
    "what a row with every key masked gives": (ONE, "A softmax over nothing is $0 / 0$"),
    "what to do where it cannot be avoided": (
        ONE,
        "fill it with a finite number and zero its output",
    ),
    "how many parameters": (MANY, "parameters. The number of heads is not in it"),
    "why the key's bias gets no gradient": (
        MANY,
        "adds the same number $q \\cdot b$ to all scores",
    ),
    "what a mask after the softmax spoils": (ONE, "the rows no longer sum to one"),
    "and what it lets through": (ONE, "leaks into the weights of the others"),
    "where Q, K and V come from": (ONE, "Three learned matrices make three new vectors"),
    "what attention can never do": (ONE, "give back something outside that hull"),
    "what it costs beside a recurrent layer": (
        ONE,
        "as many operations as a plain recurrent layer",
    ),
    "the loss of an untrained model": (
        "05-2-loss",
        "so the loss is $\\ln V$. Random weights start",
    ),
    "why smoothing worsens perplexity": ("05-2-loss", "asked for 0.9 gives 0.9"),
}
FOLDED = r"^(`{3,})\{[\w:-]+\}[^\n]*\n:class: dropdown\n.*?^\1\n"
ANSWER = r"^```\{solution-start\}.*?^```\{solution-end\}\n"
CELL = r"^(`{3,})\{code-cell\}.*?^\1\n"


def unfolded(text: str) -> str:
    """What a page shows of its prose before anything is opened."""
    for pattern in (ANSWER, FOLDED, CELL):
        text = re.sub(pattern, "", text, flags=re.M | re.S)
    return text


@pytest.mark.parametrize("question", ANSWERS)
def test_an_answers_sentence_stands_in_the_unfolded_text(question):
    name, sentence = ANSWERS[question]
    assert sentence in unfolded((TEXT / f"{name}.md").read_text(encoding="utf-8"))


def test_what_is_folded_or_computed_is_no_answer():
    folded = "```{admonition} Why\n:class: dropdown\n\nBecause.\n```\n"
    answer = "```{solution-start} x\n:class: dropdown\n```\n\nBecause.\n\n```{solution-end}\n```\n"
    cell = "```{code-cell} ipython3\nprint('Because.')\n```\n"
    assert "Because" not in unfolded(folded + answer + cell)
    assert "Because" in unfolded("```{note}\nBecause.\n```\n" + folded)
