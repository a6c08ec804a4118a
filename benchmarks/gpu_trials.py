"""The queue of trials.py on one GPU: several runs at once, each step the replay of one recording.

    python benchmarks/gpu_trials.py --minutes 3    # one process: several take turns on the card
    python benchmarks/gpu_trials.py --device cpu   # the same steps, not recorded

A step of so small a model is a thousand kernels of a few microseconds each: Python cannot start
them as fast as the card ends them. So the step is recorded once for each shape of batch, as a CUDA
graph, and replayed. Pairs, their order, rates and number of steps are those of the queue; batches
are padded further, and dropout draws other numbers. A run that is cut off begins anew.
"""

import argparse
import math
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
import trials
import variations
from torch import Tensor
from torch.nn.functional import pad

from transformer_course import data
from transformer_course.commands import record
from transformer_course.data import EOS_ID, PAD_ID, TokenBatches
from transformer_course.data.batching import make_batch
from transformer_course.errors import DataError
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint, choose_device, learning_rate
from transformer_course.training.loop import PartLoss, make_optimizer

WIDTH = 8  # batches are padded to a multiple of this
COMMAND = "python benchmarks/gpu_trials.py"


@cache
def encoded(task: str) -> list[tuple[list[int], list[int]]]:
    """The pairs that a task learns from, as ids, without those too long for its model."""
    pairs = data.load_pairs(variations.TASKS[task].data, "train")
    ids = variations.vocabulary(task).encode_pairs(pairs)
    return [pair for pair in ids if max(map(len, pair)) < variations.MAX_LEN]


