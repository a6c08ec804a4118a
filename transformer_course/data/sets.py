"""Sentence pairs by name: "toy:reverse", "phrasebook:en-de", "multi30k:en-de", "files:SRC,TGT".

`DATASETS` has them all. One that is downloaded has its own terms: `describe` and the command line
say them where it loads.
"""

from __future__ import annotations

import difflib
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from transformer_course.data import (
    grammar,
    mixture,
    multi30k,
    phrasebook,
    tatoeba,
    toy,
    treebanks,
)
from transformer_course.data.download import Download, folder_with
from transformer_course.data.textfiles import load_text_pairs
from transformer_course.errors import DataError

Pairs = list[tuple[str, str]]

PHRASEBOOK_COUNTS = {"train": 100_000, "valid": 1_000, "test": 1_000}
GRAMMAR_COUNTS = {"train": 50_000, "valid": 2_000, "test": 2_000}


def load_pairs(name: str, split: str, count: int | None = None) -> Pairs:
    """Return (source, target) sentences of a data set; the first `count` of them, if given.

    Of a generated set (toy, phrasebook) `count` is how many are made; of files it is the most.

    Raises:
        DataError: if name, split or count fit no data set, or the files cannot be had.
    """
    dataset, pair = _find(name)
    _known(f"split of {name}", split, dataset.splits)
    if count is not None and count < 1:
        raise DataError(f"expected a count of at least 1, got {count}")
    return dataset.load(pair, split, count)


def describe(name: str) -> str:
    """Return one or two sentences on a data set or a pair of it, its terms of use included."""
    base, _, pair = name.partition(":")
    dataset = _find(name)[0] if pair else _find_dataset(base)
    terms = dataset.download.terms if dataset.download else ""
    return f"{dataset.description} {terms}".strip()


def splits(name: str) -> tuple[str, ...]:
    """Return the splits a data set has: "train", "valid", then its tests."""
    return _find(name)[0].splits


def names() -> list[str]:
    """Return every name that `load_pairs` knows."""
    return [f"{name}:{pair}" for name, dataset in DATASETS.items() for pair in dataset.pairs]


def to_fetch() -> list[str]:
    """Return every name that `fetch` knows: whole sets, and their pairs."""
    sets = [(base, dataset.pairs) for base, dataset in DATASETS.items() if dataset.download]
    return [name for base, pairs in sets for name in (base, *(f"{base}:{pair}" for pair in pairs))]


def fetch(name: str, *, progress: bool = False) -> Path:
    """Download and verify all files of a data set or of one of its pairs; return their folder.

    Raises:
        DataError: if the name is unknown, nothing of it needs a download, or the download fails.
    """
    base, _, pair = name.partition(":")
    dataset, _ = _find(name if pair else f"{base}:{_find_dataset(base).pairs[0]}")
    download = dataset.download
    if download is None:
        raise DataError(f"nothing to fetch: {base} is made on this machine; use it right away")
    asked = [pair] if pair else dataset.pairs
    needed = {
        file for each in asked for split in dataset.splits for file in download.needed(each, split)
    }
    return folder_with(
        download, [file for file in download.sha256 if file in needed], progress=progress
    )


def _toy(task: str, split: str, count: int | None) -> Pairs:
    return toy.generate(task, split, toy.COUNTS[split] if count is None else count)


def _phrasebook(pair: str, split: str, count: int | None) -> Pairs:
    count = PHRASEBOOK_COUNTS[split] if count is None else count
    phrases = phrasebook.generate(split, count, seed=0)
    if pair == "de-en":
        return [(phrase.german, phrase.english) for phrase in phrases]
    return [(phrase.english, phrase.german) for phrase in phrases]


def _grammar(pair: str, split: str, count: int | None) -> Pairs:
    count = GRAMMAR_COUNTS[split] if count is None else count
    return [(each.english, each.german) for each in grammar.generate(split, count, seed=0)]


