"""What honest learners do, and what happens to their files: each cause changes a finished notebook.

No cause makes an answer wrong, unless it says what that costs. `@cause` keeps a function under its
own name; `only` are the exercises that it fits.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from honest.work import NAMES, Raw, Work, defined

EACH = 2  # exercises that a cause is tried on


@dataclass(frozen=True)
class Cause:
    """One way in which honest work differs from what a grader expects."""

    name: str
    change: Callable[[Work], Any]
    only: Sequence[str]
    seconds: bool = False  # whether it is about time, and takes some

    def exercises(self, place: int) -> list[str]:
        """Those that it is tried on, other ones for each cause so that all have their turn."""
        number = len(self.only)
        steps = range(min(EACH, number))
        return [self.only[(place * EACH + 7 * step) % number] for step in steps]


CAUSES: list[Cause] = []


def cause(*only: str, seconds: bool = False) -> Callable[[Callable[[Work], Any]], Any]:
    """Keeps a way to change a notebook."""

    def keep(change: Callable[[Work], Any]) -> Callable[[Work], Any]:
        name = change.__name__.replace("_", "-")
        CAUSES.append(Cause(name, change, only or NAMES, seconds))
        return change

    return keep


def head(name: str, source: str, *kinds: str) -> None:
    """A cause that is code at the head of every answer of these kinds."""
    CAUSES.append(Cause(name, lambda work: work.head(source, *kinds), NAMES))


def tail(name: str, source: str, *kinds: str) -> None:
    """A cause that is code below every answer of these kinds."""
    CAUSES.append(Cause(name, lambda work: work.tail(source, *kinds), NAMES))


@cause()
def nothing_odd(work: Work) -> None:
    """The author's solution."""


# What Jupyter understands and Python alone does not

head("displays", "display({'a': 1}, [2], clear=False)")
head("awaits", "import asyncio\n\nawait asyncio.sleep(0)")
head(
    "async-for-at-top-level",
    "import asyncio\n\n\nasync def ticks():\n    for i in range(3):\n"
    "        await asyncio.sleep(0)\n        yield i\n\n\n"
    "async for i in ticks():\n    pass\nassert i == 2\nloop = asyncio.get_running_loop()",
)
head("awaits-threads", "import asyncio\n\nassert await asyncio.to_thread(sum, [1, 2]) == 3")
head(
    "line-magics",
    "%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n"
    "%config InlineBackend.figure_format = 'retina'\n%lprun -f sum sum([])",
)
head("times-a-line", "%time three = 1 + 2\nassert three == 3\n%timeit -n 2 -r 2 three + 1")
head("keeps-a-timing", "best = %timeit -o -q -n 3 -r 2 sum(range(9))\nassert best.average >= 0")
head("shell-lines", "!echo hello\nfiles = !ls\nassert len(files) >= 0\n!pip install -q it")
head("installs", "%pip install --quiet einops-of-the-future\n%conda list\n%pwd\n%who")
head("asks-for-help", "sum?\nimport math\n?math.sqrt")
head("through-get-ipython", "get_ipython().run_line_magic('matplotlib', 'inline')\nget_ipython()")
head("knows-where-it-is", "assert 'get_ipython' in globals()\nassert __name__ == '__main__'")
head(
    "rich-output",
    "from IPython.display import HTML, Markdown, clear_output, display\n"
    "display(Markdown('**x**'), HTML('<b>x</b>'))\nclear_output(wait=True)\n"
    "handle = display('x', display_id=True)\nhandle.update('y')",
)
head("sets-an-environment", "%env COURSE=1\nimport os\n\nassert os.environ['COURSE'] == '1'")
head("macro-and-alias", "%alias hi echo hi\n%precision 3\n%xmode Plain\n%colors NoColor")


@cause()
def last_value(work: Work) -> None:
    for raw in work.answers("code"):
        work.add("6 * 7", before=raw)
        raw["source"] = f"assert _ == 42\nassert 42 in Out.values()\n{raw['source']}"


@cause()
def inputs_and_outputs(work: Work) -> None:
    for raw in work.answers("code"):
        work.add("[1, 2, 3]", before=raw)
        work.add("'after'", before=raw)
        raw["source"] = f"assert __ == [1, 2, 3] and _ == 'after'\nassert In[-1]\n{raw['source']}"


@cause()
def timed_cell(work: Work) -> None:
    for raw in work.answers():
        raw["source"] = f"%%time\n{raw['source']}"


