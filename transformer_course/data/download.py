"""The Multi30k files: found in a folder of the reader's, or downloaded, verified and cached.

`TRANSFORMER_COURSE_DATA` names a folder that is looked in first; the files lie in it as
`multi30k/train.en.gz`. `TRANSFORMER_COURSE_MIRROR` names a URL to download from in place of
GitHub, with the same layout below it. Whatever the source, a file is used only with the right
checksum, and appears in the cache complete or not at all.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pooch
import requests

from transformer_course.errors import DataError

MULTI30K_URL = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d/data/task1/raw"
MULTI30K_TERMS = (
    "Multi30k (Elliott et al. 2016) is for research and teaching; its English captions come from "
    "Flickr30k, whose terms apply. See https://github.com/multi30k/dataset."
)
MULTI30K_SHA256 = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}

TIMEOUT_SECONDS = 30.0  # without a byte
RETRIES = 2  # after a failed attempt, with a pause of 1 s, then 2 s

DATA_VARIABLE, MIRROR_VARIABLE = "TRANSFORMER_COURSE_DATA", "TRANSFORMER_COURSE_MIRROR"


def multi30k_folder(file_names: Iterable[str], *, progress: bool = False) -> Path:
    """Return the folder that holds the named files, verified; download those that are missing.

    With `progress` a bar per download runs on standard error.

    Raises:
        DataError: if a file cannot be had; nothing half-written is left behind.
    """
    file_names = list(file_names)
    own = os.environ.get(DATA_VARIABLE)
    folder = Path(own, "multi30k") if own else None
    if folder and all((folder / name).is_file() for name in file_names):
        for name in file_names:
            _verify(folder / name)
        return folder
    for name in file_names:
        _download(name, progress)
    return cache_folder()


def cache_folder() -> Path:
    """Return where downloads are kept, in the cache folder of the operating system."""
    return Path(pooch.os_cache("transformer-course")) / "multi30k"


def _verify(path: Path) -> None:
    try:
        found = pooch.file_hash(str(path), alg="sha256")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    expected = MULTI30K_SHA256[path.name]
    if found != expected:
        raise DataError(
            f"{path} is damaged or of another version: expected sha256 {expected}, got {found}; "
            f"replace it, or unset {DATA_VARIABLE} to download it"
        )


def _download(name: str, progress: bool) -> None:
    pooch.get_logger().setLevel(logging.WARNING)
    mirror = os.environ.get(MIRROR_VARIABLE)
    base_url = f"{mirror.rstrip('/')}/multi30k" if mirror else MULTI30K_URL
    expected = MULTI30K_SHA256[name]
    cache = pooch.create(
        path=cache_folder(),
        base_url=f"{base_url}/",
        registry={name: f"sha256:{expected}"},
        retry_if_failed=RETRIES,
    )
    try:
        cache.fetch(name, downloader=partial(_read, progress))
    except requests.HTTPError as error:
        raise DataError(f"{name} is not cached: {error}; {_what_to_do(name)}") from error
    except requests.RequestException as error:
        raise DataError(
            f"{name} is not cached and {base_url} gave none: {_reason(error)}; {_what_to_do(name)}"
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
            f"cannot write to {cache_folder()}: {error.strerror or error}; {advice}, "
            f"or {_own_folder(name)}"
        ) from error


def _read(progress: bool, url: str, output_file: str, cache: pooch.Pooch) -> None:
    read = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT_SECONDS, chunk_size=1 << 16)
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


def _what_to_do(name: str) -> str:
    return f"connect to the network and try again, or {_own_folder(name)}"


def _own_folder(name: str) -> str:
    own = os.environ.get(DATA_VARIABLE)
    now = f" (now {own}, which lacks some of the files asked for)" if own else ""
    return f"set {DATA_VARIABLE}{now} to a folder that holds multi30k/{name}"
