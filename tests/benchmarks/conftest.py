"""A queue of runs so small that a test can wait for them."""

import pytest
import trials
import variations

TOY = variations.Task(
    data="toy:copy",
    valid="valid",
    test="test",
    steps=100,
    vocab_size=40,
    max_tokens=64,
    warmup=10,
)
SMALL = {"d_model": 16, "num_heads": 2, "d_ff": 16, "num_layers": 1, "dropout": 0.1}


@pytest.fixture
def toy_queue(tmp_path, monkeypatch, few_toys):
    """The queue in a folder of its own, with one task and a base model that learn in seconds."""
    monkeypatch.setattr(trials, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(trials, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(trials, "criteria", lambda: "0123456789ab")
    monkeypatch.setattr(variations, "TASKS", {"toy": TOY})
    monkeypatch.setattr(variations, "BASE", SMALL)
    variations.vocabulary.cache_clear()
    yield trials
    variations.vocabulary.cache_clear()