@cause()
def captured_cell(work: Work) -> None:
    for raw in work.answers():
        raw["source"] = f"%%capture said\nprint('hello')\n{raw['source']}"
        work.add("assert said.stdout == 'hello\\n'\nshown = True", after=raw)
    work.answers("code")[-1]["source"] += "\nassert shown"


@cause()
def writes_a_file_and_imports_it(work: Work) -> None:
    raw = work.answers("code")[0]
    work.add("%%writefile helpers.py\ndef identity(x):\n    return x", before=raw)
    work.head("from helpers import identity\n\nassert identity(3) == 3")


@cause()
def writes_a_file_and_runs_it(work: Work) -> None:
    raw = work.answers("code")[0]
    work.add("%%file given.py\nseven = 3 + 4", before=raw)
    work.head("%run given.py\nassert seven == 7")


@cause()
def cell_in_another_language(work: Work) -> None:
    raw = work.answers("code")[0]
    work.add("%%bash\necho hello", before=raw)
    work.add("%%html\n<b>hello</b>", before=raw)
    work.add("%%latex\n$x$", before=raw)


# What a kernel's process is like

head(
    "standard-output-is-a-file",
    "import sys\n\nassert sys.stdout.encoding.lower() == 'utf-8'\n"
    "sys.stdout.writelines(['a', 'b'])\n"
    "sys.stdout.flush()\nassert not sys.stdout.isatty()\nassert sys.stdout.writable()\n"
    "print('x', file=sys.stderr, flush=True)\nassert sys.stderr.errors is not None or True",
)
head("descriptor-of-output", "import sys\n\nassert sys.stdout.fileno() >= 0")
head(
    "redirected-output",
    "import contextlib\nimport io\n\nwith contextlib.redirect_stdout(io.StringIO()) as held:\n"
    "    print('x')\nassert held.getvalue() == 'x\\n'",
)
head("odd-characters", "print('\\ud800 \\x00 \\x1b[31m', '名前', '🙂')")
head(
    "logs",
    "import logging\nimport sys\n\nlogging.basicConfig(stream=sys.stdout, level=20, force=True)\n"
    "logging.info('x')\nlogging.getLogger('a').warning('x')",
)
head("numpy-raises", "import numpy as np\n\nnp.seterr(all='raise')")
head("doubles-by-default", "import torch\n\ntorch.set_default_dtype(torch.float64)")
head("no-gradients-by-default", "import torch\n\ntorch.set_grad_enabled(False)")
head("tensors-without-values-by-default", "import torch\n\ntorch.set_default_device('meta')")
head("warnings-are-errors", "import warnings\n\nwarnings.simplefilter('error')")
head("print-options", "import torch\n\ntorch.set_printoptions(precision=2, sci_mode=False)")
head("threads", "import torch\n\ntorch.set_num_threads(2)")
head("seeds", "import random\n\nimport torch\n\nrandom.seed(1)\ntorch.manual_seed(1)")
head(
    "pool-of-threads",
    "from concurrent.futures import ThreadPoolExecutor\n\nwith ThreadPoolExecutor(2) as pool:\n"
    "    assert list(pool.map(abs, [-1, 2])) == [1, 2]",
)
head(
    "pickles-its-class",
    "import pickle\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n"
    "    x: int\n\n\n"
    "assert pickle.loads(pickle.dumps(Point(3))) == Point(3)",
)
head(
    "reads-its-own-source",
    "import inspect\n\n\ndef three():\n    return 3\n\n\n"
    "assert 'return 3' in inspect.getsource(three)",
)
head(
    "files-of-its-own",
    "import tempfile\nfrom pathlib import Path\n\nPath('note.txt').write_text('x')\n"
    "assert Path('note.txt').read_text() == 'x'\nwith tempfile.TemporaryDirectory():\n    pass",
)
head("annotations-of-the-future", "from __future__ import annotations")
head("moves-house", "import os\nimport sys\n\nos.chdir('/')\nsys.path.append('.')\nsys.argv")
head(
    "type-checked", "from typing import TypeAlias\n\nPair: TypeAlias = tuple[int, int]\nn: int = 3"
)
head(
    "draws",
    "import matplotlib.pyplot as plt\n\nplt.plot([1, 2])\nplt.show()\nplt.close('all')",
)
head("prints-a-lot", "for _ in range(2000):\n    print('x' * 1000)")


@cause()
def warnings_are_errors_in_every_picture(work: Work) -> None:
    work.head(
        "import warnings\n\nwarnings.simplefilter('error')\nimport matplotlib.pyplot as plt\n\n"
        "plt.plot([1])\nplt.show()",
        "number",
    )


