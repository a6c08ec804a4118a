"""A learner's answers: a namespace, and what can be asked about it, in whatever process it is."""

import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.failures import Place
from transformer_course.grading.border.packing import Unsendable, pack
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.exercises.forbid import Forbidden
from transformer_course.grading.exercises.places import place_of

BATCH = 1024  # items of an iterator that are sent at once
ASKED = (
    *("call", "attribute", "item", "length", "iterate", "step"),
    *("is_module", "arguments_after", "gradients"),
)
IN_PLACE = "a tensor that is still needed was changed in place"
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class Answers:
    """A namespace and what can be asked about it: one method for each request.

    What is bound to `self` stays what it is, whatever the learner's code replaces. Where checks
    run in the same process, `checks` is the name of their module, in which nothing is forbidden.
    """

    def __init__(self, namespace: dict[str, Any], checks: str = "") -> None:
        self.namespace = namespace
        self.objects: list[Any] = []
        self.handles: dict[int, int] = {}
        self.forbidden = Forbidden(namespace, checks)
        self.asked = {name: getattr(self, name) for name in ASKED}

    def answer(self, operation: str, packed: Any, data: list[bytes], buffers: list[bytes]) -> Any:
        """The JSON form of an answer; bytes of tensors and arrays are appended to `buffers`.

        Whatever the learner's code raises is raised.
        """
        args = unpack(packed, data, lambda handle, _: self.objects[handle])
        if operation == "values":
            return self.values(args[0], buffers)
        if operation == "forbid":
            return pack(self.forbidden.forbid(args[0]), buffers, self.refer)
        with undisturbed():
            value = self.asked[operation](*args)
            if type(value) in VIEWS:
                value = list(value)
            if type(value) is Stays:
                return self.refer(value.value)
            try:
                return pack(value, buffers, self.refer)
            except Unsendable as error:
                if operation in ("arguments_after", "gradients"):  # what the call gave comes first
                    error.path = error.path[3:] if error.path.startswith("[0]") else ""
                raise

    def refer(self, value: Any) -> list[Any]:
        """A number for an object that stays here; the same object keeps its number."""
        handle = self.handles.setdefault(id(value), len(self.objects))
        if handle == len(self.objects):
            self.objects.append(value)
        return ["object", handle, type(value).__name__]

    def values(self, names: list[str], buffers: list[bytes]) -> list[Any]:
        """Pairs of name and value; what is no plain data is referred to."""
        found = []
        for name in names:
            if name in self.namespace:
                value, start = self.namespace[name], len(buffers)
                try:
                    packed = pack(value, buffers, self.refer)
                except (TypeError, RecursionError):
                    del buffers[start:]
                    packed = self.refer(value)
                found.append([name, packed])
        return ["dict", found]

    def call(self, handle: int, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """What the call returns."""
        return self.objects[handle](*self.forbidden.hand_over(args), **kwargs)

    def attribute(self, handle: int, name: str) -> Any:
        """A dotted attribute; a view of a dict becomes a list."""
        value = self.objects[handle]
        for part in name.split("."):
            value = getattr(value, part)
        return value

    def item(self, handle: int, index: Any) -> Any:
        """What stands at an index."""
        return self.objects[handle][index]

    def length(self, handle: int) -> int:
        """Its len()."""
        return len(self.objects[handle])

    def iterate(self, handle: int) -> Any:
        """An iterator of it, which stays here."""
        return Stays(iter(self.objects[handle]))

    def step(self, handle: int, count: int) -> list[Any]:
        """The next items; fewer than asked for at the end."""
        return list(itertools.islice(self.objects[handle], min(count, BATCH)))

    def is_module(self, handle: int) -> bool:
        """Whether it is an nn.Module."""
        return isinstance(self.objects[handle], torch.nn.Module)

    def arguments_after(self, handle: int, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """What a call returns, and its arguments as they are afterwards."""
        return [self.objects[handle](*args, **kwargs), args, kwargs]

    def gradients(
        self, handle: int, args: list[Any], kwargs: dict[str, Any], weights: list[Any] | None
    ) -> Any:
        """Output, and gradients of its weighted sum by inputs and, for a module, parameters."""
        try:
            return self.derived(handle, args, kwargs, weights)
        except RuntimeError as error:
            if "in-place operation" in str(error) or "inplace operation" in str(error):
                # Checks take an error that says "grad" for a gradient that is cut off.
                error.args = (IN_PLACE,)
            raise

    def derived(
        self, handle: int, args: list[Any], kwargs: dict[str, Any], weights: list[Any] | None
    ) -> Any:
        """The same, with torch's own words where it fails."""
        function = self.objects[handle]
        args = [_leaf(each) for each in args]
        kwargs = {name: _leaf(each) for name, each in kwargs.items()}
        output = function(*args, **kwargs)
        if output is None:  # the checks have words for it
            return [None, [], {}]
        total = _weighted(list(_tensors(output)), weights)
        owner = getattr(function, "__self__", function)
        module = isinstance(owner, torch.nn.Module)
        named = dict(owner.named_parameters()) if module else {}
        inputs = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
        leaves = [x for x in (*inputs, *named.values()) if x.requires_grad]
        found = iter(torch.autograd.grad(total, leaves, allow_unused=True))
        grads = [next(found) if x.requires_grad else None for x in (*inputs, *named.values())]
        by_name = dict(zip(named, grads[len(inputs) :], strict=True))
        return [output, grads[: len(inputs)], by_name]


@contextmanager
def undisturbed() -> Iterator[None]:
    """What an answer computes is judged: not whether its notebook takes warnings for errors."""
    with np.errstate(all="ignore"), warnings.catch_warnings(), as_torch_starts():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def as_torch_starts() -> Iterator[None]:
    """New tensors are of float32, on the processor, with gradients: checks count on that.

    What the notebook has set for itself is there again afterwards.
    """
    # Nothing may be imported here: an answer can have taken that away.
    dtype, device = torch.get_default_dtype(), torch.empty(0).device.type
    moved = nullcontext() if device == "cpu" else torch.device("cpu")
    plain = dtype == torch.float32
    if not plain:
        torch.set_default_dtype(torch.float32)
    try:
        with torch.inference_mode(False), torch.enable_grad(), moved:
            yield
    finally:
        if not plain:
            torch.set_default_dtype(dtype)


def describe(error: BaseException) -> list[Any]:
    """Kind, text and place of an error; the error's own methods may fail."""
    kind = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = ""
    if "can't allocate memory" in text:  # torch's way to say it
        kind = "MemoryError"
    # "cell 3" is the learner's, a cell of the set-up has another name
    try:
        place = place_of(error, lambda file: file.startswith(("<cell", "<timed")))
    except Exception:  # where an answer has replaced what this needs
        place = None
    if isinstance(error, SyntaxError) and type(error.lineno) is int:
        place = Place(line=error.lineno)
    return [str(kind)[:200], text[:4000], place.sent() if place else None]


class Stays:
    """A value to which the answer only refers."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _leaf(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.requires_grad_(value.is_floating_point() or value.is_complex())


def _tensors(output: Any) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, list | tuple):
        for each in output:
            yield from _tensors(each)


def _weighted(outputs: list[torch.Tensor], weights: list[Any] | None) -> torch.Tensor:
    """The sum of outputs times weights; the first output's plain sum without weights."""
    known = [x for x in outputs if x.requires_grad]
    if not known:
        raise RuntimeError(
            "no gradient flows from the output to the inputs: "
            "it was computed outside of torch, or detached"
        )
    if weights is None:
        return known[0].sum()
    pairs = zip(outputs, weights, strict=False)
    return torch.stack([(x * w).sum() for x, w in pairs if x.requires_grad]).sum()
