"""A training run as a folder, from which it resumes, translates and is evaluated.

run.json          data set, model and training configuration, vocabulary, as they were asked for
tokenizer.json    the vocabulary
log.jsonl         one line a step: loss, rate, target tokens, seconds since the start
valid.jsonl       one line each time the validation set was translated
step-000500/      checkpoints; the newest ones also hold what training needs to go on
averaged/         the mean of the last checkpoints, made when training ends or by `average`
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from transformer_course.data import TokenBatches, Tokenizer, load_pairs
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig, without_retired
from transformer_course.training import checkpoint, distributed
from transformer_course.training.loop import Step, make_optimizer, train
from transformer_course.training.schedule import TrainingConfig


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All that a run was asked to be. Two runs with equal configurations have equal losses."""

    data: str
    model: TransformerConfig
    training: TrainingConfig
    save_every: int = 500  # steps between checkpoints
    keep: int = 5  # checkpoints that stay, as many as the paper averages
    vocabulary: str = ""  # fingerprint of the tokenizer


class Run:
    """One folder; see the module's text for what is in it."""

    def __init__(self, folder: Path, config: RunConfig, tokenizer: Tokenizer):
        self.folder, self.config, self.tokenizer = folder, config, tokenizer

    @classmethod
    def create(cls, folder: Path, config: RunConfig, tokenizer: Tokenizer) -> "Run":
        """Begin a run in a folder that must not exist yet."""
        if folder.exists():
            raise DataError(
                f"{folder} exists already: go on with it by --resume, or choose another --out"
            )
        values = {**asdict(config), "vocabulary": tokenizer.fingerprint()}
        with checkpoint.whole_folder(folder) as scratch:
            (scratch / "run.json").write_text(json.dumps(values, indent=2) + "\n")
            tokenizer.save(scratch / "tokenizer.json")
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> "Run":
        """Open a run, and check that its vocabulary is the one that it was trained with."""
        if not folder.is_dir():
            raise DataError(f"no run in {folder}: train one with `transformer-course train`")
        values = checkpoint.load_json(folder / "run.json", "the configuration of a run")
        try:
            model = TransformerConfig(**without_retired(values.pop("model")))
            training = TrainingConfig(**values.pop("training"))
            config = RunConfig(model=model, training=training, **values)
        except (KeyError, TypeError) as error:
            raise DataError(
                f"{folder / 'run.json'} does not fit this version of the course ({error}): "
                "use the version that wrote it"
            ) from error
        tokenizer = Tokenizer.load(folder / "tokenizer.json")
        if tokenizer.fingerprint() != config.vocabulary:
            raise DataError(
                f"{folder / 'tokenizer.json'} is another vocabulary than this run was trained "
                f"with (expected {config.vocabulary[:12]}, got {tokenizer.fingerprint()[:12]}): "
                "put the run's own file back"
            )
        return cls(folder, config, tokenizer)

    def check_same(self, asked: RunConfig) -> None:
        """Refuse to go on with a run under another configuration, and name what differs."""
        ours, theirs = flatten(self.config), flatten(asked)
        for name in (name for name in ours if name != "vocabulary"):
            if ours[name] != theirs[name]:
                raise DataError(
                    f"{self.folder} was trained with {name}={ours[name]}, not {theirs[name]}: "
                    "resume without that option, or start another run"
                )

    def checkpoints(self) -> list[Path]:
        """The folders of all whole checkpoints, oldest first."""
        return sorted(path for path in self.folder.glob("step-*") if path.is_dir())

    def weights(self, which: str | None = None) -> Path:
        """The checkpoint to use: "averaged", "last", "step-000500", or the best there is."""
        found = self.checkpoints()
        averaged = self.folder / "averaged"
        if which is None:
            which = "averaged" if averaged.is_dir() else "last"
        if which == "last" and found:
            return found[-1]
        path = self.folder / which
        if which == "last" or not path.is_dir():
            here = [path.name for path in found] + (["averaged"] if averaged.is_dir() else [])
            raise DataError(
                f"no checkpoint {which} in {self.folder}: there is {', '.join(here) or 'none yet'}"
            )
        return path

    def average(self, last: int) -> list[Path]:
        """Write the mean of the last checkpoints to `averaged` and return which they were."""
        if last < 1:
            raise DataError(f"last={last}: average at least one checkpoint")
        paths = self.checkpoints()
        if last > len(paths):
            raise DataError(
                f"{self.folder} has {len(paths)} checkpoints, not {last}: ask for at most "
                f"{len(paths)}, or train on"
            )
        paths = paths[-last:]
        mean = checkpoint.average(paths)
        with checkpoint.whole_folder(self.folder / "averaged") as scratch:
            checkpoint.write(scratch, self.config.model, mean)
        return paths

    def records(self, name: str) -> list[dict[str, Any]]:
        """The lines of log.jsonl or valid.jsonl; a line cut off by a crash is left out."""
        path, lines = self.folder / name, []
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
        return lines

    def append(self, name: str, *records: dict[str, Any]) -> None:
        """Add lines to log.jsonl or valid.jsonl."""
        with (self.folder / name).open("a") as stream:
            stream.writelines(json.dumps(record) + "\n" for record in records)


