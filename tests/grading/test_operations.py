"""Forbidden is what a function computes, whatever name leads to it."""

import functools
import subprocess
import threading
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from transformer_course.grading.exercises import operations
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import load
from transformer_course.grading.exercises.forbid import Forbidden
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.operations import UNWATCHED, words

SOURCES = sorted((Path(__file__).parents[2] / "exercises" / "sources").glob("*.md"))
NAMES = {
    (source.stem, name): question.forbid
    for source in SOURCES
    for name, question in load(source).questions.items()
    if question.forbid
}
SOFTMAX = NAMES["01-scaled-attention", "mix"]
NORM = NAMES["07-layer-norm", "layer-norm"]
GRADIENT = NAMES["01-scaled-attention", "softmax-backward"]
LOGS = NAMES["02-softmax-and-masks", "log-sum-exp"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    SCRIPTED = torch.jit.trace(lambda x: x.softmax(-1), torch.ones(2, 3))
ADD = [torch.add]
KEPT = [torch.softmax, F.softmax, torch.Tensor.softmax]


def forward_mode(x):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        return torch.autograd.forward_ad.unpack_dual(dual * dual).tangent


def on_a_thread(x):
    found = []

    def work():
        try:
            found.append(torch.ops.aten._softmax.default(x, -1, False))
        except RuntimeError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(found[0], RuntimeError):
        raise found[0]


def lower_level_grad(x):
    return torch._functorch.apis.grad(lambda y: (y * y).sum())(x)


WAYS = {
    "Softmax2d": (SOFTMAX, lambda x: nn.Softmax2d()(x[None, :, None])),
    "OneHotCategorical": (
        SOFTMAX,
        lambda x: torch.distributions.OneHotCategorical(logits=x).probs,
    ),
    "logits_to_probs": (SOFTMAX, torch.distributions.utils.logits_to_probs),
    "in a list": (SOFTMAX, lambda x: KEPT[0](x, -1)),
    "in a list, of functional": (SOFTMAX, lambda x: KEPT[1](x, -1)),
    "in a list, of tensors": (SOFTMAX, lambda x: KEPT[2](x, -1)),
    "applied in part": (SOFTMAX, functools.partial(KEPT[0], dim=-1)),
    "the dispatcher's": (SOFTMAX, lambda x: torch.ops.aten._softmax.default(x, -1, False)),
    "compiled": (SOFTMAX, SCRIPTED),
    "gumbel": (SOFTMAX, F.gumbel_softmax),
    "attention": (SOFTMAX, lambda x: nn.MultiheadAttention(3, 1)(x, x, x)),
    "on a thread": (SOFTMAX, on_a_thread),
    "mapped": (SOFTMAX, lambda x: torch.vmap(KEPT[0], (0, None))(x, -1)),
    "InstanceNorm": (NORM, lambda x: nn.InstanceNorm2d(2)(x[None, :, None])),
    "BatchNorm": (NORM, lambda x: nn.BatchNorm2d(1, affine=False)(x[None, None])),
    "the dispatcher's norm": (
        NORM,
        lambda x: torch.ops.aten.native_layer_norm(x, [3], None, None, 1e-5),
    ),
    "forward mode": (GRADIENT, forward_mode),
    "functorch": (GRADIENT, lower_level_grad),
    "the engine": (
        GRADIENT,
        lambda x: torch.autograd.Variable._execution_engine.run_backward(
            (x.requires_grad_().exp().sum(),),
            (torch.ones(()),),
            False,
            False,
            (x,),
            allow_unreachable=True,
        ),
    ),
    "numpy's core": (LOGS, lambda x: np._core.umath.logaddexp.reduce(x, axis=-1)),
}


@pytest.fixture
def alone(monkeypatch):
    """A student's process has no children; that of the tests may have those of other tests."""
    monkeypatch.setattr(operations, "_has_children", lambda: False)


@pytest.fixture
def watched(alone):
    """Calls a function while names are forbidden."""
    forbidden = Forbidden({})

    def call(names, function, x):
        forbidden.forbid(names)
        try:
            return function(*forbidden.hand_over([x]))
        finally:
            call.noticed = forbidden.forbid(())

    yield call
    forbidden.forbid(())


@pytest.mark.filterwarnings("ignore:.torch.jit")
@pytest.mark.parametrize("way", WAYS)
def test_ways_around_a_name_are_refused(watched, way):
    names, function = WAYS[way]
    x = np.ones((2, 3)) if way == "numpy's core" else torch.ones(2, 3)
    function(x.copy() if way == "numpy's core" else x.clone())  # it works
    with pytest.raises(RuntimeError):
        watched(names, function, x)
    assert set(watched.noticed) & set(names)


def test_what_is_caught_and_passed_over_is_noticed_all_the_same(watched):
    def quiet(x):
        try:
            return nn.Softmax2d()(x[None])
        except RuntimeError:
            return x.exp()

    watched(SOFTMAX, quiet, torch.ones(2, 3, 4))
    assert watched.noticed


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.exp() / x.exp().sum(-1, keepdim=True),
        lambda x: (x - x.amax(-1, keepdim=True)).exp().cumsum(-1).log(),
        lambda x: torch.einsum("ij,kj->ik", x, x) @ x,
        lambda x: F.relu(F.linear(x, torch.ones(3, 3))).sigmoid().var(-1),
        lambda x: torch.vmap(lambda row: row.exp() / row.exp().sum())(x),
    ],
)
@pytest.mark.parametrize("names", [SOFTMAX, NORM, GRADIENT])
def test_simpler_operations_are_no_concern(watched, names, function):
    x = torch.rand(2, 3)
    assert torch.equal(watched(names, function, x), function(x))
    assert watched.noticed == []


