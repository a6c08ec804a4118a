"""The training of a run: steps, log and checkpoints, from where the run is."""

import json
import time
from collections.abc import Iterator

import torch

from transformer_course.data import TokenBatches, load_pairs
from transformer_course.model import Transformer
from transformer_course.training import checkpoint, distributed
from transformer_course.training.loop import Step, make_optimizer, train
from transformer_course.training.runs import Run, step_of


class RunTraining:
    """Trains a run from its last checkpoint on; iterate to take steps, as long as you like."""

    def __init__(
        self,
        run: Run,
        device: torch.device,
        *,
        compile: bool = False,
        accumulate: int = 1,
        fsdp: bool = False,
    ):
        self.run, config = run, run.config
        self.accumulate, self.compile, self.fsdp = accumulate, compile, fsdp
        usual = {"processes": 1, "passes": 1, "compiled": False}
        asked = {"processes": distributed.world_size(), "passes": accumulate, "compiled": compile}
        self.unusual = {name: value for name, value in asked.items() if value != usual[name]}
        self.writes = distributed.rank() == 0
        torch.manual_seed(config.training.seed)
        self.model = Transformer(config.model)
        self.step, self.saved, self.seconds = 0, -1, 0.0  # saved: in the newest checkpoint
        if found := run.checkpoints():
            self.step = self.saved = step_of(found[-1])
            self.model.load_state_dict(checkpoint.load(found[-1]).state_dict())
        if self.fsdp:  # layer by layer onto the device: it need not hold the whole
            distributed.spread(self.model, device)
        self.model.to(device)
        self.optimizer = make_optimizer(self.model)
        if found:
            checkpoint.restore_training(found[-1], self.model, self.optimizer)
        if self.writes:
            self.forget_what_came_after()
        self.longest = min(config.model.max_len, config.training.max_tokens)  # of a side, in tokens
        self.batches = TokenBatches(
            run.tokenizer.encode_pairs(load_pairs(config.data, "train")),
            max_tokens=config.training.max_tokens,
            seed=config.training.seed,
            max_len=self.longest,
        )
        self.unwritten: list[dict[str, float]] = []
        self.steps = self.take_steps()

    def forget_what_came_after(self) -> None:
        """Drop what the logs say of steps after the last checkpoint: they will be taken again."""
        checkpoint.clear_leftovers(self.run.folder)
        for name in ("log.jsonl", "valid.jsonl"):
            kept = [line for line in self.run.records(name) if line["step"] <= self.step]
            scratch = self.run.folder / f".{name}.partial"
            scratch.write_text("".join(json.dumps(line) + "\n" for line in kept))
            scratch.replace(self.run.folder / name)
            if name == "log.jsonl" and kept:
                self.seconds = kept[-1]["seconds"]

    def __iter__(self) -> "RunTraining":
        return self

    def __next__(self) -> Step:
        """Take one step; write the log and the checkpoints on the way."""
        return next(self.steps)

    def take_steps(self) -> Iterator[Step]:
        """Go on from the step where the run is; the log and the checkpoints follow."""
        start = time.perf_counter() - self.seconds
        batches, training = self.batches.starting_at(self.step), self.run.config.training
        taken = self.step + 1, self.accumulate, self.compile
        for step in train(self.model, batches, training, self.optimizer, *taken):
            self.step, self.seconds = step.number, time.perf_counter() - start
            line = {"step": step.number, "loss": step.loss, "rate": step.rate}
            line |= {"tokens": step.num_tokens, "seconds": round(self.seconds, 3)}
            self.unwritten.append(line | self.unusual)
            if step.number % self.run.config.save_every == 0:
                self.save()
            elif len(self.unwritten) == 50:
                self.write_log()
            yield step

    def write_log(self) -> None:
        """Write down the steps that are not written yet."""
        if self.writes:
            self.run.append("log.jsonl", *self.unwritten)
        self.unwritten = []

    def save(self) -> None:
        """Write a checkpoint of where we are, unless there is one, and drop the oldest."""
        self.write_log()
        if self.writes:
            checkpoint.sync(self.run.folder / "log.jsonl")  # or a crash leaves a gap before it
        if self.saved != self.step and (self.writes or self.fsdp):
            checkpoint.save(self.run.folder / f"step-{self.step:06d}", self.model, self.optimizer)
            self.saved = self.step
        if not self.writes:
            return
        for old in self.run.checkpoints()[: -self.run.config.keep]:
            checkpoint.remove(old)
        if (averaged := self.run.folder / "averaged").exists():
            checkpoint.remove(averaged)  # it was the mean of older ones
