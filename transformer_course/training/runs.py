"""A training run as a folder, from which it resumes, translates and is evaluated.

run.json          data set, model and training configuration, vocabulary, as they were asked for
tokenizer.json    the vocabulary
log.jsonl         one line a step: loss, rate, target tokens, seconds; several processes or passes
valid.jsonl       one line each time the validation set was translated
step-000500/      checkpoints; the newest ones also hold what training needs to go on
averaged/         the mean of the last checkpoints, made by `average`, or when training ends
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformer_course.data import Tokenizer
from transformer_course.errors import DataError
from transformer_course.model import TransformerConfig, without_retired
from transformer_course.training import checkpoint
from transformer_course.training.schedule import TrainingConfig

STEP = r"step-\d+"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All that a run was asked to be.

    Two runs with equal configurations have equal losses on one machine. With dropout they also need
    equally many processes and passes a step, and both or neither compiled.

    Raises:
        DataError: if no run can be so; the message says which entry and why.
    """

    data: str
    model: TransformerConfig
    training: TrainingConfig
    save_every: int = 500  # steps between checkpoints
    keep: int = 5  # checkpoints that stay, as many as the paper averages
    vocabulary: str = ""  # fingerprint of the tokenizer

    def __post_init__(self) -> None:
        for name in ("data", "vocabulary"):
            if not isinstance(getattr(self, name), str):
                raise DataError(f"{name}={getattr(self, name)!r}: expected a name")
        for name in ("save_every", "keep"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise DataError(f"{name}={value!r}: expected a whole number from 1 on")


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
        except DataError as error:
            raise DataError(f"{folder / 'run.json'} describes no run: {error}") from error
        except (AttributeError, KeyError, TypeError) as error:
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
        """The folders of all whole checkpoints, oldest first; one with another name is none."""
        found = [path for path in self.folder.glob("step-*") if path.is_dir()]
        return sorted((path for path in found if re.fullmatch(STEP, path.name)), key=step_of)

    def weights(self, which: str | None = None) -> Path:
        """The checkpoint to use: "averaged", "last" or "step-000500".

        Without a name: averaged, if training or `average` made it after the last step, else last.
        """
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

    def average_end(self) -> list[Path]:
        """Average the checkpoints of the last fifth of all steps, if there are two or more.

        Where a model still learns fast, older ones make the mean worse than the last one alone.
        """
        found = self.checkpoints()
        late = [path for path in found if step_of(path) >= 0.8 * step_of(found[-1])]
        return self.average(len(late)) if len(late) > 1 else []

    def records(self, name: str) -> list[dict[str, Any]]:
        """The lines of log.jsonl or valid.jsonl, up to one that a crash cut off or damaged."""
        path, lines = self.folder / name, []
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        for line in text.splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                break
            if not is_record(record):
                break
            lines.append(record)
        return lines

    def append(self, name: str, *records: dict[str, Any]) -> None:
        """Add lines to log.jsonl or valid.jsonl."""
        with (self.folder / name).open("a") as stream:
            stream.writelines(json.dumps(record) + "\n" for record in records)


def step_of(checkpoint: Path) -> int:
    """The number of the step after which a checkpoint was written."""
    return int(checkpoint.name.removeprefix("step-"))


def is_record(value: Any) -> bool:
    """Whether this is what a line of a log holds: when it was, and more."""
    when = [value.get(name) for name in ("step", "seconds")] if isinstance(value, dict) else [None]
    return all(isinstance(number, int | float) for number in when)


def flatten(config: RunConfig) -> dict[str, Any]:
    """{"model": {"d_model": 64}} becomes {"model.d_model": 64}."""
    values = asdict(config)
    for part in ("model", "training"):
        values |= {f"{part}.{name}": value for name, value in values.pop(part).items()}
    return values
