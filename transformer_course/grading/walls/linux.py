"""The few Linux calls that Python does not offer. Each raises OSError with the call's name."""

import ctypes
import os
import platform
import struct

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000
NEWUSER, NEWPID, NEWNET = 0x1000_0000, 0x2000_0000, 0x4000_0000
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x4_0000
ARM = platform.machine() == "aarch64"

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, number: int, *args: int | bytes | None) -> int:
    """A call that the C library may not know."""
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in args]
    return _check(_libc.syscall(ctypes.c_long(number), *whole), name)


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    _check(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    """Enter a namespace."""
    _check(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount, or bind, one thing."""
    texts = [each.encode() if each else None for each in (source, target, kind, options)]
    result = _libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])
    _check(result, f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount out of sight, whoever still uses it."""
    _check(_libc.umount2(target.encode(), 2), f"umount {target}")


def make_read_only(target: str) -> None:
    """Everything mounted at and below a path becomes read-only, and setuid means nothing."""
    attributes = struct.pack("<QQQQ", 1 | 2, 0, 0, 0)
    syscall("mount_setattr", 442, -100, target.encode(), 0x8000, attributes, len(attributes))


def pivot_root(root: str) -> None:
    """The mount at this path becomes the root, and the old root is out of reach."""
    os.chdir(root)
    syscall("pivot_root", 41 if ARM else 155, b".", b".")
    unmount(".")
    os.chdir("/")


def prctl(option: int, *args: int) -> int:
    """Set, or ask, something about this process."""
    whole = [ctypes.c_ulong(each) for each in (*args, 0, 0, 0, 0)[:4]]
    return _check(_libc.prctl(option, *whole), f"prctl {option}")


def die_with_parent() -> None:
    """SIGKILL for this process when the parent ends."""
    prctl(1, 9)


def not_dumpable() -> None:
    """No core dump, and no look into this process for others of the same user."""
    prctl(4, 0)


def adopt_orphans() -> None:
    """Descendants whose parents end become children of this process."""
    prctl(36, 1)


def drop_bounds() -> None:
    """No program that is run gets a capability back. Only while this process has them all."""
    for capability in range(64):
        try:
            prctl(24, capability)
        except OSError:
            break  # EINVAL: past the last one; EPERM: there is none to drop


def drop_capabilities() -> None:
    """None is left."""
    header, nothing = struct.pack("<Ii", 0x2008_0522, 0), bytes(24)
    syscall("capset", 91 if ARM else 126, header, nothing)


def no_new_privileges() -> None:
    """A program that is run gets no more rights than this process has."""
    prctl(38, 1)
