"""Weights on disk: safetensors and the configuration beside them, written whole or not at all.

No pickle is ever read. A checkpoint is a folder::

    model.safetensors      the weights, under the names of `Transformer.state_dict()`; what `export`
                           wrote holds int8, and the scale of each row as NAME.scale
    config.json            the `TransformerConfig` that rebuilds the model
    training.safetensors   the optimizer's state, only where training can go on
    SHA256SUMS             of the tensors; `sha256sum --check` reads it too
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig, without_retired
from transformer_course.training import distributed

WEIGHTS, CONFIG, TRAINING = "model.safetensors", "config.json", "training.safetensors"
CHECKSUMS = "SHA256SUMS"


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a scratch folder that becomes `path` if all goes well, and vanishes if not."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.partial")
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        scratch.mkdir(parents=True)
        yield scratch
        tensors = sorted(scratch.glob("*.safetensors"))
        if tensors:
            sums = "".join(f"{sha256(file)}  {file.name}\n" for file in tensors)
            (scratch / CHECKSUMS).write_text(sums)
        for file in scratch.iterdir():
            sync(file)  # a crash of the machine must not leave an empty file
        if path.exists():
            remove(path)
        scratch.rename(path)
        sync(path.parent)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"cannot write {path}: {reason}; make room or choose another "
            "folder, the checkpoints before it are untouched"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def sync(path: Path) -> None:
    """Wait until the disk holds a file, or the names in a folder: then the plug may be pulled."""
    if path.is_dir() and os.name != "posix":  # there no folder can be opened
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def remove(path: Path) -> None:
    """Delete a checkpoint so that half of one is never seen."""
    doomed = path.with_name(f".{path.name}.{os.getpid()}.old")
    path.rename(doomed)
    shutil.rmtree(doomed)


def clear_leftovers(folder: Path) -> None:
    """Delete what a process killed in the middle of a checkpoint left behind."""
    for pattern in (".*.partial", ".*.old"):
        for path in folder.glob(pattern):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)


def save(
    path: str | Path, model: Transformer, optimizer: torch.optim.Optimizer | None = None
) -> None:
    """Write the weights and, given an optimizer, all that training needs to go on exactly.

    Process 0 writes. Where a model is spread over several, all of them have to call this.
    """
    weights = {name: distributed.whole(tensor) for name, tensor in model.state_dict().items()}
    state = training_state(model, optimizer) if optimizer is not None else None
    if distributed.rank():
        return
    with whole_folder(Path(path)) as folder:
        write(folder, model.config, weights)
        if state is not None:
            save_file(state, folder / TRAINING)


def write(folder: Path, config: TransformerConfig, weights: dict[str, Tensor]) -> None:
    """Write weights and configuration into a folder."""
    contiguous = {name: tensor.contiguous() for name, tensor in weights.items()}
    made_for = {"config": json.dumps(asdict(config))}  # not all of it shows in the shapes
    save_file(contiguous, folder / WEIGHTS, metadata=made_for)
    (folder / CONFIG).write_text(json.dumps(asdict(config), indent=2) + "\n")


def load(path: str | Path, device: torch.device | str = "cpu") -> Transformer:
    """Rebuild the model of a checkpoint, in evaluation mode.

    Raises:
        DataError: if the checkpoint is missing, truncated, or does not fit its configuration.
    """
    path = Path(path)
    config = load_config(path)
    weights = load_tensors(path / WEIGHTS)
    restore_floats(path / WEIGHTS, weights)
    model = Transformer(config)
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise DataError(
                f"{path / WEIGHTS} does not fit {CONFIG}: {name} should be "
                f"{expected.get(name, 'missing')} but is {found.get(name, 'missing')}; "
                "the two files are from different models"
            )
    for name, value in made_for(path / WEIGHTS).items():
        if name not in ("dropout", "max_len") and getattr(config, name, None) != value:
            raise DataError(
                f"{path / WEIGHTS} does not fit {CONFIG}: it was trained with {name}={value!r}, "
                f"not {getattr(config, name, None)!r}; the two files are from different models"
            )
    model.load_state_dict(weights)
    return model.to(device).eval()


def restore_floats(path: Path, weights: dict[str, Tensor]) -> None:
    """Turn int8 rows back into floats: `NAME` times `NAME.scale`, as `export` wrote them."""
    for name in [name for name in weights if f"{name}.scale" in weights]:
        weights[name] = weights[name] * weights.pop(f"{name}.scale")
    for name, tensor in weights.items():
        if tensor.dtype == torch.int8:
            raise DataError(f"{path}: {name} is int8 and {name}.scale is missing; export it again")


def made_for(path: Path) -> dict[str, Any]:
    """The configuration that a file of weights was written with; older files do not say."""
    with safe_open(path, "pt") as file:
        return without_retired(json.loads((file.metadata() or {}).get("config", "{}")))


def load_config(path: Path) -> TransformerConfig:
    """Read the configuration of a checkpoint; entries that it lacks mean the paper's choice."""
    values = without_retired(load_json(path / CONFIG, "a checkpoint's configuration"))
    odd = sorted(set(values) - {field.name for field in fields(TransformerConfig)})
    if odd:
        raise DataError(
            f"{path / CONFIG} has other entries than this version's TransformerConfig "
            f"({', '.join(odd)}): it was written by another version of the course"
        )
    try:
        return TransformerConfig(**values)
    except DataError as error:
        raise DataError(f"{path / CONFIG} describes no model: {error}") from error


