"""A student's namespace, and what can be asked about it."""

import builtins
import itertools
import linecache
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

from transformer_course.grading.border.packing import pack
from transformer_course.grading.exercises.forbid import Forbidden
from transformer_course.grading.exercises.magics import Shell, to_python

BATCH = 1024  # items of an iterator that are sent at once
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class Printed:
    """What the student prints: the end of it is kept, whatever its length."""

    def __init__(self, limit: int) -> None:
        self.text, self.limit = "", limit

    def write(self, text: str) -> int:
        """Keep the last `limit` characters."""
        self.text = (self.text + text[-self.limit :])[-self.limit :]
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        """Nobody watches."""
        return False


class Served:
    """The student's namespace and what can be asked about it: one method for each request."""

    def __init__(self, output_chars: int) -> None:
        self.printed = Printed(output_chars)
        main = types.ModuleType("__main__")
        self.namespace = vars(main)
        own_builtins = types.ModuleType("builtins")  # a copy: replacing a builtin harms nobody
        vars(own_builtins).update(vars(builtins))
        self.namespace.update(__builtins__=own_builtins, get_ipython=lambda: Shell(self.run))
        sys.modules.update({"__main__": main, "builtins": own_builtins})
        sys.stdout = sys.stderr = self.printed  # type: ignore[assignment]
        self.objects: list[Any] = []
        self.handles: dict[int, int] = {}
        self.forbidden = Forbidden(self.namespace)

    def refer(self, value: Any) -> list[Any]:
        """A number for an object that stays here; the same object keeps its number."""
        handle = self.handles.setdefault(id(value), len(self.objects))
        if handle == len(self.objects):
            self.objects.append(value)
        return ["object", handle, type(value).__name__]

    def run(self, source: str, name: str = "magic") -> None:
        """Run a cell. Its lines are shown in tracebacks and found by inspect."""
        label = f"<{name}>"
        linecache.cache[label] = (len(source), None, source.splitlines(keepends=True), label)
        exec(compile(to_python(source), label, "exec"), self.namespace)

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
        function = self.objects[handle]
        args = [_leaf(each) for each in args]
        kwargs = {name: _leaf(each) for name, each in kwargs.items()}
        output = function(*args, **kwargs)
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
