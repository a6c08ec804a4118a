"""The files in a zip that nobody vetted. Nothing is extracted: members are read in memory."""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import NoReturn

from transformer_course.grading.grader.reading import MAX_BYTES, UnreadableError, within_limit
from transformer_course.grading.grader.submission import Submission

MAX_MEMBERS = 100_000  # of one zip
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")
SKIPPED = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", ".git"}
PACKED = "of archives only a .zip is opened"


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
            read = reading(info.filename, partial(read_member, path, index))
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
    file = opened(path)
    return unpacked(file, file.infolist()[index])


def unpacked(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member of a zip. Raises UnreadableError, as `read_member`."""
    if info.flag_bits & 1:
        raise UnreadableError("it is encrypted: hand it in without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableError(f"packed by a method (number {info.compress_type}) not read here")
    within_limit(b"", info.file_size)
    try:
        with file.open(info) as member:
            return within_limit(member.read(MAX_BYTES + 1), 0)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise UnreadableError(f"damaged in the zip: {error}") from None


def reading(name: str, read: Callable[[], bytes]) -> Callable[[], bytes]:
    """How a file of this name is read: of a zip the notebook in it; no other archive is."""
    if name.lower().endswith(".zip"):
        return partial(read_only_notebook, read)
    return partial(refuse, PACKED) if name.lower().endswith(ARCHIVES) else read


def read_only_notebook(read: Callable[[], bytes]) -> bytes:
    """The one notebook in a zip that somebody handed in, unpacked in memory.

    Raises:
        UnreadableError: it is no zip, or holds no notebook or several.
    """
    try:
        file = zipfile.ZipFile(io.BytesIO(read()))
        infos = file.infolist()
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError(f"the zip cannot be read: {error}") from None
    if len(infos) > MAX_MEMBERS:
        raise UnreadableError(f"{len(infos):,} files in one zip, more than {MAX_MEMBERS:,}")
    found = [info for info in infos if is_somebody_s_notebook(info.filename)]
    if len(found) != 1:
        there = f"{len(found)} notebooks" if found else "no notebook (.ipynb)"
        raise UnreadableError(f"{there} in the zip: expected one")
    return unpacked(file, found[0])


def is_somebody_s_notebook(name: str) -> bool:
    """Whether a member of a zip is a notebook, and not a system's or an editor's copy."""
    path = PurePosixPath(name.replace("\\", "/"))
    own = not SKIPPED & set(path.parts) and not path.name.startswith((".", "~"))
    return own and path.suffix.lower() == ".ipynb"


def refuse(reason: str) -> NoReturn:
    """Instead of reading what cannot be read."""
    raise UnreadableError(reason)
