import itertools
import os
import signal
import socket
import tempfile
import threading
import time

import pytest
import torch
from torch.testing import assert_close

from transformer_course.grading.border import wire
from transformer_course.grading.border.asking import Limits, Student
from transformer_course.grading.border.failures import Gone, StudentError
from transformer_course.grading.border.proxy import Remote
from transformer_course.grading.exercises import forbid, provides
from transformer_course.grading.processes.forking import Forks
from transformer_course.grading.processes.isolation import Isolation, IsolationError, probe
from transformer_course.grading.processes.launch import launch
from transformer_course.grading.processes.warm_process import Zygote, ZygoteError

MODEL = """
import torch
class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.proj = torch.nn.Linear(size, size)
        self.tied = self.proj
    def forward(self, x, scale=1.0):
        return scale * self.proj(x), x
def double_in_place(x, names):
    x *= 2
    names.append("seen")
def count():
    n = 0
    while True:
        yield n
        n += 1
"""


@pytest.fixture(scope="module")
def zygote(warm):
    return warm()


@pytest.fixture
def student(zygote):
    with zygote.student(Limits(seconds=5)) as student:
        yield student


def after(student, source, *names):
    student.execute(source, "cell")
    found = student.values(names)
    return [found[name] for name in names]


def test_values_are_those_that_are_defined(student):
    student.execute("a = (1, {'b': ...})\nc = [2.5]", "cell")
    assert student.values({"a", "c", "missing"}) == {"a": (1, {"b": ...}), "c": [2.5]}


def test_functions_are_called_with_tensors_and_give_tensors(student):
    (softmax,) = after(student, "def f(x, dim=0): return x.softmax(dim), 'ok'", "f")
    x = torch.randn(2, 3)
    assert isinstance(softmax, Remote)
    assert_close(softmax(x, dim=1)[0], x.softmax(1))
    assert softmax(x)[1] == "ok"


def test_a_module_is_built_loaded_and_looked_into(student):
    (make,) = after(student, MODEL, "Model")
    model = make(3)
    state = {"proj.weight": torch.eye(3), "proj.bias": torch.zeros(3)}
    model.load_state_dict({**state, **{k.replace("proj", "tied"): v for k, v in state.items()}})
    assert model._is_module()
    assert not make._is_module()
    assert_close(model(torch.ones(3))[0], torch.ones(3))
    assert sum(p.numel() for p in model.parameters()) == 12
    assert_close(model.proj.weight, torch.eye(3))
    assert sorted(model.state_dict()) == ["proj.bias", "proj.weight", "tied.bias", "tied.weight"]


def test_the_same_object_is_equal_to_itself(student):
    (make,) = after(student, MODEL, "Model")
    model = make(2)
    assert model.tied == model.proj
    assert len({model.tied, model.proj, model}) == 2
    assert model != make(2)


def test_gradients_cross_the_border(student):
    (make,) = after(student, MODEL, "Model")
    model, x = make(3), torch.randn(2, 3)
    weight = model.proj.weight
    (gradient,) = student.gradients(model, [x])[1]
    assert_close(gradient, torch.ones(2, 3) @ weight)
    output, (by_x, by_scale), by_name = student.gradients(
        model, [x], {"scale": torch.tensor(2.0)}, weights=[torch.ones(2, 3), 10 * torch.ones(2, 3)]
    )
    assert_close(by_x, 2 * torch.ones(2, 3) @ weight + 10)
    assert_close(by_scale, output[0].sum() / 2)
    assert_close(by_name["proj.bias"], torch.full((3,), 4.0))


def test_an_output_without_gradient_is_explained(student):
    (f,) = after(student, "def f(x): return x.detach() * 2", "f")
    with pytest.raises(StudentError, match="no gradient flows from the output to the inputs"):
        student.gradients(f, [torch.ones(2)])


def test_changes_of_the_arguments_are_seen(student):
    (f,) = after(student, MODEL, "double_in_place")
    x, names = f._arguments_after(torch.ones(2), [])
    assert_close(x, torch.full((2,), 2.0))
    assert names == ["seen"]


def test_endless_generators_are_read_as_far_as_wanted(student):
    (count,) = after(student, MODEL, "count")
    steps = count()
    assert next(steps) == 0
    assert list(itertools.islice(steps, 3)) == [1, 2, 3]
    assert list(after(student, "r = iter([1, 2])", "r")[0]) == [1, 2]
    with pytest.raises(StopIteration):
        next(after(student, "e = iter(())", "e")[0])


