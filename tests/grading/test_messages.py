"""Common errors in a learner's words, with the numbers of the case at hand."""

import math
import re
import warnings

import numpy as np
import pytest
import small_exercise as small
import torch
import torch.nn.functional as F

from transformer_course.grading.exercises import checks, missing
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import parse
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.messages import MOST, clipped, plain, returned
from transformer_course.grading.exercises.places import in_notebook

T, N = torch.zeros, np.zeros


class Early(torch.nn.Module):
    def __init__(self):
        self.linear = torch.nn.Linear(2, 2)


class Late(torch.nn.Module):
    def __init__(self):
        self.size = 2


def renamed():
    layer = torch.nn.Sequential()
    layer.fc = torch.nn.Linear(2, 2)
    layer.fc = T(2)


def endless():
    return endless()


def unheard():
    raise EOFError("EOF when reading a line")


def overwritten(x):
    y = x.exp()
    y += 1
    return y.sum().backward()


SHAPE = T(2, 3).shape
MASK = torch.ones(1, 1, 1, 6, dtype=torch.bool)


def loaded(**tensors):
    torch.nn.Linear(2, 2, bias=False).load_state_dict(tensors)


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
    (lambda: torch.tensor([[1, 2], [3]]), "These rows are not equally long"),
    (lambda: T(3)[T(1).long() + 3], "There is no place 3 on an axis with 3"),
    (lambda: T(4, 2)[:, T(1).long() + 2], "There is no place 2 on an axis with 2"),
    (lambda: T(4, 2).index_select(1, T(1).long() + 2), "There is no place 2 on an axis with 2"),
    (lambda: renamed(), "`fc` is a layer of this module"),
    (lambda: N(3)[3], "There is no place 3 on axis 0: it has 3"),
    (lambda: N((3, 3))[np.arange(2), np.arange(3)], "Arrays that pick places together need one"),
    (lambda: [1][1], "The list has no such place"),
    (lambda: list("a")[[0]], "asked for a place by a whole number, and this is of type list"),
    (lambda: 2 ^ 0.5, "A power is written `**`"),
    (lambda: compile("2,048", "", "eval"), "two thousand is `2000` or `2_000`, and a half `0.5`"),
    (lambda: unheard(), "do without `input()`"),
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
    (lambda: Early(), "`__init__` has to begin with `super().__init__()`"),
    (lambda: Late()(T(2)), "`__init__` has to begin with `super().__init__()`"),
    (lambda: torch.nn.Module()(T(2)), "This module has no `forward`"),
    (lambda: torch.nn.Embedding(5, 3)(T(2)), "Places and classes are counted by whole numbers"),
    (
        lambda: torch.nn.Embedding(5, 3)(T(2)),
        "this embedding is asked for rows by numbers of type Float. `.long()` makes ids whole.",
    ),
    (
        lambda: F.scaled_dot_product_attention(T(1, 3, 1, 2), T(1, 3, 1, 2), T(1, 3, 1, 2), MASK),
        "Values of shape (1, 3, 1, 1) cannot take in a mask or a summand that would make (1, 3, 1,",
    ),
    (lambda: T(2).add_(T(3, 2)), "Values of shape (2) cannot take in a mask or a summand"),
    (lambda: loaded(weight=T(2, 3)), "Weights of shape (2, 3) do not go into `weight`: its shape"),
    (
        lambda: loaded(bias=T(2)),
        "The weights to be loaded have none for `weight`: is it a part too",
    ),
    (lambda: loaded(weight=T(2, 2), bias=T(2)), "There is no `bias` to load weights into: is a"),
    (lambda: int([3]), "A whole number is expected here, and there is something of type list."),
    (lambda: int("a"), "A whole number is expected here, and there is text."),
    (lambda: T(3)[T(2)], "Places and classes are counted by whole numbers"),
    (lambda: T(3)[1.0], "Places and classes are counted by whole numbers"),
    (lambda: N(3)[N(2)], "Places and classes are counted by whole numbers"),
    (lambda: N(3)[4 / 2], "Places and classes are counted by whole numbers"),
    (lambda: list("ab")[2 / 2], "Places and classes are counted by whole numbers"),
    (lambda: T(3, 4).gather(-1, T(3, 1)), "Places and classes are counted by whole numbers"),
    (lambda: F.one_hot(T(2), 3), "Places and classes are counted by whole numbers"),
    (lambda: F.cross_entropy(T(2, 3), T(2).int()), "Places and classes are counted by whole"),
    (lambda: torch.nn.Embedding(5, 3)(torch.tensor([5])), "An id lies outside of the table"),
    (lambda: F.one_hot(torch.tensor([5]), 3), "An id lies outside of the table"),
    (lambda: list("ab")[0, 1], "Arrays and tensors take `a[i, j]`"),
    (lambda: T(2) & T(2), "`&`, `|` and `~` are for masks"),
    (lambda: ~T(2), "`&`, `|` and `~` are for masks"),
    (lambda: T(2).long().softmax(-1), "`.float()` makes fractions of them"),
    (lambda: torch.arange(3).mean(), "`.float()` makes fractions of them"),
    (lambda: 1 - T(2).bool(), "Masks are not subtracted: `~` turns one round"),
    (lambda: T(2).bool() - T(2).bool(), "Masks are not subtracted: `~` turns one round"),
    (lambda: T(2).masked_fill(T(2), 0), "A mask has to hold True and False"),
    (lambda: torch.where(T(2), 1, 0), "A mask has to hold True and False"),
    (lambda: overwritten(T(2).requires_grad_()), "What the gradient needs was overwritten"),
    (lambda: T(2).sum().backward(), "No gradient flows from here"),
    (lambda: np.arange(3) ** -1, "Write the exponent as one: `-1.0`"),
    (
        lambda: setattr(torch.nn.Linear(2, 2), "weight", T(2, 2)),
        "`weight` is a parameter: put an `nn.Parameter` there",
    ),
    (lambda: T(2).requires_grad_().numpy(), "NumPy knows no gradients"),
    (lambda: scripted(), "`scripted` was called without 'x'"),
    (lambda: scripted(1, 2), "`scripted` takes 1 value, and was given 2"),
    (lambda: T(2)(T(2)), "is a value of type Tensor and no function"),
    (lambda: dict(one=T(2).size)["one"][0], "A function stands here where its result is meant"),
    (lambda: list(endless), "A function stands here where its result is meant"),
    (lambda: dict(one=1)["one"][0], "This is a single number, and several are expected"),
    (lambda: len(dict(one=1)["one"]), "This is a single number, and several are expected"),
    (lambda: 1 / len([]), "It was divided by 0"),
    (lambda: endless(), "A function calls itself without end"),
    (lambda: "text".shape, "A value of type str has no `shape`"),
    (lambda: T(2, 3).expand(4, 3), "An axis of 2 values does not fit into one of 4"),
    (lambda: torch.nn.LayerNorm(4)(T(2, 5)), "is for a last axis of 4 values, and the input has"),
    (
        lambda: torch.einsum("ij,jk", T(2, 3), T(3)),
        "Operand 1 of the einsum, counted from 0, has 1",
    ),
    (lambda: torch.bmm(T(2, 3), T(2, 3)), "`bmm` multiplies tensors of three axes"),
    (lambda: T(2, 3)[:, :, 0], "There are more indices than axes: it has 2"),
    (lambda: N((2, 3))[:, :, 0], "There are more indices than axes: it has 2"),
    (lambda: torch.stack([T(2), T(3)]), "What is stacked has to have one shape"),
    (lambda: T(3).topk(5), "More values are asked for than there are"),
    (lambda: {}["key"], "'key'"),
    (lambda: unpacked(3), "Several values are expected here, and there is one, of type int."),
    (lambda: {[1]: 2}, "a value of type list, cannot be a key, nor stand in a set. `tuple(...)`"),
    (lambda: N((2, 3)).view(1, 2, 3, -1), "The `view` of an array of NumPy takes no shape."),
    (lambda: T(2, 3, 4).transpose(0, 2, 1), "Torch's `transpose` swaps two axes"),
    (lambda: T(2, 3, 4).transpose((0, 2, 1)), "for NumPy's `transpose`, and for torch's `permute`"),
    (lambda: T(T(2, 3).shape, 8), "Is this torch's `zeros`? It takes one shape, or whole numbers"),
    (lambda: torch.ones(SHAPE, SHAPE), "something else is among them: a shape, which `*` unpacks"),
    (lambda: T((2, 3), torch.float64), "or a type without `dtype=` before it"),
    (lambda: torch.rand(SHAPE, 2), "Is this torch's `rand`? It takes one shape"),
    (lambda: T(2.0), "A whole number is needed here"),
    (lambda: N(8, 8), "A type of numbers is expected where 8 stands. A shape of several axes is"),
    (lambda: T(3, 4)[:, : 4 / 2], "A slice is cut at whole numbers, and something else stands"),
    (lambda: N((3, 4))[:, : 4 / 2], "A slice is cut at whole numbers, and something else stands"),
    (lambda: 10000 ^ (np.arange(3) / 4), "A power is written `**`"),
    (lambda: 10000 ^ (torch.arange(3) / 4), "A power is written `**`"),
    (lambda: (N(2) > 0) & N(2), "`&`, `|` and `~` are for masks"),
    (lambda: ~N(2), "`&`, `|` and `~` are for masks"),
    (lambda: (N(2) > 0) & (T(2) > 0), "An array of NumPy and a tensor of torch meet here"),
    (lambda: N((2, 2)) @ T(2), "An array of NumPy and a tensor of torch meet here"),
    (lambda: N(2) + T(2), "An array of NumPy and a tensor of torch meet here"),
    (lambda: (T(2) > 0) | [True, False], "Lists do not compute number by number"),
    (lambda: range(3) / 4, "A `range` does not compute number by number"),
    (lambda: 2.0 ** range(3), "A `range` does not compute number by number"),
    (lambda: N(2)[0] @ N((2, 3)), "Does a loop go through the numbers of one row"),
    (lambda: T(2)[0] @ T(2, 3), "Does a loop go through the numbers of one row"),
    (lambda: torch.cat([1.0, 2.0]), "at place 0, counted from 0, stands something of type float"),
    (lambda: torch.stack([T(1), N(1)]), "at place 1, counted from 0, stands something of type num"),
    (lambda: N((2, 3)).max(axis=2), "There is no axis 2. Those of this array are counted from 0"),
    (lambda: torch.nn.Parameter(T(3))(T(3)), "is a value of type Parameter and no function"),
    (lambda: np.einsum("ij->i", N((2, 3, 4))), "has more axes here than the einsum has letters"),
    (lambda: np.einsum("ijk->i", N((2, 3))), "The einsum has more letters for operand 0, counted"),
    (lambda: None - [1], "A value is None here"),
]


