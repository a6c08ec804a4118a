"""TrainedAttention: its percents are the model's, its twin is true to them, what it refuses."""

import re

import export_attention as tool
import numpy as np
import pytest
import torch
import traitlets

from transformer_course.training import Run, checkpoint
from transformer_course.widgets import TrainedAttention
from transformer_course.widgets.trained_attention import KINDS, exported


@pytest.fixture(scope="module")
def run():
    return Run.open(tool.RUN)


@pytest.fixture(scope="module")
def model(run):
    return checkpoint.load(run.weights()).eval()


def test_the_file_holds_the_sentences_of_the_tool_that_writes_it():
    found = exported()["sentences"]
    assert {name: one["text"] for name, one in found.items()} == tool.SENTENCES


@pytest.mark.parametrize("name", ["dog", "bench"])
def test_every_percent_is_what_the_carried_model_gives(run, model, name):
    stored = exported()["sentences"][name]
    fresh = tool.look(model, run.tokenizer, stored["text"])
    for part in ("text", "translation", "src", "tgt"):
        assert fresh[part] == stored[part]
    for kind in KINDS:
        numbers = [
            [int(x) for layer in one[kind] for head in layer for x in head.split()]
            for one in (fresh, stored)
        ]
        np.testing.assert_allclose(*numbers, atol=1)  # a machine may round the other way


def test_rows_sum_to_a_whole_and_the_decoder_sees_no_future():
    widget = TrainedAttention()
    for name in widget.data:
        for kind in KINDS:
            for layer, head in ((1, 1), (3, 3), (4, 2)):
                rows = widget.weights(name, kind, layer, head)
                np.testing.assert_allclose(rows.sum(axis=1), 100, atol=rows.shape[1] / 2)
                assert kind != "decoder" or not np.triu(rows, 1).any()


def test_the_twin_tells_the_head_in_sight_where_it_looks():
    [head] = TrainedAttention(sentence="children", layer=2, head=4).tables()
    widget = TrainedAttention()
    np.testing.assert_array_equal(head.cells, widget.between_words("children", "encoder", 2, 4))


def test_it_shows_sentences_that_the_model_translates_rightly():
    said = {name: one["translation"] for name, one in exported()["sentences"].items()}
    assert said == {
        "dog": "Ein Hund rennt mit einem Stock im Maul durch das Wasser.",
        "guitar": "Der junge Mann trägt ein rotes Hemd und spielt Gitarre.",
        "children": "Zwei Kinder in gelben Jacken spielen im Schnee.",
        "bench": "Ein Mann sitzt auf einer Bank und liest Zeitung.",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_whole_and_their_rows_sum_to_a_whole(kind):
    widget = TrainedAttention()
    for name, one in widget.data.items():
        for side in "src", "tgt":
            words = widget.words(name, side)
            assert "".join(words) == "".join(one[side]).replace("▁", "")
            text = one["text" if side == "src" else "translation"]
            assert [word for word in words if word.isalpha()] == re.findall(r"\w+", text)
        pieces = widget.weights(name, kind, 2, 2)
        rows = widget.between_words(name, kind, 2, 2)
        queries, keys = (widget.words(name, side) for side in KINDS[kind][:2])
        assert rows.shape == (len(queries), len(keys))
        np.testing.assert_allclose(rows.sum(axis=1), 100, atol=len(pieces[0]) / 2)


def test_a_page_carries_the_sentences_it_asks_for():
    widget = TrainedAttention(["guitar", "children"], kind="cross")
    assert [*widget.data] == ["guitar", "children"]
    assert widget.sentence == "guitar"
    assert repr(widget) == "TrainedAttention(guitar, children)"


@pytest.mark.parametrize("names", [["horse"], [], ["children", "river"]], ids=str)
def test_unknown_sentences_are_refused_with_the_names_there_are(names):
    with pytest.raises(ValueError, match="expected some of dog, guitar, children, bench, got "):
        TrainedAttention(names)


def test_a_sentence_that_the_page_does_not_carry_cannot_be_the_first():
    with pytest.raises(ValueError, match="sentence: expected one of bench, got dog"):
        TrainedAttention(["bench"], sentence="dog")


@pytest.mark.parametrize("traits", [{"kind": "both"}, {"layer": 5}, {"head": 0}], ids=str)
def test_there_are_three_kinds_four_layers_and_four_heads(traits):
    with pytest.raises(traitlets.TraitError, match=r"any of \['encoder'|should not be"):
        TrainedAttention(**traits)


def test_the_tool_writes_whole_percents_and_no_future():
    percents = tool.percents(torch.tensor([[1.0, 0.0], [0.254, 0.746]]), True)
    assert percents == "100 25 75"
    assert tool.percents(torch.tensor([[1.0, 0.0], [0.254, 0.746]]), False) == "100 0 25 75"
