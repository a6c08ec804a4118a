"""A data set's files: found in a folder of the reader's, or downloaded, verified and cached.

`TRANSFORMER_COURSE_DATA` names a folder that is looked in first; the files lie in it as
`multi30k/train.en.gz`. `TRANSFORMER_COURSE_MIRROR` names a URL to download from in place of the
data set's own, with the same layout below it. Whatever the source, a file is used only with the
right checksum, and appears in the cache complete or not at all. What its publisher replaces now and
then has none: its checksum is noted beside it when it comes, and it must not change from then on.
"""

from __future__ import annotations

import errno
import logging
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pooch
import requests

from transformer_course.errors import DataError

TIMEOUT_SECONDS = 30.0  # without a byte
RETRIES = 2  # after a failed attempt, with a pause of 1 s, then 2 s

DATA_VARIABLE, MIRROR_VARIABLE = "TRANSFORMER_COURSE_DATA", "TRANSFORMER_COURSE_MIRROR"


@dataclass(frozen=True, kw_only=True)
class Download:
    """The files of a data set: where they are, what each must be, and what one may do with them."""

    name: str  # of their folder in the reader's own, on a mirror and in the cache
    url: str
    sha256: Mapping[str, str | None]  # of each file, by its name below the url; None if it grows
    terms: str
    needed: Callable[[str, str], Sequence[str]]  # the files of a pair and a split


def folder_with(source: Download, file_names: Iterable[str], *, progress: bool = False) -> Path:
    """Return the folder that holds the named files, verified; download those that are missing.

    With `progress` a bar per download runs on standard error.

    Raises:
        DataError: if a file cannot be had; nothing half-written is left behind.
    """
    file_names = list(file_names)
    own = os.environ.get(DATA_VARIABLE)
    folder = Path(own, source.name) if own else None
    if folder and all((folder / name).is_file() for name in file_names):
        for name in file_names:
            _verify(folder / name, source.sha256[name])
        return folder
    for name in file_names:
        _download(source, name, progress)
    return cache_folder(source.name)


def cache_folder(name: str) -> Path:
    """Return where a data set's downloads are kept, in the operating system's cache folder."""
    return Path(pooch.os_cache("transformer-course")) / name


def _verify(path: Path, expected: str | None) -> None:
    if expected is None:
        return
    try:
        found = pooch.file_hash(str(path), alg="sha256")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    if found != expected:
        raise DataError(
            f"{path} is damaged or of another version: expected sha256 {expected}, got {found}; "
            f"replace it, or unset {DATA_VARIABLE} to download it"
        )


def _download(source: Download, name: str, progress: bool) -> None:
    pooch.get_logger().setLevel(logging.WARNING)
    mirror = os.environ.get(MIRROR_VARIABLE)
    base_url = f"{mirror.rstrip('/')}/{source.name}" if mirror else source.url
    expected, folder = source.sha256[name], cache_folder(source.name)
    own_folder = _own_folder(f"{source.name}/{name}")
    what_to_do = f"connect to the network and try again, or {own_folder}"
    cache = pooch.create(
        path=folder,
        base_url=f"{base_url}/",
        registry={name: expected and f"sha256:{expected}"},
        retry_if_failed=RETRIES,
    )
    try:
        path = Path(cache.fetch(name, downloader=partial(_read, progress)))
    except requests.HTTPError as error:
        raise DataError(f"{name} is not cached: {error}; {what_to_do}") from error
    except requests.RequestException as error:
        raise DataError(
            f"{name} is not cached and {base_url} gave none: {_reason(error)}; {what_to_do}"
        ) from error
    except ValueError as error:
        got = str(error).rpartition("but got ")[2].split(".")[0]
        raise DataError(
            f"{base_url}/{name} is not the file expected: expected sha256 {expected}, got {got}; "
            "nothing was kept; try again later"
        ) from error
    except OSError as error:
        advice = "make room" if error.errno == errno.ENOSPC else "make it a folder one can write to"
        raise DataError(
            f"cannot write to {folder}: {error.strerror or error}; {advice}, or {own_folder}"
        ) from error
    if expected is None:
        if not zipfile.is_zipfile(path):
            path.unlink()
            raise DataError(f"{base_url}/{name} gave no zip file; nothing was kept; {what_to_do}")
        _hold_to_note(path)


def _hold_to_note(path: Path) -> None:
    """A file whose checksum nobody could know beforehand: what it was at first, it must stay."""
    note = path.with_name(f"{path.name}.sha256")
    found = pooch.file_hash(str(path), alg="sha256")
    if not note.exists():
        note.write_text(f"{found}  {path.name}\n", encoding="utf-8")
    elif (noted := note.read_text(encoding="utf-8").split()[0]) != found:
        raise DataError(
            f"{path} has changed since it was downloaded: expected sha256 {noted}, got {found}; "
            f"delete it and {note.name} to download it anew"
        )


def _read(progress: bool, url: str, output_file: str, cache: pooch.Pooch) -> None:
    read = pooch.HTTPDownloader(
        progressbar=progress,
        timeout=TIMEOUT_SECONDS,
        chunk_size=1 << 16,
        headers={"User-Agent": "transformer-course"},  # some refuse a library's own name
    )
    try:
        read(url, output_file, cache)
    except requests.HTTPError as error:
        if error.response is not None:
            error.response.close()  # or its connection stays open until garbage collection
        raise


def _reason(error: requests.RequestException) -> str:
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"nothing came for {TIMEOUT_SECONDS:g} s"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error)


def _own_folder(file: str) -> str:
    own = os.environ.get(DATA_VARIABLE)
    now = f" (now {own}, which lacks some of the files asked for)" if own else ""
    return f"set {DATA_VARIABLE}{now} to a folder that holds {file}"
