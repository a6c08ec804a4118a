"""The test of label smoothing: its task, its prices and its lengths are what they say."""

import json
import math
import random

import pytest
import smoothing_lengths as lengths
import torch

from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.model import Transformer


def test_an_output_is_as_long_as_its_source_and_made_of_its_synonyms():
    for source, target in lengths.synonyms(50, random.Random(0)):
        symbols = [(each - lengths.FIRST_TRANSLATION) // 2 for each in target]
        assert [each - lengths.FIRST_SYMBOL for each in source] == symbols


def test_the_log_probability_is_the_sum_over_the_tokens_and_the_end():
    torch.manual_seed(0)
    model = Transformer(lengths.CONFIG).eval()
    [(source, target)] = lengths.synonyms(1, random.Random(1))
    src, tgt = torch.tensor([[*source, EOS_ID]]), torch.tensor([[BOS_ID, *target]])
    with torch.no_grad():
        by_hand = model(src, tgt)[0].log_softmax(-1)
    wanted = sum(by_hand[place, token] for place, token in enumerate([*target, EOS_ID]))
    others = lengths.synonyms(3, random.Random(2))
    found = lengths.log_probabilities(model, [*others, (source, target)])[-1]
    assert found == pytest.approx(wanted.item(), abs=1e-4)


@pytest.mark.slow
def test_the_result_file_says_what_was_predicted_and_what_came(monkeypatch, tmp_path):
    monkeypatch.setattr(lengths.record, "RESULTS", tmp_path)
    monkeypatch.setattr(lengths, "BEAMS", (1, 2))
    assert lengths.main(["--seeds", "1", "--steps", "2", "--count", "3"]) == 0
    found = json.loads((tmp_path / "smoothing-lengths.json").read_text(encoding="utf-8"))
    assert [run["smoothing"] for run in found["runs"]] == list(lengths.SMOOTHINGS)
    assert found["prices"]["0.1"] == pytest.approx(math.log(lengths.VOCAB / 0.1), abs=0.001)
    asked = [(row["beam"], row["alpha"]) for row in found["runs"][0]["searches"]]
    assert asked == [(1, 0.0), (1, 0.6), (2, 0.0), (2, 0.6)]
