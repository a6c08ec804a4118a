"""The untrusted side: runs a student's cells, and answers questions about what they defined.

Student code shares this process and can do anything to it: lie, or send nonsense. That costs
the student's own answers, never more, because checks and verdict live in another process. What
this loop needs is bound to local names before the first cell runs, so that honest code which
happens to replace `json.dumps` or `builtins.isinstance` does not break its own grading.
"""

import os
import random
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.packing import pack
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.border.wire import encode, receive, send
from transformer_course.grading.exercises import provides
from transformer_course.grading.exercises.magics import Shell, to_python
from transformer_course.grading.exercises.operations import elementary
from transformer_course.grading.processes.answering import VIEWS, Served, Stays

KEPT = (  # of the environment
    *("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LC_ALL", "CUDA_VISIBLE_DEVICES"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
)


def describe(error: BaseException) -> list[Any]:
    """Kind, text and line of an error; the error's own methods may fail."""
    kind = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = ""
    if "can't allocate memory" in text:  # torch's way to say it
        kind = "MemoryError"
    lines = [  # "cell 3" is the learner's, a cell of the set-up has another name
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__"
        and frame.f_code.co_filename.startswith(("<cell", "<magic"))
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
    elementary()
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
            *("is_module", "arguments_after", "gradients"),
        )
    }
    objects, printed, values = served.objects, served.printed, served.values
    run, forbid, refer = served.run, served.forbidden.forbid, served.refer
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.register_at_fork(after_in_child=sock.close)  # this process's end is seen, whoever is left
    for name in ("json", "json.decoder", "json.encoder", "json.scanner", "socket", "struct"):
        sys.modules.pop(name, None)  # the student's own import gives a fresh copy

    while True:
        (operation, packed), data, _ = receive(sock, 1 << 40)
        buffers: list[bytes] = []
        try:
            args = unpack(packed, data, lambda handle, _: objects[handle])
            if operation == "execute":
                result = run(*args)
            elif operation == "values":
                result = values(args[0], buffers)
            elif operation == "forbid":
                result = pack(forbid(args[0]), buffers, refer)
            else:
                value = answer[operation](*args)
                if type(value) in VIEWS:
                    value = list(value)
                stays = type(value) is Stays
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