def test_proxies_have_length_items_and_names(student):
    source = "import torch\nlayers = torch.nn.Sequential(torch.nn.ReLU())\ndef f(): pass"
    layers, f = after(student, source, "layers", "f")
    assert len(layers) == 1
    assert layers[0](torch.tensor(-1.0)) == 0
    assert f.__name__ == "f"
    assert repr(layers) == "<a student's Sequential>"
    assert not hasattr(layers, "missing")
    assert not hasattr(layers, "__array__")
    assert bool(f)
    with pytest.raises(AttributeError, match="training of a student's Sequential cannot be set"):
        layers.training = False


def test_what_cannot_be_copied_comes_as_a_proxy(student):
    sparse, loop = after(
        student, "import torch\ns = torch.eye(2).to_sparse()\nl = []\nl.append(l)", "s", "l"
    )
    assert_close(sparse.to_dense(), torch.eye(2))
    assert len(loop) == 1


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\n1 / 0", "ZeroDivisionError", 2),
        ("def f(:", "SyntaxError", 1),
        ("import sys\nsys.exit(3)", "SystemExit", 2),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("def f(): return f()\nf()", "RecursionError", 1),
        ("x = [0] * 10**11", "MemoryError", 1),
        ("import torch\ntorch.empty(10**11)", "MemoryError", 2),
        ("class E(Exception):\n    __str__ = None\nraise E", "E", 3),
        ("input()", "EOFError", 1),
    ],
)
def test_errors_of_the_student_have_kind_and_line_and_the_process_goes_on(
    student, source, kind, line
):
    with pytest.raises(StudentError) as caught:
        student.execute(source, "cell")
    assert (caught.value.kind, caught.value.line) == (kind, line)
    assert after(student, "y = 1", "y") == [1]


def test_an_error_is_caught_as_what_it_is(student):
    (f,) = after(student, "def f(n): raise ValueError(f'not {n}')", "f")
    with pytest.raises(ValueError, match="ValueError: not 3"):
        f(3)


def test_checks_send_plain_data_only(student):
    (f,) = after(student, "def f(x): return x", "f")
    with pytest.raises(TypeError, match="a check cannot send object to student code"):
        f(object())


def test_proxies_do_not_outlive_their_process(zygote, student):
    (f,) = after(student, "def f(x): return x", "f")
    with zygote.student() as other:
        other.execute("def g(x): return x", "cell")
        with pytest.raises(TypeError, match="belongs to a process that has ended"):
            other.values({"g"})["g"](f)


def test_the_end_of_what_is_printed_is_kept(zygote):
    with zygote.student(Limits(output_chars=100)) as student:
        student.execute("print('x' * 10**7)\nprint('end')\nimport os\nos.write(1, b'raw')", "cell")
        assert len(student.output) == 100
        assert student.output.endswith("x\nend\n")


def test_magics_and_commands_do_nothing_and_timed_cells_run(student):
    source = "%matplotlib inline\n!touch here\n%time a = 1\nimport os\nb = os.listdir()"
    assert after(student, source, "a", "b") == [1, []]
    assert after(student, "%%time\nc = 2", "c") == [2]


def test_a_loop_without_end_is_ended(zygote):
    with zygote.student(Limits(seconds=0.3)) as student:
        started = time.monotonic()
        with pytest.raises(Gone, match=r"took longer than it may \(0.3 s at once\)") as caught:
            student.execute(
                "while True:\n    try:\n        while True: pass\n    except: pass", "c"
            )
        assert caught.value.reason == "timeout"
        assert time.monotonic() - started < 3
        with pytest.raises(Gone):
            student.values({"a"})


def test_the_time_of_a_submission_is_limited_in_all(zygote):
    with zygote.student(Limits(seconds=5, total_seconds=1.0)) as student:
        student.execute("import time\ntime.sleep(0.2)", "cell")
        assert 0.2 < student.seconds < 1
        with pytest.raises(Gone, match="took longer than it may"):
            student.execute("time.sleep(3)", "cell")
        assert student.seconds < 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os\nos._exit(0)", "the code ended its process"),
        ("import ctypes\nctypes.string_at(0)", "the code ended its process"),
        (
            "import os\nfor i in range(3, 64):\n    try: os.close(i)\n    except OSError: pass",
            "the",
        ),
    ],
)
def test_a_lost_process_is_gone(student, source, said):
    with pytest.raises(Gone, match=said):
        student.execute(source, "cell")


def test_an_answer_that_is_too_large_is_an_error(zygote):
    with zygote.student(Limits(answer_bytes=1 << 16)) as student:
        with pytest.raises(StudentError, match="an answer takes more than 65,536 bytes"):
            after(student, "x = bytes(10**6)", "x")
        assert after(student, "y = bytes(1000)", "y") == [bytes(1000)]