def unpacked(found):
    one, two = found
    return one, two


def scripted(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(lambda y: y.softmax(0), torch.ones(2), check_trace=False)(x.long())


@pytest.mark.parametrize(("fails", "said"), CASES, ids=[said[:30] for _, said in CASES])
def test_an_error_of_torch_numpy_or_python_says_what_to_look_at(fails, said):
    expected = ArithmeticError, AttributeError, RuntimeError, ValueError, TypeError, LookupError
    with pytest.raises((*expected, EOFError, SyntaxError)) as caught:
        fails()
    assert re.search(re.escape(said), plain(str(caught.value)))


KEYS = "There is no key {}."
READ = "the old value is read first. `.get(key, 0)` gives 0"
DICTIONARY = "If this goes through a dictionary: that gives its keys alone, and `.items()`"
IN_LINE = [
    ("x = T(2, 3, 4)\nl, d = x.shape", "A shape has one number for each axis: print it"),
    ("x = T(2, 3, 4)\nl, d = x.size()  # of it", "A shape has one number for each axis: print it"),
    ("q, k, v = T(12).split(3)", "`split(3)` makes parts of length 3, however many; `chunk(3)`"),
    ("x = T(12)\nq, k, v = torch.split(x, 3)", "`split(3)` makes parts of length 3"),
    ("for k, v in {'abc': 1}: pass", "2 values are expected here, and there are more."),
    ("d = {'abc': 1}\nfor k, v in d:\n    pass", DICTIONARY),
    ("d = {1: 1}\nfor k, v in d:\n    pass", DICTIONARY),
    ("d = {'a': 1}\nx = [k for k, v in d]", DICTIONARY),
    ("a, b = tuple(n for n in range(3))", "Count the names to the left of `=`"),
    ("(lambda: [one for one, _ in [(1,)]])()", "2 values are expected here, and there are 1."),
    ("c = {}\nc['a', 'b'] += 1", f"{KEYS.format(('a', 'b'))} To change what stands at"),
    ("c = {}\nc['a', 'b'] += 1", READ),
    ("{}['a']", KEYS.format("'a'")),
    ("{}[3]", KEYS.format(3)),
    ("raise KeyError('a')", "'a'"),
    ("raise KeyError('a word of mine')", "'a word of mine'"),
    ("{1}.remove(3)", "3"),
    ("a, b = x.split(3)", "name 'x' is not defined"),
    ("torch.nn.Parameter(8)", "An `nn.Parameter` is made of a tensor: the values with which it"),
]


def failed(code):
    """The error of a cell, and its place."""
    student = LocalStudent({"__name__": "__main__", "T": T, "torch": torch})
    with pytest.raises(Exception) as caught:  # of any kind
        student.execute(code, "cell 3")
    return caught.value, in_notebook(caught.value, {})


@pytest.mark.parametrize(("code", "said"), IN_LINE)
def test_the_line_that_failed_says_more(code, said):
    error, place = failed(code)
    assert said in plain(str(error), type(error).__name__, place)


@pytest.mark.parametrize("code", ["for k, v in {'abc': 1}: pass", "raise KeyError('a')"])
def test_a_line_that_says_nothing_adds_nothing(code):
    error, place = failed(code)
    assert plain(str(error), type(error).__name__, place) == plain(str(error))


def test_a_key_of_what_a_check_has_hidden_is_not_named():
    error, place = failed("{}['secret']")
    assert plain(str(error), "KeyError", place, secret=True) == "There is no such key."


GIVEN = """
import numpy as np, torch
frozen = torch.nn.Linear(2, 2).requires_grad_(False)
def cut(x): return 2 * x.detach()
def within(x):
    x += 1
    return 2 * x
def overwritten(x):
    y = x.exp()
    z = y * y
    y += 1
    return z
def objects(x): return [x, np.array([1, "a"], dtype=object)]
def text(x): return np.array(["a"])
def long(x): return np.ones(2, np.longdouble)
"""
NONE_COMES = "No gradient comes out of this. Either what it depends on does not learn"
NOTHING = "Your code raised nothing, but no check can read what it gave"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("checks.gradients(cut, X)", NONE_COMES),
        ("checks.parameter_gradients(cut, X)", NONE_COMES),
        (
            "checks.gradients(within, X)",
            "Your code raised RuntimeError: What the gradient needs was overwritten: by `+=`, by "
            "`[...] =`, or by a function whose name ends in `_`. Make a new tensor. (line 6 of",
        ),
        (
            "checks.gradients(overwritten, X)",
            "Your answer could not be checked: What the gradient needs was overwritten: by `+=`",
        ),
        (
            "objects(X)",
            f"{NOTHING} at [1]: an array of dtype `object` can hold anything. Give it numbers of",
        ),
        ("checks.arguments_after(objects, X)", f"{NOTHING} at [1]: an array of dtype `object`"),
        ("checks.gradients(text, X)", NONE_COMES),
        ("text(X)", f"{NOTHING}: an array of text. Numbers are read."),
        pytest.param(
            "long(X)",
            f"{NOTHING}: an array of NumPy's longest type of numbers (`longdouble`). No check",
            marks=pytest.mark.skipif(
                np.dtype(np.longdouble).itemsize == 8, reason="it is no other type"
            ),
        ),
        (
            "frozen.load_state_dict({'weight': torch.ones(3, 2)})",
            "Your answer could not be checked: Weights of shape (3, 2) do not go into `weight`: "
            "its shape is (2, 2).",
        ),
        ("frozen.weights", "Your answer could not be checked: A value of type Linear has no `wei"),
        ("assert [int(each) for each in [[1]]]", "Your answer could not be checked: A whole num"),
    ],
)
def test_what_no_line_of_the_learner_s_has_raised_is_not_said_to_be_raised(source, said):
    cells = [
        small.code("import torch\nX = torch.ones(2)", {"grade_id": "setup"}),
        small.question("given", small.solved(GIVEN)),
        small.code(small.HELPERS, course={"role": "checks"}),
        small.check("given-one", "given", source),
    ]
    student = LocalStudent()
    student.execute(GIVEN, "cell 3")
    checker = Checker(parse(small.notebook(cells=cells), "small"))
    assert checker.run(checker.exercise.checks[0], student).message.startswith(said)


