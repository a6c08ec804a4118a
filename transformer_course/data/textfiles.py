"""Pairs from text files: one sentence a line, UTF-8, plain or gzipped."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from transformer_course.errors import DataError


def read_lines(path: str | Path) -> list[str]:
    """Return a file's lines without their ends; only a line feed ends a line.

    Raises:
        DataError: if the file is missing, unreadable, empty, or not UTF-8.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is a damaged gzip file ({error}); restore it") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    return split_lines(raw, path)


def split_lines(raw: bytes, path: str | Path) -> list[str]:
    """Return the lines of bytes that came from `path`, without their ends.

    Raises:
        DataError: if there are none, or they are not UTF-8.
    """
    if not raw.strip():
        raise DataError(f"expected one sentence a line in {path}, got an empty file")
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        utf16 = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
        kind = "UTF-16, by its first bytes" if utf16 else "not UTF-8"
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"expected UTF-8 in {path}, got {kind}: line {line}, byte "
            f"{error.start} of the file is {raw[error.start]:#04x}; "
            "save the file as UTF-8"
        ) from error
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def load_text_pairs(src_path: str | Path, tgt_path: str | Path) -> list[tuple[str, str]]:
    """Return line n of the one file with line n of the other.

    Raises:
        DataError: if a file cannot be read, or the files differ in the number of lines.
    """
    sources, targets = read_lines(src_path), read_lines(tgt_path)
    if len(sources) != len(targets):
        raise DataError(
            f"expected line n of one file to translate line n of the other, got {len(sources)} "
            f"lines in {src_path} and {len(targets)} in {tgt_path}: align them first"
        )
    return list(zip(sources, targets, strict=True))