FLOOD = """\
class Endless:
    def __iter__(self):
        while True: yield bytes(200_000)
endless = Endless()
words = lambda: ["ab"] * 50_000
"""


def test_what_one_check_collects_has_a_bound(zygote):
    said = "interfered with its grading .its answers to one check would fill the memory"
    with zygote.student(Limits(check_bytes=16 << 20)) as student:
        endless = after(student, FLOOD, "endless")[0]
        with pytest.raises(Gone, match=said):
            list(endless)
    with zygote.student(Limits(check_bytes=16 << 20)) as student:
        words = after(student, FLOOD, "words")[0]
        with pytest.raises(Gone, match=said):  # 51 bytes each, where four have come
            [words() for _ in range(10)]
    with zygote.student(Limits(check_bytes=16 << 20)) as student:
        words = after(student, FLOOD, "words")[0]
        for _ in range(10):
            student.received = 0  # another check
            assert len(words()) == 50_000


def test_a_forged_reply_is_a_breach_of_protocol(student):
    with pytest.raises(Gone, match="the code interfered with its grading") as caught:
        student.execute("import os\nos.write(3, b'\\xff' * 100)", "cell")
    assert caught.value.reason == "protocol"


def forged(reply):
    """A student that answers every request with this."""
    ours, theirs = socket.socketpair()

    def answer():
        with theirs:
            wire.receive(theirs, 1 << 20)
            wire.send(theirs, wire.encode(reply, []))

    threading.Thread(target=answer).start()
    return Student(ours, Limits(), lambda patience: "died")


@pytest.mark.parametrize(
    ("reply", "request_"),
    [
        (["maybe", None, ""], lambda s: s.execute("", "")),
        (["ok", None, 3], lambda s: s.execute("", "")),
        (["error", ["ValueError", 3, None], ""], lambda s: s.execute("", "")),
        (["ok", ["evil"], ""], lambda s: s.execute("", "")),
        (["ok", ["list", []], ""], lambda s: s.values({"a"})),
        (["ok", ["dict", [["print", 1]]], ""], lambda s: s.values({"a"})),
        (["ok", ["list", [1]], ""], lambda s: s.gradients(Remote(s, 0, "f"), [])),
        (["ok", ["list", [1, 2, 3]], ""], lambda s: s.arguments_after(Remote(s, 0, "f"), [])),
        (["ok", 3, ""], lambda s: s.remote("iterate", 0)),
        (["ok", -3, ""], lambda s: len(Remote(s, 0, "f"))),
        (["ok", "x", ""], lambda s: next(Remote(s, 0, "f"))),
        (["ok", 3, ""], lambda s: next(iter(Remote(s, 0, "f")))),
    ],
)
def test_replies_of_the_wrong_form_are_a_breach_of_protocol(reply, request_):
    with forged(reply) as student, pytest.raises(Gone) as caught:
        request_(student)
    assert caught.value.reason == "protocol"


def test_a_module_may_lie_and_is_then_no_module():
    with forged(["ok", "yes", ""]) as student:
        assert Remote(student, 0, "f")._is_module() is False


def test_text_that_no_file_could_hold_is_mended():
    with forged(["error", ["\ud800", "\udcff", True], "\ud800"]) as student:
        with pytest.raises(StudentError) as caught:
            student.execute("", "")
        assert (caught.value.kind, caught.value.text, caught.value.line) == ("?", "?", None)
        assert student.output == "?"


LOWER_HALF = (
    *("border", "exercises", "processes", "walls"),
    *("border.packing", "border.unpacking", "border.wire"),
    *("exercises.answers", "exercises.forbid", "exercises.magics", "exercises.operations"),
    *("exercises.provides", "processes.loops", "processes.printed", "processes.shell"),
    *("processes.cleanup", "processes.entry", "processes.forking"),
    *("processes.usage", "processes.student"),
    *("walls.landlock", "walls.linux", "walls.namespaces", "walls.privileges", "walls.probing"),
    *("walls.seccomp", "walls.visible_paths"),
)
PATCHES = {
    "json": "import json\njson.dumps = json.loads = None",
    "struct and socket": "import struct, socket as s\nstruct.pack = s.socket.recv_into = None",
    "builtins": "import builtins\nbuiltins.isinstance = builtins.len = builtins.type = None",
    "torch": "import torch\ntorch.Tensor.detach = torch.Tensor.layout = None",
    "sys.modules": "import sys\nsys.modules.clear()",
    "os": "import os\nos.getpid = os._exit = None",
    "forks": "import os\nos.fork()",
}


