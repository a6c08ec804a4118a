"""ThreeUses: masks and weights are those of the model that the course carries."""

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.errors import DataError
from transformer_course.model import causal_mask, padding_mask, record_attention
from transformer_course.widgets import ThreeUses
from transformer_course.widgets.beam_tree import translator
from transformer_course.widgets.three_uses import SENTENCE, USES


@pytest.fixture(scope="module")
def recorded():
    """The weights of the model, asked once more: without padding, which must not matter."""
    model, tokenizer = translator()
    model.eval()
    src = [*tokenizer.encode(SENTENCE), EOS_ID]
    tgt = [BOS_ID, *tokenizer.encode("Ein brauner Hund rennt durch den Schnee.")]
    with torch.no_grad(), record_attention(model) as weights:
        model(torch.tensor([src]), torch.tensor([tgt]))
    return weights


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(("layer", "head"), [(1, 1), (3, 2), (4, 4)])
def test_the_weights_are_the_models_and_padding_gets_none(recorded, use, layer, head):
    tables = ThreeUses(layer=layer, head=head).tables()
    table = torch.from_numpy(tables[[*USES].index(use)].cells)
    exact = recorded[USES[use][0].format(layer - 1)][0, head - 1].double()
    assert_close(table[:, : exact.size(1)], exact, rtol=0, atol=0.000501)
    assert table[:, exact.size(1) :].abs().max() == 0
    assert_close(table.sum(-1), torch.ones(len(table)).double(), rtol=0, atol=0.005)


def test_each_use_has_its_mask_and_hidden_pairs_weigh_nothing():
    data = ThreeUses().data
    masks = {use: torch.tensor(mask) for use, mask in data["masks"].items()}
    src_real = torch.tensor([piece != "<pad>" for piece in data["pieces"]["src"]])
    assert masks["encoder"].equal(src_real.expand_as(masks["encoder"]))
    assert masks["cross"].equal(src_real.expand_as(masks["cross"]))
    real = len(masks["decoder"])
    assert masks["decoder"][:, :real].equal(causal_mask(real))
    assert not masks["decoder"][:, real:].any()
    for use, mask in masks.items():
        weights = torch.tensor(data["weights"][use])
        assert weights[:, :, ~mask].abs().max() == 0


def test_the_sentence_is_padded_and_translated_by_the_model_itself():
    pieces = ThreeUses().data["pieces"]
    assert pieces["src"][-3:] == ["</s>", "<pad>", "<pad>"]
    assert " ".join(pieces["tgt"]) == "<s> Ein brauner Hund rennt durch den Schnee . <pad>"


def test_another_sentence_gives_other_words():
    widget = ThreeUses("A woman holds her child.", use="encoder")
    assert widget.tables()[0].rows[:2] == ["A", "woman"]
    assert repr(widget) == "ThreeUses('A woman holds her child.')"
    assert np.isfinite(widget.tables()[2].cells).all()


def test_a_long_or_an_empty_sentence_is_refused_with_what_was_expected():
    long = "A man in a red shirt and a woman in a blue dress walk down the street."
    with pytest.raises(traitlets.TraitError, match="^sentence: expected at most 12 tokens in each"):
        ThreeUses(long)
    with pytest.raises(DataError, match="is empty: expected at least one word"):
        ThreeUses("")


@pytest.mark.parametrize(("name", "bad"), [("use", "self"), ("layer", 0), ("head", 5)])
def test_what_the_model_does_not_have_is_refused(name, bad):
    with pytest.raises(traitlets.TraitError, match="expected any of|should not be"):
        ThreeUses(**{name: bad})


def test_padding_is_the_id_that_masks_hide():
    ids = torch.tensor([[PAD_ID, PAD_ID + 1]])
    assert padding_mask(ids).flatten().tolist() == [False, True]
