import math

import pytest
import torch
from torch.testing import assert_close

from transformer_course.model import numpy_reference, sinusoidal
from transformer_course.model.positions import SinusoidalPositions


def test_the_first_position_is_zeros_and_ones():
    assert_close(sinusoidal(1, 6), torch.tensor([[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]]))


def test_sines_and_cosines_alternate_as_printed_in_the_paper():
    mine = sinusoidal(19, 14)
    assert_close(
        mine.double(), torch.from_numpy(numpy_reference.sinusoidal(19, 14)), rtol=0, atol=1e-6
    )


def test_wavelengths_run_from_two_pi_to_nearly_ten_thousand_times_that():
    angles = sinusoidal(2, 512)[1, 0::2].double().asin()  # the angle that one step adds
    lengths = 2 * math.pi / angles
    assert_close(lengths[0].item(), 2 * math.pi, rtol=1e-4, atol=0)
    assert_close(lengths[-1].item(), 2 * math.pi * 10_000 ** (510 / 512), rtol=1e-3, atol=0)


def test_a_shift_is_a_rotation_that_does_not_depend_on_the_position():
    table, shift = sinusoidal(40, 8).double(), 7
    frequency = 1 / 10_000 ** (torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    sine, cosine = (frequency * shift).sin(), (frequency * shift).cos()
    sines, cosines = table[:-shift, 0::2], table[:-shift, 1::2]
    rotated = torch.stack([sines * cosine + cosines * sine, cosines * cosine - sines * sine], -1)
    assert_close(rotated.flatten(1), table[shift:], rtol=0, atol=1e-6)


def test_a_decoder_that_goes_on_at_a_later_position_adds_the_same_rows():
    positions, x = SinusoidalPositions(11, 6), torch.randn(2, 7, 6)
    assert_close(positions(x)[:, 4:], positions(x[:, 4:], start=4))


def test_a_sequence_beyond_max_len_is_refused():
    with pytest.raises(ValueError, match="a sequence of 8 tokens is longer than max_len=7"):
        SinusoidalPositions(7, 6)(torch.zeros(1, 8, 6))
    with pytest.raises(ValueError, match="a sequence of 8 tokens is longer than max_len=7"):
        SinusoidalPositions(7, 6)(torch.zeros(1, 3, 6), start=5)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="d_model=7 is odd"):
        sinusoidal(3, 7)
