"""Values from the other side of the border: everything is checked before it is built."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.packing import MAX_DEPTH, NUMPY_TYPES, TORCH_TYPES
from transformer_course.grading.border.wire import MAX_ITEMS, ProtocolError

MAX_DIMENSIONS = 32

Objects = Callable[[int, str], Any]  # what stands for an object that was not sent


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
