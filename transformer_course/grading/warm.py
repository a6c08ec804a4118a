"""The warm process: torch is loaded, no exercise is; it forks one student for each request."""

import gc
import json
import os
import socket
from typing import Any


def main(argument: str) -> None:
    """Entered by a fresh interpreter; `argument` is the JSON that `zygote.launch` writes."""
    config = json.loads(argument)
    control = socket.socket(fileno=config["fd"])
    from transformer_course.grading import student, wire  # noqa: PLC0415  torch comes after fork

    student.torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    wire.send(control, wire.encode(["ready", {}], []))
    Warm(control, config).serve()


class Warm:
    """Holds the students that are alive."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        from transformer_course.grading import ending, student, wire  # noqa: PLC0415

        self.control, self.config = control, config
        self.student, self.wire, self.ending = student, wire, ending
        self.alive: set[int] = set()

    def serve(self) -> None:
        """Until the checker goes."""
        while True:
            try:
                (operation, argument), _ = self.wire.receive(self.control, 1 << 20)
            except EOFError:
                break
            reply = self.begin(argument) if operation == "student" else self.end(*argument)
            self.wire.send(self.control, self.wire.encode(reply, []))
        for pid in self.alive:
            self.ending.end(pid)

    def begin(self, request: dict[str, Any]) -> list[Any]:
        """Fork a student; its socket comes with the request."""
        _, (fd,), _, _ = socket.recv_fds(self.control, 1, 1)
        try:
            pid = os.fork()
        except OSError as error:
            os.close(fd)
            return ["failed", str(error)]
        if not pid:
            try:
                self.become_student(fd, request)
            finally:
                os._exit(1)
        os.close(fd)
        self.alive.add(pid)
        return ["begun", pid]

    def end(self, pid: int, patience: float) -> list[Any]:
        """Kill a student and all it started."""
        self.alive.discard(pid)
        return ["ended", self.ending.end(pid, patience)]

    def become_student(self, fd: int, request: dict[str, Any]) -> None:
        """In the fork: nothing of the warm process is left open but the student's own socket."""
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.dup2(fd, 3)
        os.closerange(4, 1 << 20)
        sock = socket.socket(fileno=3)
        gc.unfreeze()
        self.wire.send(sock, self.wire.encode(["ready", None], []))
        self.student.serve(sock, request["output_chars"], request["answer_bytes"])
