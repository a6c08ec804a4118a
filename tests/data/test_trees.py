"""Bracketed text becomes trees, or one line that says what is wrong with it."""

import pytest

from transformer_course.data import Tree, cleaned, read_tree, read_trees
from transformer_course.errors import DataError

DOGS = "(S (NP (NNS Dogs)) (VP (VBP bark)) (. .))"


def test_a_tree_is_read_and_written_back():
    assert str(read_tree(DOGS)) == DOGS
    assert str(read_tree("(S\n  (NP (NNS Dogs) )\n (VP\t(VBP bark)) (. .) )\n")) == DOGS


def test_a_tree_knows_its_words_and_their_tags():
    tree = read_tree(DOGS)
    assert tree.words() == ["Dogs", "bark", "."]
    assert [tag.label for tag in tree.tags()] == ["NNS", "VBP", "."]
    assert tree.children[0] == Tree("NP", (Tree("NNS", word="Dogs"),))


def test_an_outermost_bracket_without_a_label_is_the_top():
    first, second = read_trees(f"( {DOGS} )\n({DOGS} {DOGS})")
    assert first.label == second.label == "TOP"
    assert len(second.children) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(S (NP (NNS Dogs))", r"line 1: expected every bracket closed, got one that is open at"),
        (f"{DOGS})", r"line 1: expected an opening bracket, got one that closes none"),
        (f"{DOGS}\nbark", r"line 2: expected an opening bracket, got 'bark'; mend that line$"),
        ("(S (NP))", r"expected one word or trees in \(NP \.\.\.\), got nothing"),
        ("()", r"expected a label in every bracket but the outermost, got \(\)"),
        ("(S\n( (NNS Dogs)))", r"line 2: expected a label in every bracket but the outermost, got"),
        ("(NP (NNS Dogs) bark)", r"expected one word or trees in \(NP \.\.\.\), got bark \(NNS"),
        ("(NNS two dogs)", r"expected one word or trees in \(NNS \.\.\.\), got two dogs"),
        ("", r"expected trees such as \(NP \(NNS dogs\)\) in the text, got no bracket"),
        ("(A " * 201 + "x" + ")" * 201, r"expected at most 200 brackets in brackets, got one more"),
    ],
)
def test_what_is_no_tree_is_told_in_one_line(text, told):
    with pytest.raises(DataError, match=told) as error:
        read_trees(text)
    assert "\n" not in str(error.value)


def test_a_message_names_the_file():
    with pytest.raises(DataError, match=r"^wsj_0001\.mrg, line 3: expected an opening bracket"):
        read_trees(f"{DOGS}\n\n)", "wsj_0001.mrg")


def test_two_trees_are_not_one():
    with pytest.raises(DataError, match="expected one tree, got 2: read them with read_trees"):
        read_tree(DOGS + DOGS)


def test_functions_traces_and_the_top_go():
    raw = "( (S-1 (NP-SBJ-1 (NNS Dogs)) (VP (VBP want) (S (NP-SBJ (-NONE- *-1)) (VP (VB food))))) )"
    clean = "(S (NP (NNS Dogs)) (VP (VBP want) (S (VP (VB food)))))"
    assert str(cleaned(read_tree(raw))) == clean
    assert str(cleaned(read_tree(clean))) == clean


@pytest.mark.parametrize(
    ("label", "kept"),
    [("NP=2", "NP"), ("ADVP|PRT", "ADVP"), ("PP-LOC-CLR-3", "PP"), ("NP", "NP")],
)
def test_a_label_keeps_what_it_is_and_loses_what_it_is_for(label, kept):
    assert cleaned(read_tree(f"({label} (NN x))")).label == kept


def test_a_written_bracket_keeps_its_tag():
    assert str(cleaned(read_tree("(PRN (-LRB- -LRB-) (NN x))"))) == "(PRN (-LRB- -LRB-) (NN x))"


def test_a_tree_of_traces_alone_is_none():
    assert cleaned(read_tree("(NP (-NONE- *))")) is None


def test_a_top_of_two_sentences_stays():
    assert cleaned(read_tree(f"({DOGS} {DOGS})")).label == "TOP"
