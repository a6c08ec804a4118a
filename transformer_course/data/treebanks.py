"""Two treebanks of English for section 6.3: news of the Penn sample, and CRAFT's articles.

A treebank is no set of sentence pairs, but parsing as translation makes one of it: each sentence
with its tree on one line. `load_trees` gives the trees themselves, cleaned for parsing.
"""

import os
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from transformer_course.data import download
from transformer_course.data.textfiles import read_lines, split_lines
from transformer_course.data.trees import Tree, cleaned, read_trees
from transformer_course.errors import DataError

PAIRS = ("words-tree",)
SPLITS = ("train", "valid", "test")

PENN_FILE = "treebank.zip"
PENN = download.Download(
    name="treebank",
    url="https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora",
    terms="It is a twentieth of the Penn Treebank (Marcus et al. 1993), (c) LDC 1995, as NLTK "
    "hands it out: for non-commercial use only, and not to be passed on.",
    needed=lambda pair, split: [PENN_FILE],
    sha256={PENN_FILE: "9da92d76c3666cfb6cddeaed0f7e86b344cce0f0928a286d439e555f19c37399"},
)

CRAFT_FILES = {"train": "train.trees.gz", "valid": "dev.trees.gz", "test": "test.trees.gz"}
ARCHIVE = "2abe82b.zip"


def craft_files(pair: str, split: str) -> list[str]:
    """A split's file in the reader's own folder, if that has one of them; else the archive."""
    own = os.environ.get(download.DATA_VARIABLE)
    mine = own and any(Path(own, "craft", name).is_file() for name in CRAFT_FILES.values())
    return [CRAFT_FILES[split]] if mine else [ARCHIVE]


CRAFT = download.Download(
    name="craft",
    url="https://github.com/UCDenver-ccp/CRAFT/archive",
    terms="It is the treebank of the CRAFT corpus (github.com/UCDenver-ccp/CRAFT; Verspoor et al. "
    "2012), under CC BY 3.0: name CRAFT wherever you show what you made of it.",
    needed=craft_files,
    sha256={
        CRAFT_FILES["train"]: "5ecbc53caf525acdfa448fc0c6056bd7d53f228ef857f21b1577af2bc6dbbf7f",
        CRAFT_FILES["valid"]: "ef7e7a060f2ec9ab02c7d38c0f3eb258c4d791178d01d592a7657dc7ac003dfd",
        CRAFT_FILES["test"]: "b930141580d5c1a35893c7bdf8c177cd808f95225745a0c975aa7208f22ce40a",
        ARCHIVE: None,  # the commit is fixed, but its host may compress it anew
    },
)


def load_trees(name: str, split: str, count: int | None = None) -> list[Tree]:
    """The first `count` cleaned trees of "treebank" or "craft", or all; those of no word are gone.

    Raises:
        DataError: if the name or the split is unknown, or the files cannot be had.
    """
    if name not in READERS or split not in SPLITS:
        raise DataError(
            f"expected one of {', '.join(READERS)} and one of {', '.join(SPLITS)}, "
            f"got {name!r} and {split!r}"
        )
    found = (cleaned(tree) for tree in READERS[name](split))
    return [tree for tree in found if tree is not None][:count]


def load_penn(pair: str, split: str, count: int | None) -> list[tuple[str, str]]:
    """Sentences of the Penn sample, each with its tree on one line."""
    return as_pairs(load_trees("treebank", split, count))


def load_craft(pair: str, split: str, count: int | None) -> list[tuple[str, str]]:
    """Sentences of CRAFT, each with its tree on one line."""
    return as_pairs(load_trees("craft", split, count))


def as_pairs(trees: Iterable[Tree]) -> list[tuple[str, str]]:
    """Each sentence with its tree on one line."""
    return [(" ".join(tree.words()), str(tree)) for tree in trees]


def read_penn(split: str) -> list[Tree]:
    """All trees of the files whose number ends in 8 ("valid"), in 9 ("test") or else ("train")."""
    path = download.folder_with(PENN, [PENN_FILE]) / PENN_FILE
    trees = []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".mrg") and penn_split(name) == split:
                lines = split_lines(archive.read(name), f"{path}, {name}")
                trees += read_trees("\n".join(lines), name)
    return trees


def penn_split(name: str) -> str:
    """Where a file belongs, by the last digit of its number: wsj_0038.mrg is for validation."""
    return {"8": "valid", "9": "test"}.get(Path(name).stem[-1], "train")


def read_craft(split: str) -> list[Tree]:
    """All trees of CRAFT's train, dev or test articles, of its test ones every second article."""
    [file] = craft_files(PAIRS[0], split)
    path = download.folder_with(CRAFT, [file]) / file
    lines = read_lines(path) if file != ARCHIVE else archived(path, split)
    # Five tags have two words; a space cannot stand in a word.
    mended = (re.sub(r"(\(\S+ [^\s()]+) ([^\s()]+\))", r"\1_\2", line) for line in lines)
    return read_trees("\n".join(mended), path)


def archived(path: Path, split: str) -> list[str]:
    """The lines of a split, out of the archive of CRAFT's repository.

    Raises:
        DataError: if the archive lacks a list of articles, or the trees of one.
    """
    part = "dev" if split == "valid" else split
    lines: list[str] = []
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.partition("/")[2]: name for name in archive.namelist()}
            ids = archive.read(names[f"articles/ids/craft-ids-{part}.txt"]).decode().split()
            for each in ids[::2] if split == "test" else ids:
                name = names[f"structural-annotation/treebank/penn/{each}.tree"]
                lines += split_lines(archive.read(name), f"{path}, {name}")
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise DataError(
            f"expected CRAFT's lists of articles and their trees in {path}: {error}; delete the "
            "file and its .sha256, then try again"
        ) from error
    return lines


READERS = {"treebank": read_penn, "craft": read_craft}
