"""What of the file system student code may read: Python, its libraries, and the system's."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
ETC = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
DEVICES = ("null", "zero", "full", "random", "urandom")


def readable(masked: Iterable[Path] = ()) -> list[Path]:
    """Existing paths, none of them seen through another, given what will be masked."""
    sites = [each for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    wanted = [*SYSTEM, *ETC, "/etc/localtime", *python, *sites]
    spelled = {Path(os.path.abspath(each)) for each in wanted if os.path.exists(each)}
    found = {path for each in spelled for path in (each, each.resolve())}
    if Path("/") in found or Path(os.path.expanduser("~")) in found:
        raise OSError(f"Python lies in {sys.prefix}: too much else would be readable with it")

    def seen(path: Path) -> bool:
        above = [each for each in found if each in path.parents]
        return any(not any(a in m.parents and m in path.parents for m in masked) for a in above)

    return sorted(path for path in found if not seen(path))


def hidden(package: Path) -> list[Path]:
    """The course's package; in a checkout everything beside it, too, exercises included."""
    checkout = package.parent
    return [package, checkout] if (checkout / "pyproject.toml").exists() else [package]


def open_to_others(paths: Iterable[Path]) -> bool:
    """Whether another user of the machine could get to these places."""
    return all(parent.stat().st_mode & 1 for path in paths for parent in path.parents)