@pytest.mark.parametrize("name", PATCHES)
def test_code_that_replaces_what_the_loop_uses_is_still_served(student, name):
    student.execute("import torch\nx = torch.ones(2)", "cell")
    student.execute(PATCHES[name], "cell")
    assert_close(student.values({"x"})["x"], torch.ones(2))


def test_only_what_is_provided_can_be_imported(zygote):
    with zygote.student(provides=["transformer_course.model.masks"]) as student:
        for place in ("transformer_course.model", "transformer_course.model.masks"):
            source = f"from {place} import causal_mask\nx = causal_mask(2)"
            assert_close(after(student, source, "x")[0], torch.ones(2, 2, dtype=torch.bool).tril())
        for refused in (
            "import transformer_course.model.multi_head_attention",
            "from transformer_course.model import Transformer",
            "import transformer_course.model as model\nmodel.attention",
            "from transformer_course import data",
            "import importlib\nimportlib.import_module('transformer_course.model.layers')",
            "import transformer_course.grading.exercises.checks",
        ):
            with pytest.raises(StudentError, match="is not available in this exercise"):
                student.execute(refused, "cell")


def test_data_and_packages_can_be_provided(zygote):
    names = ["transformer_course/data/phrasebook/lexicon.tsv", "transformer_course.widgets.sources"]
    with zygote.student(provides=names) as student:
        source = (
            "from importlib.resources import files\nimport transformer_course.widgets as w\n"
            "n = len((files('transformer_course') / 'data/phrasebook/lexicon.tsv').read_text())\n"
            "import os\nfound = sorted(os.listdir(w.__path__[0]))"
        )
        n, found = after(student, source, "n", "found")
        assert n > 1000
        assert [name for name in found if name.endswith(".py")] == ["__init__.py", "sources.py"]


def test_the_same_imports_are_refused_in_a_notebook():
    cell = {"__name__": "__main__"}
    with provides.only(["transformer_course.model.masks"]):
        exec("from transformer_course.model.masks import causal_mask", cell)
        exec("from transformer_course.model import causal_mask, masks", cell)
        exec("import transformer_course\ntransformer_course.model.masks.causal_mask(2)", cell)
        for refused in (
            "import transformer_course.data",
            "from transformer_course import carried",
            "from transformer_course.model import Transformer",
            "from transformer_course.model import transformer",
            "import transformer_course.model as model\nmodel.attention",
            "import transformer_course.model\ntransformer_course.model.layers.FeedForward",
        ):
            with pytest.raises(ModuleNotFoundError, match="is not available in this"):
                exec(refused, cell)
        exec("from transformer_course.model import Transformer", {"__name__": "a library"})
    exec("from transformer_course.model import Transformer", cell)


def test_no_part_of_the_course_is_loaded_in_a_student(student):
    source = (
        "import sys\nloaded = [n for n in sys.modules if n.split('.')[0] == 'transformer_course']\n"
        "import gc, types\nheld = [m.__name__ for m in gc.get_objects()"
        " if isinstance(m, types.ModuleType) and m.__name__.startswith('transformer_course')]"
    )
    loaded, held = after(student, source, "loaded", "held")
    assert loaded == []
    below = {"transformer_course", "transformer_course.grading"}  # that loop, and nothing else
    lower_half = below | {f"transformer_course.grading.{name}" for name in LOWER_HALF}
    assert set(held) <= lower_half


def test_forbidden_calls_are_refused_and_allowed_again(student):
    source = (
        "import torch\nfrom torch import softmax as s\n"
        "def a(x): return torch.softmax(x, 0)\ndef b(x): return s(x, 0)\n"
        "def c(x): return x.softmax(0)\ndef d(): return torch.nn.Softmax(0)\n"
        "def e(x): return torch.nn.functional.softmax(x, 0)"
    )
    functions = after(student, source, *"abcde")
    x = torch.ones(2)
    names = ["torch.softmax", "torch.Tensor.softmax", "torch.nn.Softmax"]
    student.forbid(names)
    for function in functions[:3]:
        with pytest.raises(StudentError, match="softmax may not be called in this question"):
            function(x)
    with pytest.raises(StudentError, match="torch.nn.Softmax may not be called"):
        functions[3]()
    assert_close(functions[4](x), x / 2)  # this one is allowed, whatever it calls
    assert student.forbid([*names, "torch.nn.functional.softmax"]) == sorted(names)
    with pytest.raises(StudentError, match="functional.softmax may not be called"):
        functions[4](x)
    student.forbid(())
    for function in functions[:3]:
        assert_close(function(x), x / 2)
    assert_close(functions[3]()(x), x / 2)
    assert_close(functions[4](x), x / 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("torch.sofmax", "torch.sofmax is to be forbidden, but there is no such name"),
        ("nowhere", "nowhere is to be forbidden"),
        ("numpy.ndarray.dot", "calls of ndarray.dot cannot be watched"),
    ],
)
def test_a_name_that_cannot_be_forbidden_is_an_error(name, message):
    with pytest.raises(ValueError, match=message):
        forbid.Forbidden({}).forbid([name])


