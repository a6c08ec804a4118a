import pytest
import torch
from torch.testing import assert_close

from transformer_course.errors import DataError
from transformer_course.training import TrainingConfig, linear_rate, noam_rate


def test_the_rate_climbs_in_a_straight_line_and_falls_as_the_root_of_the_steps():
    climb = [noam_rate(step, 512, 4000) for step in (1, 2, 3, 4000)]
    assert_close(torch.tensor(climb) / climb[0], torch.tensor([1.0, 2.0, 3.0, 4000.0]))
    assert_close(noam_rate(16_000, 512, 4000), noam_rate(4000, 512, 4000) / 2)


def test_the_rate_peaks_at_the_end_of_warm_up_with_the_papers_value():
    rates = [noam_rate(step, 512, 400) for step in range(1, 2000)]
    assert rates.index(max(rates)) + 1 == 400
    assert_close(noam_rate(4000, 512, 4000), 512**-0.5 * 4000**-0.5)
    assert round(noam_rate(4000, 512), 6) == 0.000699


def test_the_straight_line_has_the_same_climb_and_peak_and_ends_at_zero():
    rates = [linear_rate(step, 16, 20, last_step=100) for step in range(1, 121)]
    assert_close(rates[:20], [noam_rate(step, 16, 20) for step in range(1, 21)])
    falls = torch.tensor(rates[19:100]).diff()
    assert_close(falls, torch.full_like(falls, -rates[19] / 80))
    assert rates[99:] == [0.0] * 21


def test_a_last_step_before_the_end_of_warm_up_is_refused():
    with pytest.raises(DataError, match="last_step=20: expected more than warmup=20"):
        TrainingConfig(warmup=20, last_step=20)


def test_steps_are_counted_from_one():
    with pytest.raises(ValueError, match="step=0: steps are counted from 1"):
        noam_rate(0, 512)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"max_tokens": 0}, "max_tokens=0: expected a whole number from 1 on"),
        ({"warmup": 0}, "warmup=0: expected a whole number from 1 on"),
        ({"seed": -1}, "seed=-1: expected a whole number from 0 on"),
        ({"last_step": -1}, "last_step=-1: expected a whole number from 0 on"),
        ({"rate_factor": float("nan")}, "rate_factor=nan: expected a number above 0"),
        ({"rate_factor": 0.0}, "rate_factor=0.0: expected a number above 0"),
        ({"label_smoothing": 2.0}, "label_smoothing=2.0: expected a share from 0 to below 1"),
        ({"label_smoothing": -0.1}, "label_smoothing=-0.1: expected a share from 0 to below 1"),
        ({"precision": "fp16"}, "precision='fp16': expected one of fp32, bf16"),
    ],
)
def test_a_training_that_cannot_be_is_refused(entry, expected):
    with pytest.raises(DataError, match=expected):
        TrainingConfig(**entry)
