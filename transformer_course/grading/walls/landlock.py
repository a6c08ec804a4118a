"""Landlock: a process gives up all files but a few, without any privilege (Linux 5.13)."""

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from transformer_course.grading.walls import linux

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_HANDLED = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}  # rights known by an ABI


def abi() -> int:
    """The version the kernel speaks, 0 for none."""
    try:
        return linux.syscall("landlock_create_ruleset", _CREATE, None, 0, 1)
    except OSError:
        return 0


def without(path: Path, hidden: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """A path, or its parts so that none of the hidden ones is among them.

    The flag says whether a part may be read; else its folders may only be listed.
    """
    inside = [each for each in hidden if each == path or path in each.parents]
    if path in inside:
        return
    yield path, not inside
    for each in path.iterdir() if inside else ():
        yield from without(each, inside)


def restrict(readable: Iterable[Path], hidden: Iterable[Path], writable: Iterable[Path]) -> None:
    """From now on: read and run these, write those, no TCP, no signals out (as far as known).

    Raises:
        OSError: The kernel does not know Landlock, or does not allow it.
    """
    version, hidden = abi(), list(hidden)
    handled = _HANDLED[min(max(version, 1), 5)]
    attributes = struct.pack("<QQQ", handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    attributes = attributes[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = linux.syscall("landlock_create_ruleset", _CREATE, attributes, len(attributes), 0)
    read = _EXECUTE | _READ_FILE | _READ_DIR
    for path in readable:
        for part, whole in without(path, hidden):
            _allow(rules, part, (read if whole else _READ_DIR) & handled)
    for path in writable:
        _allow(rules, path, handled & ~_EXECUTE)
    linux.no_new_privileges()
    linux.syscall("landlock_restrict_self", _RESTRICT, rules, 0)
    os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    with suppress(FileNotFoundError):
        fd = os.open(path, os.O_PATH)
        try:
            if not path.is_dir():
                rights &= _OF_FILES
            if rights:
                rule = struct.pack("<Qi", rights, fd)  # packed in the kernel's header, too
                linux.syscall("landlock_add_rule", _ADD, rules, 1, rule, 0)
        finally:
            os.close(fd)
