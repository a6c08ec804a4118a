"""Predict by doing: a guess is locked in, and no figure shows the answer before it is asked for."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

TEXTS = sorted((Path(__file__).parents[2] / "book" / "text").glob("0*.md"))
ASKED, GUESSED, TOLD = "{exercise} Predict", "Prediction(", "{solution-start}"
TELLS = ("plotting.show(", "{prf:theorem}", "\n## ")
STOPS = re.compile("|".join(map(re.escape, (ASKED, GUESSED, TOLD, *TELLS))))


def given_away(text: str) -> list[str]:
    """Where a page asks without a guess to lock in, or shows something between guess and answer."""
    stops = [match.group() for match in STOPS.finditer(f"{text}\n## ")]
    after = {ASKED: GUESSED, GUESSED: TOLD}
    return [f"{a} ... {b}" for a, b in pairwise(stops) if a in after and b != after[a]]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_each_question_is_answered_by_a_guess_before_anything_tells(path):
    assert given_away(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "{exercise} Predict: how much?\n{solution-start} much",
        "{exercise} Predict: how much?\nPrediction(\nplotting.show(\n{solution-start} much",
        "{exercise} Predict: how much?\nPrediction(\n{prf:theorem} much\n{solution-start} much",
    ],
)
def test_a_box_to_think_about_and_a_figure_or_theorem_that_tells_are_seen(text):
    assert given_away(text)


def test_there_are_guesses_to_lock_in():
    guesses = [path.read_text(encoding="utf-8").count(GUESSED) for path in TEXTS]
    assert sum(guesses) >= 25
