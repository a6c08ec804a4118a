"""The benchmark of beam sizes: its figures are those of the package's search and scores."""

import json
from pathlib import Path

import beam_sizes
import pytest

from transformer_course import carried, data, decoding
from transformer_course.training import Run, checkpoint

FOLDER = Path(__file__).parents[2] / "benchmarks"
PAIRS = [
    ("A dog runs.", "Ein Hund rennt."),
    ("Two men are playing chess.", "Zwei Männer spielen Schach."),
    ("A boy jumps.", "Ein Junge springt."),
]


def test_every_search_is_scored_as_the_package_scores_it(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "load_pairs", lambda name, split, count: PAIRS)
    monkeypatch.setattr(beam_sizes.record, "RESULTS", tmp_path)
    assert beam_sizes.main(["--beams", "1", "3"]) == 0
    found = json.loads((tmp_path / "beam-sizes.json").read_text(encoding="utf-8"))
    assert {"commit", "hardware", "commands", "sentences", "reference_length"} <= set(found)
    settings = [(row["alpha"], row["beam"]) for row in found["searches"]]
    assert settings == [(0.0, 1), (0.0, 3), (0.6, 1), (0.6, 3)]
    run = Run.open(carried.FOLDER)
    english, german = zip(*PAIRS, strict=True)
    texts = decoding.translate(
        checkpoint.load(run.weights()), run.tokenizer, english, beam=3, alpha=0.6
    )
    expected = decoding.score(texts, german)
    assert {name: found["searches"][3][name] for name in expected} == expected
    lengths = [len(ids) + 1 for ids in run.tokenizer.encode_batch(texts)]
    assert found["searches"][3]["length"] == pytest.approx(sum(lengths) / 3, abs=0.001)


def test_the_score_is_the_log_probability_over_the_penalty():
    run = Run.open(carried.FOLDER)
    model = checkpoint.load(run.weights())
    plain = beam_sizes.measure(model, run.tokenizer, PAIRS, 2, 0.0)
    assert plain["score"] == plain["log_probability"]
    one = beam_sizes.measure(model, run.tokenizer, PAIRS[:1], 2, 0.6)
    penalty = ((5 + one["length"]) / 6) ** 0.6
    assert one["log_probability"] == pytest.approx(one["score"] * penalty, abs=0.001)
    assert one["empty"] == 0
