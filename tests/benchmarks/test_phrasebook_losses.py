"""One thing changed at a time: what each row changes, what is measured, and how the file grows."""

import json
import math
from dataclasses import asdict

import phrasebook_losses as losses
import pytest
import torch

from transformer_course.data import make_batch
from transformer_course.model import Transformer
from transformer_course.training import noam_rate


def test_a_row_changes_what_its_name_says_and_nothing_else():
    usual = asdict(losses.RECIPE)
    changed = {
        name: {
            key
            for recipe, _ in recipes
            for key, value in asdict(recipe).items()
            if value != usual[key]
        }
        for name, recipes in losses.ROWS.items()
    }
    assert changed == {
        "as it is": set(),
        "no smoothing": {"label_smoothing"},
        "no source": set(),
        "no climb": {"warmup"},
        "no climb, same peak": {"warmup", "rate_factor"},
        "no climb, same rates after": {"warmup", "rate_factor", "last_step"},
    }


def test_without_a_climb_the_largest_rate_is_the_first_and_at_the_same_peak_as_usual():
    def largest(recipe):
        rates = [noam_rate(n, 64, recipe.warmup, recipe.rate_factor) for n in range(1, 2000)]
        return max(rates), rates[0]

    usual, _ = largest(losses.RECIPE)
    assert largest(losses.SAME_PEAK) == pytest.approx((usual, usual))
    assert largest(losses.NO_CLIMB) == pytest.approx((20 * usual, 20 * usual))


def test_where_the_climb_alone_is_missing_the_rate_is_the_peak_and_then_the_usual_one():
    torch.manual_seed(0)
    batches = iter([make_batch([([5, 6], [7])])] * 500)
    steps = losses.taught(Transformer(losses.TINY), batches, "no climb, same rates after", 0)
    found = [(step.number, step.rate) for step in steps]
    usual = [(n, noam_rate(n, 64, 400, losses.RECIPE.rate_factor)) for n in range(1, 501)]
    assert found[400:] == usual[400:]
    assert [n for n, _ in found] == [n for n, _ in usual]
    assert [rate for _, rate in found[:400]] == pytest.approx([usual[399][1]] * 400, rel=1e-5)


def test_without_a_source_only_the_targets_are_left():
    assert losses.without_source([([5, 6], [7]), ([8], [9])]) == [([], [7]), ([], [9])]


def test_perplexity_is_that_of_the_plain_loss():
    torch.manual_seed(0)
    model = Transformer(losses.TINY)
    found = losses.measure(model, [([5, 6, 7], [8, 9]), ([5], [6])])
    assert found["perplexity"] == pytest.approx(math.exp(found["loss"]), rel=1e-3)
    assert found["smoothed_loss"] != found["loss"]


@pytest.mark.slow
def test_the_file_grows_by_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(losses.record, "RESULTS", tmp_path)
    monkeypatch.setattr(losses, "ROWS", dict(list(losses.ROWS.items())[:2]))
    wanted = ["--steps", "8", "--phrases", "900", "--count", "3"]
    assert losses.main(["--seeds", "1", *wanted]) == 0
    file = tmp_path / "phrasebook-losses.json"
    before = json.loads(file.read_text(encoding="utf-8"))["runs"]
    assert losses.main(["--seeds", "2", *wanted]) == 0
    after = json.loads(file.read_text(encoding="utf-8"))["runs"]
    assert [run for run in after if run["seed"] == 0] == before
    assert len(after) == 2 * len(before)