def test_where_a_check_stumbles_it_is_asked_what_was_returned():
    assert returned("too many values to unpack (expected 2)") == (
        "2 values are expected here, and there are more. What does your function return?"
    )
    assert returned("int() argument must be a string or a number, not 'list'").endswith(
        "of type list. What does your function return?"
    )
    assert returned("division by zero").startswith("It was divided by 0.")


OBJECT = """
class Heads:
    def __init__(self, num_heads):
        {}
    def forward(self):
        return [num_heads for _ in range(2)]
Heads(3).forward()
"""


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("self.num_heads = num_heads", ". The object keeps it: here it is `self.num_heads`"),
        ("pass", ". Only `__init__` knows it: keep it there, as `self.num_heads`"),
    ],
)
def test_a_name_that_a_method_misses_is_looked_for_in_its_object(first, said):
    error, place = failed(OBJECT.format(first))
    assert plain(str(error), "NameError", place) == f"name 'num_heads' is not defined{said}"
    error, place = failed("class A:\n    def f(self): return other\nA().f()")
    assert plain(str(error), "NameError", place) == "name 'other' is not defined"


def test_the_keys_of_a_dictionary_of_the_set_up_are_told():
    held = {"paper": {"layers": 6, "heads": 8}, "large": dict.fromkeys(range(99)), "one": 1}
    said = "In the set-up `paper` has the keys 'layers', 'heads'."
    assert missing.keys("'head'", "return paper['head']", held) == said
    for line in ("return paper['layers']", "return large['head']", "return one[0]", "x = mine[0]"):
        assert missing.keys("'layers'", line, held) == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([T(2), T(2)], "is of type list. Put its parts together, with `stack`."),
        ([1, 2.0], "is of type list. Put its parts together, with `torch.tensor` or `np.array`."),
        ([[1], [np.float64(2)]], "Put its parts together, with `torch.tensor` or `np.array`."),
        ([[T(2)], [T(2)]], "Put its parts together, with `stack`, each inner list first."),
        ([], "is of type list"),
        ((T(2), T(2)), "is of type tuple"),
    ],
)
def test_a_list_in_place_of_a_tensor_is_told_what_makes_one_of_it(found, said):
    with pytest.raises(AssertionError) as caught:
        checks.array(found)
    assert str(caught.value).endswith(said)


def test_a_gradient_of_a_parameter_that_is_none_was_not_forgotten():
    with pytest.raises(AssertionError, match="is None: no gradient reaches it. Is it frozen"):
        checks.array(None, "the gradient of embedding.weight")
    with pytest.raises(AssertionError, match="is None: did you forget to return it"):
        checks.array(None, "the gradient of x")


def test_none_may_be_what_shuffle_gave():
    with pytest.raises(AssertionError, match=r"That is None\. So is what `shuffle` gives\."):
        checks.returned(None)


def test_none_may_be_what_a_method_gave():
    with pytest.raises(AssertionError, match=r"`.sort\(\)` or `.append\(\)` gave\? That is None\."):
        checks.returned(None)


def test_a_message_has_an_end():
    assert clipped("x" * MOST) == "x" * MOST
    assert clipped("x" * (MOST + 1500)) == "x" * MOST + " … (1,500 more characters)"
