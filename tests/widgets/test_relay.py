"""Relay: weights and translations of the model itself, and a state that is never more than full."""

import numpy as np
import pytest
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import EOS_ID, grammar
from transformer_course.model import record_attention
from transformer_course.widgets import Relay
from transformer_course.widgets.relay import (
    DRAW,
    ENDS,
    LAYER,
    PAIR,
    WIDTHS,
    held,
    loop,
    record,
    states,
)

SENTENCES = [f"The man walked to the bank because he needed the {end}." for end in ENDS]


@pytest.mark.slow
def test_its_sentences_are_new_to_the_model_and_rightly_translated():
    tests = grammar.generate("test", 3000, seed=3, kind="sense")
    right = {sentence.english: sentence.german for sentence in tests}
    for end, sentence in zip(ENDS, SENTENCES, strict=True):
        assert record(end)["translation"] == right[sentence]
    assert " Bank " in record("money")["translation"]
    assert " Ufer " in record("boat")["translation"]


@pytest.mark.parametrize(("end", "sentence"), [*zip(ENDS, SENTENCES, strict=True)])
def test_its_weights_are_those_of_the_first_layer(end, sentence):
    model, tokenizer = translator("grammar")
    src = torch.tensor([[*tokenizer.encode(sentence), EOS_ID]])
    with torch.no_grad(), record_attention(model) as recorded:
        decoding.greedy(model, src)
    heads = recorded[LAYER][0]
    weights = np.array(record(end)["weights"])
    assert np.abs(weights - 100 * heads.mean(dim=0).numpy()).max() < 0.6
    bank, last = PAIR
    assert record(end)["words"][bank] == "bank"
    assert record(end)["words"][last] == end
    assert heads[:, bank, last].max() > 0.95  # one of its heads looks nowhere else
    assert np.abs(np.array(record(end)["heads"]) - 100 * heads.numpy()).max() < 0.6


@pytest.mark.parametrize("width", WIDTHS)
def test_a_state_gives_back_less_than_it_has_room_for(width):
    for count in range(1, 14):
        shares = held(width, count)
        assert len(shares) == count
        assert min(shares) > 0
        assert max(shares) < 1
        assert sum(shares) < width
    assert sum(held(width, 200)) > 0.9 * width


def test_in_the_draw_that_is_shown_no_word_stands_much_above_the_newest():
    for count in range(4, 14):
        newest, *older = held(4, count)
        assert newest > max(older) - 0.065
    mean = np.mean([held(4, 13, draw=draw) for draw in range(500)], axis=0)
    assert (np.diff(mean) < 0.035).all()  # in the mean of many draws, too, words fade with age


@pytest.mark.parametrize("width", WIDTHS)
def test_its_states_are_those_of_the_loop_and_each_word_adds_its_own_number(width):
    widget = Relay(width=4)
    step, column = loop(width, 0.95, DRAW)
    both = [np.array(rows) / 100 for rows in widget.states[str(width)]]
    for text, rows in zip(widget.texts, both, strict=True):
        exact = states(text["words"], width)
        assert np.abs(rows - exact).max() <= 0.0051
        before = np.vstack([np.zeros(width), exact[:-1]])
        adds = (exact - before @ step.T) @ column / (column @ column)
        np.testing.assert_allclose(before @ step.T + np.outer(adds, column), exact, atol=1e-12)
        the = [n for n, word in enumerate(text["words"]) if word == "the"]
        assert len(the) > 1
        assert np.ptp(adds[the]) < 1e-9  # the same word, the same number
        assert len({round(float(each), 9) for each in adds}) == len(set(text["words"]))
        assert np.abs(rows).max(axis=1).min() > 0  # no state is drawn empty
    apart = np.abs(both[0] - both[1]).max(axis=1)
    assert (apart[: PAIR[1]] == 0).all()
    assert (apart[PAIR[1] :] > 0).all()


def test_what_it_cannot_show_is_refused():
    with pytest.raises(traitlets.TraitError, match="expected 0 or one of"):
        Relay(width=3)
    with pytest.raises(traitlets.TraitError, match="a place from 0 to 12"):
        Relay(asks=13)


def test_two_heads_tell_the_sentences_apart_and_the_mean_does_not():
    """What the widget opens with, and the trap that it ends with."""
    (asks, last), texts = PAIR, [record(end) for end in ENDS]
    heads = np.array([text["heads"] for text in texts])[:, :, asks]
    gaps = np.abs(heads[0] - heads[1]).max(axis=-1)
    assert list(np.flatnonzero(gaps > 3) + 1) == [1, 4]
    assert [1 + int(rows[:, last].argmax()) for rows in heads] == [1, 4]
    assert [int(heads[n, other, asks]) for n, other in ((0, 3), (1, 0))] == [100, 96]
    means = np.array([text["weights"][asks] for text in texts])
    assert np.abs(means[0] - means[1]).max() <= 3


def test_its_table_is_of_what_it_shows():
    (looks,) = Relay().tables()
    (held,) = Relay(width=4).tables()
    assert looks.title == "Where “bank” looks, percent"
    assert looks.rows[0] == "head 1 (... the money)"
    assert looks.rows[-2:] == ["mean (... the money)", "mean (... the boat)"]
    assert held.title.startswith("What a recurrent state holds")
