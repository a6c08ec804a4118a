"""Brackets are counted as EVALB counts them, by cases that one can count on one's fingers."""

import pytest

from transformer_course.data import read_tree
from transformer_course.decoding import brackets, f1, match, paired_bootstrap, score_trees
from transformer_course.errors import DataError

GOLD = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .))"
HIGH = "(S (NP (DT The) (NN cat)) (VP (VBD sat)) (PP (IN on) (NP (DT the) (NN mat))) (. .))"


def compared(found: str, gold: str = GOLD) -> tuple[int, int, int]:
    return tuple(match(read_tree(found), read_tree(gold)))


def test_a_tree_is_its_own_best_parse():
    assert compared(GOLD) == (5, 5, 5)
    assert f1([match(read_tree(GOLD), read_tree(GOLD))]) == 100


def test_a_phrase_that_hangs_too_high_costs_one_bracket():
    assert compared(HIGH) == (4, 5, 5)
    assert f1([match(read_tree(HIGH), read_tree(GOLD))]) == pytest.approx(80)


def test_the_places_of_brackets_are_counted_in_words():
    found = brackets(read_tree(GOLD))
    assert found == {("S", 0, 6): 1, ("NP", 0, 2): 1, ("VP", 2, 6): 1, ("PP", 3, 6): 1} | {
        ("NP", 4, 6): 1
    }


def test_the_top_does_not_count():
    assert compared(f"( {GOLD} )") == (5, 5, 5)


def test_tags_do_not_count():
    assert compared(GOLD.replace("VBD", "JJ").replace("NN", "?")) == (5, 5, 5)


def test_punctuation_does_not_count_wherever_it_hangs():
    moved = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)) (. .))))"
    assert compared(moved) == (5, 5, 5)


def test_what_holds_only_punctuation_does_not_count():
    assert compared(GOLD.replace("(. .)", "(X (. .))")) == (5, 5, 5)


def test_what_is_punctuation_the_treebank_says():
    without_tags = GOLD.replace("(. .)", "(? .)")
    assert compared(without_tags) == (5, 5, 5)


def test_an_adverb_phrase_and_a_particle_are_one():
    assert compared("(VP (VB give) (ADVP (RB up)))", "(VP (VB give) (PRT (RP up)))") == (2, 2, 2)


def test_a_bracket_that_stands_twice_must_be_found_twice():
    twice = "(NP (NP (NN x)) )"
    assert compared("(NP (NN x))", twice) == (1, 1, 2)
    assert compared(twice, "(NP (NN x))") == (1, 2, 1)


def test_no_parse_has_no_bracket_and_its_sentence_still_counts():
    gold = [read_tree(GOLD), read_tree(GOLD)]
    scores = score_trees([gold[0], None], gold)
    assert scores["precision"] == 100
    assert scores["recall"] == 50
    assert scores["f1"] == pytest.approx(66.67)
    assert scores["valid"] == scores["exact"] == 50


def test_sums_come_before_the_division():
    long, short = (5, 10, 10), (1, 1, 1)
    assert f1([long, short]) == pytest.approx(200 * 6 / 22)


def test_nothing_right_is_zero():
    assert f1([(0, 3, 5)]) == 0
    assert score_trees([None], [read_tree(GOLD)])["f1"] == 0


def test_a_parse_of_another_sentence_says_so():
    with pytest.raises(DataError, match="expected a parse of 'The cat sat on the mat .', got one"):
        compared("(S (NN x))")


def test_a_bootstrap_tells_what_is_always_better_from_what_is_chance():
    better, worse = [(9, 10, 10), (8, 10, 10)] * 40, [(7, 10, 10), (6, 10, 10)] * 40
    low, high, share = paired_bootstrap(better, worse, draws=500)
    assert 19 < low <= high < 21
    assert share == 1
    even = [(9, 10, 10), (7, 10, 10)] * 40
    low, high, share = paired_bootstrap(even, even[::-1], draws=500)
    assert low < 0 < high
    assert 0.2 < share < 0.8


def test_a_bootstrap_of_other_sentences_says_so():
    with pytest.raises(DataError, match="expected matches of the same sentences, got 1 and 2"):
        paired_bootstrap([(1, 1, 1)], [(1, 1, 1)] * 2)
    with pytest.raises(DataError, match="expected matches of the same sentences"):
        paired_bootstrap([(1, 1, 1)], [(1, 1, 2)])
