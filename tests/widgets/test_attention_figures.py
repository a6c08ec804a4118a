"""AttentionFigures: its percents are the model's, its truths the grammar's, what it refuses."""

import export_figures as tool
import numpy as np
import pytest

from transformer_course import carried
from transformer_course.widgets import AttentionFigures
from transformer_course.widgets.attention_figures import exported

FIGURES = ["3", "4", "5"]


@pytest.mark.slow
def test_the_file_holds_the_sentences_of_the_tool_that_writes_it():
    for figure, sentences in tool.SENTENCES.items():
        found = exported()["figures"][figure]["sentences"]
        assert [*found] == [*sentences]
        for name, wanted in sentences.items():
            assert found[name]["text"] == tool.chosen(*wanted).english


@pytest.mark.parametrize("figure", FIGURES)
def test_every_percent_is_what_the_carried_model_gives(figure):
    model, tokenizer = carried.translator("grammar")
    for stored in AttentionFigures(figure).data.values():
        fresh = tool.look(model, tokenizer, stored["text"])
        assert fresh["words"] == stored["words"]
        assert fresh["translation"] == stored["translation"]
        numbers = [
            [int(x) for layer in one["weights"] for head in layer for x in head.split()]
            for one in (fresh, stored)
        ]
        np.testing.assert_allclose(*numbers, atol=1)  # a machine may round the other way


@pytest.mark.parametrize("figure", FIGURES)
def test_the_translations_are_right_and_the_truths_the_grammars(figure):
    for name, wanted in tool.SENTENCES[figure].items():
        stored = AttentionFigures(figure).data[name]
        sentence = tool.chosen(*wanted)
        assert stored["translation"] == sentence.german
        assert stored["words"][:-1] == [*sentence.english_words]
        assert stored["truth"] == [[*each] for each in tool.truth(sentence, figure == "5")]


def test_not_is_no_auxiliary():
    [one] = [x for x in AttentionFigures("5").data.values() if "not" in x["words"]]
    names = {one["words"][word]: name for word, _, name in one["truth"]}
    assert (names["did"], names["not"]) == ("auxiliary of", "negation of")


def test_rows_sum_to_a_whole():
    widget = AttentionFigures()
    layers, heads = widget.shape
    for name, one in widget.data.items():
        for layer in range(1, layers + 1):
            for head in range(1, heads + 1):
                rows = widget.weights(name, layer, head)
                np.testing.assert_allclose(rows.sum(axis=1), 100, atol=len(one["words"]) / 2)


def test_the_twin_tells_where_every_head_looks_from_the_word_in_question():
    widget = AttentionFigures("4", sentence="tired")
    [table] = widget.tables()
    it = widget.data["tired"]["words"].index("it")
    assert widget.word == it
    assert table.rows[0] == "it (truth: animal, tired), head 1"
    np.testing.assert_array_equal(table.cells[1], widget.weights("tired", widget.layer, 2)[it])
    start = AttentionFigures("5")
    whole = start.tables()[0]
    assert len(whole.rows) == 4 * len({word for word, *_ in start.data[start.sentence]["truth"]})


@pytest.mark.parametrize(
    ("traits", "message"),
    [
        ({"figure": "6"}, "figure: expected one of 3, 4, 5, got 6"),
        ({"sentence": "cat"}, "sentence: expected one of tired, wide, money, boat, got cat"),
        ({"layer": 9}, "expected layers up to"),
        ({"heads": [7]}, "heads up to 4"),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused_with_what_there_is(traits, message):
    with pytest.raises(ValueError, match=message):
        AttentionFigures(**traits)


def test_the_figure_of_all_words_opens_where_most_pairs_are_found():
    start = AttentionFigures("5")
    found = {
        (name, layer, head): sum(
            int(start.weights(name, layer, head)[a].argmax()) == b for a, b, _ in one["truth"]
        )
        for name, one in start.data.items()
        for layer in (1, 2)
        for head in range(1, 5)
    }
    assert found[start.sentence, start.layer, *start.heads] == max(found.values())
    assert AttentionFigures("5", sentence="dogs").sentence == "dogs"
