"""From a run to a folder for an engine, and from sentences to translations by that engine."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_course import decoding
from transformer_course.decoding import encode_sources, search_options
from transformer_course.engines import ctranslate2, onnx
from transformer_course.engines.exported import Exported, check_supported, needed
from transformer_course.errors import DataError
from transformer_course.training import Run, checkpoint

ENGINES = {"ctranslate2": ctranslate2, "onnx": onnx}
TARGETS = (*ENGINES, "page")


def export_to(target: str, run: Run, folder: Path, which: str | None = None) -> None:
    """Write a run's weights for an engine, or as the page reads them, to a new or empty folder.

    Raises:
        DataError: if the folder is not empty, the engine's package is not installed, or it cannot
            compute this model; then nothing is written.
    """
    weights = run.weights(which)
    check_supported(checkpoint.load_config(weights), target)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not empty: expected a new or an empty folder")
    if target == "page":
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as scratch:
            decoding.export(run, Path(scratch) / "page", which).folder.rename(folder)
        return
    for package in ENGINES[target].PACKAGES:
        needed(package)
    model = checkpoint.load(weights)
    with checkpoint.whole_folder(folder) as scratch:
        ENGINES[target].write(model, run.tokenizer, scratch)
        Exported.describe(scratch, target, model.config, run.tokenizer)


def translate(
    engine: str,
    folder: Path,
    sentences: Sequence[str],
    *,
    which: str | None = None,
    search: str = "beam",
    max_tokens: int = 1500,
    **options: Any,
) -> list[str]:
    """Translate sentences by an engine, as `decoding.translate` does by the course's own code.

    The folder is one that `export_to` wrote for this engine, or a run, which is exported first.

    Raises:
        DataError: as `export_to` and `decoding.translate` do, and if the folder is no such one.
    """
    if Exported.is_in(folder):
        exported = Exported.open(folder, engine)
        return by_engine(exported, sentences, search, max_tokens, options)
    with tempfile.TemporaryDirectory() as scratch:
        export_to(engine, Run.open(folder), Path(scratch) / "exported", which)
        exported = Exported.open(Path(scratch) / "exported", engine)
        return by_engine(exported, sentences, search, max_tokens, options)


def by_engine(
    exported: Exported,
    sentences: Sequence[str],
    search: str,
    max_tokens: int,
    options: dict[str, Any],
) -> list[str]:
    """Translate sentences, about equally long ones together."""
    options = search_options(search, options)
    if options.get("beam") == 1:
        search, options = "greedy", {}
    sources = encode_sources(sentences, exported.tokenizer, exported.max_len)
    engine = ENGINES[exported.engine].Engine(exported)
    outputs = [""] * len(sources)
    waiting = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    while waiting:
        size = max(1, max_tokens // len(sources[waiting[-1]]))
        places, waiting = waiting[-size:], waiting[:-size]
        found = engine.search([sources[place] for place in places], search, **options)
        for place, ids in zip(places, found, strict=True):
            outputs[place] = exported.tokenizer.decode(ids)
    return outputs
