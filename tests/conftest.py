"""What every test shares: one seed, and one thread, so that a run repeats itself."""

import pytest
import torch


@pytest.fixture(autouse=True)
def same_numbers_every_time():
    torch.manual_seed(2017)
    torch.set_num_threads(1)
