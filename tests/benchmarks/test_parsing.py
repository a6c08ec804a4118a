"""Trials of parsing: they go on where they were, name their criteria, and show no treebank."""

import json
from dataclasses import replace

import parsing
import pytest
import torch

from transformer_course.data import EOS_ID, pad, read_tree
from transformer_course.model import padding_mask

TREES = [
    read_tree("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))) (. .))"),
    read_tree("(S (NP (DT the) (NN cat)) (VP (VBZ runs)) (. .))"),
    read_tree("(S (NP (DT an) (JJ old) (NN dog)) (VP (VBZ sees) (NP (NNS cats))) (. .))"),
] * 4


@pytest.fixture
def few(monkeypatch, tmp_path):
    """A trial of 12 steps on three sentences, whose files lie apart."""
    monkeypatch.setattr(parsing, "load_trees", lambda name, split, count=None: TREES[:count])
    monkeypatch.setattr(parsing, "COPIES", 2)
    monkeypatch.setattr(parsing, "SAVE_EVERY", 4)
    monkeypatch.setattr(parsing, "RUNS", tmp_path / "runs")
    for name in ("both", "paper", "self"):
        recipe = replace(parsing.RECIPES[name], steps=12, captions=0)
        monkeypatch.setitem(parsing.RECIPES, name, recipe)
    training = replace(parsing.BOTH.training(0), warmup=4, last_step=12, precision="fp32")
    monkeypatch.setattr(parsing.Recipe, "training", lambda self, seed: replace(training, seed=seed))
    model = parsing.Recipe.model
    narrow = {"d_model": 32, "num_heads": 2, "d_ff": 32, "num_layers": 1, "max_len": 60}
    monkeypatch.setattr(parsing.Recipe, "model", lambda *args: replace(model(*args), **narrow))
    monkeypatch.setattr(parsing.record, "RESULTS", tmp_path)
    monkeypatch.setattr(parsing.record, "ROOT", tmp_path)
    monkeypatch.setattr(parsing.record, "commit", lambda: "unknown")
    (tmp_path / "parsing").mkdir()
    return tmp_path


def test_a_trial_that_was_killed_goes_on_and_ends_the_same(few, monkeypatch):
    whole = parsing.Trial("both", 0, few / "whole").train()
    broken = parsing.Trial("both", 0, few / "broken")

    def killed(self, step, loss, seconds):
        if step == 8:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(parsing.Trial, "note", killed)
        with pytest.raises(KeyboardInterrupt):
            broken.train()
    assert [path.name for path in broken.checkpoints()] == ["step-000004"]
    again = parsing.Trial("both", 0, few / "broken").train()
    for name, weights in whole.state_dict().items():
        assert torch.equal(weights, again.state_dict()[name]), name
    assert [line["step"] for line in broken.log()] == [8, 12]


@pytest.mark.parametrize("name", ["both", "paper"])
def test_a_result_names_its_criteria_and_holds_no_sentence(few, name):
    path = parsing.run(name, 1)
    result = json.loads(path.read_text())
    assert result["criteria"] == parsing.blob_hash(parsing.CRITERIA)
    assert len(result["criteria"]) == 40
    assert result["test"]["beam"]["valid"] == 100
    assert len(result["test"]["beam"]["matches"]) == len(TREES)
    assert len(result["test"]["other_source"]["matches"]) == len(TREES)
    assert "dog" not in path.read_text()


def test_what_is_missing_shrinks_with_every_result(few, capsys):
    before = parsing.missing()
    assert before[:2] == [("both", 0), ("paper", 0)]
    assert parsing.main(["--next"]) == 0
    assert "parsing/both-0.json" in capsys.readouterr().out
    assert parsing.missing() == before[1:]
    assert parsing.main(["--missing"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "paper 0"


def test_without_a_recipe_the_choices_are_told(few, capsys):
    with pytest.raises(SystemExit):
        parsing.main([])
    assert "expected a recipe and a seed, or --missing, or --next" in capsys.readouterr().err


def test_self_training_learns_from_the_surer_half_of_the_captions(few, monkeypatch):
    captions = [("A dog, a cat.", ""), ("the cat runs.", "")] * 3
    monkeypatch.setattr(parsing, "load_pairs", lambda name, split, count: captions[:count])
    monkeypatch.setitem(parsing.RECIPES, "self", replace(parsing.RECIPES["self"], captions=6))
    found = parsing.Trial("self", 0, few / "runs").parsed_captions()
    assert len(found) == 3
    assert {tuple(tree.words()) for tree in found} < {
        ("A", "dog", ",", "a", "cat", "."),
        ("the", "cat", "runs", "."),
    }


def test_another_sentence_has_the_same_number_of_words():
    sentences = [["a"], ["b", "c", "d"], ["e", "f"], ["g", "h", "i"], ["j"]]
    found = parsing.others(sentences)
    assert list(map(len, found)) == list(map(len, sentences))
    assert all(one != other for one, other in zip(found, sentences, strict=True))
    assert found[0] == ["j"]


def test_the_encoder_alone_is_given_the_other_sentence(few):
    trial = parsing.Trial("both", 0, few / "runs")
    model, sentences = trial.train(), [tree.words() for tree in TREES]
    instead = parsing.others(sentences)
    assert instead != sentences
    ids = [[*trial.tokens.encode_words(words), EOS_ID] for words in (*sentences, *instead)]
    src, other = pad(ids[: len(TREES)]), pad(ids[len(TREES) :])
    with torch.no_grad(), parsing.reading(model, trial.tokens, sentences, instead):
        read = model.encode(src, padding_mask(src))
    with torch.no_grad():
        assert torch.equal(read, model.encode(other, padding_mask(other)))
        assert not torch.equal(read, model.encode(src, padding_mask(src)))


def test_a_tree_over_other_words_keeps_its_shape():
    tree = parsing.with_words(TREES[1], ["a", "b", "c", "d"])
    assert str(tree) == "(S (NP (DT a) (NN b)) (VP (VBZ c)) (. d))"


def test_every_recipe_stands_in_the_criteria_with_its_steps():
    text = parsing.CRITERIA.read_text()
    for name, recipe in parsing.RECIPES.items():
        [line] = [
            line
            for line in text.splitlines()
            if line.startswith("|") and f"{name}" in line.split("|")[1]
        ]
        assert line.rstrip("| ").endswith(f"{recipe.steps:,}")
        assert f"| {recipe.norm_placement} |" in line
