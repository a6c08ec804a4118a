"""Kernels that nbval reaches by files: two that start at once could take the same TCP port.

PYTHONPATH=tests python -m pytest -p local_kernels --nbval NOTEBOOKS
"""

import os
from itertools import count
from tempfile import TemporaryDirectory

import nbval.kernel
from traitlets import default

FOLDER = TemporaryDirectory(prefix="kernels-")  # of this process: no other uses its names
NUMBERS = count(1)


class LocalKernelManager(nbval.kernel.KernelManager):
    """nbval gives its manager no configuration, so this stands in its place."""

    @default("transport")
    def _local(self) -> str:
        return "tcp" if os.name == "nt" else "ipc"

    @default("connection_file")
    def _own(self) -> str:
        return f"{FOLDER.name}/{next(NUMBERS)}.json"  # its sockets lie beside it


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    FOLDER.cleanup()


nbval.kernel.KernelManager = LocalKernelManager
