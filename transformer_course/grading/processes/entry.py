"""The entry of a process that will run student code: `launch` starts it, with torch not loaded."""

import json
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any


def main(argument: str) -> None:
    """`argument` is the JSON that `launch` writes; the socket in it leads to the checker."""
    config = json.loads(argument)
    sock = socket.socket(fileno=config["fd"])
    sock.set_inheritable(False)
    with suppress(ConnectionError):  # the checker has gone meanwhile
        begin(sock, config)


def begin(sock: socket.socket, config: dict[str, Any]) -> None:
    """Be what the checker wants: one student, the process that forks them, or a trial of it."""
    if config["level"] == 0:
        alone(sock, config)
        return
    from transformer_course.grading.processes.forking import Forks  # noqa: PLC0415  needs Unix

    try:
        forks = Forks(sock, config)
    except Exception as error:  # the checker hears why, and decides
        text = f"{type(error).__name__}: {error}"
        sock.sendall(json.dumps(text).encode() if config["probe"] else word("failed", text))
        return
    if config["probe"]:
        forks.attempt()
    else:
        sock.sendall(word("ready", None))
        forks.serve()


def word(first: str, second: Any) -> bytes:
    """A message of two values."""
    from transformer_course.grading.border.wire import encode  # noqa: PLC0415  loads torch

    return encode([first, second], [])


def alone(sock: socket.socket, config: dict[str, Any]) -> None:
    """Level 0: this interpreter is one student's, and only the time is limited."""
    from transformer_course.grading.exercises import provides  # noqa: PLC0415  loads torch
    from transformer_course.grading.processes import student  # noqa: PLC0415  loads torch

    scratch = Path(config["scratch"])
    (scratch / "home").mkdir()
    provides.copy(Path(config["package"]), config["provides"], scratch / "course")
    student.warm_up()
    ready = word("ready", None)
    student.become(scratch, config["provides"])
    sock.sendall(ready)
    student.serve(sock, config["output_chars"], config["answer_bytes"])
