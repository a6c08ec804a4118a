"""Event loops without sockets, of which a student has none: `await` needs a loop to run in."""

import os
from asyncio.selector_events import BaseSelectorEventLoop
from typing import Any


class End:
    """One end of a pipe, as far as a loop uses a socket to wake itself up."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        os.set_blocking(fd, False)

    def fileno(self) -> int:
        """Its descriptor."""
        return self.fd

    def recv(self, size: int) -> bytes:
        """What was written; raises BlockingIOError if nothing was."""
        return os.read(self.fd, size)

    def send(self, data: bytes) -> int:
        """Write a few bytes."""
        return os.write(self.fd, data)

    def close(self) -> None:
        """Give it back."""
        os.close(self.fd)


def without_sockets() -> None:
    """From now on, loops of this process wake themselves up through a pipe."""

    def make_self_pipe(loop: Any) -> None:
        loop._ssock, loop._csock = map(End, os.pipe())
        loop._internal_fds += 1
        loop._add_reader(loop._ssock.fileno(), loop._read_from_self)

    BaseSelectorEventLoop._make_self_pipe = make_self_pipe  # type: ignore[attr-defined]
