"""Values for the border between checks and student code: plain data, and raw bytes of arrays."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.wire import MAX_ITEMS

MAX_DEPTH = 64  # of lists in lists
MAX_DIGITS = 4000  # of an int; Python itself reads up to 4300
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


class Unsendable(TypeError):
    """A value that cannot cross the border. `path` says where it stands in what was to be sent."""

    path = ""

    def __str__(self) -> str:
        return f"{self.args[0]}{f' at {self.path[:40]}' if self.path else ''}"


Refer = Callable[[Any], list[Any]]  # what to send for an object that is not plain data


def pack(value: Any, buffers: list[bytes], refer: Refer, depth: int = 0) -> Any:
    """The JSON form of a value; bytes of tensors and arrays are appended to `buffers`.

    Raises:
        Unsendable: It cannot be sent, and `refer` will not stand in for it.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if depth > MAX_DEPTH:
        raise Unsendable(f"lists nested more than {MAX_DEPTH} deep cannot be sent")
    if issubclass(kind, torch.Tensor):
        return _pack_tensor(value, buffers)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, np.ndarray | np.generic):
        return _pack_array(value, buffers)
    if issubclass(kind, int):
        if int.bit_length(value) > 3 * MAX_DIGITS:
            raise Unsendable(f"an int of more than {MAX_DIGITS} digits cannot be sent")
        return int.__pos__(value)
    if issubclass(kind, float):
        return float.__pos__(value)
    if kind is Fraction or kind is Decimal:
        return _float_of(value)
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
        raise Unsendable(f"a range of more than {MAX_ITEMS:,} numbers cannot be sent")
    if kind is slice or kind is range:
        parts = (value.start, value.stop, value.step)
        return [kind.__name__, *(pack(each, buffers, refer, depth + 1) for each in parts)]
    for base in (torch.Size, list, tuple, set, frozenset):
        if issubclass(kind, base):
            items = []
            for place, each in enumerate(base.__iter__(value)):
                try:
                    items.append(pack(each, buffers, refer, depth + 1))
                except Unsendable as error:
                    error.path = f"[{place}]{error.path}"
                    raise
            return [base.__name__, items]
    if issubclass(kind, dict):
        entries = dict.items(value)
        return ["dict", [[pack(x, buffers, refer, depth + 1) for x in pair] for pair in entries]]
    return refer(value)


def _float_of(value: Any) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError):
        kind = type(value).__name__
        raise Unsendable(f"a {kind} beyond the range of a float cannot be sent") from None


def _pack_tensor(value: torch.Tensor, buffers: list[bytes]) -> Any:
    """A subclass is reduced to its values by torch's own methods, never by its own."""
    with _plain_methods():
        if _layout.__get__(value) is not _strided or _is_quantized.__get__(value):
            raise Unsendable("a sparse or quantized tensor cannot be sent; use .to_dense()")
        if _is_meta.__get__(value):
            raise Unsendable("a tensor on the meta device has no values to send")
        tensor = _detach(value).cpu().resolve_conj().resolve_neg().contiguous()
        if tensor.dtype not in _TORCH_NAMES:
            raise Unsendable(f"a tensor of {tensor.dtype} cannot be sent; use .float()")
        buffers.append(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        return ["tensor", _TORCH_NAMES[tensor.dtype], list(tensor.shape)]


def _pack_array(value: Any, buffers: list[bytes]) -> Any:
    array = np.array(value, order="C")  # a plain copy, whatever the subclass
    array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name not in NUMPY_TYPES:
        raise Unsendable(f"an array of {array.dtype} cannot be sent; use numbers")
    buffers.append(array.tobytes())
    kind = "scalar" if issubclass(type(value), np.generic) else "array"
    return [kind, array.dtype.name, list(array.shape)]
