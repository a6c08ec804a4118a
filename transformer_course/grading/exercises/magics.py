"""A notebook's cells as Python: magics and shell lines are harmless, wherever they run."""

from collections.abc import Callable
from typing import Any

try:
    from IPython.core.inputtransformer2 import TransformerManager

    _transform: Callable[[str], str] = TransformerManager().transform_cell
except ImportError:  # without Jupyter: a magic line says nothing

    def _transform(source: str) -> str:
        lines = source.splitlines(keepends=True)
        return "".join("pass\n" if line[:1] in "%!" and line.strip() else line for line in lines)


def to_python(source: str) -> str:
    """The Python that a cell stands for, `%magic` and `!command` lines as calls."""
    return _transform(source)


class Shell:
    """What `get_ipython()` gives: it times code and captures what it prints by just running it."""

    def __init__(self, run: Callable[[str], object]) -> None:
        self._run = run

    def run_line_magic(self, name: str, line: str, *_: Any) -> None:
        """`%time STATEMENT` runs the statement; every other magic does nothing."""
        if name == "time":
            self._run(line)

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """`%%time` and `%%capture` run their cell; every other magic skips it."""
        if name in ("time", "capture"):
            self._run(cell)

    def system(self, command: str) -> None:
        """`!command` does nothing."""

    def getoutput(self, command: str) -> list[str]:
        """`lines = !command` gives no lines."""
        return []