def _files(pair: str, split: str, count: int | None) -> Pairs:
    """Every fiftieth source sentence or so, by its hash, is held out as "valid"."""
    src_path, tgt_path = pair.split(",")
    chosen = [
        (src, tgt)
        for src, tgt in load_text_pairs(src_path, tgt_path)
        if (zlib.crc32(src.encode()) % 50 == 0) == (split == "valid")
    ]
    if not chosen:
        raise DataError(f"expected some pairs for the split {split}, got none: add lines to {pair}")
    return chosen[:count]


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """What `load_pairs` needs to know of a data set; `load` gets pair, split and count."""

    description: str
    pairs: tuple[str, ...]
    splits: tuple[str, ...]
    load: Callable[[str, str, int | None], Pairs]
    download: Download | None = None


DATASETS = {
    "toy": DataSet(
        description="Generated sequences to copy, reverse or sort, and dates to write the ISO way.",
        pairs=tuple(toy.TASKS),
        splits=("train", "valid", "test"),
        load=_toy,
    ),
    "phrasebook": DataSet(
        description="English-German sentences from a small grammar, generated, alignments known.",
        pairs=("en-de", "de-en"),
        splits=("train", "valid", "test"),
        load=_phrasebook,
    ),
    "grammar": DataSet(
        description="English-German sentences in which one word depends on another far from it: "
        "pronouns, words of two meanings, verbs with particles, agreement; generated, truth known.",
        pairs=("en-de",),
        splits=("train", "valid", "test"),
        load=_grammar,
    ),
    "multi30k": DataSet(
        description="29,000 image descriptions in English, German and French.",
        pairs=multi30k.PAIRS,
        splits=multi30k.SPLITS,
        load=multi30k.load,
        download=multi30k.DOWNLOAD,
    ),
    "tatoeba": DataSet(
        description="47,000 short everyday sentences in English and German.",
        pairs=tatoeba.PAIRS,
        splits=tatoeba.SPLITS,
        load=tatoeba.load,
        download=tatoeba.DOWNLOAD,
    ),
    "mixture": DataSet(
        description="Multi30k's captions, Tatoeba's everyday sentences and 20,000 phrases, without "
        f"those like one of a test. {multi30k.DOWNLOAD.terms} {tatoeba.DOWNLOAD.terms}",
        pairs=mixture.PAIRS,
        splits=mixture.SPLITS,
        load=mixture.load,
    ),
    "treebank": DataSet(
        description="3,914 sentences of the Wall Street Journal, each with its tree on a line.",
        pairs=treebanks.PAIRS,
        splits=treebanks.SPLITS,
        load=treebanks.load_penn,
        download=treebanks.PENN,
    ),
    "craft": DataSet(
        description="26,613 sentences of biomedical articles, each with its tree on a line.",
        pairs=treebanks.PAIRS,
        splits=treebanks.SPLITS,
        load=treebanks.load_craft,
        download=treebanks.CRAFT,
    ),
    "files": DataSet(
        description="Your own two text files, one sentence a line, line n with line n.",
        pairs=("SRC,TGT",),
        splits=("train", "valid"),
        load=_files,
    ),
}


def _find(name: str) -> tuple[DataSet, str]:
    base, _, pair = name.partition(":")
    dataset = _find_dataset(base)
    if dataset is DATASETS["files"]:
        if len(pair.split(",")) != 2:
            raise DataError(f"expected files:SRC,TGT with two paths, got {name!r}")
    else:
        _known("pair", pair, dataset.pairs, f"{base}:")
    return dataset, pair


def _find_dataset(base: str) -> DataSet:
    _known("data set", base, DATASETS)
    return DATASETS[base]


def _known(kind: str, value: str, known: Iterable[str], prefix: str = "") -> None:
    known = list(known)
    if value in known:
        return
    close = difflib.get_close_matches(value, known, n=1) or [
        k for k in known if k.startswith(value)
    ]
    hint = f"; did you mean {prefix}{close[0]}?" if value and close else ""
    got = repr(f"{prefix}{value}") if value else f"none in {prefix!r}"
    raise DataError(f"unknown {kind}: expected one of {', '.join(known)}, got {got}{hint}")
