"""The queue of trials.py on one GPU: several runs at once, each step the replay of one recording.

    python benchmarks/gpu_trials.py --minutes 3    # one process: several take turns on the card
    python benchmarks/gpu_trials.py --device cpu   # the same steps, not recorded

Pairs, their order, rates and number of steps are those of the queue; batches are padded further,
and dropout draws other numbers. A run that is cut off begins anew.
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

import recorded
import torch
import trials
import variations
from torch import Tensor

from transformer_course import data
from transformer_course.commands import record
from transformer_course.errors import DataError
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint, choose_device, learning_rate
from transformer_course.training.loop import PartLoss

COMMAND = "python benchmarks/gpu_trials.py"


@cache
def encoded(task: str) -> list[tuple[list[int], list[int]]]:
    """The pairs that a task learns from, as ids, without those too long for its model."""
    pairs = data.load_pairs(variations.TASKS[task].data, "train")
    ids = variations.vocabulary(task).encode_pairs(pairs)
    return [pair for pair in ids if max(map(len, pair)) < variations.MAX_LEN]


@cache
def table(task: str, device: torch.device) -> tuple[Tensor, ...]:
    """The pairs of a task on a device, a row for each."""
    return recorded.table(encoded(task), device)


@cache
def plan_steps(task: str, seed: int, max_tokens: int) -> recorded.Plan:
    """What each step of a task's training learns from."""
    return recorded.plan_steps(encoded(task), variations.TASKS[task].steps, max_tokens, seed)


class Recording(recorded.Recorded):
    """The training of one trial."""

    def __init__(self, trial: variations.Trial, folder: Path, device: torch.device):
        self.trial = trial
        tokenizer = variations.vocabulary(trial.task)
        shutil.rmtree(folder, ignore_errors=True)
        self.run = Run.create(folder, trial.config(len(tokenizer), device), tokenizer)
        self.start, self.logged = time.perf_counter(), 0
        config, training = self.run.config.model, self.run.config.training
        torch.manual_seed(training.seed)
        model = Transformer(config).to(device)
        loss_of = PartLoss(model, training.label_smoothing)

        def loss(rows: Tensor, width: int) -> Tensor:
            return loss_of(*(ids[rows, :width] for ids in table(trial.task, device)), 1)

        plan = plan_steps(trial.task, training.seed, training.max_tokens)
        super().__init__(model, loss, plan, seed=training.seed, precision=training.precision)

    def next_step(self) -> None:
        """Take the next step, at the rate of the run's schedule."""
        config = self.run.config
        self.take(learning_rate(self.step + 1, config.model.d_model, config.training))

    def steps(self) -> Iterator[str]:
        """Take all steps, yielding after each; look at losses and perplexity now and then."""
        every, last = self.run.config.save_every, len(self.plan.rows)
        while self.step < last:
            self.next_step()
            line = ""
            if self.step % every == 0 or self.step == last:
                with torch.cuda.stream(self.stream):
                    line = self.look()
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
            tokens = self.plan.tokens[step - 1]
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
