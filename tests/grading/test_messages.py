"""Common errors in a learner's words, with the numbers of the case at hand."""

import math
import re
import warnings

import numpy as np
import pytest
import torch

from transformer_course.grading.exercises.messages import MOST, clipped, plain

T, N = torch.zeros, np.zeros
CASES = [
    (lambda: T(3, 4) @ T(5, 4), "product of shapes (3, 4) and (5, 4): the last axis of the first"),
    (lambda: T(2, 3, 4) @ T(2, 5, 4), "expected as (2, 4, ...), and is (2, 5, ...)"),
    (lambda: T(3) @ T(4), "vectors with 3 and 4 values"),
    (lambda: T(3, 4) @ T(5), "matrix of shape (3, 4) times a vector of 5 values"),
    (lambda: T(3, 4) + T(3, 5), "Tensors with 4 and 5 values along axis 1 cannot be combined"),
    (lambda: N((3, 4)) + N((3, 5)), "Arrays of shapes (3,4) and (3,5) cannot be combined"),
    (lambda: N((3, 4)) @ N((5, 4)), "the first array has 4 values, the last but one of the second"),
    (lambda: N((3, 4)).dot(N((5, 4))), "shapes (3,4) and (5,4): 4 and 5 have to be equal"),
    (lambda: torch.einsum("ij,jk->ik", T(3, 4), T(5, 4)), "letter j of the einsum stands for axes"),
    (lambda: T(12).view(5, 2), "12 values cannot be arranged in the shape (5, 2)"),
    (lambda: N(12).reshape(5, -1), "12 values cannot be arranged in the shape (5,"),
    (lambda: T(3, 4).T.view(12), "Use `reshape`, which copies"),
    (lambda: T(3, 4).sum(2), "There is no axis 2: this tensor counts its axes from -2 to 1"),
    (
        lambda: torch.cat([T(3, 4), T(3, 5)]),
        "along axis 0 have to agree along the others: 4 is not",
    ),
    (lambda: T(3, 4) @ T(4, 5).double(), "these are float and double"),
    (lambda: torch.nn.Linear(4, 5)(T(3, 4).double()), "these are Double and Float"),
    (lambda: [one for one, _ in [None]], "A value is None here"),
    (lambda: dict(a=None)["a"][0], "A value is None here"),
    (lambda: T(1) + None, "A value is None here"),
    (lambda: [one for one, _ in [(1,)]], "2 values are expected here, and there are 1"),
    (lambda: [one for one, _ in [(1, 2, 3)]], "2 values are expected here, and there are more"),
    (lambda: N((3, 4)) - N(3), "Has the second lost its last axis"),
    (lambda: N((2, 5, 7)) - N((2, 5)), "shapes (2,5,7) and (2,5) cannot be combined. Has the"),
    (lambda: T(2) and T(2), "One True or False is needed here, and there are many"),
    (lambda: max(0, N(2)), "One True or False is needed here, and there are many"),
    (lambda: np.max(N(2), N(2)), "`np.maximum` and `np.minimum` take the larger"),
    (lambda: N((2, 3, 4)).transpose(1, 2), "`swapaxes` exchanges two"),
    (lambda: (T(1), T(1)).flatten(), "This is a tuple, several things together, and has no `flatt"),
    (
        lambda: torch.nn.Conv1d(5, 3, 1)(T(2, 7, 5)),
        "reads 5 channels, and the input (2, 7, 5) has 7",
    ),
    (lambda: np.array([[1, 2], [3]]), "These rows are not equally long"),
    (lambda: T(3)[T(1).long() + 3], "There is no place 3 on axis 0: it has 3"),
    (lambda: N(3)[3], "There is no place 3 on axis 0: it has 3"),
    (lambda: N((3, 3))[np.arange(2), np.arange(3)], "Arrays that pick places together need one"),
    (lambda: [1][1], "The list has no such place"),
    (lambda: T(2, 3).gather(-1, T(2).long()), "The index needs as many axes as the tensor"),
    (lambda: torch.nn.Parameter(T(2)).__setitem__(0, 1), "in a block `with torch.no_grad():`"),
    (lambda: max([]), "`max` of nothing has no value"),
    (lambda: T(3, 0).max(), "`max` of nothing has no value"),
    (lambda: N(3).__setitem__(slice(0, 4), N(4)), "Values of shape (4,) do not fit into a place"),
    (lambda: T(2, 3).__setitem__(slice(0, 2), T(2, 3, 3)), "Values of shape (2, 3, 3) do not fit"),
    (
        lambda: torch.nn.functional.cross_entropy(T(2, 3, 7), T(2, 3).long()),
        "For targets of shape (2, 3), `cross_entropy` expects the classes of the logits on axis 1",
    ),
    (lambda: T(2, 3, 4)[T(2, 1, 4) > 0], "`masked_fill` and `where` do broadcast it"),
    (lambda: N((2, 3))[N((2, 1)) > 0], "`masked_fill` and `where` do broadcast it"),
    (lambda: N((2, 3)).max(-1, keepdim=True), "In NumPy it is `keepdims` for keepdim"),
    (lambda: N((2, 3)).mean(dim=-1), "`dim` is a word of torch"),
    (lambda: torch.sqrt(N(2)), "Torch's `sqrt` wants a tensor, and this is of type numpy.ndarray"),
    (lambda: N(2).softmax(-1), "An array of NumPy has no `softmax`: is that torch's?"),
    (lambda: T(2).astype(float), "A tensor of torch has no `astype`: is that NumPy's?"),
    (lambda: math.sqrt(N(2)), "was given many"),
    (lambda: math.exp(T(2)), "was given many"),
    (lambda: range(4 / 2), "`//` divides whole numbers"),
    (lambda: T(4).view(2, 4 / 2), "A whole number is needed here"),
    (lambda: [1, 2] * [3, 4], "Lists do not compute number by number"),
    (lambda: [1, 2] - [3, 4], "Lists do not compute number by number"),
    (lambda: ~None, "The mask is None here"),
    (lambda: dict(Linear=None)["Linear"](2, 3), "Has a name of a function or a class been given"),
    (lambda: scripted(T(2)), "Code that TorchScript compiled failed, or called what"),
    (lambda: math.exp(1000), "e to so large a number is infinite"),
    (lambda: torch.arange(5, 2), "the second number says where to stop, not how many"),
    (lambda: {}["key"], "'key'"),
]


def scripted(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(lambda y: y.softmax(0), torch.ones(2), check_trace=False)(x.long())


@pytest.mark.parametrize(("fails", "said"), CASES, ids=[said[:30] for _, said in CASES])
def test_an_error_of_torch_numpy_or_python_says_what_to_look_at(fails, said):
    with pytest.raises(
        (ArithmeticError, AttributeError, RuntimeError, ValueError, TypeError, LookupError)
    ) as caught:
        fails()
    assert re.search(re.escape(said), plain(str(caught.value)))


def test_a_message_has_an_end():
    assert clipped("x" * MOST) == "x" * MOST
    assert clipped("x" * (MOST + 1500)) == "x" * MOST + " … (1,500 more characters)"
