"""A run that is killed again and again, at moments that nobody chose, loses nothing."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
import torch

from transformer_course.commands import cli
from transformer_course.training import Run

STEPS = 160
TRAIN = [
    "train",
    "--data",
    "toy:copy",
    "--preset",
    "tiny",
    "--device",
    "cpu",
    "--steps",
    str(STEPS),
]
TRAIN += ["--max-tokens", "100", "--save-every", "2", "--valid-every", "1000"]
TRAIN += ["--set", "dropout=0.1", "--out"]


def start(*arguments: object) -> int:
    """The command in a process of its own; forked, so that it need not import torch again."""
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    torch.set_num_threads(1)
    code = 1
    try:
        code = cli.main([str(argument) for argument in arguments])
    finally:
        os._exit(code)


def finish(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def losses(folder: Path) -> list[tuple[int, float]]:
    return [(line["step"], line["loss"]) for line in Run.open(folder).records("log.jsonl")]


def wait_for_a_checkpoint(folder: Path, child: int) -> None:
    """Until it writes one, or ends."""
    before, deadline = set(folder.glob("step-*")), time.monotonic() + 60
    while set(folder.glob("step-*")) <= before and time.monotonic() < deadline:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)


@pytest.mark.slow
def test_thirty_kills_at_random_moments_change_no_loss(tmp_path, few_toys):
    began = time.monotonic()
    assert finish(start(*TRAIN, tmp_path / "undisturbed")) == 0
    usual = time.monotonic() - began
    kills = in_a_checkpoint = 0
    moments = random.Random(0)
    folder = tmp_path / "killed"
    while kills < 30:
        resume = ["--resume"] if folder.exists() else []
        child = start(*TRAIN, folder, *resume)
        if moments.random() < 0.7:  # most kills once it trains and saves, the others anywhere
            wait_for_a_checkpoint(folder, child)
        time.sleep(moments.random() * usual / 8)
        os.kill(child, signal.SIGKILL)
        if finish(child) == 0:  # it had ended before: once more from the start
            assert losses(folder) == losses(tmp_path / "undisturbed")
            folder = tmp_path / f"killed-{kills}"
            continue
        kills += 1
        in_a_checkpoint += any(folder.glob(".*.partial")) or any(folder.glob(".*.old"))
    assert finish(start(*TRAIN, folder, *(["--resume"] if folder.exists() else []))) == 0
    assert losses(folder) == losses(tmp_path / "undisturbed")
    assert [step for step, _ in losses(folder)] == list(range(1, STEPS + 1))
    assert in_a_checkpoint > 0, "no kill fell into the writing of a checkpoint: save more often"
    print(f"30 kills, {in_a_checkpoint} of them while a checkpoint was written")
