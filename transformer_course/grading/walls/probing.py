"""Does a confined process keep the promises of its level? Asked from the inside, before use."""

import colorsys  # so that what imports read later is known to be there: see `examine`
import importlib
import os
import platform
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformer_course.grading.walls import landlock, linux


def examine(level: int, package: Path, masked: Iterable[Path]) -> dict[str, Any] | str:
    """What the level consists of here, or the first promise that does not hold."""
    importlib.reload(colorsys)
    Path("written").write_text("x")
    details: dict[str, Any] = {"system": platform.platform(), "uid": os.getuid()}
    if level < 2:
        return {**details, "limits": True}
    secrets = [Path("/etc/shadow"), package / "__init__.py", Path("/proc/1/environ")]
    for secret in [*secrets, *(place / "README.md" for place in masked)]:
        if can(lambda path=secret: path.read_bytes()):
            return f"{secret} can be read"
    for place in (Path("/"), Path("/usr/lib"), Path("/dev/shm"), package):
        if can(lambda path=place: (path / "student-was-here").touch()):
            return f"{place} can be written to"
    for kind in (socket.AF_INET, socket.AF_UNIX):
        if can(lambda kind=kind: socket.socket(kind)):
            return "a socket can be opened"
    if can(lambda: linux.unshare(linux.NEWUSER)):
        return "a namespace can be made"
    if os.getuid() and can(lambda: os.setuid(0)):
        return "root can be had"
    details |= {"seccomp": True, "network": "none", "capabilities": "none"}
    if level == 2:
        return {**details, "landlock": landlock.abi()}
    if os.getpid() != 1:
        return "processes outside can be seen"
    return {**details, "root": "allow-list", "namespaces": ["mount", "pid", "net", "ipc", "uts"]}


def can(attempt: Any) -> bool:
    """Whether it raises no OSError."""
    try:
        attempt()
    except OSError:
        return False
    return True
