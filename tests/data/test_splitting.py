"""A typed sentence is cut into the words of a treebank."""

import pytest

from transformer_course.data import tree_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I saw the man with the telescope.", "I saw the man with the telescope ."),
        ("Don't! He's, I'd, we've, I'm", "Do n't ! He 's , I 'd , we 've , I 'm"),
        ("They'll; you're", "They 'll ; you 're"),
        ("The dog’s ball cannot bounce", "The dog 's ball can not bounce"),
        ("a well-known, 3.5% rise...", "a well - known , 3.5 % rise ..."),
        ("(or [1,000])", "-LRB- or [ 1,000 ] -RRB-"),
        ('He said "no" and “yes”.', "He said `` no '' and `` yes '' ."),
        ("Mr. Smith came at 5 p.m., etc.", "Mr. Smith came at 5 p.m. , etc."),
        ("H2O and C57BL/6J mice", "H2O and C57BL / 6J mice"),
        ("e\u0301 😀", "e \u0301 😀"),
        (" \n\t\u00a0", ""),
    ],
)
def test_words_are_cut_as_a_treebank_cuts_them(text, words):
    assert tree_words(text) == words.split()


def test_no_word_has_a_round_bracket_or_a_space():
    for word in tree_words("(a) ((b c)) ( d ) )("):
        assert not set("() ") & set(word)