@cause()
def names_of_builtins(work: Work) -> None:
    work.add("input = [1, 2]\nhash = vars = 3\nid = format = 'mine'")


@cause()
def takes_over_json(work: Work) -> None:
    work.add("import json\n\njson.dumps = json.loads = None")


@cause()
def a_cell_fails(work: Work) -> None:
    for raw in work.answers():
        work.add("1 / 0", before=raw)
        work.add("assert False, 'to look at later'", after=raw)


@cause()
def a_cell_leaves(work: Work) -> None:
    work.add("import sys\n\nsys.exit(1)", before=work.answers()[0])
    work.add("exit()", after=work.answers()[0])
    work.add("raise KeyboardInterrupt", after=work.answers()[1])


@cause()
def a_cell_is_unfinished(work: Work) -> None:
    work.add("for i in range(3:", before=work.answers()[0])


# What comes back


@cause()
def numbers_of_numpy(work: Work) -> None:
    work.head("import numpy as np", "number", "prediction", "choice")
    work.tail("NAME = np.float64(NAME)", "number", "prediction")
    work.tail("NAME = np.str_(NAME)", "choice")


@cause()
def integers_of_numpy(work: Work) -> None:
    work.head("import numpy as np", "number", "prediction")
    work.tail("if NAME == int(NAME):\n    NAME = np.int64(NAME)", "number", "prediction")


@cause()
def numbers_as_tensors(work: Work) -> None:
    work.head("import torch", "number", "prediction")
    work.tail("NAME = torch.tensor(float(NAME), dtype=torch.float64)", "number", "prediction")


@cause()
def numbers_as_arrays(work: Work) -> None:
    work.head("import numpy as np", "number", "prediction")
    work.tail("NAME = np.array([NAME])", "number", "prediction")


@cause()
def exact_numbers(work: Work) -> None:
    work.head("from fractions import Fraction\nfrom decimal import Decimal", "number", "prediction")
    work.tail("NAME = Fraction(str(float(NAME)))", "number")
    work.tail("NAME = Decimal(str(float(NAME)))", "prediction")


@cause()
def capital_letters(work: Work) -> None:
    work.tail("NAME = f' {NAME.upper()} '", "choice")


WRAPPED = """\
import functools as _functools

import numpy as _np
import torch as _torch


def _passed_on(value):
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(_passed_on, value))
    if isinstance(value, list):
        return list(map(_passed_on, value))
    return _changed(value)


def _wrap(answer):
    if isinstance(answer, type):
        return answer

    @_functools.wraps(answer)
    def outer(*args, **kwargs):
        return _passed_on(answer(*args, **kwargs))

    return outer


def _changed(value):
    CHANGED


NAME = _wrap(NAME)
"""


def returned(name: str, changed: str) -> None:
    """A cause that is another form of what functions return."""
    text = WRAPPED.replace("CHANGED", changed.replace("\n", "\n    "))
    tail(name, text)


returned(
    "negative-strides",
    "flipped = isinstance(value, _np.ndarray) and value.ndim\n"
    "return _np.ascontiguousarray(value[::-1])[::-1] if flipped else value",
)
returned(
    "not-contiguous",
    "big = isinstance(value, _torch.Tensor) and value.dim() > 1\n"
    "return value.transpose(-1, -2).contiguous().transpose(-1, -2) if big else value",
)
returned("strings-of-numpy", "return _np.str_(value) if type(value) is str else value")
returned(
    "read-only-arrays",
    "if isinstance(value, _np.ndarray):\n    value.setflags(write=False)\nreturn value",
)
returned("prints-in-every-call", "print('called', value)\nreturn value")
returned(
    "warns-in-every-call", "import warnings\n\nwarnings.warn('careful', stacklevel=2)\nreturn value"
)


@cause("01-scaled-attention")
def works_in_place(work: Work) -> None:
    raw = work.cell("mix")
    raw["source"] = raw["source"].replace(
        raw["source"].split('"""')[2],
        "\n    scores -= scores.max(axis=-1, keepdims=True)\n    np.exp(scores, out=scores)\n"
        "    scores /= scores.sum(axis=-1, keepdims=True)\n    return scores @ value, scores\n",
    )


# Where the cells stand, and what they are called


def new_ids(work: Work) -> None:
    for raw, number in zip(work.cells, count(), strict=False):
        raw["id"] = f"{number:08x}"


