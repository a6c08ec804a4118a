"""Starting a fresh interpreter that knows one socket, and no secret of this one."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1])['path']; "
    "from transformer_course.grading.processes.entry import main; main(sys.argv[1])"
)
KEPT = (
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TMPDIR",
    "ATEN_CPU_CAPABILITY",
)  # of the environment


def rooms() -> str:
    """How the paths of students' folders begin: as those of no other warm process."""
    return os.path.join(tempfile.gettempdir(), f"student-{secrets.token_hex(4)}-")


def launch(sock: socket.socket, config: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Enter `entry.main` in a new process, with the same modules to import."""
    path = [entry or os.getcwd() for entry in sys.path]
    package = Path(__file__).resolve().parents[2]
    argument = {"path": path, "fd": sock.fileno(), "package": str(package), **config}
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    environment |= {"OMP_WAIT_POLICY": "passive"}  # a student's threads may have to share a core
    environment["PATH"] = os.environ.get("PATH", "") if os.name == "nt" else os.defpath
    environment |= {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}  # the same for every student
    return subprocess.Popen(
        [sys.executable, "-s", "-P", "-c", BOOT, json.dumps(argument)],
        pass_fds=[sock.fileno()],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C is for the command, which ends this
    )
