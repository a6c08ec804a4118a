"""What crosses the border between checks and student code: plain data and raw bytes of arrays.

A message is a JSON list, followed by the bytes of its tensors and arrays. Nothing is unpickled,
and whatever comes from a student is checked before anything is built from it: the worst a
student can send is refused with `ProtocolError`.
"""

import json
import math
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

MAX_HEADER = 16 << 20  # bytes of JSON in one message
MAX_DEPTH = 64  # of lists in lists
MAX_ITEMS = 1_000_000  # values in one message, tensors counted as one
MAX_DIGITS = 4000  # of an int; Python itself reads up to 4300
MAX_DIMENSIONS = 32

TORCH_TYPES: dict[str, Any] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.complex64, torch.complex128),
    )
}
NUMPY_TYPES: dict[str, Any] = {name: np.dtype(name) for name in TORCH_TYPES if name != "bfloat16"}
_TORCH_NAMES = {dtype: name for name, dtype in TORCH_TYPES.items()}

# Student code shares its process with `pack`, and may replace what torch and json export.
# Bound here, before it runs, these stay what they are; the verdict does not depend on it.
_tensor: Any = torch.Tensor
_detach, _layout = _tensor.detach, _tensor.layout
_is_quantized, _is_meta = _tensor.is_quantized, _tensor.is_meta
_plain_methods, _strided = torch._C.DisableTorchFunctionSubclass, torch.strided
_dumps, _loads = json.dumps, json.loads
_HEAD = struct.Struct("<IQ")  # bytes of JSON, bytes of buffers

Refer = Callable[[Any], list[Any]]  # what to send for an object that is not plain data
Objects = Callable[[int, str], Any]  # what stands for it on the other side


class ProtocolError(Exception):
    """The other side sent something that is not a message."""


