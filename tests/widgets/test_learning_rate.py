"""LearningRate: what it accepts, and its static twin."""

import itertools
import json

import pytest
import rate_curves
import traitlets

from transformer_course.training import noam_rate
from transformer_course.widgets import LearningRate, learning_rate


def test_the_static_twin_holds_the_packages_rates():
    widget = LearningRate(d_model=256, warmup=16_000)
    table, _ = widget.tables()
    steps = [4000, 16_000, 20_000, 100_000]
    assert table.rows == [f"step {step:,}" for step in steps]
    assert table.columns == ["d_model 256, warm-up 16,000", "d_model 512, warm-up 4,000"]
    for row, step in zip(table.cells, steps, strict=True):
        curves = (noam_rate(step, 256, 16_000), noam_rate(step, 512, 4000))
        assert row.tolist() == pytest.approx([1e4 * rate for rate in curves])


def test_it_opens_at_the_width_of_the_model_that_was_measured():
    widget = LearningRate()
    assert widget.d_model == widget.measured["d_model"]


def test_a_quarter_of_the_papers_warmup_gives_a_peak_twice_as_high_and_four_times_as_early():
    table, _ = LearningRate(d_model=512).tables()
    rates = dict(zip(table.rows, table.cells.tolist(), strict=True))
    assert rates["step 1,000"][0] == pytest.approx(2 * rates["step 4,000"][1])
    assert rates["step 4,000"][0] == pytest.approx(rates["step 4,000"][1])
    assert rates["step 100,000"][0] == pytest.approx(rates["step 100,000"][1])


def test_what_can_be_set_is_what_was_measured():
    """So that each loss shown is that of the rate above it."""
    curves = LearningRate().measured["curves"]
    assert learning_rate.WIDTHS == rate_curves.WIDTHS
    assert learning_rate.WARMUPS == rate_curves.WARMUPS
    assert [(c["width"], c["warmup"]) for c in curves] == list(
        itertools.product(learning_rate.WIDTHS, learning_rate.WARMUPS)
    )


def test_the_measured_losses_cover_what_can_be_set_and_tell_two_stories():
    measured = LearningRate().measured
    lengths = {len(curve["loss"]) for curve in measured["curves"]}
    assert lengths == {measured["steps"] // measured["every"]}
    last = {(c["width"], c["warmup"]): c["loss"][-1] for c in measured["curves"]}
    assert len(last) == 25
    for width in (32, 64, 256, 512, 1024):  # too long a climb for so few steps: little is learned
        assert last[width, 16_000] > 2 * last[width, 1000]
    # Peaks of 0.018 and 0.009: the first is too high, and little is learned.
    assert last[32, 100] > 5 * last[32, 400]
    # Within the paper's climb its rate is too low, and a shorter one learns faster.
    assert last[512, 4000] > 2 * last[512, 1000]


def test_the_static_twin_holds_the_measured_losses():
    widget = LearningRate()
    _, table = widget.tables()
    assert table.columns == ["100", "400", "1,000", "4,000", "16,000"]
    [paper] = [c for c in widget.measured["curves"] if (c["width"], c["warmup"]) == (512, 4000)]
    assert table.cells[3, 3] == paper["loss"][-1]


@pytest.mark.slow
def test_the_script_measures_again(tmp_path):
    out = tmp_path / "curves.json"
    assert rate_curves.main(["--steps", "40", "--out", str(out)]) == 0
    found = json.loads(out.read_text())["curves"]
    recorded = LearningRate().measured["curves"]
    for curve, kept in zip(found, recorded, strict=True):
        assert (curve["width"], curve["warmup"]) == (kept["width"], kept["warmup"])
        assert curve["loss"][0] == pytest.approx(kept["loss"][0], abs=0.02)


def test_its_text_form_names_the_curve():
    assert repr(LearningRate(d_model=256)) == "LearningRate(d_model=256, warmup=1000)"


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("d_model", 31, r"expected any of \[32, 64, 256, 512, 1024\]"),
        ("d_model", 512.5, "expected any of"),
        ("warmup", 0, r"expected any of \[100, 400, 1000, 4000, 16000\]"),
        ("warmup", 16_001, "expected any of"),
    ],
)
def test_what_does_not_fit_is_refused(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        LearningRate(**{name: bad})
