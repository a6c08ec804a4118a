"""Number, matrix, mask: the answer, what a reader may be off by, and the known mistakes."""

import ast
import math
from typing import Any, NamedTuple

import numpy as np
import torch

from transformer_course.pages.practice.setups import Setup
from transformer_course.pages.practice.tables import Mask, Matrix, Number, PracticeError

LARGEST = 12  # rows and columns of a grid that still fits a phone
WANTED = {
    "number": "one number",
    "matrix": f"a matrix of numbers of at most {LARGEST} by {LARGEST}",
    "mask": f"a matrix of booleans of at most {LARGEST} by {LARGEST}",
}


def number(exercise: Number, setup: Setup) -> dict[str, Any]:
    """What the page needs of a number, and how it is asked for."""
    answer = _answer(exercise, setup)
    if not np.isfinite(answer):
        raise PracticeError(f"answer: expected a finite number, got {answer}")
    decimals, given, slack, texts = _rounding(exercise, answer)
    if isinstance(given, str):
        asks = f"within {given.replace(' ', '').replace('%', ' %')}"
    elif exercise.tolerance:
        asks = f"within {given:g}"
    else:
        asks = f"to {decimals} decimal{'s' * (decimals > 1)}" if decimals else "a whole number"
    return {
        "misconceptions": _mistakes(exercise, setup, answer, slack, given),
        "answer": _plain(float(answer)),
        "asks": asks,
        "unit": exercise.unit,
        "shown": f"{texts} {exercise.unit}".rstrip(),
        "tolerance": float(slack),
    }


def matrix(exercise: Matrix, setup: Setup) -> dict[str, Any]:
    """What the page needs of a matrix."""
    answer = _answer(exercise, setup)
    decimals, given, slack, texts = _rounding(exercise, answer)
    return {
        "misconceptions": _mistakes(exercise, setup, answer, slack, given),
        "answer": _rows(answer),
        **_labels(exercise, answer),
        "tolerance": slack.tolist(),
        "texts": texts.tolist(),
        "decimals": decimals,
        "shown": "[" + "; ".join(", ".join(row) for row in texts.tolist()) + "]",
    }


def mask(exercise: Mask, setup: Setup) -> dict[str, Any]:
    """What the page needs of a mask."""
    answer = _answer(exercise, setup)
    return {
        "misconceptions": _mistakes(exercise, setup, answer, np.array(0), 0),
        "answer": _rows(answer),
        **_labels(exercise, answer),
        "shown": "; ".join("".join("✓" if x else "·" for x in row) for row in answer),
    }


def _answer(exercise: Number | Mask, setup: Setup) -> np.ndarray:
    """The right answer, which is computed and not typed."""
    try:
        typed = _typed(exercise.answer)
    except SyntaxError as error:
        raise PracticeError(f"answer: SyntaxError: {error.msg}") from None
    if typed:
        got = exercise.answer.strip()
        raise PracticeError(f"answer: expected a computation, got the typed value {got}")
    return _array(exercise.kind, setup, "answer", exercise.answer)


def _typed(expression: str) -> bool:
    """Whether an expression is a bare literal, or a literal in np.array or torch.tensor."""
    node = ast.parse(expression.strip(), mode="eval").body
    while isinstance(node, ast.Call) and len(node.args) == 1:
        if ast.unparse(node.func) not in ("np.array", "torch.tensor", "float", "int", "bool"):
            return False
        node = node.args[0]
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _array(kind: str, setup: Setup, field: str, expression: str) -> np.ndarray:
    """What an expression gives, if that is what this kind of exercise asks for."""
    result = setup.value(field, expression)
    found = result.detach().numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
    fits = found.ndim == 0 if kind == "number" else found.ndim == 2
    fits = fits and all(1 <= length <= LARGEST for length in found.shape)
    if not fits or found.dtype.kind not in ("b" if kind == "mask" else "iuf"):
        got = f"{type(result).__name__} of shape {found.shape}"
        raise PracticeError(f"{field}: expected {WANTED[kind]}, got {got}")
    return found if kind == "mask" else found.astype(np.float64)


class Rounding(NamedTuple):
    """How exactly an answer is asked for: what was given for it, and what follows."""

    decimals: int
    given: float | str
    slack: np.ndarray
    texts: np.ndarray


def _rounding(exercise: Number | Matrix, answer: np.ndarray) -> Rounding:
    whole = bool(np.all(~np.isfinite(answer) | (answer == np.round(answer))))
    decimals, given = exercise.decimals, exercise.tolerance
    if decimals is None:
        decimals = 0 if whole else 2
    if given is None:
        given = 0 if decimals == 0 and whole else 0.5001 * 10**-decimals
    if isinstance(given, str):
        size = np.where(np.isfinite(answer), np.abs(answer), 0)
        slack = size * float(given.rstrip(" %")) / 100
    else:
        slack = np.full(answer.shape, float(given))
    texts = np.vectorize(lambda x: _text(float(x), decimals), otypes=[object])(answer)
    rounded = np.vectorize(lambda x: float(x.replace(",", "")), otypes=[float])(texts)
    if not _same(rounded, answer, slack):
        rest = f"is smaller than the rounding to {decimals} decimals; set decimals"
        raise PracticeError(f"tolerance: {given} {rest}")
    return Rounding(decimals, given, slack, texts)


def _mistakes(
    exercise: Number | Mask, setup: Setup, answer: np.ndarray, slack: np.ndarray, given: float | str
) -> list[dict[str, Any]]:
    """The wrong answers with their messages; no two of them look the same to the page."""
    known, found = [("the answer", answer)], []
    for count, mistake in enumerate(exercise.misconceptions, start=1):
        field = f"misconceptions {count}, answer"
        wrong = _array(exercise.kind, setup, field, mistake.answer)
        if wrong.shape != answer.shape:
            want = f"the answer's shape {answer.shape}"
            raise PracticeError(f"{field}: expected {want}, got {wrong.shape}")
        for name, other in known:
            if _same(wrong.astype(float), other.astype(float), slack):
                raise PracticeError(f"{field}: cannot be told from {name} (tolerance {given})")
        known.append((f"misconception {count}", wrong))
        found.append({"answer": _rows(wrong), "message": mistake.message})
    return found


def _labels(exercise: Mask, answer: np.ndarray) -> dict[str, Any]:
    """The names of rows and columns, and what they stand for."""
    labels: dict[str, Any] = {}
    for field, length in zip(("rows", "columns"), answer.shape, strict=True):
        labels[field] = getattr(exercise, field) or [str(n) for n in range(length)]
        if len(labels[field]) != length:
            got = f"{length} labels for the answer's shape, got {len(labels[field])}"
            raise PracticeError(f"{field}: expected {got}")
    return labels | {"axes": exercise.axes}


def _text(x: float, decimals: int) -> str:
    """As a reader would write it: groups of three, and no minus before a zero."""
    if not math.isfinite(x):
        return str(x)
    text = f"{x:,.{decimals}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def _plain(x: float) -> float | str:
    """A number that JSON holds, with the digits that all machines agree on."""
    if x.is_integer():
        return x + 0.0  # no minus before a zero
    return float(f"{x:.10g}") if math.isfinite(x) else str(x)


def _rows(array: np.ndarray) -> Any:
    """An answer as plain data: booleans as they are, numbers as JSON holds them."""
    if array.ndim == 0:
        return _plain(float(array))
    return array.tolist() if array.dtype == bool else [[_plain(float(x)) for x in r] for r in array]


def _same(one: np.ndarray, other: np.ndarray, slack: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= slack
    return bool(np.all(near | (one == other) | (np.isnan(one) & np.isnan(other))))