def test_the_same_submission_starts_from_the_same_random_numbers(zygote):
    source = "import torch, random, numpy\nx = [torch.rand(1).item(), random.random()]\n"
    source += "x += [float(numpy.random.rand()), hash('a')]"
    found = []
    for _ in range(2):
        with zygote.student() as student:
            found += after(student, source, "x")
    assert found[0] == found[1]


def test_inspect_finds_the_source_of_a_cell(student):
    source = "import inspect\ndef f(): return 1\nx = inspect.getsource(f)"
    assert after(student, source, "x") == ["def f(): return 1\n"]


@pytest.mark.slow
def test_when_the_warm_process_dies_another_one_is_started():
    with Zygote() as zygote:
        student = zygote.student()
        lost = zygote._process.pid
        os.kill(lost, signal.SIGKILL)
        with pytest.raises(Gone) as caught:
            student.execute("import time\ntime.sleep(60)", "cell")
        assert caught.value.reason == "died"
        with zygote.student() as other:
            assert after(other, "x = 1", "x") == [1]
        assert zygote._process.pid != lost


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2])
def test_a_warm_process_that_was_killed_leaves_no_folder(level, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        isolation = probe(level)
    except IsolationError as error:
        pytest.skip(str(error))
    with Zygote(isolation) as zygote, zygote.student() as student:
        student.execute("open('notes', 'w').close()", "cell")
        assert [each.name for each in tmp_path.rglob("notes")] == ["notes"]
        os.kill(zygote._process.pid, signal.SIGKILL)
    assert not [*tmp_path.iterdir()]


def test_a_warm_process_that_cannot_be_isolated_says_so(monkeypatch):
    monkeypatch.setattr("transformer_course.grading.processes.launch.BOOT", "raise SystemExit")
    with pytest.raises(ZygoteError, match="the warm process did not start: the other side has"):
        Zygote(Isolation(level=3))


def test_a_student_that_cannot_be_prepared_says_so(zygote):
    with pytest.raises(ZygoteError, match=r"could not be prepared: FileNotFoundError.*nothing"):
        zygote.student(provides=["transformer_course.nothing"])
    with zygote.student() as student:
        assert after(student, "x = 1", "x") == [1]


def test_many_students_leave_nothing_behind(zygote):
    def held():
        with open(f"/proc/{zygote._process.pid}/statm") as sizes:
            mine = len(os.listdir("/proc/self/fd"))
            return mine, int(sizes.read().split()[1])

    before = held()
    for _ in range(30):
        with zygote.student() as student:
            student.execute("x = 1", "cell")
    after_them = held()
    assert after_them[0] == before[0]
    assert after_them[1] <= before[1] * 1.02


@pytest.mark.slow
def test_a_student_that_cannot_be_forked_leaves_no_folder(monkeypatch, tmp_path):
    """As while another one of the same user has taken all processes there may be."""
    forks = object.__new__(Forks)
    forks.level, forks.alive, forks.config = 2, {}, {"rooms": str(tmp_path / "student-")}
    monkeypatch.setattr(forks, "fork", refuse)
    assert forks.begin(-1, {}) == ["failed", "[Errno 11] no more processes"]
    assert list(tmp_path.iterdir()) == []
    assert forks.alive == {}


def refuse():
    raise BlockingIOError(11, "no more processes")


def test_in_a_fresh_interpreter_the_answers_are_the_same():
    with Zygote(Isolation(level=0)) as zygote, zygote.student(Limits(seconds=20)) as student:
        (f,) = after(student, MODEL, "Model")
        assert f(2)(torch.ones(2))[0].shape == (2,)
        with pytest.raises(Gone):
            student.execute("import os\nos._exit(1)", "cell")


def test_ctrl_c_in_a_terminal_is_not_for_the_warm_process():
    with Zygote(Isolation(level=1)) as zygote:
        assert os.getpgid(zygote._process.pid) != os.getpgrp()


def test_a_warm_process_says_nothing_when_the_checker_has_gone_before_it_is_ready(capfd):
    ours, theirs = socket.socketpair()
    process = launch(theirs, {"level": 1, "probe": False})
    ours.close()
    theirs.close()
    assert process.wait(60) == 0
    assert capfd.readouterr().err == ""
