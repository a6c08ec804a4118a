"""LookingBack: the weights of a trained model, and nothing that does not fit."""

import numpy as np
import pytest

from transformer_course.carried import translator
from transformer_course.decoding import translate
from transformer_course.widgets import LookingBack, Writing
from transformer_course.widgets.looking_back import ENGLISH


def test_without_writings_it_shows_the_carried_translator():
    [one] = LookingBack().writings
    assert " ".join(one["read"][:-1]).replace(" .", ".") == ENGLISH
    german = " ".join(one["wrote"][:-1]).replace(" ,", ",").replace(" .", ".")
    assert [german] == translate(*translator("grammar"), [ENGLISH])
    assert np.abs(np.array(one["weights"]).sum(axis=1) - 100).max() <= 7  # each is rounded


def test_the_river_bank_is_written_while_it_looks_at_bank():
    [one] = LookingBack().writings
    row = one["weights"][one["wrote"].index("Ufer")]
    assert one["read"][int(np.argmax(row))] == "bank"


@pytest.mark.parametrize(("chosen", "step"), [({}, 3), ({"which": 1}, 6), ({"step": 0}, 0)])
def test_it_opens_when_most_is_written_unless_told_where(chosen, step):
    writings = [Writing("abcd", "abcd", np.eye(4)), Writing("letters1", "letters1", np.eye(8))]
    assert LookingBack(writings, **chosen).step == step


def test_two_writers_open_at_their_question():
    assert LookingBack([Writing("ab", "ab", np.eye(2), "ax")]).step == 0


@pytest.mark.parametrize(
    ("writing", "message"),
    [
        (Writing("ab", "abc", np.eye(2)), r"expected 3 rows of 2, got shape \(2, 2\)"),
        (Writing("a" * 17, "a" * 17, np.eye(17)), "at most 16 words, got 17"),
        (Writing("ab", "ab", np.eye(2), "abc"), "without: expected 2 words, got 3"),
    ],
)
def test_what_does_not_fit_is_refused(writing, message):
    with pytest.raises(ValueError, match=message):
        LookingBack([writing])


def test_a_writer_without_looking_is_named_in_its_table():
    [table] = LookingBack([Writing("ab", "ab", np.eye(2), "ax")]).tables()
    assert table.title.endswith("with one vector: a x")
    assert table.cells.tolist() == [[100, 0], [0, 100]]
