"""Tatoeba: short everyday sentences in English and German, written by volunteers.

They are read from `short.en.gz` and `short.de.gz` in the reader's own folder, or else from the
pairs that manythings.org publishes, which grow: of those the short ones are taken.
"""

import os
import zipfile
from pathlib import Path

from transformer_course.data import download
from transformer_course.data.likeness import likeness, share
from transformer_course.data.textfiles import load_text_pairs, split_lines
from transformer_course.errors import DataError

PAIRS = ("en-de", "de-en")
SPLITS = ("train", "valid", "test")
SHORT = ["short.en.gz", "short.de.gz"]
EXPORT = "deu-eng.zip"
LONGEST = 24  # characters of an English sentence
PARTS = 40  # of the English sentences two are the test, one is for validation


def needed(pair: str, split: str) -> list[str]:
    """The two files of the reader's own folder, if it has one of them; else the export."""
    own = os.environ.get(download.DATA_VARIABLE)
    mine = own and any(Path(own, DOWNLOAD.name, name).is_file() for name in SHORT)
    return SHORT if mine else [EXPORT]


DOWNLOAD = download.Download(
    name="tatoeba",
    url="https://www.manythings.org/anki",
    terms="They are from the Tatoeba project (tatoeba.org), as prepared by manythings.org/anki, "
    "under CC BY 2.0 FR: name both wherever you show what you made of them.",
    needed=needed,
    sha256={
        SHORT[0]: "6c79f1c4fe53d16495c8de25dc6fdf2effeea156187e88760ff21f9d7fcb1240",
        SHORT[1]: "77075bdf55052d5f2cd4f1f7957c39b598327192d48a55b370ac5fcbc68c93fb",
        EXPORT: None,  # it grows, and is published anew
    },
)


def load(pair: str, split: str, count: int | None) -> list[tuple[str, str]]:
    """The first `count` pairs of a split, or all; sentences that are alike are in one split.

    What is learned from has no German sentence in common with what is set aside either.
    """
    files = needed(pair, split)
    folder = download.folder_with(DOWNLOAD, files)
    if files == SHORT:
        pairs = load_text_pairs(folder / SHORT[0], folder / SHORT[1])
    else:
        pairs = read_export(folder / EXPORT)
    chosen = [(en, de) for en, de in pairs if split_of(en) == split]
    if split == "train":
        aside = {likeness(de) for en, de in pairs if split_of(en) != split}
        chosen = [(en, de) for en, de in chosen if likeness(de) not in aside]
    if pair == "de-en":
        chosen = [(de, en) for en, de in chosen]
    return chosen[:count]


def split_of(english: str) -> str:
    """Where a sentence belongs, by itself alone: a newer export moves none."""
    part = share(english, PARTS)
    return "test" if part < 2 else "valid" if part == 2 else "train"


def read_export(path: Path) -> list[tuple[str, str]]:
    """The short pairs of a zip with one table: English, German, who wrote them.

    Raises:
        DataError: if the file is no such zip, or has no short pair.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            raw = archive.read("deu.txt")
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise DataError(
            f"expected deu.txt in {path}, a table of pairs: {error}; delete the file and its "
            ".sha256, then try again"
        ) from error
    rows = (line.split("\t") for line in split_lines(raw, f"{path}, deu.txt"))
    pairs = [(row[0], row[1]) for row in rows if len(row) > 1 and 0 < len(row[0]) <= LONGEST]
    if not pairs:
        raise DataError(
            f"expected lines with an English and a German sentence in {path}, deu.txt, got none; "
            "delete the file and its .sha256, then try again"
        )
    return pairs
