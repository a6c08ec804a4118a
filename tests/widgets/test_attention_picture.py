"""AttentionPicture: the carried model's head, torch's numbers, and a twin that says them."""

import json

import export_head as tool
import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course import carried
from transformer_course.model import attention, causal_mask, record_attention
from transformer_course.widgets import AttentionPicture
from transformer_course.widgets.attention_picture import WORDS, exported


@pytest.fixture(scope="module")
def model():
    return carried.load("grammar")


def ids(tokenizer, words):
    return torch.tensor([[tool.token(tokenizer, word) for word in words]])


@pytest.mark.parametrize("noun", ["safe", "stream", "lake"])
@torch.no_grad()
def test_what_is_drawn_is_what_the_models_head_computes(model, noun):
    translator, tokenizer = model
    words = [noun if word == "safe" else word for word in WORDS]
    sentence = tokenizer.encode(tool.SENTENCE.format(noun))
    src = ids(tokenizer, words)
    assert src[0, :-1].tolist() == sentence
    with record_attention(translator) as weights:
        translator.encode(src)
    layer = translator.encoder_layers[tool.LAYER].self_attn
    x = translator.embed(src)
    q, k, v = (each[0, tool.HEAD] for each in layer.project(x, x, x))
    picture = AttentionPicture(words=words)
    for ours, theirs in zip(picture.vectors(), (x[0], q, k, v), strict=True):
        assert_close(torch.from_numpy(ours).float(), theirs, rtol=0, atol=1e-4)
    _, shares, output = (torch.from_numpy(table.cells) for table in picture.tables())
    recorded = weights["encoder_layers.0.self_attn"][0, tool.HEAD]
    assert_close(shares.float(), recorded, rtol=0, atol=1e-3)
    assert_close(output.float(), attention(q, k, v)[0], rtol=0, atol=1e-3)


def test_bank_takes_the_safe_and_not_the_stream():
    rows = []
    for noun in ("safe", "stream"):
        words = [noun if word == "safe" else word for word in WORDS]
        rows.append(AttentionPicture(words=words).tables()[1].cells[1])
    assert rows[0][4] > 0.9
    assert rows[1][1] > 0.9


@pytest.mark.slow
def test_the_file_is_what_its_command_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "TARGET", tmp_path / "head.json")
    tool.main()
    assert json.loads(tool.TARGET.read_text()) == exported()


def test_the_twin_keeps_to_the_mask_and_says_nan_for_an_empty_row():
    mask = causal_mask(len(WORDS)).numpy()
    weights = AttentionPicture(mask=mask).tables()[1].cells
    assert (weights[~mask] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    mask[2] = False
    weights = AttentionPicture(mask=mask).tables()[1].cells
    assert np.isnan(weights[2]).all()
    assert not np.isnan(np.delete(weights, 2, axis=0)).any()


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"words": ["The"]}, "must be of length 9"),
        ({"words": ["unicorn", *WORDS[1:]]}, "words: expected words of .*, got unicorn"),
        ({"mask": [[True] * 3] * 3}, r"mask: expected 9 lists of 9 True \(may attend\) or False"),
        ({"step": 7}, "should not be greater than 6"),
        ({"row": 9}, "should not be greater than 8"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, words):
    with pytest.raises(traitlets.TraitError, match=words):
        AttentionPicture(**traits)
