"""The small parser that is carried along, and the script that teaches and exports it."""

import json
from dataclasses import replace
from pathlib import Path

import carried_parser
import parsing
import pytest
import torch

from transformer_course import carried
from transformer_course.data import read_tree, tree_words
from transformer_course.decoding import parse
from transformer_course.training import checkpoint

ROOT = Path(__file__).parents[2]
TEXTS = [
    "(S (NP (DT A) (NN dog)) (VP (VBZ runs)) (. .))",
    "(S (NP (DT A) (NN cat)) (VP (VBZ runs) (ADVP (RB fast))) (. .))",
    "(NP (NP (DT A) (NN cat)) (PP (IN with) (NP (DT a) (NN dog))))",
]


@pytest.fixture
def small(monkeypatch):
    """Lessons of four steps on a few trees, with a checkpoint at every other one."""
    trees = [read_tree(text) for text in TEXTS] * 9
    monkeypatch.setattr(carried_parser, "load_trees", lambda name, split, count=None: trees[:count])
    monkeypatch.setattr(carried_parser, "captions", lambda: [["A", "dog", "runs"]] * 8)
    monkeypatch.setattr(parsing, "SAVE_EVERY", 2)
    for name in ("TEACHER", "STUDENT"):
        recipe = replace(
            getattr(carried_parser, name), steps=4, zero=9, warmup=2, copies=2, rate_factor=0.01
        )
        monkeypatch.setattr(carried_parser, name, recipe)


@pytest.mark.slow
def test_the_student_goes_on_from_its_teacher_and_is_exported(small, tmp_path):
    teacher, student = carried_parser.lessons(tmp_path)
    begun = teacher.train().state_dict()
    assert [path.name for path in teacher.checkpoints()] == ["step-000004"]
    kept = student.parsed_captions()
    assert [tree.words() for tree in kept] == [["A", "dog", "runs"]] * 4 * carried_parser.TIMES
    model = student.train()
    assert (tmp_path / "student" / "step-000004").exists()
    moved = max((begun[name] - now).abs().max() for name, now in model.state_dict().items())
    assert 0 < moved < 0.1  # by four small steps
    again = carried_parser.lessons(tmp_path)[1].train()  # nothing is left to do
    assert all(map(torch.equal, again.state_dict().values(), model.state_dict().values()))

    carried_parser.export(model, student.tokens, tmp_path / "out")
    stored = checkpoint.load(tmp_path / "out" / "averaged")
    for name, exact in model.state_dict().items():
        step = exact.abs().max() / 127
        torch.testing.assert_close(stored.state_dict()[name], exact, rtol=0, atol=float(step))
    scores = carried_parser.measure({"fp32": model, "int8": stored}, student.tokens, 3)
    assert {name: each["sentences"] for name, each in scores.items()} == dict.fromkeys(
        ("fp32", "int8", "unconstrained"), 3
    )
    assert scores["int8"]["valid"] == 100


def test_the_carried_parser_loads_is_small_and_its_card_quotes_its_result_file():
    result = json.loads((ROOT / "benchmarks/results/carried-parser-en.json").read_text())
    model, tokens = carried.load_parser()
    assert model.num_parameters() == result["parameters"]
    assert len(tokens) == result["tokens"]
    files = [file for file in carried.PARSER.rglob("*") if file.is_file()]
    held = sum(file.stat().st_size for file in files if file.name != "README.md")
    assert held == result["bytes"] < 1_300_000
    card = (carried.PARSER / "README.md").read_text()
    assert card == carried_parser.card(result, model.config)
    assert "CRAFT" in card
    assert "CC BY 3.0" in card
    assert result["test"]["fp32"]["f1"] - result["test"]["int8"]["f1"] < 1
    assert result["test"]["int8"]["valid"] == 100


def test_the_carried_parser_finds_the_phrases_of_a_caption():
    model, tokens = carried.parser()
    words = tree_words("A man in a blue shirt is standing on a ladder.")
    [found] = parse(model, tokens, [words])
    assert found.tree is not None
    assert "(NP (? A) (? man))" in str(found.tree)
    assert "(PP (? on) (NP (? a) (? ladder)))" in str(found.tree)
