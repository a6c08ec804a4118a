"""Messages between checks and student code: a JSON list, followed by the bytes of its arrays.

Nothing is unpickled. Sizes are checked before anything is read, and a deadline holds for the
whole of a message, so that the worst a student can send is refused with `ProtocolError`.
"""

import json
import socket
import struct
import time
from typing import Any, NamedTuple

MAX_HEADER = 16 << 20  # bytes of JSON in one message
MAX_ITEMS = 1_000_000  # values in one message, tensors counted as one
OBJECT = 16  # bytes of memory for one of JSON: "ab", takes five, and 51 as an object

_dumps, _loads = json.dumps, json.loads  # bound before student code, which may replace them
_HEAD = struct.Struct("<IQ")  # bytes of JSON, bytes of buffers


class ProtocolError(Exception):
    """The other side sent something that is not a message."""


class Message(NamedTuple):
    """What came over the socket; `weight` is about what it takes in memory once it is read."""

    parts: list[Any]
    buffers: list[bytes]
    weight: int


def encode(message: list[Any], buffers: list[bytes]) -> bytes:
    """A message as it goes over the socket."""
    header = _dumps([message, [len(each) for each in buffers]]).encode()
    return b"".join([_HEAD.pack(len(header), sum(map(len, buffers))), header, *buffers])


def send(sock: socket.socket, data: bytes, deadline: float | None = None) -> None:
    """Send all of it before the deadline (of time.monotonic).

    Raises:
        TimeoutError: The other side did not take it in time.
        OSError: There is no other side.
    """
    left = memoryview(data)
    while left:
        _limit(sock, deadline)
        left = left[sock.send(left[: 1 << 20]) :]


def receive(sock: socket.socket, limit: int, deadline: float | None = None) -> Message:
    """One message of at most `limit` bytes, all of it before the deadline.

    Raises:
        ProtocolError: It is too large, or not a message.
        TimeoutError: It did not arrive in time, at once or by drops.
        EOFError: The other side has gone.
    """
    header_size, rest = _HEAD.unpack(_exactly(sock, _HEAD.size, deadline))
    if header_size > min(MAX_HEADER, limit) or rest > limit:
        raise ProtocolError(
            f"a message of {header_size:,} bytes and {rest:,} of arrays; "
            f"at most {min(MAX_HEADER, limit):,} and {limit:,}"
        )
    header = _exactly(sock, header_size, deadline)
    if header.count(b"[") + header.count(b"{") > MAX_ITEMS:  # each becomes an object in memory
        raise ProtocolError("too many values in a message")
    try:
        message, sizes = _loads(bytes(header))
        good = isinstance(message, list) and all(type(n) is int and n >= 0 for n in sizes)
        good = good and sum(sizes) == rest
    except (ValueError, TypeError, RecursionError):
        good = False
    if not good:
        raise ProtocolError("a message that cannot be read")
    buffers = [bytes(_exactly(sock, size, deadline)) for size in sizes]
    return Message(message, buffers, OBJECT * header_size + rest)


def _exactly(sock: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray(size)
    left = memoryview(data)
    while left:
        _limit(sock, deadline)
        count = sock.recv_into(left[: 1 << 20])
        if not count:
            raise EOFError("the other side has gone")
        left = left[count:]
    return data


def _limit(sock: socket.socket, deadline: float | None) -> None:
    remaining = None if deadline is None else deadline - time.monotonic()
    if remaining is not None and remaining <= 0:
        raise TimeoutError("the time is over")
    sock.settimeout(remaining)
