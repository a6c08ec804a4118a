"""Sentences that are alike share a split."""

import pytest

from transformer_course.data.likeness import likeness, share


@pytest.mark.parametrize(
    "other",
    [
        "Tom is not here",
        "Mary isn't here!",
        "tom isn’t here.",
        "John's not here?",
        "TOM IS NOT HERE",
    ],
)
def test_marks_case_contractions_and_two_names_make_no_other_sentence(other):
    assert likeness(other) == "tom is not here"


@pytest.mark.parametrize("other", ["Tom is here.", "He is not here.", "Tom was not here."])
def test_other_words_make_another_sentence(other):
    assert likeness(other) != "tom is not here"


def test_contractions_are_told_from_their_beginnings():
    assert likeness("I won't, I can't, I cannot.") == "i will not i can not i can not"
    assert likeness("We'll, I've, she'd, you're, I'm") == "we will i have she would you are i am"


def test_a_share_is_the_same_everywhere_and_for_all_that_are_alike():
    assert share("Tom isn't here.", 40) == share("Mary is not here", 40) == 32
    found = {share(f"Sentence {n}.", 40) for n in range(2000)}
    assert found == set(range(40))
