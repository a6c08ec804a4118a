"""Words in play by temperature, with smoothing and without: what is measured, and what is told."""

import json
import math

import pytest
import smoothing_temperature as temperature
import torch


def test_equal_scores_leave_every_token_in_play_at_any_temperature():
    for each in temperature.TEMPERATURES:
        found = temperature.spread(torch.zeros(3, 40), each)
        assert found == {"best": pytest.approx(1 / 40), "in_play": pytest.approx(40)}


def test_at_two_each_token_counts_by_the_root_of_its_probability():
    probabilities = torch.tensor([[0.9, 0.05, 0.05]])
    roots = math.sqrt(0.9) + 2 * math.sqrt(0.05)
    found = temperature.spread(probabilities.log(), 2)
    assert found["best"] == pytest.approx(math.sqrt(0.9) / roots, abs=1e-4)


@pytest.mark.slow
def test_the_result_file_has_a_run_of_each_kind_for_every_seed(monkeypatch, tmp_path):
    monkeypatch.setattr(temperature.record, "RESULTS", tmp_path)
    options = ["--seeds", "1", "--steps", "2", "--phrases", "200", "--count", "3"]
    assert temperature.main(options) == 0
    found = json.loads((tmp_path / "smoothing-temperature.json").read_text(encoding="utf-8"))
    assert [run["smoothing"] for run in found["runs"]] == [0.1, 0.0]
