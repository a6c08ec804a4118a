"""OneQuery: the numbers of the head that AttentionPicture draws, a row for each word."""

import pytest
import torch
import traitlets
from numpy.testing import assert_allclose

from transformer_course import carried
from transformer_course.data import EOS_ID
from transformer_course.model import record_attention
from transformer_course.widgets import AttentionPicture, OneQuery
from transformer_course.widgets.attention_picture import WORDS


@pytest.mark.parametrize("row", range(len(WORDS)))
def test_its_shares_are_those_of_the_whole_picture(row):
    scores, weights, _ = AttentionPicture().tables()
    [table] = OneQuery(row=row).tables()
    assert table.rows == WORDS
    assert_allclose(table.cells[:, 0] / 4, scores.cells[row], atol=1e-12)
    assert_allclose(table.cells[:, 1], weights.cells[row], atol=1e-12)
    assert table.title == f"“{WORDS[row]}” asks"


def test_bank_takes_the_safe_and_not_the_stream():
    beside = [OneQuery(words=[*WORDS[:4], noun, *WORDS[5:]]) for noun in ("safe", "stream")]
    assert [each.tables()[0].cells[:, 1].argmax() for each in beside] == [4, 1]


@pytest.mark.parametrize("noun", ["safe", "stream", "boat", "money"])
def test_the_fourth_head_is_the_translators_own(noun):
    model, tokenizer = carried.load("grammar")
    ids = [*tokenizer.encode(f"The bank and the {noun} were old."), EOS_ID]
    with torch.no_grad(), record_attention(model) as recorded:
        model.encode(torch.tensor([ids]))
    weights = recorded["encoder_layers.0.self_attn"][0, 3]
    words = [*WORDS[:4], noun, *WORDS[5:]]
    for row in range(len(WORDS)):
        [table] = OneQuery(head=4, words=words, row=row).tables()
        assert_allclose(table.cells[:, 1], weights[row], atol=1e-3)


@pytest.mark.parametrize(
    "traits",
    [{"words": [*WORDS[:8], "otter"]}, {"words": WORDS[:3]}, {"row": 9}, {"step": 6}, {"head": 2}],
)
def test_what_it_cannot_show_is_refused(traits):
    with pytest.raises(traitlets.TraitError):
        OneQuery(**traits)
