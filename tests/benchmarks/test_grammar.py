"""The grammar that the parser has to beat: its rules, its probabilities, its likeliest trees."""

import itertools
import math
from collections import Counter

import grammar
import pytest
from grammar import MARKOV, PLAIN, Grammar, Order

from transformer_course.data import read_tree

TREES = [
    read_tree("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))) (. .))"),
    read_tree("(S (NP (DT the) (NN cat)) (VP (VBZ runs)) (. .))"),
    read_tree("(S (NP (DT the) (JJ old) (NN dog)) (VP (VBZ sees) (NP (NNS cats))) (. .))"),
] * 3


def test_a_long_rule_is_cut_and_its_rest_remembers_siblings():
    tree = read_tree("(X (A a) (B b) (C c) (D d))")
    assert list(PLAIN.rules(tree)) == [
        ("X", "A", "@X|A"),
        ("@X|A", "B", "@X|A B"),
        ("@X|A B", "C", "D"),
    ]
    assert list(Order(parent=True, siblings=1).rules(tree))[1:] == [
        ("@X^TOP|A", "B^X", "@X^TOP|B"),
        ("@X^TOP|B", "C^X", "D^X"),
    ]


@pytest.mark.parametrize("order", [PLAIN, MARKOV])
def test_the_probabilities_of_a_symbols_rules_sum_to_one(order):
    made = Grammar(TREES, order)
    total = Counter()
    for table in (made.unary, made.binary):
        for place, symbol in enumerate(table.tops.tolist()):
            end = [*table.starts[1:], len(table)][place]
            total[symbol] += sum(
                math.exp(score) for score in table.score[table.starts[place] : end]
            )
    assert len(total) > 3
    assert all(math.isclose(each, 1, rel_tol=1e-5) for each in total.values())


@pytest.mark.parametrize("order", [PLAIN, MARKOV])
@pytest.mark.parametrize("tree", TREES[:3])
def test_sentences_that_it_learned_from_get_their_trees_back(order, tree):
    assert Grammar(TREES, order).parse(tree.words()) == tree


def test_the_tree_found_is_the_likeliest_of_all():
    """By hand: every way to build "a a a" from two rules, with their products."""
    texts = ["(S (S (A a)) (S (A a)))"] * 2 + ["(S (A a))"] * 3 + ["(S (A a) (B (S (A a))))"]
    made = Grammar([read_tree(text) for text in texts], PLAIN)
    found = made.parse(["a"] * 3)
    shapes = [
        f"(S {one} {other})"
        for one, other in itertools.permutations(["(S (A a))", "(S (S (A a)) (S (A a)))"], 2)
    ]
    assert str(found) in shapes  # S S twice is likelier than the rare rule with B


def test_an_unknown_word_is_taken_by_its_look():
    found = Grammar([*TREES, read_tree("(NP (NNS birds))")], MARKOV).parse(
        ["the", "dog", "sees", "birds", "."]
    )
    assert str(found.children[1]) == "(VP (VBZ sees) (NP (NNS birds)))"


def test_what_the_rules_cannot_make_is_none():
    assert Grammar(TREES, MARKOV).parse(["runs", "the"]) is None


def test_where_the_finer_rules_fail_the_plain_ones_parse(monkeypatch):
    odd = read_tree(
        "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (JJ old) (NN cat))) (. .))"
    )
    splits = {"train": TREES, "test": [*TREES[:2], odd]}
    monkeypatch.setattr(grammar, "load_trees", lambda name, split, count=None: splits[split])
    rows = grammar.measure("treebank")
    assert rows["markov"]["scores"]["valid"] == 100
    assert rows["markov"]["matches"][0] == [4, 4, 4]
    assert rows["plain"]["parsed_by_these_rules"] == 3


def test_a_result_file_is_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(grammar.record, "RESULTS", tmp_path)
    monkeypatch.setattr(grammar.record, "ROOT", tmp_path)
    monkeypatch.setattr(grammar.record, "commit", lambda: "unknown")
    (tmp_path / "parsing").mkdir()
    monkeypatch.setattr(grammar, "load_trees", lambda name, split, count=None: TREES)
    assert grammar.main(["craft"]) == 0
    assert (tmp_path / "parsing" / "grammar-craft.json").exists()
    assert "markov {'f1': 100.0" in capsys.readouterr().out
