"""A search under a rule writes nothing but trees, whatever the model's weights."""

import math
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.data import EOS_ID, TreeTokens, line_of, read_tree
from transformer_course.decoding import Constrained, TreeRule, beam_search, parse
from transformer_course.decoding.parsing import OPENS_IN_A_ROW
from transformer_course.errors import DataError
from transformer_course.model import TINY, Transformer

TREES = [
    read_tree("(S (NP (DT the) (NN dog)) (VP (VBZ runs)) (. .))"),
    read_tree("(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))) (. .))"),
] * 3
SENTENCES = [["the", "dog", "sees", "a", "cat", "."], ["a"], ["the", "zebra", "runs"] * 5]


def model_for(tokens: TreeTokens, seed: int = 0, **changes) -> Transformer:
    torch.manual_seed(seed)
    model = Transformer(replace(TINY, vocab_size=len(tokens), **changes))
    with torch.no_grad():
        model.embedding.weight.mul_(3)  # sharp opinions, and none of them learned
    return model.eval()


@pytest.mark.parametrize("leaf", ["word", "tag"])
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("seed", range(5))
def test_random_weights_write_whole_trees_over_the_very_words(leaf, beam, seed):
    tokens = TreeTokens(TREES, leaf)
    for extra in (2, 9, 300):
        found = parse(model_for(tokens, seed), tokens, SENTENCES, beam=beam, max_extra=extra)
        assert [each.tree.words() for each in found] == SENTENCES
        assert all(math.isfinite(each.score) for each in found)
        for words, each in zip(SENTENCES, found, strict=True):
            assert len(line_of(each.tree)) <= len(words) + 1 + extra


def test_without_the_rule_random_weights_write_no_tree():
    tokens = TreeTokens(TREES)
    found = parse(model_for(tokens), tokens, SENTENCES, constrained=False)
    assert [each.tree for each in found] == [None] * 3


def test_the_positions_that_a_model_has_are_room_enough():
    tokens = TreeTokens(TREES)
    model = model_for(tokens, max_len=20)
    [found] = parse(model, tokens, [["dog"] * 17])
    assert len(line_of(found.tree)) == 19
    with pytest.raises(DataError, match="sentence 1 has 18 words: with brackets, more than the"):
        parse(model, tokens, [["dog"] * 18])


def test_an_empty_sentence_says_so():
    tokens = TreeTokens(TREES)
    with pytest.raises(DataError, match="sentence 2 is empty: expected at least one word"):
        parse(model_for(tokens), tokens, [["dog"], []])


def test_a_sentence_is_parsed_alike_alone_and_among_others():
    tokens = TreeTokens(TREES)
    together = parse(model_for(tokens), tokens, SENTENCES)
    alone = [parse(model_for(tokens), tokens, [each])[0] for each in SENTENCES]
    assert [each.tree for each in together] == [each.tree for each in alone]


def allowed(rule: TreeRule) -> set[str]:
    shown = rule.restrict(torch.zeros(len(rule.tokens)))
    return {rule.tokens.tokens[each] for each in shown.isfinite().nonzero().flatten().tolist()}


def after(rule: TreeRule, line: str) -> TreeRule:
    for token in line.split():
        rule = rule.after(rule.tokens.tokens.index(token))
    return rule


OPENING = {"(S", "(NP", "(VP"}


@pytest.mark.parametrize(
    ("beginning", "may_follow"),
    [
        ("", OPENING),
        ("(S", OPENING | {"the"}),
        ("(S the", OPENING | {"dog"}),  # the outermost bracket stays open while words are left
        ("(S (NP the", OPENING | {"dog", ")NP"}),
        ("(S (NP the )NP", OPENING | {"dog"}),
        ("(S (NP the dog", {")NP"}),
        ("(S (NP the dog )NP", {")S"}),
        ("(S (NP the dog )NP )S", {"</s>"}),
        ("(S " * OPENS_IN_A_ROW, {"the"}),
    ],
)
def test_what_may_follow_a_beginning(beginning, may_follow):
    tokens = TreeTokens(TREES)
    words = tuple(tokens.encode_words(["the", "dog"]))
    assert allowed(after(TreeRule(tokens, words, room=50), beginning)) == may_follow


def test_brackets_are_opened_only_while_there_is_room_to_close_them():
    tokens = TreeTokens(TREES)
    words = tuple(tokens.encode_words(["the", "dog"]))
    assert allowed(after(TreeRule(tokens, words, room=4), "(S")) == {"the"}
    assert allowed(after(TreeRule(tokens, words, room=6), "(S")) == OPENING | {"the"}
    assert allowed(after(TreeRule(tokens, words, room=5), "(S the")) == {"dog"}


def test_the_next_word_counts_as_all_words_together():
    tokens = TreeTokens(TREES)
    words = tuple(tokens.encode_words(["the", "dog"]))
    logits = torch.randn(len(tokens))
    shown = after(TreeRule(tokens, words, room=50), "(S").restrict(logits)
    leaves = slice(tokens.leaves.start, tokens.leaves.stop)
    assert_close(shown[words[0]], logits[leaves].logsumexp(0))
    assert shown[words[1]] == -math.inf
    assert_close(shown[tokens.opening.start], logits[tokens.opening.start])


class Anything:
    """A rule that forbids nothing."""

    def restrict(self, logits):
        return logits

    def after(self, token):
        return self


class NoEndBefore:
    """A rule for any search: so many tokens at least."""

    def __init__(self, length: int):
        self.length = length

    def restrict(self, logits):
        shown = logits.clone()
        if self.length > 0:
            shown[EOS_ID] = -math.inf
        return shown

    def after(self, token):
        return NoEndBefore(self.length - 1)


@pytest.mark.parametrize("kind", ["greedy", "beam"])
def test_a_rule_stands_before_any_search(kind):
    from transformer_course.decoding.beam import Beam  # noqa: PLC0415
    from transformer_course.decoding.search import (  # noqa: PLC0415
        OneEach,
        evaluating,
        start,
        write,
    )

    tokens = TreeTokens(TREES)
    model, src = model_for(tokens), torch.tensor([[5, 6, EOS_ID], [7, EOS_ID, 0]])

    def outputs(rule):
        with evaluating(model):
            decoder, limits = start(model, src, 20)
            if kind == "beam":
                search = Beam(src, limits, 4, 0.6)
                write(Constrained(search, [rule] * 8), decoder, search.tokens[:, 0])
                return [max(each).ids for each in search.finished]
            prompts = torch.ones(2, 1, dtype=torch.long)
            one = OneEach(prompts, [limit + 1 for limit in limits], lambda x, _: x.argmax(-1))
            write(Constrained(one, [rule] * 2), decoder, prompts[:, 0])
            return one.outputs

    assert all(len(ids) >= 7 for ids in outputs(NoEndBefore(7)))
    if kind == "beam":
        assert outputs(Anything()) == beam_search(model, src, max_extra=20)
