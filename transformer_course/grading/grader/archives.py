"""The files in a zip that nobody vetted. Nothing is extracted: members are read in memory."""

import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import NoReturn

from transformer_course.grading.grader.reading import MAX_BYTES, UnreadableError, within_limit
from transformer_course.grading.grader.submission import Submission

MAX_MEMBERS = 100_000  # of one zip
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")
PACKED = "an archive among the submissions is not opened: unpack it and grade what is in it"


def archive(path: Path) -> Iterator[Submission]:
    """The files in a zip, in order. Nothing is extracted, so no name can lead outside."""
    try:
        if not path.is_file():
            raise UnreadableError("expected a zip file")
        infos = opened(path).infolist()
        if len(infos) > MAX_MEMBERS:
            raise UnreadableError(f"{len(infos):,} files in one zip, more than {MAX_MEMBERS:,}")
    except Exception as error:
        why = f"the zip cannot be read: {error}"
        yield Submission(path=str(path), inside=path.name, read=partial(refuse, why))
        return
    finally:
        opened.cache_clear()  # other processes read it, each through a file of its own
    for index, info in sorted(enumerate(infos), key=lambda each: each[1].filename):
        if not info.is_dir():
            packed = info.filename.lower().endswith(ARCHIVES)
            read = partial(refuse, PACKED) if packed else partial(read_member, path, index)
            inside = info.filename.replace("\\", "/").lstrip("/")
            yield Submission(path=f"{path}/{inside}", inside=inside, read=read)


@lru_cache(maxsize=2)
def opened(path: Path) -> zipfile.ZipFile:
    """A zip, open for reading one member after the other."""
    return zipfile.ZipFile(path)


def read_member(path: Path, index: int) -> bytes:
    """One file of a zip, unpacked in memory and no further than a notebook may go.

    Raises:
        UnreadableError: it is encrypted, damaged, or too large.
    """
    info = opened(path).infolist()[index]
    if info.flag_bits & 1:
        raise UnreadableError("it is encrypted: ask for it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(f"packed by a method (number {info.compress_type}) not read here")
    within_limit(b"", info.file_size)
    try:
        with opened(path).open(info) as file:
            return within_limit(file.read(MAX_BYTES + 1), 0)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise UnreadableError(f"damaged in the zip: {error}") from None


def refuse(reason: str) -> NoReturn:
    """Instead of reading what cannot be read."""
    raise UnreadableError(reason)
