"""A tree and its line of tokens say the same, and rare words are known by their look."""

import random

import pytest

from transformer_course.data import UNK_ID, TreeTokens, line_of, look, read_tree, tree_of
from transformer_course.errors import DataError

TEXTS = [
    "(S (NP (NNS Dogs)) (VP (VBP bark)) (. .))",
    "(S (NP (NNS Dogs)) (VP (VBP run)) (. .))",
    "(S (NP (DT The) (NNS Dogs)) (VP (VBP bark) (ADVP (RB loudly))) (. .))",
    "(S (NP (DT The) (NNS cats)) (VP (VBP bark) (ADVP (RB proudly))) (. .))",
    "(NP (NP (DT The) (NN bark)) (PP (IN of) (NP (NNS kindly))))",
]
TREES = [read_tree(text) for text in TEXTS]


def test_a_line_has_both_sides_of_each_bracket_and_the_words_between():
    assert " ".join(line_of(TREES[0])) == "(S (NP Dogs )NP (VP bark )VP . )S"
    assert " ".join(line_of(TREES[0], leaf="tag")) == "(S (NP NNS )NP (VP VBP )VP . )S"


@pytest.mark.parametrize("tree", TREES)
def test_a_line_of_tags_gives_the_tree_back_whole(tree):
    assert tree_of(line_of(tree, "tag"), tree.words(), "tag") == tree


@pytest.mark.parametrize("tree", TREES)
def test_a_line_of_words_gives_back_all_but_the_tags(tree):
    found = tree_of(line_of(tree), tree.words())
    assert line_of(found) == line_of(tree)
    assert {tag.label for tag in found.tags()} == {"?"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("(S a b )NP", r"expected \)S with something in it, got \)NP"),
        ("(S (NP )NP a b )S", r"expected \)NP with something in it, got \)NP"),
        (")S", r"expected \)\.\.\. with something in it, got \)S"),
        ("(S a b a )S", "expected 2 words in brackets, got a too"),
        ("a b", "expected 2 words in brackets, got a too"),
        ("(S a )S", "expected one closed tree of 2 words, got 1 of 1, and 0 open"),
        ("(S a b", "expected one closed tree of 2 words, got 0 of 2, and 1 open"),
        ("(S a )S (S b )S", "expected one closed tree of 2 words, got 2 of 2"),
    ],
)
def test_a_line_that_is_no_tree_says_why(line, told):
    with pytest.raises(DataError, match=told):
        tree_of(line.split(), ["a", "b"])


@pytest.mark.parametrize(
    ("word", "seen"),
    [
        ("Vinken", ["<Aa en>", "<Aa>"]),
        ("1.50", ["<a1>"]),
        ("non-profit", ["<a- it>", "<a->"]),
        ("ox", ["<a>"]),
    ],
)
def test_a_word_that_nobody_knows_has_a_look(word, seen):
    assert look(word) == seen


@pytest.mark.parametrize("leaf", ["word", "tag"])
def test_ids_of_a_tree_decode_to_the_same_line(leaf):
    tokens = TreeTokens(TREES, leaf)
    for (src, tgt), tree in zip(tokens.pairs(TREES), TREES, strict=True):
        assert len(src) == len(tree.words())
        assert line_of(tokens.decode(tgt, tree.words()), leaf) == line_of(tree, leaf)


def test_the_kinds_of_tokens_stand_in_a_row():
    tokens = TreeTokens(TREES, "tag")
    kinds = (tokens.leaves, tokens.opening, tokens.closing)
    shown = [[tokens.tokens[each] for each in kind] for kind in kinds]
    assert shown[0] == sorted({tag.label for tree in TREES for tag in tree.tags()})
    assert [each[1:] for each in shown[1]] == [each[1:] for each in shown[2]]
    assert TreeTokens(TREES).leaves.start == UNK_ID


def test_a_rare_word_shares_the_id_of_its_look_and_a_stranger_has_none():
    tokens = TreeTokens(TREES)
    known, rare, other, odd = tokens.encode_words(["Dogs", "loudly", "badly", "1-A"])
    assert tokens.tokens[known] == "Dogs"
    assert rare == other
    assert tokens.tokens[rare] == "<a ly>"
    assert odd == UNK_ID


def test_hiding_shows_known_words_by_their_look_the_rarer_the_more_often():
    tokens = TreeTokens(TREES * 5)
    hide = random.Random(0)
    shown = [tokens.encode_words(["bark", "of"], hide) for _ in range(500)]
    plain = tokens.encode_words(["bark", "of"])
    often, seldom = (
        sum(a != b for a, b in zip(c, d, strict=True))
        for c, d in zip(zip(*shown, strict=True), ([each] * 500 for each in plain), strict=True)
    )
    assert 5 < often < 60  # of 20 occurrences: a share of 1 / 21
    assert 50 < seldom < 130  # of 5: 1 / 6


def test_with_the_same_seed_the_same_words_are_hidden():
    tokens = TreeTokens(TREES * 2)
    assert tokens.pairs(TREES, seed=3) == tokens.pairs(TREES, seed=3)
    assert any(tokens.pairs(TREES, seed=n) != tokens.pairs(TREES) for n in range(9))


def test_a_label_that_was_never_seen_says_so():
    tree = read_tree("(SQ (NNS Dogs))")
    with pytest.raises(DataError, match=r"the trees learned from have no \(SQ: leave this tree"):
        TreeTokens(TREES).encode_tree(tree, [5])


def test_another_kind_of_leaf_says_which_there_are():
    with pytest.raises(DataError, match="leaf='letter': expected one of word, tag"):
        TreeTokens(TREES, "letter")


@pytest.mark.parametrize("leaf", ["word", "tag"])
def test_tokens_come_back_from_a_file_with_every_id(leaf, tmp_path):
    tokens = TreeTokens(TREES, leaf)
    tokens.save(tmp_path / "tokens.json")
    again = TreeTokens.load(tmp_path / "tokens.json")
    assert again.tokens == tokens.tokens
    for kind in ("leaf", "leaves", "opening", "closing"):
        assert getattr(again, kind) == getattr(tokens, kind)
    assert again.pairs(TREES) == tokens.pairs(TREES)


def test_sentences_without_trees_count_and_the_bound_of_rare_words_is_chosen():
    assert "Dogs" in TreeTokens(TREES).tokens
    assert "Dogs" not in TreeTokens(TREES, rare=3).tokens
    more = TreeTokens(TREES, sentences=[["Dogs", "swim"]] * 3, rare=3)
    assert "Dogs" in more.tokens
    assert "swim" not in more.tokens
    assert more.unknown(["Dogs", "swim", "Dogs", "swim", "."]) == ["swim"]
