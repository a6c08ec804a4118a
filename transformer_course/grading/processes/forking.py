"""The warm process: torch is loaded, no exercise is; it forks one student for each request."""

import gc
import json
import os
import select
import socket
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformer_course.grading.exercises import provides
from transformer_course.grading.processes import cleanup, usage
from transformer_course.grading.walls import (
    landlock,
    linux,
    namespaces,
    privileges,
    probing,
    seccomp,
    visible_paths,
)

ON_LINUX = sys.platform == "linux"
PROBE_UID = 1_879_048_191


class Forks:
    """Holds what all students share, and the students that are alive with their scratch folders."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control, self.config = control, config
        self.level, self.package = config["level"], Path(config["package"])
        self.alive: dict[int, Path] = {}
        self.watched: dict[int, usage.Watched] = {}
        self.exceeded: dict[int, usage.Excess] = {}
        own_namespace = namespaces.enter() if self.level == 3 else False
        if not config["probe"]:
            from transformer_course.grading.border import wire  # noqa: PLC0415  torch, after fork
            from transformer_course.grading.processes import student  # noqa: PLC0415

            self.student, self.wire = student, wire
            student.warm_up()
        self.masked = visible_paths.hidden(self.package)
        self.readable = visible_paths.readable(self.masked)
        root = os.getuid() == 0 and not own_namespace
        self.own_user = root and (self.level == 3 or visible_paths.open_to_others(self.readable))
        self.processes = privileges.PROCESSES
        if not self.own_user and not own_namespace:
            self.processes = privileges.tasks_of_user() + 2 * privileges.PROCESSES
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")  # memory is to run out here
        if self.level == 3:
            self.namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
            namespaces.build(self.package)
        if ON_LINUX:
            linux.not_dumpable()
            linux.adopt_orphans()
        gc.collect()
        gc.freeze()  # so that a collection in a student does not copy what all share

    def serve(self) -> None:
        """Until the checker goes."""
        while True:
            self.watch()
            try:
                operation, argument = self.wire.receive(self.control, 1 << 20).parts
            except EOFError:
                break
            if operation == "student":
                _, (fd,), _, _ = socket.recv_fds(self.control, 1, 1)
                reply = self.begin(fd, argument)
                os.close(fd)
            else:
                reply = ["ended", self.end(*argument)]
            try:
                self.wire.send(self.control, self.wire.encode(reply, []))
            except OSError:  # the checker went while this was being done
                break
        for pid in list(self.alive):
            self.end(pid, 0.0)

    def watch(self) -> None:
        """Until there is a request, end students whose processes together have too much."""
        while self.alive and not select.select([self.control], [], [], usage.EVERY)[0]:
            for pid, watched in list(self.watched.items()):
                if excess := watched.look():
                    del self.watched[pid]
                    self.exceeded[pid] = excess
                    cleanup.kill(pid)

    def begin(self, fd: int, request: dict[str, Any]) -> list[Any]:
        """Fork a student that answers on this descriptor."""
        scratch = None
        try:
            scratch = self.room()
            pid = self.fork()
        except OSError as error:
            if scratch and self.level < 3:
                scratch.rmdir()  # nobody has been in it
            return ["failed", str(error)]
        if pid == 0:
            try:
                self.become(fd, scratch, request)
            finally:
                os._exit(1)
        self.alive[pid] = scratch
        self.watched[pid] = usage.Watched(pid, request["memory"])
        return ["begun", pid]

    def room(self) -> Path:
        """Where a student may write: a folder of its own, or at level 3 what it mounts there."""
        if self.level == 3:
            return namespaces.ROOM
        folder, prefix = os.path.split(self.config["rooms"])
        return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))

    def fork(self) -> int:
        """At level 3 the child is the first process of a process namespace."""
        if self.level < 3:
            return os.fork()
        linux.unshare(linux.NEWPID)
        pid = -1
        try:
            pid = os.fork()
        finally:
            if pid:  # in the parent, whether or not there is a child
                linux.setns(self.namespace, linux.NEWPID)
        return pid

    def end(self, pid: int, patience: float) -> str:
        """Kill a student and all it started, and remove what it wrote."""
        scratch = self.alive.pop(pid)
        self.watched.pop(pid, None)
        how = cleanup.end(pid, patience)
        how = self.exceeded.pop(pid, how)
        if self.level < 3:
            cleanup.end_orphans(self.alive)
            cleanup.remove(scratch)
        return how

    def become(self, fd: int, scratch: Path, request: dict[str, Any]) -> None:
        """In the fork: confine this process, and serve the student's code."""
        sock = only_socket(fd)
        try:
            self.confine(scratch, request)
            self.student.become(scratch, request["provides"])
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self.wire.send(sock, self.wire.encode(["failed", text], []))
            return
        self.wire.send(sock, self.wire.encode(["ready", None], []))
        self.student.serve(sock, request["output_chars"], request["answer_bytes"])

    def confine(self, scratch: Path, request: dict[str, Any]) -> None:
        """Give up everything that this level can take away, in the order that still allows it."""
        if self.level == 3:
            namespaces.room()
        home = scratch / "home"
        home.mkdir()
        package = Path(namespaces.PACKAGE) if self.level == 3 else self.package
        provides.copy(package, request["provides"], scratch / "course")
        if self.level == 3:
            namespaces.hide_package()
        os.chdir(home)
        privileges.limits(request["memory"], request["seconds"], self.processes)
        if ON_LINUX:
            linux.drop_bounds()
        if self.own_user:
            for place in (scratch, home):
                os.chown(place, request["uid"], request["uid"])
            privileges.other_user(request["uid"])
        if ON_LINUX:
            linux.die_with_parent()
            linux.adopt_orphans()
        if self.level == 2:
            landlock.restrict(self.readable, self.masked, [scratch, Path(os.devnull)])
        if self.level >= 2:
            linux.drop_capabilities()
            seccomp.apply(os.getpid() if self.level == 2 else None)

    def attempt(self) -> None:
        """Instead of serving: confine one process for trial, and report what holds in it."""
        request = {"memory": 1 << 30, "seconds": 10.0, "provides": [], "uid": PROBE_UID}
        scratch = self.room()
        pid = self.fork()
        if pid == 0:
            try:
                self.confine(scratch, request)
                found: Any = probing.examine(self.level, self.package, self.masked)
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            self.control.sendall(json.dumps(found).encode())
            os._exit(0)
        os.waitpid(pid, 0)
        if self.level < 3:
            cleanup.remove(scratch)


def only_socket(fd: int) -> socket.socket:
    """Close every other descriptor; what is written to the standard ones goes nowhere."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    if fd != 3:
        os.dup2(fd, 3, inheritable=False)
    os.closerange(4, 1 << 20)
    return socket.socket(fileno=3)