def load_json(path: Path, what: str) -> dict[str, Any]:
    """Read a JSON object, or say in one line why not."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"no {path}: expected {what} there ({error.strerror})") from error
    except ValueError as error:
        raise DataError(f"{path} is damaged, not {what} ({error}); restore the file") from error
    if not isinstance(values, dict):
        raise DataError(f"{path} is not {what}: expected an object, got {type(values).__name__}")
    return values


def sha256(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file whose checksum is right, or say in one line why not."""
    sums = path.with_name(CHECKSUMS)
    try:
        if sums.exists() and f"{sha256(path)}  {path.name}\n" not in sums.read_text():
            raise SafetensorError(f"its checksum is not the one in {CHECKSUMS}")
        return load_file(path)
    except FileNotFoundError as error:
        raise DataError(f"no {path}: the checkpoint is incomplete, use another") from error
    except (SafetensorError, OSError) as error:
        raise DataError(
            f"{path} is truncated or damaged ({error}): delete {path.parent}, or rename it to "
            f"damaged-{path.parent.name}, and the run goes on from the checkpoint before it"
        ) from error


def training_state(model: Transformer, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Adam's two moments and step of each weight, by name."""
    state = {}
    for name, parameter in model.named_parameters():
        for key, tensor in optimizer.state[parameter].items():
            state[f"{key}.{name}"] = distributed.whole(tensor).clone()
    return state


def restore_training(
    path: str | Path, model: Transformer, optimizer: torch.optim.Optimizer
) -> None:
    """Put the optimizer back to where `save` saw it."""
    state = load_tensors(Path(path) / TRAINING)
    for name, parameter in model.named_parameters():
        if f"step.{name}" in state:
            optimizer.state[parameter] = {
                "step": state[f"step.{name}"],
                **{
                    key: distributed.like(state[f"{key}.{name}"], parameter)
                    for key in ("exp_avg", "exp_avg_sq")
                },
            }


def average(paths: Sequence[str | Path]) -> dict[str, Tensor]:
    """The mean of the weights of several checkpoints of one run (section 6.1)."""
    files = [Path(path) / WEIGHTS for path in paths]
    states = [load_tensors(file) for file in files]
    for file, weights in zip(files, states, strict=True):
        restore_floats(file, weights)
    return mean_weights(states)


def mean_weights(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each weight over several states of one model."""
    if not states:
        raise DataError("no checkpoint to average: train first")
    return {
        name: torch.stack([state[name].double() for state in states]).mean(0).to(tensor.dtype)
        for name, tensor in states[0].items()
    }