@cause()
def cell_metadata_cleared(work: Work) -> None:
    for raw in work.cells:
        raw["metadata"] = {}


@cause()
def all_metadata_cleared(work: Work) -> None:
    cell_metadata_cleared(work)
    work.notebook["metadata"] = {}


@cause()
def notebook_metadata_cleared(work: Work) -> None:
    work.notebook["metadata"] = {}


@cause()
def ids_removed(work: Work) -> None:
    """As format 4.4 has none."""
    for raw in work.cells:
        del raw["id"]
    work.notebook["nbformat_minor"] = 4


@cause()
def saved_by_colab(work: Work) -> None:
    """It has ids of its own, in the metadata."""
    for raw, number in zip(work.cells, count(), strict=False):
        del raw["id"]
        raw["metadata"] |= {"id": f"x{number:011d}", "outputId": "y"}
    work.notebook["metadata"]["colab"] = {"provenance": []}
    work.notebook |= {"nbformat": 4, "nbformat_minor": 0}


@cause()
def saved_by_vs_code(work: Work) -> None:
    for raw in work.cells:
        raw["metadata"]["vscode"] = {"languageId": "python"}
    new_ids(work)


@cause()
def ids_and_cell_metadata_gone(work: Work) -> None:
    new_ids(work)
    cell_metadata_cleared(work)


@cause()
def ids_and_all_metadata_gone(work: Work) -> None:
    new_ids(work)
    all_metadata_cleared(work)


@cause()
def split_in_halves(work: Work) -> None:
    """JupyterLab gives both halves the metadata."""
    for raw in work.answers():
        lines = raw["source"].split("\n")
        place = max(i for i, line in enumerate(lines) if line[:1].isalpha())
        work.copied(raw, "\n".join(lines[place:]), after=raw)
        raw["source"] = "import math\n" + "\n".join(lines[:place])


@cause()
def split_and_the_second_half_keeps_the_id(work: Work) -> None:
    for raw in work.answers():
        new, raw["id"] = raw["id"], f"half-{work.cells.index(raw)}"
        work.copied(raw, raw["source"], after=raw)["id"] = new
        raw["source"] = "import math"


@cause()
def copied_and_the_second_one_right(work: Work) -> None:
    for raw in work.answers("code"):
        work.copied(raw, raw["source"], after=raw)
        raw["source"] = f"def {defined(raw)}(*args):\n    return None"


@cause()
def answered_above_the_stub(work: Work) -> None:
    for raw in work.answers():
        work.add(raw["source"], before=raw)
        raw["source"] = work.stub(raw["id"])


@cause()
def answered_below_the_stub(work: Work) -> None:
    for raw in work.answers():
        work.add(raw["source"], after=raw)
        raw["source"] = work.stub(raw["id"])


@cause()
def all_answers_in_one_cell(work: Work) -> None:
    """Merged by JupyterLab: the first one's metadata stay."""
    first, *others = work.answers()
    for raw in others:
        first["source"] += f"\n\n\n{raw['source']}"
        work.cells.remove(raw)


@cause()
def answers_merged_with_their_panels(work: Work) -> None:
    for raw in work.answers():
        panel = work.panel_of(raw)
        raw["source"] += f"\n\n\n{panel['source']}"
        work.cells.remove(panel)


@cause()
def set_up_panels_and_answers_in_one_cell(work: Work) -> None:
    code = [raw for raw in work.cells if raw["cell_type"] == "code"]
    own = {raw["id"] for raw in work.answers()}
    last = max(i for i, raw in enumerate(code) if raw["id"] in own)
    first = code[0]
    for raw in code[1 : last + 2]:
        first["source"] += f"\n\n\n{raw['source']}"
        work.cells.remove(raw)


@cause()
def import_added_to_the_set_up(work: Work) -> None:
    work.cell("setup")["source"] += "\nimport statistics as stats"
    work.head("assert stats.mean([1, 3]) == 2")


@cause()
def helper_written_in_the_set_up(work: Work) -> None:
    work.cell("setup")["source"] += "\n\n\ndef helped(x):\n    return x"
    work.tail("assert helped(3) == 3")


@cause()
def set_up_deleted(work: Work) -> None:
    work.cells.remove(work.cell("setup"))


@cause()
def set_up_at_the_end(work: Work) -> None:
    raw = work.cell("setup")
    work.cells.remove(raw)
    work.cells.append(raw)


@cause()
def checks_deleted(work: Work) -> None:
    last = max(map(work.cells.index, work.answers()))
    del work.cells[last + 1 :]


