"""The small model that is carried along, and the command that makes it."""

import json
from pathlib import Path

import carried
import pytest
import torch
from aligning import aligning, places

from transformer_course import data
from transformer_course.carried import translator
from transformer_course.data import Tokenizer
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import Run, RunConfig, TrainingConfig, checkpoint

ROOT = Path(__file__).parents[2]
CARRIED = sorted((ROOT / "transformer_course" / "carried").glob("*/run.json"))


def sets_of(result: dict) -> list[dict]:
    """The test sets; the first carried model had one."""
    return result.get("tests") or [result]


def assert_card_says(card: str, result: dict) -> None:
    """Every figure of the card stands in the result file."""
    for test in sets_of(result):
        for scores in test["scores"].values():
            assert f"{scores['bleu']:.2f}" in card
        assert test["scores"]["int8"]["signature"] in card
    for figure in ("bytes", "parameters", "vocabulary", "pairs"):
        assert f"{result[figure]:,}" in card


@pytest.mark.slow
def test_a_run_is_exported_scored_and_described(tmp_path, monkeypatch, capsys):
    load = data.load_pairs
    monkeypatch.setattr(data, "load_pairs", lambda name, split, count=None: load(name, split, 40))
    texts = [text for pair in load("toy:copy", "train", 40) for text in pair]
    tokenizer = Tokenizer.train(texts, vocab_size=60)
    model = TransformerConfig(
        vocab_size=len(tokenizer), d_model=16, num_heads=2, d_ff=32, num_layers=1, max_len=256
    )
    config = RunConfig(data="toy:copy", model=model, training=TrainingConfig())
    run = Run.create(tmp_path / "run", config, tokenizer)
    torch.manual_seed(1)
    checkpoint.save(run.folder / "step-000001", Transformer(model))
    out, name = tmp_path / "small", str(tmp_path / "result")
    tests = ["--test", "toy:copy", "test", "--test", "toy:reverse", "valid"]
    given = [str(run.folder), *tests, "--out", str(out)]
    assert carried.main([*given, "--name", name]) == 0
    result = json.loads(Path(f"{name}.json").read_text())
    files = [file for file in out.rglob("*") if file.is_file() and file.name != "README.md"]
    assert result["bytes"] == sum(file.stat().st_size for file in files)
    assert (result["model"]["d_model"], result["steps"]) == (16, None)
    assert [test["data"] for test in result["tests"]] == ["toy:copy", "toy:reverse"]
    for test in result["tests"]:
        assert set(test["scores"]) == set(test["exact"]) == {"fp32", "int8", "computed"}
    known, rare = (part.split() for part in (out / "words.txt").read_text().split("\n\n"))
    assert sorted(known + rare) == sorted({*" ".join(texts).lower().split()})
    assert (known, rare) == (sorted(known), sorted(rare))
    assert [len(row) for row in result["aligning"]] == [3]
    assert sorted(result["sure_percentiles_1_5_25_50"]) == result["sure_percentiles_1_5_25_50"]
    assert_card_says((out / "README.md").read_text(), result)
    monkeypatch.setattr(carried, "LIMIT", 10)
    assert carried.main([*given[:-1], str(tmp_path / "again"), "--name", name]) == 1
    assert "again is larger than 10 bytes" in capsys.readouterr().err


@pytest.mark.parametrize("folder", [path.parent for path in CARRIED], ids=lambda path: path.name)
def test_a_carried_model_loads_is_small_and_its_card_quotes_its_result_file(folder):
    result = json.loads((ROOT / f"benchmarks/results/carried-{folder.name}.json").read_text())
    run = Run.open(folder)
    assert checkpoint.load(run.weights()).num_parameters() == result["parameters"]
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 4 * 10**6
    for test in sets_of(result):
        assert test["scores"]["fp32"]["bleu"] - test["scores"]["int8"]["bleu"] < 0.2
    assert_card_says((folder / "README.md").read_text(), result)


def test_words_of_few_sentences_stand_below_the_others():
    pairs = [("A dog, a dog.", ""), ("A DOG runs.", "")] * 2
    assert carried.english_words([*pairs, ("A cat", "")]) == "a\ndog\n\ncat\nruns"


def test_every_piece_finds_its_word():
    pieces = ["▁The", "▁man", "'", "s", "▁h", "at", "."]
    assert places(pieces, ["The", "man", "'s", "hat", "."]) == [0, 1, 2, 2, 3, 3, 4]


def test_heads_of_late_layers_align_words_and_those_of_the_first_do_not():
    model, tokenizer = translator("captions")
    found = aligning(model, tokenizer, 12)
    assert [len(row) for row in found] == [5] * 4
    assert max(map(max, found)) > 0.5 > 0.2 > min(map(min, found)) > 0
