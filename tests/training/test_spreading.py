"""A model whose weights are spread over several processes (FSDP) trains as one process does."""

import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from test_distributed import CONFIG, TRAIN, TRAINING, losses, rows_of_numbers, torchrun, workers
from torch.distributed.tensor import DTensor
from torch.testing import assert_close
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

from transformer_course.commands import main
from transformer_course.data import load_pairs
from transformer_course.errors import DataError
from transformer_course.model import BIG, Transformer
from transformer_course.training import Run, checkpoint, distributed, train
from transformer_course.training.runs import step_of

CPU = torch.device("cpu")


class Exchanges(TorchDispatchMode):
    """Counts what the processes send each other; torch's CommDebugMode fails on a shared module."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "c10d":
            self.counts[func._schema.name.removeprefix("c10d::").strip("_")] += 1
        return func(*args, **(kwargs or {}))


@pytest.fixture
def eight():
    """A process of eight that are not there: it computes its own part of everything."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=8)
    yield
    dist.destroy_process_group()


def test_each_of_eight_processes_holds_an_eighth_of_the_big_model(eight):
    with torch.device("meta"):
        model = Transformer(BIG)
    distributed.spread(model, CPU)
    held = sum(parameter.to_local().numel() for parameter in model.parameters())
    assert held == model.num_parameters() / 8


def test_moments_are_spread_as_their_weights_are(eight):
    model = Transformer(CONFIG)
    distributed.spread(model, CPU)
    weight = model.encoder_layers[0].feed_forward.expand.weight
    moment = distributed.like(torch.arange(32.0 * 16).view(32, 16), weight)
    assert isinstance(moment, DTensor)
    assert_close(moment.to_local(), torch.arange(4.0 * 16).view(4, 16))


def test_one_process_keeps_everything():
    model = Transformer(CONFIG)
    distributed.spread(model, CPU)
    assert not any(isinstance(parameter, DTensor) for parameter in model.parameters())
    assert distributed.gathered(model) is model


@pytest.mark.parametrize("options", [["--fsdp"], ["--fsdp", "--compile"]])
def test_fsdp_outside_of_torchrun_is_refused_with_the_command_to_use(tmp_path, capsys, options):
    assert main([*TRAIN, "--data", "toy:copy", "--out", str(tmp_path / "run"), *options]) == 2
    assert "start it by torchrun --nproc-per-node N" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_fsdp_and_compile_are_refused_together(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(DataError, match="--fsdp and --compile: expected one of them, got both"):
        distributed.check_spread(True, compile=True)
    distributed.check_spread(True, compile=False)


@pytest.mark.slow
def test_two_processes_with_half_the_weights_each_have_the_losses_of_one(tmp_path):
    process = torchrun(__file__, tmp_path / "found.json")
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    found = json.loads((tmp_path / "found.json").read_text())
    one = losses(40)
    for together in found["losses"]:
        assert_close(together, one, rtol=0, atol=1e-12)
    groups = 2 * CONFIG.num_layers + 1  # each layer, and what is left: the embedding
    # Layers are gathered forward and again backward, what is left once; then the loss is summed.
    gathered = {"allgather_base": 2 * groups - 1, "reduce_scatter_base": groups}
    assert found["exchanges"] == {**gathered, "allreduce": 1}
    # None of the group's threads is there when Python ends: it would abort the process.
    if sys.platform == "linux":
        assert any("gloo" in each for each in found["inside"])
        assert not any("gloo" in each for each in found["after"])


@pytest.mark.slow
def test_a_killed_run_goes_on_with_another_number_of_processes(tmp_path):
    words = "".join(f"{source}\n" for source, _ in load_pairs("toy:copy", "train", 500))
    (tmp_path / "words").write_text(words)
    common = [*TRAIN, "--data", f"files:{tmp_path / 'words'},{tmp_path / 'words'}"]
    common += ["--max-tokens", "300", "--save-every", "10"]

    def asked(folder, steps):
        return [*common, "--out", str(tmp_path / folder), "--steps", str(steps)]

    process = torchrun("-m", "transformer_course", *asked("spread", 100_000), "--fsdp")
    deadline = time.monotonic() + 200
    while not list((tmp_path / "spread").glob("step-*")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "no checkpoint in time"
        time.sleep(0.05)
    for pid in workers(process.pid):
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=100)
    kept, *later = Run.open(tmp_path / "spread").checkpoints()
    for each in later:  # on a busy machine the blow came late, and rounding has grown by then
        checkpoint.remove(each)
    last = step_of(kept)
    command = ["-m", "transformer_course", *asked("spread", last + 10), "--fsdp", "--resume"]
    process = torchrun(*command, processes=4)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert main([*asked("spread", last + 20), "--resume"]) == 0
    assert main(asked("alone", last + 20)) == 0
    spread, alone = (Run.open(tmp_path / each).records("log.jsonl") for each in ("spread", "alone"))
    assert [line["step"] for line in spread] == list(range(1, last + 21))
    first, second = ([line["loss"] for line in log] for log in (spread, alone))
    assert_close(first, second, rtol=1e-3, atol=0)


def under_torchrun() -> dict:
    found = [losses(40, spread=True), losses(40, spread=True, accumulate=2)]
    model = Transformer(CONFIG)
    distributed.spread(model, CPU)
    with Exchanges() as sent:
        next(train(model, rows_of_numbers(), TRAINING))
    return {"losses": found, "exchanges": sent.counts, "first": distributed.rank() == 0}


def threads() -> list[str]:
    return [each.read_text().strip() for each in Path("/proc/self/task").glob("*/comm")]


if __name__ == "__main__":  # by a test above
    with distributed.joined():
        found = under_torchrun() | {"inside": threads()}
    if found.pop("first"):
        Path(sys.argv[1]).write_text(json.dumps(found | {"after": threads()}))
