"""The untrusted side: runs a student's cells, and answers questions about what they defined.

Student code shares this process and can do anything to it: lie, or send nonsense. That costs
the student's own answers, never more, because checks and verdict live in another process. What
this loop needs is bound to local names before the first cell runs, so that honest code which
happens to replace `json.dumps` or `builtins.isinstance` does not break its own grading.
"""

import builtins
import itertools
import linecache
import os
import random
import signal
import socket
import sys
import tempfile
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from transformer_course.grading import provides
from transformer_course.grading.cells import Shell, to_python
from transformer_course.grading.forbid import Forbidden
from transformer_course.grading.wire import encode, pack, receive, send, unpack

KEPT = (  # of the environment
    *("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LC_ALL", "CUDA_VISIBLE_DEVICES"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
)
BATCH = 1024  # items of an iterator that are sent at once


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
        return self.objects[handle](*args, **kwargs)

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
        return _Stays(iter(self.objects[handle]))

    def step(self, handle: int, count: int) -> list[Any]:
        """The next items; fewer than asked for at the end."""
        return list(itertools.islice(self.objects[handle], min(count, BATCH)))

    def is_module(self, handle: int) -> bool:
        """Whether it is an nn.Module."""
        return isinstance(self.objects[handle], torch.nn.Module)

    def refer_to(self, handle: int, name: str) -> Any:
        """A dotted attribute that stays here, even when it is a tensor or a list."""
        return _Stays(self.attribute(handle, name))

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


class _Stays:
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


def describe(error: BaseException) -> list[Any]:
    """Kind, text and line of an error; the error's own methods may fail."""
    kind = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = ""
    if "can't allocate memory" in text:  # torch's way to say it
        kind = "MemoryError"
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__"
    ]
    if isinstance(error, SyntaxError) and type(error.lineno) is int:
        lines.append(error.lineno)
    return [str(kind)[:200], text[:4000], lines[-1] if lines else None]


def warm_up() -> None:
    """Once, before students are forked: what is slow the first time, and the same random start."""
    torch.set_num_threads(1)
    layer = torch.nn.Linear(2, 2)
    torch.nn.functional.cross_entropy(layer(torch.ones(2, 2)).softmax(-1), torch.tensor([0, 1]))
    exec(compile(to_python("%time\n1"), "<warm>", "exec"), {"get_ipython": lambda: Shell(len)})
    np.random.seed(2017)
    torch.manual_seed(2017)


def become(scratch: Path, provided: list[str]) -> None:
    """Make this process a student's: the same start for everybody, and nothing of the course.

    `scratch` holds an empty `home`, and `course` with copies of the provided modules.
    """
    home = str(scratch / "home")
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=home, TMPDIR=home, USER="student", LOGNAME="student")
    os.chdir(home)
    tempfile.tempdir = None
    sys.argv[:], sys.path[:] = [""], [place for place in sys.path if os.path.isdir(place)]
    provides.install(provided, scratch / "course")
    random.seed(2017)  # Python gives each fork a start of its own


def serve(sock: socket.socket, output_chars: int, answer_bytes: int) -> None:
    """Answer requests until the other side goes. Called once, in a process of its own."""
    me, getpid, leave = os.getpid(), os.getpid, os._exit
    served = Served(output_chars)
    answer: dict[str, Callable[..., Any]] = {
        name: getattr(served, name)
        for name in (
            *("call", "attribute", "item", "length", "iterate", "step"),
            *("is_module", "refer_to", "arguments_after", "gradients"),
        )
    }
    objects, printed, values = served.objects, served.printed, served.values
    run, forbid, refer = served.run, served.forbidden.forbid, served.refer
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.register_at_fork(after_in_child=sock.close)  # this process's end is seen, whoever is left
    for name in ("json", "json.decoder", "json.encoder", "json.scanner", "socket", "struct"):
        sys.modules.pop(name, None)  # the student's own import gives a fresh copy

    while True:
        (operation, packed), data = receive(sock, 1 << 40)
        buffers: list[bytes] = []
        try:
            args = unpack(packed, data, lambda handle, _: objects[handle])
            if operation == "execute":
                result = run(*args)
            elif operation == "values":
                result = values(args[0], buffers)
            elif operation == "forbid":
                result = forbid(args[0])
            else:
                value = answer[operation](*args)
                if type(value) in VIEWS:
                    value = list(value)
                stays = type(value) is _Stays
                result = refer(value.value) if stays else pack(value, buffers, refer)
            reply: list[Any] = ["ok", result, printed.text]
            if sum(map(len, buffers)) > answer_bytes:
                raise ValueError(f"an answer takes more than {answer_bytes:,} bytes")
            reply_bytes = encode(reply, buffers)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's, too
            reply_bytes = encode(["error", describe(error), printed.text], [])
        if getpid() != me:  # a stray fork of student code must not answer
            leave(0)
        send(sock, reply_bytes)


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
