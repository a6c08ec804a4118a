import json
import math
import socket
import struct
import threading
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from transformer_course.grading.border.packing import NUMPY_TYPES, TORCH_TYPES, pack
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.border.wire import ProtocolError, encode, receive, send


def nothing_else(value):
    raise TypeError(f"{type(value).__name__} cannot be sent")


def objects(handle, name):
    return (handle, name)


def crossed(value):
    """What arrives, by way of bytes."""
    buffers = []
    ours, theirs = socket.socketpair()
    with ours, theirs:
        threading.Thread(
            target=send, args=(ours, encode([pack(value, buffers, nothing_else)], buffers))
        ).start()
        (data,), buffers, _ = receive(theirs, 1 << 20, time.monotonic() + 10)
    return unpack(data, buffers, objects)


def raw(header, rest=b"", sizes=None):
    """What a hostile process would write."""
    head = struct.pack("<IQ", len(header), len(rest)) if sizes is None else sizes
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(head + header + rest)
        ours.close()
        return receive(theirs, 1 << 16, time.monotonic() + 5)


PLAIN = [
    *(None, True, -3, 2**80, 1.5, -0.0, math.inf, 2 - 3j, "Grüße \udc80", b"\0\xff", ...),
    *([], (), {}, set(), [1, (2, [3])], {"a": 1, (1, "b"): [2]}, {1, 2}, frozenset({"x"})),
    *(slice(1, None, 2), range(3, 9, 2), torch.bfloat16, torch.Size([2, 3])),
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_data_arrives_as_it_was(value):
    found = crossed(value)
    assert found == value
    assert type(found) is type(value)
    assert repr(found) == repr(value)  # tells -0.0 from 0.0


def test_nan_arrives():
    assert math.isnan(crossed([math.nan])[0])


@pytest.mark.parametrize("dtype", TORCH_TYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)], ids=str)
def test_tensors_of_every_type_arrive(dtype, shape):
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    tensor = tensor[0, 1] if shape == () else tensor[: shape[0]]
    torch.testing.assert_close(crossed(tensor), tensor, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", NUMPY_TYPES.values(), ids=str)
def test_arrays_of_every_type_arrive(dtype):
    array = np.array([[0, 1], [1, 1]], dtype=dtype)
    np.testing.assert_array_equal(crossed(array.T), array.T, strict=True)
    scalar = crossed(array[0, 1])
    assert type(scalar) is type(array[0, 1])
    assert scalar == 1


def test_views_of_tensors_are_sent_as_they_look():
    tensor = torch.tensor([[1 + 2j, 3j], [4, 5]])
    torch.testing.assert_close(crossed(tensor.T.conj()), torch.tensor([[1 - 2j, 4], [-3j, 5]]))


def test_a_parameter_arrives_as_a_plain_tensor():
    assert type(crossed(torch.nn.Parameter(torch.ones(2)))) is torch.Tensor


class Lying(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True

    def detach(self):
        return torch.zeros(2)

    layout = property(lambda self: 1 / 0)


def test_a_tensor_subclass_is_reduced_to_its_values():
    found = crossed(torch.ones(2).as_subclass(Lying))
    assert type(found) is torch.Tensor
    torch.testing.assert_close(found, torch.ones(2))


class Loud(list):
    def __iter__(self):
        raise ZeroDivisionError


class Int(int):
    def __repr__(self):
        return "1]]]"


def test_subclasses_of_plain_types_are_reduced_to_them():
    found = crossed([Loud([1, 2]), Int(7), np.str_("th")])
    assert [type(each) for each in found] == [list, int, str]
    assert found == [[1, 2], 7, "th"]


@pytest.mark.parametrize("value", [Fraction(1, 4), Decimal("0.25")], ids=repr)
def test_exact_numbers_arrive_as_floats(value):
    assert crossed(value) == 0.25
    assert type(crossed(value)) is float


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


REFUSED = {
    "an object": (object(), "object cannot be sent"),
    "sparse": (torch.ones(2, 2).to_sparse(), "sparse or quantized"),
    "meta": (torch.ones(2, device="meta"), "meta device"),
    "float8": (torch.ones(2).to(torch.float8_e5m2), "float8_e5m2 cannot be sent"),
    "objects": (np.array([object()]), "an array of object cannot be sent"),
    "deep": (nested(100), "nested more than 64 deep"),
    "huge int": (1 << 20_000, "more than 4000 digits"),
    "huge fraction": (Fraction(1 << 20_000), "beyond the range of a float"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_sent_is_refused_with_a_reason(name):
    value, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        pack(value, [], nothing_else)


def test_of_what_stands_in_lists_the_place_is_told():
    with pytest.raises(
        TypeError, match=r"an array of object cannot be sent; use numbers at \[1\]\[0"
    ):
        pack([1, (np.array([object()]), 2)], [], nothing_else)


FLOATS = struct.pack("<2f", 1, 2)
FORGED = {
    "a kind that does not exist": (["evil", 1], []),
    "a JSON object": ({"list": []}, []),
    "no kind": ([], []),
    "a list of a number": (["list", 3], []),
    "a type by an attribute's name": (["tensor", "load", [2]], [FLOATS]),
    "objects as an array": (["array", "object", [1]], [FLOATS]),
    "too few bytes": (["tensor", "float32", [3]], [FLOATS]),
    "too many bytes": (["tensor", "float32", [1]], [FLOATS]),
    "a negative size": (["tensor", "float32", [-1, -2]], [FLOATS]),
    "an overflowing size": (["tensor", "float32", [2**33, 2**33, 0]], [b""]),
    "a size of True": (["tensor", "float32", [True, 2]], [FLOATS]),
    "too many dimensions": (["tensor", "float32", [1] * 40 + [2]], [FLOATS]),
    "bytes used twice": (["list", [["bytes"], ["bytes"]]], [b"x"]),
    "bytes left over": (["list", []], [b"x"]),
    "an unhashable key": (["dict", [[["list", []], 1]]], []),
    "a tensor as a key": (["set", [["tensor", "float32", [2]]]], [FLOATS]),
    "half an entry": (["dict", [[1]]], []),
    "keys that collide": (["set", [["tuple", [i, 1]] for i in [7] * 500]], []),
    "an object without a number": (["object", "1", "x"], []),
    "an object without a name": (["object", 1, 1], []),
    "a range of strings": (["range", "a", 1, 1], []),
    "a range without a step": (["range", 1, 1, 0], []),
    "too many values": (["list", [0] * 1_000_001], []),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_values_are_refused(name):
    with pytest.raises(ProtocolError):
        unpack(*FORGED[name], objects)


def test_keys_chosen_to_collide_cost_no_time():
    modulus = 2**61 - 1  # Python's hash of an int is its remainder
    started = time.monotonic()
    with pytest.raises(ProtocolError, match="keys that collide"):
        unpack(["set", [modulus * i for i in range(50_000)]], [], objects)
    assert time.monotonic() - started < 5


def test_a_byte_that_is_no_bool_becomes_one():
    found = unpack(["tensor", "bool", [2]], [b"\x02\x00"], objects)
    assert found.sum() == 1


@pytest.mark.parametrize(
    "header",
    [
        b"not json",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"a": 1, "a": 2}',
        b"[[], [1]]",
        b"[[], [-1, 1]]",
        b'[[], "x"]',
        b"[[], [0.0]]",
        b"[[], []",
        b"[" + b"9" * 5000 + b", []]",
        b"null",
    ],
    ids=lambda header: header[:12].decode("latin-1"),
)
def test_a_message_that_cannot_be_read_is_refused(header):
    with pytest.raises(ProtocolError, match="cannot be read"):
        raw(header)


def test_nan_in_a_header_is_no_size():
    with pytest.raises(ProtocolError, match="cannot be read"):
        raw(b"[[NaN], [NaN]]")


@pytest.mark.parametrize("sizes", [(1 << 31, 0), (10, 1 << 60)])
def test_sizes_are_checked_before_anything_is_read(sizes):
    with pytest.raises(ProtocolError, match="at most 65,536"):
        raw(b"", sizes=struct.pack("<IQ", *sizes))


def test_the_end_of_the_other_side_is_noticed():
    with pytest.raises(EOFError, match="has gone"):
        raw(b"", sizes=struct.pack("<IQ", 10, 0))


def test_the_deadline_holds_for_a_reply_that_comes_by_drops():
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def drip():
        for byte in encode([["list", [0] * 1000]], []):
            if stop.wait(0.02):
                return
            ours.send(bytes([byte]))

    with ours, theirs:
        dripping = threading.Thread(target=drip)
        dripping.start()
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            receive(theirs, 1 << 16, started + 0.3)
        assert time.monotonic() - started < 1
        stop.set()
        dripping.join()


def test_the_deadline_holds_for_a_request_that_nobody_takes():
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        send(ours, bytes(1 << 24), time.monotonic() + 0.1)


def test_a_message_is_json_and_bytes():
    buffers = []
    data = encode([pack({"x": torch.tensor([1, 2], dtype=torch.int8)}, buffers, None)], buffers)
    size, rest = struct.unpack("<IQ", data[:12])
    header = [[["dict", [["x", ["tensor", "int8", [2]]]]]], [2]]
    assert json.loads(data[12 : 12 + size]) == header
    assert (rest, data[12 + size :]) == (2, b"\1\2")