def test_what_an_allowed_function_runs_on_the_way_back_is_allowed(watched):
    def weights_and_gradient(x):
        x = x.requires_grad_()
        return torch.autograd.grad(x.softmax(-1)[0, 0], x)[0]

    names = NAMES["02-softmax-and-masks", "masked-softmax"]
    assert watched(names, weights_and_gradient, torch.ones(2, 3)).any()
    assert watched.noticed == []


def test_operators_are_elementary(watched):
    def doubled(x):
        return x + x - 0 * x

    names = ["torch.add", "torch.Tensor.add", "torch.sub", "torch.Tensor.mul"]
    assert torch.equal(watched(names, doubled, torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(RuntimeError, match=r"torch\.add may not be called"):
        watched(names, lambda x: ADD[0](x, x), torch.ones(2))


def test_where_nothing_was_seen_to_run_it_is_said(watched):
    found = torch.ones(3)
    watched(SOFTMAX, lambda x: found, torch.ones(3))
    assert watched.noticed == [UNWATCHED]


def test_threads_beside_are_told():
    stop, forbidden = threading.Event(), Forbidden({})
    thread = threading.Thread(target=stop.wait)
    thread.start()
    forbidden.forbid(SOFTMAX)
    noticed = forbidden.forbid(())
    stop.set()
    thread.join()
    assert noticed == [UNWATCHED]


def test_a_process_beside_is_told():
    forbidden = Forbidden({})
    child = subprocess.Popen(["sleep", "60"])
    forbidden.forbid(SOFTMAX)
    noticed = forbidden.forbid(())
    child.kill()
    child.wait()
    assert noticed == [UNWATCHED]


def test_a_watched_array_is_an_array(alone):
    forbidden = Forbidden({})
    x = np.arange(6.0).reshape(2, 3)
    forbidden.forbid(LOGS)
    (given,) = forbidden.hand_over([x])
    top = given.max(axis=-1, keepdims=True)
    found = np.log(np.exp(given - top).sum(axis=-1)) + top[..., 0]
    given[0, 0] = 7
    given += 1
    assert isinstance(given.sum(), np.float64)
    assert given.tolist() == x.tolist() == [[8, 2, 3], [4, 5, 6]]
    assert forbidden.forbid(()) == []
    np.testing.assert_allclose(found, [2.407606, 5.407606], rtol=1e-5)


def test_words_of_a_name():
    assert words("torch.nn.LayerNorm") == words("aten::layer_norm") == {"layer", "norm"}
    assert words("aten::_softmax") == {"softmax"}


FORBIDDING = sorted({path for path in SOURCES if path.stem in {stem for stem, _ in NAMES}})


@pytest.mark.parametrize("source", FORBIDDING, ids=lambda path: path.stem)
def test_no_right_answer_meets_what_is_forbidden(source):
    exercise = load(source)
    checker = Checker(exercise)
    answers = tomllib.loads(source.with_suffix(".toml").read_text()).get("right", [])
    for answer in [{}, *answers]:
        student = LocalStudent()
        for cell in exercise.cells:
            if cell.role in ("setup", "solution"):
                replaced = cell.name == answer.get("question")
                student.execute(answer["answer"] if replaced else cell.source, cell.name)
        for check in exercise.checks:
            if exercise.questions[check.question].forbid:
                row = checker.run(check, student)
                assert (row.status, row.noticed) == ("pass", ()), (answer.get("name"), row)
