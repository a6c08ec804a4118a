"""Level 3: namespaces, and a root directory in which nothing is but what is named.

The warm process enters once, and pays once. Each student gets, on top of that, a process
namespace in which it is alone, its own /proc, and an empty room that vanishes with it.
"""

import os
from pathlib import Path

from transformer_course.grading.walls import linux, visible_paths

PACKAGE = "/.package"  # in the warm process's root only
ROOM = Path("/room")  # not /tmp: Python itself may lie there
SHARED = linux.NEWNS | linux.NEWPID | linux.NEWNET | linux.NEWIPC | linux.NEWUTS | linux.NEWCGROUP
NEUTRAL = 65534  # the user "nobody", by convention


def enter() -> bool:
    """Leave the machine's namespaces, and go on as the first process of new ones.

    Returns only in a new child process; says whether the user namespace is a new one, too.

    Raises:
        OSError: Not allowed here.
    """
    user, group = os.getuid(), os.getgid()
    own_users = user != 0
    try:
        linux.unshare(SHARED | (linux.NEWUSER if own_users else 0))
    except PermissionError:
        if own_users:
            raise
        own_users = True  # root without its rights, as in a container
        linux.unshare(SHARED | linux.NEWUSER)
    if own_users:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{NEUTRAL} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{NEUTRAL} {group} 1")
    pid = os.fork()
    if pid:
        os.closerange(3, 1 << 20)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
    linux.die_with_parent()
    return own_users


def build(package: Path) -> None:
    """Put this process into a root of its own, read-only, without the course's package."""
    linux.mount("none", "/", None, linux.REC | linux.PRIVATE)
    masked = visible_paths.hidden(package)
    readable = visible_paths.readable(masked)
    sources = [*readable, package]
    places_to_build = ("/tmp", "/mnt", "/media", "/srv", "/home", "/var/tmp", "/opt")
    stage = next(  # what lies below it is out of sight from here on
        place
        for place in places_to_build
        if Path(place).is_dir() and not any(Path(place) in each.parents for each in sources)
    )
    linux.mount("root", stage, "tmpfs", linux.NOSUID | linux.NODEV, "size=4m,mode=755")
    both = [(path, True) for path in readable] + [(path, False) for path in masked]
    for path, shown in sorted(both, key=lambda each: (len(each[0].parts), each)):
        target = Path(stage + str(path))
        if shown and path.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.readlink(path))
        elif shown:
            _bind(path, target)
        elif target.is_dir():
            linux.mount("nothing", str(target), "tmpfs", linux.NOSUID | linux.NODEV, "size=1m")
    for name in visible_paths.DEVICES:
        _bind(Path("/dev", name), Path(stage, "dev", name))
    for name in ("proc", ROOM.name, PACKAGE[1:]):
        Path(stage, name).mkdir()
    if not Path(stage, "tmp").exists():
        Path(stage, "tmp").symlink_to(ROOM)
    _bind(package, Path(stage + PACKAGE))
    _mount_proc(stage + "/proc")
    linux.make_read_only(stage)
    linux.pivot_root(stage)


def _bind(source: Path, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    linux.mount(str(source), str(target), None, linux.BIND | linux.REC)


def _mount_proc(target: str) -> None:
    linux.mount("proc", target, "proc", linux.NOSUID | linux.NODEV | linux.NOEXEC)


def room() -> None:
    """In a student's process: its own /proc, and an empty room of 64 MB."""
    linux.unshare(linux.NEWNS)
    linux.mount("tmp", str(ROOM), "tmpfs", linux.NOSUID | linux.NODEV, "size=64m,nr_inodes=8k")
    _mount_proc("/proc")


def hide_package() -> None:
    """After what is provided has been copied from it."""
    linux.unmount(PACKAGE)
