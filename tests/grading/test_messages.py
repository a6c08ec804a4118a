"""Common errors in a learner's words, with the numbers of the case at hand."""

import re

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
    (lambda: [one for one, _ in [None]], "A value is None here"),
    (lambda: dict(a=None)["a"][0], "A value is None here"),
    (lambda: T(1) + None, "A value is None here"),
    (lambda: [one for one, _ in [(1,)]], "2 values are expected here, and there are 1"),
    (lambda: [one for one, _ in [(1, 2, 3)]], "2 values are expected here, and there are more"),
    (lambda: {}["key"], "'key'"),
]


@pytest.mark.parametrize(("fails", "said"), CASES, ids=[said[:30] for _, said in CASES])
def test_an_error_of_torch_numpy_or_python_says_what_to_look_at(fails, said):
    with pytest.raises((RuntimeError, ValueError, TypeError, LookupError)) as caught:
        fails()
    assert re.search(re.escape(said), plain(str(caught.value)))


def test_a_message_has_an_end():
    assert clipped("x" * MOST) == "x" * MOST
    assert clipped("x" * (MOST + 1500)) == "x" * MOST + " … (1,500 more characters)"