def pack(value: Any, buffers: list[bytes], refer: Refer, depth: int = 0) -> Any:
    """The JSON form of a value; bytes of tensors and arrays are appended to `buffers`.

    Raises:
        TypeError: It cannot be sent, and `refer` will not stand in for it.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if depth > MAX_DEPTH:
        raise TypeError(f"lists nested more than {MAX_DEPTH} deep cannot be sent")
    if issubclass(kind, torch.Tensor):
        return _pack_tensor(value, buffers)
    if issubclass(kind, np.ndarray | np.generic):
        return _pack_array(value, buffers)
    if issubclass(kind, int):
        if int.bit_length(value) > 3 * MAX_DIGITS:
            raise TypeError(f"an int of more than {MAX_DIGITS} digits cannot be sent")
        return int.__pos__(value)
    if issubclass(kind, float):
        return float.__pos__(value)
    if issubclass(kind, str):
        return str.__str__(value)
    if kind is complex:
        return ["complex", value.real, value.imag]
    if kind is bytes:
        buffers.append(value)
        return ["bytes"]
    if kind is torch.dtype and value in _TORCH_NAMES:
        return ["dtype", _TORCH_NAMES[value]]
    if value is ...:
        return ["ellipsis"]
    if kind is range and value[MAX_ITEMS:]:
        raise TypeError(f"a range of more than {MAX_ITEMS:,} numbers cannot be sent")
    if kind is slice or kind is range:
        parts = (value.start, value.stop, value.step)
        return [kind.__name__, *(pack(each, buffers, refer, depth + 1) for each in parts)]
    for base in (torch.Size, list, tuple, set, frozenset):
        if issubclass(kind, base):
            items = [pack(each, buffers, refer, depth + 1) for each in base.__iter__(value)]
            return [base.__name__, items]
    if issubclass(kind, dict):
        entries = dict.items(value)
        return ["dict", [[pack(x, buffers, refer, depth + 1) for x in pair] for pair in entries]]
    return refer(value)


def _pack_tensor(value: torch.Tensor, buffers: list[bytes]) -> Any:
    """A subclass is reduced to its values by torch's own methods, never by its own."""
    with _plain_methods():
        if _layout.__get__(value) is not _strided or _is_quantized.__get__(value):
            raise TypeError("a sparse or quantized tensor cannot be sent; use .to_dense()")
        if _is_meta.__get__(value):
            raise TypeError("a tensor on the meta device has no values to send")
        tensor = _detach(value).cpu().resolve_conj().resolve_neg().contiguous()
        if tensor.dtype not in _TORCH_NAMES:
            raise TypeError(f"a tensor of {tensor.dtype} cannot be sent; use .float()")
        buffers.append(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        return ["tensor", _TORCH_NAMES[tensor.dtype], list(tensor.shape)]


def _pack_array(value: Any, buffers: list[bytes]) -> Any:
    array = np.array(value, order="C")  # a plain copy, whatever the subclass
    array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name not in NUMPY_TYPES:
        raise TypeError(f"an array of {array.dtype} cannot be sent; use numbers")
    buffers.append(array.tobytes())
    kind = "scalar" if issubclass(type(value), np.generic) else "array"
    return [kind, array.dtype.name, list(array.shape)]


def unpack(data: Any, buffers: list[bytes], objects: Objects) -> Any:
    """The value of a JSON form.

    Raises:
        ProtocolError: It is not what `pack` makes.
    """
    reader = _Reader(iter(buffers), objects)
    try:
        value = reader.read(data, 0)
    except ProtocolError:
        raise
    except Exception as error:  # whatever was sent, the reader of it goes on
        raise ProtocolError(f"a value cannot be rebuilt: {type(error).__name__}") from None
    if next(reader.buffers, None) is not None:
        raise ProtocolError("more bytes than values")
    return value


class _Reader:
    def __init__(self, buffers: Iterator[bytes], objects: Objects) -> None:
        self.buffers, self.objects, self.items = buffers, objects, 0

    def read(self, data: Any, depth: int) -> Any:
        self.items += 1
        if depth > MAX_DEPTH + 1 or self.items > MAX_ITEMS:
            raise ProtocolError("too many values, or nested too deep")
        if not isinstance(data, list):
            if isinstance(data, dict):
                raise ProtocolError("a JSON object where a list is expected")
            return data
        kind, *rest = data
        if kind in ("list", "tuple", "set", "frozenset", "Size"):
            (found,) = rest
            items = [self.read(each, depth + 1) for each in found]
            if kind in ("set", "frozenset"):
                hashable(items)
            makers = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
            return makers.get(kind, torch.Size)(items)
        if kind == "dict":
            (found,) = rest
            keys = [self.read(key, depth + 1) for key, _ in found]
            hashable(keys)
            return dict(zip(keys, (self.read(x, depth + 1) for _, x in found), strict=True))
        if kind in ("tensor", "array", "scalar"):
            return self.numbers(kind, *rest)
        if kind == "bytes":
            return bytes(next(self.buffers))
        if kind == "object":
            handle, name = rest
            if type(handle) is not int or type(name) is not str:
                raise ProtocolError("an object without a number and a name")
            return self.objects(handle, name[:200])
        if kind in ("slice", "range"):
            start, stop, step = (self.read(each, depth + 1) for each in rest)
            if kind == "slice":
                return slice(start, stop, step)
            if (found := range(start, stop, step))[MAX_ITEMS:]:
                raise ProtocolError("a range that would fill the memory when written down")
            return found
        if kind == "complex":
            real, imaginary = rest
            return complex(real, imaginary)
        if kind == "dtype":
            (name,) = rest
            return TORCH_TYPES[name]
        if kind == "ellipsis":
            return ...
        raise ProtocolError("a kind of value that does not exist")

    def numbers(self, kind: str, name: str, shape: list[int]) -> Any:
        """A tensor or an array. Shape, type and length have to agree before it is made."""
        dtype = TORCH_TYPES[name] if kind == "tensor" else NUMPY_TYPES[name]
        data = next(self.buffers)
        good = all(type(size) is int and 0 <= size < 1 << 31 for size in shape)
        if not good or len(shape) > MAX_DIMENSIONS:
            raise ProtocolError("a shape with impossible sizes")
        if math.prod(shape) * dtype.itemsize != len(data):
            raise ProtocolError("a shape that does not fit its bytes")
        if not data and math.prod(max(size, 1) for size in shape) > MAX_ITEMS:
            raise ProtocolError("no values in a shape whose sums would fill the memory")
        if kind == "tensor":
            if not data:
                return torch.empty(shape, dtype=dtype)
            raw = bytearray(data)  # the tensor's own
            if name == "bool":  # any byte but 0 is True; torch trusts it to be 0 or 1
                return torch.frombuffer(raw, dtype=torch.uint8).reshape(shape) != 0
            return torch.frombuffer(raw, dtype=dtype).reshape(shape)
        flat = np.frombuffer(data, np.uint8) != 0 if name == "bool" else np.frombuffer(data, dtype)
        array = flat.reshape(shape).copy()
        return array if kind == "array" else array[()]


def hashable(keys: list[Any]) -> None:
    """Refuse keys that were chosen to fall on one another, which would take hours to store."""
    if any(isinstance(key, torch.Tensor) for key in keys):
        raise ProtocolError("a tensor as a key")
    if keys and max(Counter(map(hash, keys)).values()) > 64:
        raise ProtocolError("keys that collide")


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


def receive(
    sock: socket.socket, limit: int, deadline: float | None = None
) -> tuple[list[Any], list[bytes]]:
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
    return message, [bytes(_exactly(sock, size, deadline)) for size in sizes]


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
