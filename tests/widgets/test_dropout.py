"""Dropout: its numbers are the carried translator's, its masks keep the mean, and its twin."""

import numpy as np
import pytest
import torch
import traitlets

from transformer_course import carried
from transformer_course.data import EOS_ID
from transformer_course.widgets import Dropout
from transformer_course.widgets.dropout import DRAWS, PLACES, SIZE


def test_the_vectors_are_those_of_a_word_in_the_carried_translator():
    model, tokenizer = carried.translator()
    text, seen = "A black cat is sleeping on a chair next to the window.", {}
    ids = torch.tensor([[*tokenizer.encode(text), EOS_ID]])
    at, layer = tokenizer.pieces(text).index("▁cat"), model.encoder_layers[0]
    hooks = [
        part.register_forward_hook(lambda _, x, y, part=part: seen.update({part: (x[0], y)}))
        for part in (layer.self_attn, layer.feed_forward)
    ]
    with torch.no_grad():
        word = model.embedding(ids) * model.config.d_model**0.5
        model.encode(ids)
    for hook in hooks:
        hook.remove()
    bottom = seen[layer.self_attn][0]
    pairs = [(word, bottom - word), *seen.values()]
    first = np.array([[each[0, at, :SIZE].tolist() for each in pair] for pair in pairs])
    np.testing.assert_allclose(Dropout().vectors, first, atol=0.02)


def test_the_mean_over_many_masks_is_the_vector():
    luck = ((np.arange(1000)[:, None] + np.arange(SIZE)) % 1000 / 1000).tolist()
    widget = Dropout(luck=luck, p=0.25, place=1)
    vector = np.arange(SIZE) - 5.0
    mean = np.mean([widget.drop(vector, draw) for draw in range(1000)], axis=0)
    np.testing.assert_allclose(mean, vector)


def test_a_larger_p_drops_what_a_smaller_one_did():
    gone = [Dropout(p=p).drop(np.ones(SIZE), 3) == 0 for p in (0.1, 0.3, 0.5)]
    assert (gone[0] <= gone[1]).all()
    assert (gone[1] <= gone[2]).all()
    assert gone[0].sum() < gone[2].sum()


def test_the_shares_that_are_dropped_are_about_p():
    luck = np.array(Dropout().luck)
    assert luck.shape == (DRAWS, SIZE)
    for p in (0.1, 0.3, 0.5):
        assert abs((luck < p).mean() - p) < 0.05


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_the_twin_drops_a_sub_layer_before_the_sum_and_the_embeddings_after_it(place):
    widget = Dropout(place=place, p=0.5, draw=2)
    [table] = widget.tables()
    first, second, third, last = table.cells
    if place:
        np.testing.assert_allclose(third, widget.drop(second, 2))
        np.testing.assert_allclose(last, first + third)
    else:
        np.testing.assert_allclose(third, first + second)
        np.testing.assert_allclose(last, widget.drop(third, 2))


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_on_average_it_shows_the_mean_of_the_masks_up_to_this_one(place):
    widget = Dropout(place=place, p=0.5, draw=6, average=True)
    [table] = widget.tables()
    masked, left = (table.cells[1], table.cells[2]) if place else table.cells[2:]
    mean = np.mean([widget.drop(masked, draw) for draw in range(7)], axis=0)
    np.testing.assert_allclose(left, mean)


def test_it_opens_with_a_mask_that_drops_about_three_tenths_so_that_the_growth_is_seen():
    widget = Dropout()
    assert widget.p == 0.3
    assert (np.array(widget.luck[widget.draw]) < widget.p).sum() == 5  # of 16


def test_it_opens_at_its_first_place_and_each_place_draws_a_mask_of_its_own():
    assert Dropout().place == 0
    masks = [Dropout(place=place).mask(0) < 0.1 for place in range(len(PLACES))]
    assert all(mask.any() for mask in masks)
    assert not (masks[0] & masks[1]).any()
    assert not (masks[1] & masks[2]).any()


def test_in_evaluation_nothing_is_dropped():
    [table] = Dropout(place=1, training=False, p=0.5).tables()
    np.testing.assert_allclose(table.cells[2], table.cells[1])


@pytest.mark.parametrize("wrong", [{"p": 0.6}, {"place": 3}, {"draw": DRAWS}])
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(traitlets.TraitError):
        Dropout(**wrong)
