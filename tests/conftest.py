"""What every test shares: one seed, and one thread, so that a run repeats itself."""

import os
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

WITHOUT = Path(__file__).parent / "without"  # what is slow to load, and not needed
sys.modules["rfc3987_syntax"] = None
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(WITHOUT), os.environ.get("PYTHONPATH")])
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several processes begin with the files that take long, so that none waits at the end."""
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def torch():
    """torch, which does not note a seed, with a traceback, for kinds of devices that are not here.

    The process that only shares out the tests does not load it.
    """
    import torch  # noqa: PLC0415

    for kind in (torch.cuda, torch.xpu, torch.mtia):
        if not kind.is_available():
            kind.manual_seed_all = lambda seed: None
    return torch


@pytest.fixture(scope="session")
def warm():
    """Warm processes for students' code, by level of isolation; without one, the best there is.

    Each is started once: it loads torch.
    """
    from transformer_course.grading.processes.isolation import probe  # noqa: PLC0415
    from transformer_course.grading.processes.warm_process import Zygote  # noqa: PLC0415

    with ExitStack() as stack:
        yield cache(lambda level=None: stack.enter_context(Zygote(probe(level))))


@pytest.fixture(scope="module")
def few_toys():
    """A tenth of the toy data, where what they teach is not looked at."""
    from transformer_course.data import toy  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patch:
        for split, count in toy.COUNTS.items():
            patch.setitem(toy.COUNTS, split, count // 10)
        yield


@pytest.fixture(autouse=True)
def same_numbers_every_time(torch):
    torch.manual_seed(2017)
    torch.set_num_threads(int(os.environ.get("COURSE_THREADS", "1")))
