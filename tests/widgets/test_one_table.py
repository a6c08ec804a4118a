"""OneTable: its rows, its vector and its logits are the carried translator's own."""

import numpy as np
import pytest
import torch
import traitlets

from transformer_course.carried import load
from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.widgets import OneTable
from transformer_course.widgets.one_table import ENGLISH, GERMAN


@pytest.fixture(scope="module")
def widget():
    return OneTable()


def test_its_logits_are_what_the_model_gives(widget):
    model, tokenizer = load()
    src = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(GERMAN)]])
    with torch.no_grad():
        logits = model(src, tgt)[0, -1].numpy()
    np.testing.assert_allclose(widget.table["logits"], logits, atol=0.02)
    assert [n for n, _ in widget.table["best"]] == np.argsort(-logits)[:8].tolist()


def test_every_row_is_the_tables_and_its_score_its_logit(widget):
    model, tokenizer = load()
    rows = np.array(widget.table["rows"])
    ids = [tokenizer.vocab.get("▁" + w, tokenizer.vocab.get(w)) for w in widget.table["words"]]
    np.testing.assert_allclose(rows, model.embedding.weight[ids].detach(), atol=1e-3)
    scores = rows @ np.array(widget.table["x"])
    np.testing.assert_allclose(scores, np.array(widget.table["logits"])[ids], atol=0.1)


def test_the_words_that_are_read_are_the_two_sentences(widget):
    words = widget.table["words"]
    english, german = ([words[n] for n in ids] for ids in widget.table["read"])
    assert " ".join(english).replace(" .", ".") == ENGLISH
    assert " ".join(german) == GERMAN


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_words_in_play_are_the_exponential_of_the_entropy(widget, temperature):
    share, many = widget.choices(temperature)
    assert many == pytest.approx(
        torch.distributions.Categorical(torch.tensor(share)).entropy().exp().item()
    )
    assert share.argmax() == widget.table["best"][0][0]


@pytest.mark.parametrize("wrong", [{"temperature": 5}, {"step": 4}, {"word": 99}])
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(traitlets.TraitError):
        OneTable(**wrong)
