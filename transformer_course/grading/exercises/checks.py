"""What a check may say: each function raises AssertionError with words for the learner.

All of them take plain values as well as proxies of what lives in a learner's own process.
"""

import copy
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer_course.grading.border.failures import Gone
from transformer_course.grading.exercises import telling, vary
from transformer_course.grading.exercises.telling import NONE, Form, Off, as_number, grain, tell
from transformer_course.grading.exercises.telling import Always as Always  # for checks to raise

# for hidden checks
pick, seed, seeds, shuffled, size = vary.pick, vary.seed, vary.seeds, vary.shuffled, vary.size
Mistakes = Mapping[str, Any]  # a message, and the value that whoever deserves it computes


def formed(good: bool, said: str) -> None:
    """Refuse an answer of the wrong shape or type with these words."""
    if not good:
        raise Form(said)


def returned(found: Any) -> Any:
    """What a call gave, unless that is None."""
    formed(found is not None, NONE)
    return found


def array(found: Any, name: str = "the result") -> Tensor:
    """What was found as a tensor; only tensors, arrays and numbers will do."""
    if isinstance(found, bool | int | float | np.ndarray | np.generic):
        return torch.as_tensor(found)
    unfinished(found)
    was = telling.instead(found, type_of(found), name)
    formed(isinstance(found, Tensor), f"{name} should be a tensor or an array, and is {was}")
    return found.detach()


def type_of(found: Any) -> str:
    """The type's name, the learner's own class included."""
    return str(getattr(found, "_type", type(found).__name__))


def unfinished(found: Any) -> None:
    """Say that there is no answer yet where the placeholder stands."""
    if found is ...:
        raise NotImplementedError


def shape(found: Any, expected: Sequence[int], name: str = "the result") -> Tensor:
    """A tensor of exactly this shape."""
    tensor = array(found, name)
    formed(
        tuple(tensor.shape) == tuple(expected),
        f"{name} should have the shape {tuple(expected)}, and has {tuple(tensor.shape)}",
    )
    return tensor


def close(
    found: Any,
    expected: Any,
    message: str = "",
    *,
    mistakes: Mistakes | None = None,
    name: str = "the result",
    atol: float = 1e-5,
    rtol: float = 1e-4,
) -> None:
    """The expected values, up to rounding. A known mistake gets its own message."""
    want = torch.as_tensor(expected).detach()
    tensor = array(found, name)
    for said, value in (mistakes or {}).items():
        wrong = torch.as_tensor(value).detach()
        assert not alike(tensor, wrong, atol, rtol) or alike(wrong, want, atol, rtol), said
    tensor = shape(tensor, want.shape, name)
    formed(tensor.is_complex() == want.is_complex(), f"{name} should be real, and is complex")
    bad = int((~tensor.isfinite() & want.isfinite()).sum())
    assert not bad, f"{name} has {bad} of {tensor.numel()} values that are inf or nan. {message}"
    if not alike(tensor, want, atol, rtol):
        gap = (tensor.double() - want.double()).abs().nan_to_num(float("inf"))
        raise Off(f"{name} is off by up to {gap.max():.3g}. {message}".strip())


def alike(found: Tensor, expected: Tensor, atol: float, rtol: float) -> bool:
    """Whether two tensors agree in shape and, up to rounding, in values (nan is never right)."""
    if found.shape != expected.shape or found.is_complex() != expected.is_complex():
        return False
    if not found.is_complex():
        found, expected = found.double(), expected.double()
    return bool(torch.isclose(found, expected, atol=atol, rtol=rtol).all())


def number(
    found: Any, expected: float, *, mistakes: Mistakes | None = None, tol: float = 0.0
) -> None:
    """One number, within a share `tol` of the expected one. A known mistake gets its message."""
    value = real(found)
    near = abs(value - expected) <= abs(expected) * tol + 1e-9
    known = {**(mistakes or {}), "The size is right, and the sign is not.": -expected}
    for said, mistake in sorted(known.items(), key=lambda each: abs(value - each[1])):
        reach = max(abs(float(mistake)) * tol, grain(value)) + 1e-9
        assert near or abs(value - float(mistake)) > reach, said
    if not near:
        raise Off(f"{value:.12g} is too {'small' if value < expected else 'large'}.")


def real(found: Any) -> float:
    """What was found, if it is one real number of whatever kind, or a tensor or array of one."""
    unfinished(found)
    if isinstance(found, Tensor | np.ndarray) and array(found).numel() == 1:
        found = found.item()
    good = isinstance(found, Real | Decimal) and not isinstance(found, bool)
    formed(good, f"a number is expected, and this is of type {type_of(found)}{as_number(found)}")
    value = float(found)
    formed(not math.isnan(value), "a number is expected, and this is nan")
    return value


