"""Several processes train as one does."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.commands import main
from transformer_course.data import TokenBatches, load_pairs
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import Run, TrainingConfig, distributed, train

CONFIG = TransformerConfig(
    vocab_size=13, d_model=16, num_heads=2, d_ff=32, num_layers=1, dropout=0.0, max_len=20
)
TRAINING = TrainingConfig(max_tokens=60, warmup=20)
TRAIN = ["train", "--preset", "tiny", "--device", "cpu"]


def rows_of_numbers() -> TokenBatches:
    generator = torch.Generator().manual_seed(5)
    rows = [torch.randint(4, 13, (n % 5 + 2,), generator=generator).tolist() for n in range(200)]
    return TokenBatches([(row, row) for row in rows], max_tokens=TRAINING.max_tokens)


def losses(
    steps: int, *, spread: bool = False, dropout: float = 0.0, **options: int
) -> list[float]:
    """The losses of a training in double precision, where rounding cannot hide a mistake."""
    torch.manual_seed(7)
    model = Transformer(replace(CONFIG, dropout=dropout)).double()
    if spread:
        distributed.spread(model, torch.device("cpu"))
    training = train(model, rows_of_numbers(), TRAINING, **options)
    return [step.loss for step in itertools.islice(training, steps)]


def torchrun(*arguments: object, processes: int = 2) -> subprocess.Popen:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    command += ["--master-port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*command, *map(str, arguments)], env=env, **pipes)


def errors_of(process: subprocess.Popen) -> str:
    """What it said on its way, once it has ended; one that never ends is ended."""
    try:
        return process.communicate(timeout=100)[1]
    except subprocess.TimeoutExpired:
        process.terminate()
        pytest.fail("did not end in time: " + process.communicate(timeout=60)[1])


def test_without_dropout_gradient_accumulation_changes_no_loss():
    one = losses(30)
    assert_close(losses(30, accumulate=3), one, rtol=0, atol=1e-12)
    assert one[0] != one[-1]


def test_without_dropout_more_passes_than_pairs_change_no_loss():
    assert_close(losses(4, accumulate=50), losses(4), rtol=0, atol=1e-12)


def test_passes_draw_their_own_dropout_and_repeat_it():
    """So equal losses need equally many passes, as the configuration of a run says."""
    first = {passes: losses(1, dropout=0.3, accumulate=passes)[0] for passes in (1, 2, 4)}
    assert len({round(loss, 6) for loss in first.values()}) == 3
    assert losses(1, dropout=0.3, accumulate=2)[0] == first[2]


def test_outside_of_torchrun_there_is_one_process():
    with distributed.joined():
        assert (distributed.rank(), distributed.world_size()) == (0, 1)
        assert not distributed.any_of_them(False)
        assert distributed.any_of_them(True)


@pytest.mark.slow
def test_without_dropout_two_processes_have_the_losses_of_one(tmp_path):
    ways = [{}, {"accumulate": 2}]
    process = torchrun(__file__, tmp_path / "losses.json", json.dumps(ways))
    errors = errors_of(process)
    assert process.returncode == 0, errors
    found = json.loads((tmp_path / "losses.json").read_text())
    for together, options in zip(found, ways, strict=True):
        assert_close(
            together, losses(40), rtol=0, atol=1e-12, msg=lambda said, way=options: f"{way}: {said}"
        )


LEAVE = """
import sys, time
import torch
import torch.distributed as dist
from transformer_course.training import distributed

def use():
    model = distributed.parallel(torch.nn.Linear(2, 2))
    model(torch.ones(1, 2)).sum().backward()
    cycle = [model]
    cycle.append(cycle)  # as frames and generators make them
    dist.barrier()
    sys.setswitchinterval(1000)  # a thread that waits for Python goes on waiting
    dist.all_reduce(torch.tensor(1), async_op=True)
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        pass

with distributed.joined():
    use()
"""


@pytest.mark.slow
def test_the_group_ends_while_a_thread_of_it_waits_for_python(tmp_path):
    (tmp_path / "leave.py").write_text(LEAVE)
    process = torchrun(tmp_path / "leave.py")
    errors = errors_of(process)
    assert process.returncode == 0, errors


@pytest.mark.slow
@pytest.mark.parametrize("doomed", [0, 1])
def test_a_killed_process_ends_the_run_with_a_checkpoint_to_resume_from(tmp_path, doomed):
    folder = tmp_path / "run"
    words = "".join(f"{source}\n" for source, _ in load_pairs("toy:copy", "train", 500))
    (tmp_path / "words").write_text(words)  # few: each process reads them all
    few = f"files:{tmp_path / 'words'},{tmp_path / 'words'}"
    command = ["-m", "transformer_course", *TRAIN, "--data", few, "--out", folder]
    command += ["--max-tokens", "300"]
    command += ["--save-every", "20", "--set", "dropout=0.1", "--steps", "100000"]
    process = torchrun(*command)
    deadline = time.monotonic() + 100
    while not list(folder.glob("step-*")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "no checkpoint in time"
        time.sleep(0.05)
    os.kill(workers(process.pid)[doomed], signal.SIGKILL)
    errors = errors_of(process)
    assert process.returncode != 0
    assert "another process of this run has died" in errors
    assert "--resume" in errors
    reached = int(Run.open(folder).weights("last").name.removeprefix("step-"))
    command[command.index("--steps") + 1] = str(reached + 20)
    if doomed:  # one process can resume what two began
        assert main([*map(str, command[2:]), "--resume"]) == 0
    else:
        process = torchrun(*command, "--resume")
        errors = errors_of(process)
        assert process.returncode == 0, errors
    log = Run.open(folder).records("log.jsonl")
    assert [line["step"] for line in log] == list(range(1, reached + 21))


def workers(agent: int) -> list[int]:
    """The processes that torchrun started, by rank."""
    found = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/stat") as stream:
                parent = int(stream.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{pid}/environ", "rb") as stream:
                environ = dict(
                    line.split(b"=", 1) for line in stream.read().split(b"\0") if b"=" in line
                )
        except OSError:
            continue
        if parent == agent and b"RANK" in environ:
            found[int(environ[b"RANK"])] = pid
    return [found[rank] for rank in sorted(found)]


def test_parts_of_a_batch_are_even_and_hold_everything():
    rows = [[4 + n % 7] * (n % 9 + 1) for n in range(100)]
    batch = TokenBatches([(row, row) for row in rows], max_tokens=150).batch(3)
    parts = [batch.part(number, 4) for number in range(4)]
    together = sorted(row for part in parts for row in part.tgt_out.sum(1).tolist())
    assert together == sorted(batch.tgt_out.sum(1).tolist())
    sizes = [int((part.tgt_out != 0).sum()) for part in parts]
    assert sum(sizes) == batch.num_tokens
    assert max(sizes) - min(sizes) <= batch.tgt_out.size(1)
    assert all(part.num_tokens == batch.num_tokens for part in parts)
    nothing = replace(batch, src=batch.src[:2], tgt_out=batch.tgt_out[:2]).part(2, 4)
    assert not nothing.tgt_out.any()


if __name__ == "__main__":  # under torchrun, by the test above
    with distributed.joined():
        found = [losses(40, **options) for options in json.loads(sys.argv[2])]
        if distributed.rank() == 0:
            with open(sys.argv[1], "w") as stream:
                json.dump(found, stream)
