"""What every test shares: one seed, and one thread, so that a run repeats itself."""

import os

import pytest
import torch


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several processes begin with the files that take long, so that none waits at the end."""
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def same_numbers_every_time():
    torch.manual_seed(2017)
    torch.set_num_threads(int(os.environ.get("COURSE_THREADS", "1")))