def predicted(
    found: Any,
    measured: float,
    why: str,
    *,
    mistakes: Mistakes | None = None,
    tol: float,
    least: float = -math.inf,
    most: float = math.inf,
) -> None:
    """A number that was guessed before it was measured. Then the measurement is told, and why.

    Any guess that could be true, from `least` to `most`, counts: daring to be wrong costs nothing.
    """
    value = real(found)
    sane = math.isfinite(value) and least <= value <= most
    assert sane, f"{telling.range_of(least, most)}, and this is {value:g}."
    try:
        number(value, measured, mistakes=mistakes, tol=tol)
        same = f"{value:.3g}" == f"{measured:.3g}"
        said = f"Your guess is {'right' if same else 'close enough'}."
    except AssertionError as error:
        said = str(error) if str(error).endswith((".", "?")) else f"{error}."
    tell(f"{said} Measured: {measured:.3g}. {why}")


def key(question: str, answer: str) -> str:
    """What a choice is compared with, so that a look at the check does not give it away."""
    return hashlib.sha256(f"{question}:{answer}".encode()).hexdigest()[:12]


def choice(found: Any, question: str, right: str, why: Mapping[str, str]) -> None:
    """The letter whose `key` is `right`; `why` says of each letter what speaks against it."""
    unfinished(found)
    formed(
        isinstance(found, str), f"a letter in quotes is expected, this is of type {type_of(found)}"
    )
    letter = found.strip().lower()
    formed(letter in why, f"expected one of {', '.join(map(repr, why))}, got {found!r}")
    assert key(question, letter) == right, why[letter]


def gradients(
    function: Callable[..., Any], *inputs: Tensor, weight: Tensor | float = 1.0
) -> list[Tensor | None]:
    """Gradients of the sum of what a function returns, times `weight`, by its inputs.

    None for an input that has no part in it, or is not of floating point, such as a mask.
    """
    if hasattr(function, "_student"):
        output, by_input, _ = function._student.gradients(function, inputs, weights=[weight])
        returned(output)
        return list(by_input)
    leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    found = returned(function(*leaves))
    output = found[0] if isinstance(found, tuple | list) else found
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    grads = iter(torch.autograd.grad((output * weight).sum(), wanted, allow_unused=True))
    return [next(grads) if leaf.requires_grad else None for leaf in leaves]


def parameter_gradients(
    module: Any, *inputs: Any, weight: Tensor | float = 1.0
) -> dict[str, Tensor | None]:
    """Gradients of the sum of a module's output times `weight`, by the name of each parameter.

    A parameter that two parts share is there once; one that nothing depends on has None.
    """
    if hasattr(module, "_student"):
        output, _, by_name = module._student.gradients(module, inputs, weights=[weight])
        array(output, "The result")
        return dict(by_name)
    named, output = dict(module.named_parameters()), module(*inputs)
    array(output, "The result")
    found = torch.autograd.grad((output * weight).sum(), list(named.values()), allow_unused=True)
    return dict(zip(named, found, strict=True))


def arguments_after(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """The arguments as they are after the call: has it changed them?"""
    if hasattr(function, "_arguments_after"):
        return list(function._arguments_after(*inputs))
    function(*inputs)
    return list(inputs)


def untouched(function: Callable[..., Any], *inputs: Any, name: str = "a tensor") -> None:
    """A call leaves the tensors, arrays and lists it is given as they are."""
    after = arguments_after(function, *copy.deepcopy(inputs))
    assert same(after, list(inputs)), (
        f"Your function has changed {name} it was given. Whoever called it still needs it: "
        "return a new one."
    )


def same(found: Any, given: Any) -> bool:
    """Whether nothing has changed, in lists of arrays either."""
    if isinstance(given, Tensor | np.ndarray):
        return alike(array(found), array(given), 0.0, 0.0)
    if isinstance(given, list | tuple):
        return found is not None and len(found) == len(given) and all(map(same, found, given))
    return bool(found == given)


def is_module(found: Any) -> bool:
    """Whether this is an nn.Module, in whatever process it lives."""
    if hasattr(found, "_is_module"):
        return bool(found._is_module())
    return isinstance(found, torch.nn.Module)


def error_of(function: Callable[..., Any], *inputs: Any) -> str:
    """The name of what a call raises, such as "ValueError"; "" if it raises nothing."""
    try:
        function(*inputs)
    except Gone:
        raise
    except Exception as error:
        return str(getattr(error, "kind", type(error).__name__))
    return ""
