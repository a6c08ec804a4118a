"""Cells run as in a kernel: what IPython adds to Python, and what a student does without."""

import time

import pytest
import torch

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.border.failures import StudentError
from transformer_course.grading.exercises import checks
from transformer_course.grading.exercises.magics import to_python
from transformer_course.grading.processes.plain import Plain
from transformer_course.grading.processes.printed import Tail, output


@pytest.fixture(scope="module")
def zygote(warm):
    return warm()


@pytest.fixture
def student(zygote):
    with zygote.student(Limits(seconds=10)) as student:
        yield student


CELLS = {
    "display": ["display({'a': 1}, 'b')", "x = 1"],
    "await": ["import asyncio\nawait asyncio.sleep(0)\nx = 1"],
    "a thread that wakes the loop": ["import asyncio\nx = await asyncio.to_thread(sum, [1])"],
    "a loop of its own": ["import asyncio\nx = asyncio.run(asyncio.sleep(0, 1))"],
    "the last value": ["1", "x = _"],
    "earlier values": ["1", "2", "x = __", "assert Out[1] == 1 and In[1] == '1'"],
    "time": ["%time x = 1"],
    "timed cell": ["%%time\nx = 1"],
    "timeit": ["x = 1\n%timeit -n 1000000 -r 1000 x + 1"],
    "a kept timing": ["t = %timeit -o 1 + 1\nx = int(t.average < 1)"],
    "capture": ["%%capture said\nprint(1)", "x = int(said.stdout)"],
    "a file": ["%%writefile there.py\nx = 1", "from there import x"],
    "run": ["%%writefile there.py\nx = 1", "%run there.py"],
    "commands": ["!exit 1\nlines = !ls\n%pip install it\n%conda install it\nx = 1 + len(lines)"],
    "another language": ["%%bash\nexit 1", "x = 1"],
    "magics of extensions": ["%load_ext line_profiler\n%lprun -f len len([])\nx = 1"],
    "settings": ["%matplotlib inline\n%config InlineBackend.figure_format = 'svg'\nx = 1"],
    "help": ["len?", "x = 1"],
    "leaving": ["exit()", "x = 1"],
    "get_ipython": ["get_ipython().run_cell('x = 1')"],
    "panels": ["from transformer_course.grading.panel import Panels\nPanels('a').show('b')\nx = 1"],
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_does_what_it_does_in_a_kernel_or_nothing(student, name):
    for number, source in enumerate(CELLS[name], 1):
        student.execute(source, f"cell {number}")
    assert student.values({"x"}) == {"x": 1}


def test_what_a_timed_line_raises_is_raised(student):
    with pytest.raises(ZeroDivisionError):
        student.execute("%time 1 / 0", "cell")


def test_standard_output_is_a_whole_text_file(student):
    source = (
        "import sys\nfor out in (sys.stdout, sys.stderr):\n"
        "    out.writelines(['a', 'b'])\n    out.buffer.write(b'c')\n    out.flush()\n"
        "    assert (out.encoding, out.isatty(), out.fileno()) == ('utf-8', False, 1)\n"
        "print('\\ud800', end='')"
    )
    student.execute(source, "cell")
    assert student.output == "abcabc\\ud800"


def test_the_end_of_what_is_printed_is_kept_in_characters():
    tail = Tail(5)
    file = output(tail)
    for _ in range(100):
        file.write("größe")
    assert tail.text() == "größe"
    assert len(tail.kept) <= 40


def test_an_answer_is_not_judged_by_what_its_notebook_does_about_warnings(student):
    student.execute(
        "import warnings\nimport numpy as np\nnp.seterr(all='raise')\n"
        "warnings.simplefilter('error')\n"
        "def f(x):\n    warnings.warn('careful')\n    return np.exp(x)",
        "cell",
    )
    assert student.values({"f"})["f"](-1000.0) == 0.0
    with pytest.raises(StudentError, match="underflow"):
        student.execute("f.__globals__['np'].exp(-1000.0)", "cell")


def test_an_answer_is_not_judged_by_what_its_notebook_has_set_in_torch(student):
    student.execute(
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n"
        "torch.inference_mode().__enter__()\ntorch.set_default_device('meta')\n"
        "def f(x):\n    return torch.nn.Linear(2, 2)(x)",
        "cell",
    )
    found = student.values({"f"})["f"](torch.ones(1, 2))
    assert (found.dtype, found.device.type) == (torch.float32, "cpu")
    (grad,) = checks.gradients(student.values({"f"})["f"], torch.ones(1, 2))
    assert grad.shape == (1, 2)
    student.execute(
        "x = torch.ones(1)\nassert x.dtype == torch.float64 and x.device.type == 'meta'", "cell"
    )


def test_without_ipython_magics_do_nothing_and_python_is_python():
    shell = Plain()
    assert shell.run("%matplotlib inline\n!ls\n%time x = 1\ny = !ls\nlen?", "<cell 1>") is None
    assert (shell.namespace["x"], shell.namespace["y"]) == (1, None)
    assert isinstance(shell.run("1 / 0", "<cell 2>"), ZeroDivisionError)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("%timeit -n 3 -r 2 f(x)", "f(x)"),
        ("if x:\n    %time y = 1", "if x:\n    y = 1"),
        ("best = %timeit -o f(x)", "best = None"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%bash\nls", ""),
        ("x = a % b\ny = a != b", "x = a % b\ny = a != b"),
    ],
)
def test_a_cell_is_read_as_python(source, found):
    assert to_python(source) == found


def test_reading_a_cell_takes_time_in_proportion_to_its_text():
    started = time.perf_counter()
    for part in (" ", "a,", "=", "-n 3 ", "?", "%", "a = "):
        to_python(f"%time{part * 100_000}" + "\n" + part * 100_000)
    assert time.perf_counter() - started < 5