def round_up(length: int) -> int:
    """To the next multiple of WIDTH."""
    return -(-length // WIDTH) * WIDTH


@cache
def table(task: str, device: torch.device) -> tuple[Tensor, ...]:
    """What encoder and decoder read and what they should say, a row for each pair.

    One row more predicts nothing: it fills batches up.
    """
    whole = make_batch(encoded(task))
    filler = torch.tensor([[EOS_ID]])
    columns = round_up(max(whole.src.size(1), whole.tgt_in.size(1)))
    wide = [
        torch.cat([pad(ids, (0, columns - ids.size(1)), value=PAD_ID) for ids in side])
        for side in (
            (whole.src, filler),
            (whole.tgt_in, filler),
            (whole.tgt_out, torch.full_like(filler, PAD_ID)),
        )
    ]
    return tuple(ids.to(device) for ids in wide)


@cache
def plan_steps(
    task: str, seed: int, max_tokens: int
) -> tuple[Tensor, list[int], list[int], dict[int, int]]:
    """For each step the rows of its pairs, its width and how many tokens it predicts.

    And for each width, the widest first, how many rows a batch has at most.
    """
    pairs, steps = encoded(task), variations.TASKS[task].steps
    batches = TokenBatches(pairs, max_tokens=max_tokens, seed=seed, max_len=max_tokens)
    rows = [torch.from_numpy(batches.indices(number)) for number in range(steps)]
    lengths = torch.from_numpy(batches.pairs.lengths) + 1
    widths = [round_up(int(lengths[each].max())) for each in rows]
    tokens = [int(lengths[each, 1].sum()) for each in rows]
    sizes = {width: 0 for width in sorted(set(widths), reverse=True)}
    for width, each in zip(widths, rows, strict=True):
        sizes[width] = max(sizes[width], len(each))
    filled = torch.full((steps, max(sizes.values())), len(pairs))
    for number, each in enumerate(rows):
        filled[number, : len(each)] = each
    return filled, widths, tokens, sizes


class Recording:
    """The training of one trial, step by step, on a stream of its own."""

    def __init__(self, trial: variations.Trial, folder: Path, device: torch.device):
        self.trial, self.task = trial, variations.TASKS[trial.task]
        self.on_gpu, self.device = device.type == "cuda", device
        tokenizer = variations.vocabulary(trial.task)
        shutil.rmtree(folder, ignore_errors=True)
        self.run = Run.create(folder, trial.config(len(tokenizer), device), tokenizer)
        self.start = time.perf_counter()
        training = self.run.config.training
        plan = plan_steps(trial.task, training.seed, training.max_tokens)
        rows, self.widths, self.tokens, self.sizes = plan
        self.rows = rows.to(device)
        self.stream = torch.cuda.Stream(device) if self.on_gpu else None
        self.step, self.logged = 0, 0
        with torch.cuda.stream(self.stream):
            self.prepare()

    def prepare(self) -> None:
        """Model, optimizer and, on a GPU, a recording for every width."""
        config, device = self.run.config, self.device
        torch.manual_seed(config.training.seed)
        self.model = Transformer(config.model).to(device).train()
        self.loss_of = PartLoss(self.model, config.training.label_smoothing)
        self.optimizer = make_optimizer(self.model)
        self.rate, self.share = torch.zeros((), device=device), torch.ones((), device=device)
        for group in self.optimizer.param_groups:
            group["lr"], group["capturable"] = self.rate, self.on_gpu
        self.losses = torch.full((self.task.steps,), math.nan, device=device)
        self.last = torch.zeros((), device=device)
        self.filled = {
            width: torch.full((size,), len(encoded(self.trial.task)), device=device)
            for width, size in self.sizes.items()
        }
        self.graphs: dict[int, torch.cuda.CUDAGraph] = {}
        if self.on_gpu:
            self.record_all()

    def record_all(self) -> None:
        """Record the step for every width, with random numbers of this run's own."""
        default = torch.cuda.default_generators[self.device.index or 0]
        before, own = default.graphsafe_get_state(), default.clone_state()
        own.manual_seed(self.run.config.training.seed)
        default.graphsafe_set_state(own)
        for width in self.sizes:  # at a rate of 0: whatever is made once is made now
            self.update(width)
        for state in self.optimizer.state.values():
            for value in state.values():
                value.zero_()
        self.stream.synchronize()
        pool = torch.cuda.graph_pool_handle()
        for width in self.sizes:
            self.optimizer.zero_grad(set_to_none=True)
            graph = self.graphs[width] = torch.cuda.CUDAGraph()
            graph.capture_begin(pool=pool, capture_error_mode="thread_local")
            self.update(width)
            graph.capture_end()
        self.optimizer.zero_grad(set_to_none=True)
        default.graphsafe_set_state(before)

    def update(self, width: int) -> None:
        """One step on the pairs whose rows stand in `filled`."""
        rows = self.filled[width]
        src, tgt_in, tgt_out = (ids[rows, :width] for ids in table(self.trial.task, self.device))
        half = self.run.config.training.precision == "bf16"
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            loss = self.loss_of(src, tgt_in, tgt_out, 1) * self.share
        loss.backward()
        self.optimizer.step()
        self.last.copy_(loss.detach())

    def take(self) -> None:
        """Start the next step; nothing here waits for it."""
        width, config = self.widths[self.step], self.run.config
        with torch.cuda.stream(self.stream):
            self.filled[width].copy_(self.rows[self.step, : self.sizes[width]])
            number = self.step + 1
            self.rate.fill_(learning_rate(number, config.model.d_model, config.training))
            self.share.fill_(1 / self.tokens[self.step])
            if self.on_gpu:
                self.graphs[width].replay()
            else:
                self.update(width)
            self.losses[self.step].copy_(self.last)
        self.step = number

    def steps(self) -> Iterator[str]:
        """Take all steps, yielding after each; look at losses and perplexity now and then."""
        every = self.run.config.save_every
        while self.step < self.task.steps:
            self.take()
            line = ""
            if self.step % every == 0 or self.step == self.task.steps:
                with torch.cuda.stream(self.stream):
                    line = self.look()
            elif self.stream and self.step % 64 == 0:
                self.stream.synchronize()  # or thousands of steps wait on the card
            yield line
        checkpoint.save(self.run.folder / f"step-{self.step:06d}", self.model)

    def look(self) -> str:
        """Write down the losses since the last look, and the perplexity now.

        Raises:
            FloatingPointError: if a loss is not finite.
        """
        losses, seconds = self.losses[: self.step].tolist(), time.perf_counter() - self.start
        lines = []
        for step in range(self.logged + 1, self.step + 1):
            loss = losses[step - 1]
            if not math.isfinite(loss):
                raise FloatingPointError(f"the loss of step {step} is {loss}, not a finite number")
            tokens = self.tokens[step - 1]
            lines.append({"step": step, "loss": loss, "tokens": tokens, "seconds": seconds})
        self.run.append("log.jsonl", *lines)
        self.logged = self.step
        found = variations.perplexity(self.model, self.trial.task)
        self.model.train()
        self.run.append("valid.jsonl", {"step": self.step, "seconds": round(seconds, 3), **found})
        return f"step {self.step}: perplexity {found['perplexity']:.2f}"


def measure(trial: variations.Trial, decided: str, commit: str, threads: int) -> str:
    """In a process of its own: translate by the last checkpoint, write the result."""
    torch.set_num_threads(threads)
    folder = trials.RUNS / trial.name
    result = trial.result(folder)
    del result["seconds"]  # several runs shared the card
    trials.write_result(trial, result, decided, commit, COMMAND)
    checkpoint.remove(folder)
    return trial.name


def work(wanted: Sequence[variations.Trial], options: argparse.Namespace) -> None:
    """Take steps of several trials in turn; none is begun after the time is up."""
    device, begun = choose_device(options.device), time.monotonic()
    decided = trials.criteria()
    commit = record.commit("transformer_course", "benchmarks/variations.py")
    active: list[tuple[variations.Trial, Any, Iterator[str]]] = []
    waiting: dict[Future, Any] = {}
    taken = 0
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        while True:
            in_time = time.monotonic() - begun < 60 * options.minutes
            while in_time and len(active) < options.streams:
                if not (held := trials.next_trial(wanted)):
                    break
                trial, lock = held
                steps = Recording(trial, trials.RUNS / trial.name, device).steps()
                active.append((trial, lock, steps))
            if not active:
                break
            for each in list(active):
                trial, lock, steps = each
                try:
                    if line := next(steps):
                        print(f"{time.monotonic() - begun:6.1f} {trial.name}: {line}", flush=True)
                    taken += 1
                except (StopIteration, FloatingPointError) as end:
                    active.remove(each)
                    if isinstance(end, StopIteration):
                        ended = pool.submit(measure, trial, decided, commit, options.threads)
                        waiting[ended] = lock
                    else:
                        trials.write_result(trial, {"failed": str(end)}, decided, commit, COMMAND)
                        checkpoint.remove(trials.RUNS / trial.name)
                        lock.release()
            for done in [future for future in waiting if future.done()]:
                waiting.pop(done).release()
                print(f"{done.result()}: done", flush=True)
        print(f"{taken} steps in {time.monotonic() - begun:.1f} s", flush=True)
        for future, lock in waiting.items():
            print(f"{future.result()}: done", flush=True)
            lock.release()


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on the queue."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="those whose name holds this")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--streams", type=int, default=8, help="runs at once; default: 8")
    parser.add_argument("--workers", type=int, default=4, help="processes that translate")
    parser.add_argument("--threads", type=int, default=1, help="of each of these; default: 1")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(arguments)
    wanted = [trial for trial in variations.trials() if options.only in trial.name]
    try:
        if not wanted:
            raise DataError(f"--only {options.only}: no run has that in its name")
        work(wanted, options)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