def flatten(config: RunConfig) -> dict[str, Any]:
    """{"model": {"d_model": 64}} becomes {"model.d_model": 64}."""
    values = asdict(config)
    for part in ("model", "training"):
        values |= {f"{part}.{name}": value for name, value in values.pop(part).items()}
    return values


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
        self.writes = distributed.rank() == 0
        torch.manual_seed(config.training.seed)
        self.model = Transformer(config.model)
        self.step, self.saved, self.seconds = 0, -1, 0.0  # saved: in the newest checkpoint
        if found := run.checkpoints():
            self.step = self.saved = int(found[-1].name.removeprefix("step-"))
            self.model.load_state_dict(checkpoint.load(found[-1]).state_dict())
        if self.fsdp:  # layer by layer onto the device: it need not hold the whole
            distributed.spread(self.model, device)
        self.model.to(device)
        self.optimizer = make_optimizer(self.model)
        if found:
            checkpoint.restore_training(found[-1], self.model, self.optimizer)
        if self.writes:
            self.forget_what_came_after()
        self.batches = TokenBatches(
            run.tokenizer.encode_pairs(load_pairs(config.data, "train")),
            max_tokens=config.training.max_tokens,
            seed=config.training.seed,
            max_len=min(config.model.max_len, config.training.max_tokens),
        )
        self.unwritten: list[tuple[Step, float]] = []
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
        start = time.perf_counter() - self.seconds
        batches, training = self.batches.starting_at(self.step), self.run.config.training
        taken = self.step + 1, self.accumulate, self.compile
        for step in train(self.model, batches, training, self.optimizer, *taken):
            self.step, self.seconds = step.number, time.perf_counter() - start
            self.unwritten.append((step, self.seconds))
            if step.number % self.run.config.save_every == 0:
                self.save()
            elif len(self.unwritten) == 50:
                self.write_log()
            yield step

    def write_log(self) -> None:
        """Read the losses from the device, all at once, and write them down."""
        steps, self.unwritten = self.unwritten, []
        if not self.writes:
            return
        lines = [
            {
                "step": step.number,
                "loss": step.loss,
                "rate": step.rate,
                "tokens": step.num_tokens,
                "seconds": round(seconds, 3),
            }
            for step, seconds in steps
        ]
        self.run.append("log.jsonl", *lines)

    def save(self) -> None:
        """Write a checkpoint of where we are, unless there is one, and drop the oldest."""
        self.write_log()
        if self.saved != self.step and (self.writes or self.fsdp):
            checkpoint.save(self.run.folder / f"step-{self.step:06d}", self.model, self.optimizer)
            self.saved = self.step
        if not self.writes:
            return
        for old in self.run.checkpoints()[: -self.run.config.keep]:
            checkpoint.remove(old)
        if (averaged := self.run.folder / "averaged").exists():
            checkpoint.remove(averaged)  # it was the mean of older ones
