"""What is measured of Figures 3 to 5: looks, rules by position, removal, and swapped vectors."""

import figures
import patching
import pytest
import torch
from torch.testing import assert_close

from transformer_course import carried
from transformer_course.data import EOS_ID, grammar


@pytest.fixture(scope="module")
def translator():
    return carried.translator("grammar")


@pytest.fixture(scope="module")
def sentences():
    return grammar.generate("test", 24, 3, "pronoun")


def test_a_look_is_the_largest_weight_whatever_stands_beside_it(translator, sentences):
    model, tokenizer = translator
    together = figures.looks(model, tokenizer, sentences)
    for each, most in zip(sentences, together, strict=True):
        [alone] = figures.looks(model, tokenizer, [each])
        assert most.shape[-1] == len(each.english_words)
        assert (most == alone).float().mean() > 0.99  # equals may fall either way


def test_a_rule_by_position_knows_words_and_nouns(sentences):
    for each in sentences:
        it = each.links[0].asks
        guesses = figures.rules(each, it)
        assert guesses["words away", -1] == it - 1
        assert guesses["word of the sentence", 0] == 0
        assert guesses["noun of the sentence", 0] == min(
            head for _, head, name in each.arcs if name == "article"
        )


def test_the_best_rule_is_the_one_that_is_right_most_often(sentences):
    two_back = [[(each.links[0].asks, each.links[0].asks - 2)] for each in sentences]
    assert figures.best_rule(sentences, two_back) == ("words away", -2)


def test_heads_are_counted_by_where_they_look():
    most = torch.tensor([[[2, 0, 1], [0, 0, 0]]])  # one layer, two heads, three words
    found = figures.right_by_head([most], [[(0, 2), (1, 0)]])
    assert_close(found, torch.tensor([[1.0, 0.5]]))


def test_the_head_is_chosen_on_one_set_and_told_of_the_other(sentences):
    head_one = torch.zeros(1, 2, 30, dtype=torch.long)
    head_two = head_one.clone()
    head_one[0, 0] = 7
    head_two[0, 1] = 7
    found = figures.looking(
        (sentences, [head_one] * 24), (sentences, [head_two] * 24), lambda each: [(0, 7)]
    )
    assert (found["layer"], found["head"], found["right"]) == (1, 1, 0.0)
    assert found["right_by_rule"] == 1.0


def test_the_model_is_right_and_without_a_layer_it_is_not(translator, sentences):
    model, tokenizer = translator
    whole = figures.correct(model, tokenizer, sentences)
    heads = [head for head in figures.encoder_heads(model) if ".0." in head[0]]
    less = figures.correct(figures.without_heads(model, heads), tokenizer, sentences)
    assert whole["sentence"].float().mean() > 0.9
    assert less["sentence"].float().mean() < whole["sentence"].float().mean()


def test_twins_differ_in_one_word_and_begin_alike_in_german():
    for one, other, cause, first in patching.twins("pronoun", 600):
        words = zip(one.english_words, other.english_words, strict=True)
        assert [n for n, (a, b) in enumerate(words) if a != b] == [cause]
        assert one.german_words[:first] == other.german_words[:first]
        assert {one.german_words[first], other.german_words[first]} <= {
            "er",
            "sie",
            "es",
            "Er",
            "Sie",
            "Es",
        }


def test_a_head_put_in_place_of_itself_changes_nothing(translator, sentences):
    model, tokenizer = translator
    src = torch.tensor([[*tokenizer.encode(sentences[0].english), EOS_ID]])
    with torch.inference_mode():
        with patching.mixtures(model) as mixed:
            plain = model.encode(src)
        with patching.replaced(model, 1, [2], 3, mixed[1]):
            assert_close(model.encode(src), plain)
        with patching.replaced(model, 1, [2], 3, torch.zeros_like(mixed[1])):
            assert (model.encode(src) - plain).abs().max() > 1e-3
        assert_close(model.encode(src), plain)


def test_a_head_s_mean_in_its_place_is_what_each_word_gets(translator, sentences):
    model, tokenizer = translator
    means = figures.mean_mixtures(model, tokenizer, sentences)
    src = torch.tensor([[*tokenizer.encode(sentences[0].english), EOS_ID]])
    name, head = patching.ATTENTION.format(1), 2
    attend = model.get_submodule(name)
    part = slice(head * attend.value_dim, (head + 1) * attend.value_dim)

    def put(module, args):
        changed = args[0].clone()
        changed[..., part] = means[name][part]
        return (changed,)

    fixed = figures.with_means(model, [(name, head)], means)
    with torch.inference_mode():
        hook = attend.out_proj.register_forward_pre_hook(put)
        by_hook = model.encode(src)
        hook.remove()
        assert_close(fixed.encode(src), by_hook)
        assert (model.encode(src) - by_hook).abs().max() > 1e-3


def test_a_mean_counts_each_word_once_and_no_padding(translator, sentences):
    model, tokenizer = translator
    two = sorted(sentences, key=lambda each: len(each.english_words))[:: len(sentences) - 1]
    apart = [figures.mean_mixtures(model, tokenizer, [each]) for each in two]
    together = figures.mean_mixtures(model, tokenizer, two)
    lengths = [len(each.english_words) + 1 for each in two]
    assert lengths[0] < lengths[1]
    for name, mean in together.items():
        total = sum(n * each[name] for n, each in zip(lengths, apart, strict=True))
        assert_close(mean, total / sum(lengths))


def test_lines_are_counted_in_both_sentences(translator):
    model, tokenizer = translator
    pair = patching.twins("sense", 300)[0]
    with torch.inference_mode():
        found = patching.lines(model, tokenizer, pair)
        looks = figures.looks(model, tokenizer, [pair.one, pair.other])
    assert len(found) == 8
    for layer, head in ((0, 0), (0, 3), (1, 2)):
        ends = [int(each[layer, head, pair.one.links[0].asks]) for each in looks]
        assert found[f"layer {layer + 1}, head {head + 1}"] == ends.count(pair.cause)


@pytest.mark.slow
def test_everything_swapped_turns_the_translation_over_and_nothing_does_not(translator):
    model, tokenizer = translator
    with torch.inference_mode():
        found = [patching.patch(model, tokenizer, pair) for pair in patching.twins("pronoun", 600)]
    assert len(found) > 5
    assert sum(each["everything"] for each in found) > 0.8 * len(found)
    assert sum(each["nothing"] for each in found) < 0.2 * len(found)


@pytest.mark.slow
def test_a_trial_runs_and_keeps_nothing(monkeypatch, capsys):
    monkeypatch.setattr(figures.record, "write", None)
    monkeypatch.setattr(patching, "PAIRS", 2)
    monkeypatch.setattr(figures, "patching", lambda *args: {})
    assert figures.main(["--count", "12"]) == 0
    assert "antecedent, back" in capsys.readouterr().out