@cause()
def only_code_cells(work: Work) -> None:
    work.notebook["cells"] = [raw for raw in work.cells if raw["cell_type"] == "code"]


@cause()
def cells_of_its_own_on_top(work: Work) -> None:
    work.add("import os, sys\nstarted = True", before=work.cells[0])
    work.head("assert started")


@cause()
def helper_in_the_cell_above(work: Work) -> None:
    for raw in work.answers("code"):
        work.add("def helped(x):\n    return x", before=raw)
    work.head("assert helped(2) == 2")


def uses_what_comes_later(work: Work) -> list[Raw]:
    """Each answer uses, while its cell runs, a helper whose cell stands below it."""
    made = []
    for number, raw in enumerate(work.answers("code")):
        source = f"def helped_{number}(x):\n    return x"
        made.append(work.add(source, after=work.panel_of(raw)))
        raw["source"] += f"\n\n\nassert helped_{number}(2) == 2\nready_{number} = True"
        raw["source"] = f"helped_{number}\n\n\n{raw['source']}"
    return made


@cause()
def helper_below_its_use(work: Work) -> None:
    uses_what_comes_later(work)
    for raw in work.cells:
        raw["execution_count"] = None


@cause()
def helper_below_its_use_and_run_before(work: Work) -> None:
    made = uses_what_comes_later(work)
    for raw, number in zip(made, count(2), strict=False):
        raw["execution_count"] = number
    for raw, number in zip(work.answers(), count(50), strict=False):
        raw["execution_count"] = number


@cause()
def exercise_turned_round(work: Work) -> None:
    if work.name not in ("05-three-uses", "10-complexity", "17-whole-model"):
        work.cells.reverse()


# What the file is like


@cause()
def lines_of_windows(work: Work) -> None:
    for raw in work.cells:
        raw["source"] = raw["source"].replace("\n", "\r\n")


@cause()
def spaces_at_the_ends_of_lines(work: Work) -> None:
    for raw in work.cells:
        raw["source"] = raw["source"].replace("\n", "  \n") + "\n\n\n"


@cause()
def sources_as_lines(work: Work) -> None:
    for raw in work.cells:
        raw["source"] = raw["source"].splitlines(keepends=True)


@cause()
def in_utf_16(work: Work) -> None:
    work.data = json.dumps(work.notebook).encode("utf-16")


@cause()
def with_a_byte_order_mark(work: Work) -> None:
    work.data = b"\xef\xbb\xbf" + json.dumps(work.notebook).encode()


@cause()
def of_format_3(work: Work) -> None:
    for raw in work.cells:
        del raw["id"]
        if raw["cell_type"] == "code":
            raw |= {"input": raw.pop("source"), "language": "python"}
    work.notebook = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": work.notebook["metadata"],
        "worksheets": [{"cells": work.cells}],
    }


@cause()
def outputs_and_attachments(work: Work) -> None:
    for raw in work.cells:
        if raw["cell_type"] == "code":
            raw["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 100_000}]
        else:
            raw["attachments"] = {"a.png": {"image/png": "AAAA"}}
    work.notebook["metadata"]["widgets"] = {"state": {"a": {"x": "y" * 100_000}}}


@cause()
def of_an_older_version(work: Work) -> None:
    work.notebook["metadata"]["course"]["version"] = "sha256:" + "0" * 64


@cause()
def saved_by_a_newer_python(work: Work) -> None:
    work.notebook["metadata"]["language_info"]["version"] = "3.14.0"


@cause()
def one_question_left_out(work: Work) -> None:
    raw = work.answers()[-1]
    work.earned -= work.exercise.questions[raw["id"]].points
    raw["source"] = work.stub(raw["id"])


@cause()
def one_answer_deleted(work: Work) -> None:
    raw = work.answers()[-1]
    work.earned -= work.exercise.questions[raw["id"]].points
    work.cells.remove(raw)


# What takes long


@cause("01-scaled-attention", "11-byte-pair-encoding", "16-find-the-bug", seconds=True)
def slow_experiments(work: Work) -> None:
    """More of them than there is time for all."""
    for number in range(14):
        work.add(f"import time\n\ntime.sleep(0.85)  # {number}", before=work.answers()[-1])


@cause("02-softmax-and-masks", "14-decoding", "18-modern-parts", seconds=True)
def endless_experiments(work: Work) -> None:
    for raw in work.answers():
        work.add("while True:\n    pass", before=raw)
