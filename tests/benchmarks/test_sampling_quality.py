"""The benchmark of drawn translations: its figures are those of the package's search and scores."""

import json

import pytest
import sampling_quality

from transformer_course import carried, data, decoding

PAIRS = [
    ("A dog runs.", "Ein Hund rennt."),
    ("Two men are playing chess.", "Zwei Männer spielen Schach."),
    ("A boy jumps.", "Ein Junge springt."),
]


def test_every_draw_is_scored_as_the_package_scores_it(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "load_pairs", lambda name, split, count: PAIRS)
    monkeypatch.setattr(sampling_quality.record, "RESULTS", tmp_path)
    monkeypatch.setattr(sampling_quality, "SETTINGS", [{"temperature": 0.7}])
    assert sampling_quality.main(["--samples", "2"]) == 0
    found = json.loads((tmp_path / "sampling-quality.json").read_text(encoding="utf-8"))
    assert [row["search"] for row in found["searches"]] == ["greedy", "beam", "sample"]
    model, tokenizer = carried.load()
    english, german = zip(*PAIRS, strict=True)
    options = {"search": "sample", "temperature": 0.7, "seed": 1}
    texts = decoding.translate(model, tokenizer, english, **options)
    expected = decoding.score(texts, german)
    assert found["searches"][2]["bleu"][1] == expected["bleu"]
    assert found["signature"] == expected["signature"]


def test_draws_that_are_alike_have_a_self_bleu_of_100():
    one = [german for _, german in PAIRS]
    alike = sampling_quality.measure([one, one], one)
    assert (alike["self_bleu"], alike["distinct"]) == (pytest.approx(100), 1)
    other = sampling_quality.measure([one, one[::-1]], one)
    assert other["self_bleu"] < 100
    assert other["distinct"] == pytest.approx(5 / 3, abs=0.001)
