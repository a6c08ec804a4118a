"""Where a student's cells run: IPython's own shell, in which nothing leaves the process.

It is made in the warm process, once; each student gets it with the fork.
"""

import os
import re
import tempfile
from contextlib import suppress
from functools import cache
from typing import Any, cast

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList
from traitlets.config import Config

REPEATS = re.compile(r"(?:^|\s)-[nr]\s*\d+")
PROGRAMS = {  # whose magics hand a cell to another program
    *("script", "system", "sx", "!", "!!", "bash", "sh", "cmd", "perl", "ruby", "pypy"),
    *("python", "python2", "python3"),
}
LEFT_OUT = {  # magics that install or load something, or ask somebody
    *("load_ext", "reload_ext", "unload_ext", "autoreload", "pip", "uv"),
    *("conda", "mamba", "micromamba", "debug", "edit", "gui", "notebook"),
}


class Named(CachingCompiler):
    """Gives code the name of its cell, by which errors are told."""

    label = "<cell>"

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """The cell's; also for what one of its magics runs."""
        return self.label


class Unseen(DisplayHook):
    """A cell's last value becomes `_`, and nobody looks at it: it is not printed."""

    def compute_format_data(self, result: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Nothing to show."""
        return {}, {}

    def write_output_prompt(self) -> None:
        """Nor its number."""

    finish_displayhook = write_output_prompt


class Shell(InteractiveShell):
    """As in a kernel, except that commands, extensions and pictures do nothing."""

    compiler_class, displayhook_class = Named, Unseen

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)  # type: ignore[no-untyped-call]
        cast(Any, self.display_formatter).active_types = ["text/plain"]
        self.module, self.namespace = self.user_module, self.user_ns

    def run(self, source: str, label: str) -> BaseException | None:
        """Run a cell; what it raised is returned."""
        self.compile.label = label
        found = self.run_cell(source, store_history=True)
        errors = (found.error_before_exec, found.error_in_exec)
        return next((error for error in errors if error is not None), None)

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """As in a kernel; one that is left out, or cannot be used here, does nothing."""
        if magic_name not in LEFT_OUT:
            line = once(line) if magic_name == "timeit" else line
            with suppress(UsageError):
                return super().run_line_magic(magic_name, line, _stack_depth + 1)
        return None

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """As in a kernel; one that is left out, or cannot be used here, does nothing."""
        if magic_name not in LEFT_OUT | PROGRAMS:
            line = once(line) if magic_name == "timeit" else line
            with suppress(UsageError):
                return super().run_cell_magic(magic_name, line, cell)
        return None

    def system(self, cmd: str) -> None:
        """`!command` does nothing, and does it well."""
        self.namespace["_exit_code"] = 0

    system_raw = system_piped = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        """`lines = !command` gives no lines."""
        return SList() if split else ""

    def enable_matplotlib(self, gui: str | None = None) -> tuple[str | None, str]:
        """`%matplotlib` has nothing to do: the inline backend is there from the start."""
        return None, "inline"

    def ask_exit(self) -> None:
        """`exit()` ends a kernel after its cell; here the cells below run all the same."""

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """The result has the error; nobody reads it here."""

    showsyntaxerror = showindentationerror = showtraceback

    def _format_exception_for_storage(self, exception: BaseException, *_: Any) -> dict[str, Any]:
        return {"ename": type(exception).__name__, "evalue": "", "traceback": []}


def once(line: str) -> str:
    """The line of a `%timeit` with one round of one loop: nobody reads how long it took."""
    return f"-n1 -r1 {REPEATS.sub('', line)}"


def new() -> Shell:
    """A shell that keeps no history and leaves no folder; `IPython.get_ipython()` gives it."""
    config = Config()
    config.HistoryManager.enabled = False  # no file, and no thread that a fork would lose
    with tempfile.TemporaryDirectory(prefix="ipython-") as folder:
        return cast(Shell, Shell.instance(config=config, ipython_dir=folder))


@cache
def made() -> Shell:
    """The one of this process. What is slow the first time is done, by another one before it."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    first = new()
    for source in ("%time 1 + 1", "{'a': 1}", "%%capture said\nprint(1)", "1 / 0", "def f(:"):
        first.run(source, "<warm>")
    Shell.clear_instance()
    return new()
