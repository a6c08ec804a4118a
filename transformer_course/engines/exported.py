"""The folder that an engine translates from: its files, the tokenizer, and what they are.

export.json       for which engine, by which format, and the checksum of each other file
tokenizer.json    the vocabulary, as in a run
and the engine's own files
"""

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor

from transformer_course.data import BOS_ID, PAD_ID, Tokenizer
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import checkpoint

FORMAT = 1  # of the folder; another one cannot be read
ABOUT, TOKENIZER = "export.json", "tokenizer.json"

# What an engine can compute, by the entry of the configuration; all others may have any value
PAPER: dict[str, tuple[object, ...]] = {
    "norm_placement": ("post", "pre"),
    "norm": ("layer",),
    "positions": ("sinusoidal",),
    "activation": ("relu",),
}


def check_supported(config: TransformerConfig, target: str) -> None:
    """Refuse a model that is made of other parts than the paper's, or pre-norm layers.

    Raises:
        DataError: if it is; the message names each such part.
    """
    known, size = dict(PAPER), config.d_model // config.num_heads
    known |= {"head_dim": (None, size), "value_dim": (None, size)}
    known |= {"num_kv_heads": (None, config.num_heads)}
    if target == "page":  # it reads one of each
        known = {name: values[:1] for name, values in known.items()}
    odd = [name for name, values in known.items() if getattr(config, name) not in values]
    if odd:
        found = ", ".join(f"{name}={getattr(config, name)}" for name in odd)
        wanted = ", ".join(f"{name}={' or '.join(map(str, known[name]))}" for name in odd)
        raise DataError(f"{target} does not support {found}: expected {wanted}")


def needed(package: str) -> ModuleType:
    """An optional package.

    Raises:
        DataError: if it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise DataError(
            f"expected the package {package}, which is not here ({error}): pip install {package}"
        ) from error


def never_written(model: Transformer) -> Tensor:
    """A bias of the scores by which padding and the start mark are never written."""
    bias = torch.zeros(model.config.vocab_size)
    bias[[PAD_ID, BOS_ID]] = float("-inf")
    return bias


@dataclass(frozen=True)
class Exported:
    """A folder for an engine, whole and of this version."""

    folder: Path
    engine: str
    max_len: int
    tokenizer: Tokenizer

    @classmethod
    def describe(
        cls, folder: Path, engine: str, config: TransformerConfig, tokenizer: Tokenizer
    ) -> None:
        """Complete a folder into which the engine's files were written."""
        tokenizer.save(folder / TOKENIZER)
        about = {
            "format": FORMAT,
            "engine": engine,
            "max_len": config.max_len,
            "files": {file.name: checkpoint.sha256(file) for file in sorted(folder.iterdir())},
        }
        (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n")

    @classmethod
    def is_in(cls, folder: Path) -> bool:
        """Whether a folder was written for an engine, and is not a run."""
        return (folder / ABOUT).exists()

    @classmethod
    def open(cls, folder: Path, engine: str) -> "Exported":
        """Open a folder, and check that all of it is there.

        Raises:
            DataError: if it is another engine's, another version's, or damaged.
        """
        about = checkpoint.load_json(folder / ABOUT, "what `export` wrote")
        if about.get("format") != FORMAT:
            raise DataError(
                f"{folder / ABOUT} has format {about.get('format')!r}, expected {FORMAT}: it was "
                "written by another version of the course; export the run again"
            )
        try:
            made_for, max_len, files = about["engine"], int(about["max_len"]), dict(about["files"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{folder / ABOUT} is damaged ({error!r}): export the run again"
            ) from error
        if made_for != engine:
            raise DataError(
                f"{folder} was exported for {made_for}, not for {engine}: use --engine "
                f"{made_for}, or export the run again"
            )
        for name, expected in files.items():
            path = folder / Path(name).name
            if not path.is_file() or checkpoint.sha256(path) != expected:
                found = "damaged" if path.is_file() else "missing"
                raise DataError(f"{path} is {found}: export the run again")
        return cls(folder, engine, max_len, Tokenizer.load(folder / TOKENIZER))
