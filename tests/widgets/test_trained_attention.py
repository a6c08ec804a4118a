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
    assert [pair["texts"] for pair in exported()["banks"]] == [[*pair] for pair in tool.BANKS]


@pytest.mark.parametrize("name", ["stick", "front"])
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


def test_the_vectors_of_bank_are_as_alike_as_the_file_says(run, model):
    for stored in exported()["banks"]:
        fresh = tool.bank(model, run.tokenizer, *stored["texts"])
        np.testing.assert_allclose(fresh["cosines"], stored["cosines"], atol=0.002)


def test_rows_sum_to_a_whole_and_the_decoder_sees_no_future():
    widget = TrainedAttention()
    for name in widget.data:
        for kind in KINDS:
            for layer, head in ((1, 1), (3, 3), (4, 2)):
                rows = widget.weights(name, kind, layer, head)
                np.testing.assert_allclose(rows.sum(axis=1), 100, atol=rows.shape[1] / 2)
                assert kind != "decoder" or not np.triu(rows, 1).any()


def test_the_twin_tells_the_head_in_sight_where_it_looks_and_what_became_of_bank():
    widget = TrainedAttention(sentence="tired")
    head, looks, banks = widget.tables()
    np.testing.assert_array_equal(head.cells, widget.between_words("tired", "encoder", 3, 3))
    assert len(looks.rows) == 6
    layer, number, percent = widget.strongest("tired", "▁animal")
    assert f"animal: layer {layer}, head {number}" in looks.rows[2]
    assert looks.cells[2, 0] == percent
    at = widget.data["tired"]["src"].index
    every = [
        widget.weights("tired", "encoder", n, m)[at("▁it"), at("▁animal")]
        for n in range(1, 5)
        for m in range(1, 5)
    ]
    assert percent == max(every)
    np.testing.assert_array_equal(banks.cells[0], exported()["banks"][0]["cosines"])


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
    widget = TrainedAttention(["guitar", "river"], kind="cross")
    assert [*widget.data] == ["guitar", "river"]
    assert widget.sentence == "guitar"
    assert len(widget.tables()) == 2  # no "it" in them
    assert len(TrainedAttention(["guitar"]).tables()) == 1
    assert repr(widget) == "TrainedAttention(guitar, river)"


@pytest.mark.parametrize("names", [["cat"], [], ["river", "cat"]], ids=str)
def test_unknown_sentences_are_refused_with_the_names_there_are(names):
    with pytest.raises(ValueError, match="sentences: expected some of stick, tired, wide, .* got "):
        TrainedAttention(names)


def test_a_sentence_that_the_page_does_not_carry_cannot_be_the_first():
    with pytest.raises(ValueError, match="sentence: expected one of river, got stick"):
        TrainedAttention(["river"], sentence="stick")


@pytest.mark.parametrize("traits", [{"kind": "both"}, {"layer": 5}, {"head": 0}], ids=str)
def test_there_are_three_kinds_four_layers_and_four_heads(traits):
    with pytest.raises(traitlets.TraitError, match=r"any of \['encoder'|should not be"):
        TrainedAttention(**traits)


def test_the_tool_writes_whole_percents_and_no_future():
    percents = tool.percents(torch.tensor([[1.0, 0.0], [0.254, 0.746]]), True)
    assert percents == "100 25 75"
    assert tool.percents(torch.tensor([[1.0, 0.0], [0.254, 0.746]]), False) == "100 0 25 75"
