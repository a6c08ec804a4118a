"""The untrusted side: runs a student's cells, and answers questions about what they defined.

Student code shares this process and can do anything to it: lie, or send nonsense. That costs
the student's own answers, never more, because checks and verdict live in another process. What
this loop needs is bound to local names before the first cell runs, so that honest code which
happens to replace `json.dumps` or `builtins.isinstance` does not break its own grading.
"""

import builtins
import os
import random
import signal
import socket
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.wire import encode, receive, send
from transformer_course.grading.exercises import provides
from transformer_course.grading.exercises.answers import Answers, describe
from transformer_course.grading.exercises.operations import elementary
from transformer_course.grading.processes import loops
from transformer_course.grading.processes.printed import Tail, output

try:
    from transformer_course.grading.processes.shell import made
except ImportError:  # without IPython
    from transformer_course.grading.processes.plain import made  # type: ignore[assignment]

KEPT = (  # of the environment
    *("SYSTEMROOT", "LC_ALL", "CUDA_VISIBLE_DEVICES"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "MPLBACKEND"),
)


def warm_up() -> None:
    """Once, before students are forked: what is slow the first time, and the same random start."""
    torch.set_num_threads(1)
    layer = torch.nn.Linear(2, 2)
    torch.nn.functional.cross_entropy(layer(torch.ones(2, 2)).softmax(-1), torch.tensor([0, 1]))
    elementary()
    loops.without_sockets()
    made()
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
    os.environ["PATH"] = os.defpath
    os.chdir(home)
    tempfile.tempdir = None
    sys.argv[:], sys.path[:] = [""], ["", *filter(os.path.isdir, sys.path)]
    provides.install(provided, scratch / "course")
    random.seed(2017)  # Python gives each fork a start of its own


def serve(sock: socket.socket, output_chars: int, answer_bytes: int) -> None:
    """Answer requests until the other side goes. Called once, in a process of its own."""
    me, getpid, leave = os.getpid(), os.getpid, os._exit
    shell, printed = made(), Tail(output_chars)
    text, run, answer = printed.text, shell.run, Answers(shell.namespace).answer
    own_builtins = types.ModuleType("builtins")  # a copy: replacing a builtin harms nobody
    vars(own_builtins).update(vars(builtins))
    shell.namespace["__builtins__"] = own_builtins
    sys.modules.update({"__main__": shell.module, "builtins": own_builtins})
    sys.stdout = sys.stderr = output(printed)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.register_at_fork(after_in_child=sock.close)  # this process's end is seen, whoever is left
    for name in ("json", "json.decoder", "json.encoder", "json.scanner", "socket", "struct"):
        sys.modules.pop(name, None)  # the student's own import gives a fresh copy

    while True:
        (operation, packed), data, _ = receive(sock, 1 << 40)
        buffers: list[bytes] = []
        try:
            result = None
            if operation != "execute":
                result = answer(operation, packed, data, buffers)
            elif (error := run(packed[1][0], f"<{packed[1][1]}>")) is not None:
                raise error
            reply: list[Any] = ["ok", result, text()]
            if sum(map(len, buffers)) > answer_bytes:
                raise ValueError(f"an answer takes more than {answer_bytes:,} bytes")
            reply_bytes = encode(reply, buffers)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's, too
            reply_bytes = encode(["error", describe(error), text()], [])
        if getpid() != me:  # a stray fork of student code must not answer
            leave(0)
        send(sock, reply_bytes)
