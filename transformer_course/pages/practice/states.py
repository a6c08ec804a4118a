"""An exercise as the page needs it: its answer computed, its texts filled, as plain data."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from transformer_course.pages.practice import answers
from transformer_course.pages.practice.setups import Setup
from transformer_course.pages.practice.tables import (
    Choice,
    Exercise,
    Match,
    Order,
    PracticeError,
    naming,
)


def compute(exercise: Exercise) -> dict[str, Any]:
    """What the page needs to show and grade an exercise, as plain data: its Python is run here.

    Its random numbers are the same each time, and the caller's are left alone.
    """
    chapter, _, name = exercise.id.rpartition("/")
    with naming(f"{chapter}.toml, exercise {name}"), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        setup = Setup(exercise.setup)
        state = STATES[exercise.kind](exercise, setup)
        about = ("id", "kind", "points", "difficulty", "minutes")
        state |= {name: getattr(exercise, name) for name in about}
        return _filled(state, exercise, setup)


def _filled(state: dict[str, Any], exercise: Exercise, setup: Setup) -> dict[str, Any]:
    """The state with all its texts, the values of names put into them."""
    unit, after = state.get("unit"), {"answer": state["shown"]}

    def fill(field: str, text: str, **more: Any) -> str:
        once = text.replace(f"{{answer}} {unit}", "{answer}") if unit else text
        return setup.fill(field, once, **more)  # the answer brings its own unit

    state["title"] = fill("title", exercise.title)
    state["prompt"] = fill("prompt", exercise.prompt)
    state["hints"] = [fill("hints", hint) for hint in exercise.hints]
    state["explanation"] = fill("explanation", exercise.explanation, **after)
    if exercise.picture:
        state["picture"] = setup.sketch(exercise.picture, **after)
    for entry in state.get("misconceptions", []):
        entry["message"] = fill("misconceptions", entry["message"], **after)
    for entry in state.get("options", []):
        entry |= {name: fill("options", entry[name]) for name in ("text", "why")}
    for field in {"lefts", "lines"} & state.keys():
        state[field] = [fill(field, text) for text in state[field]]
    if unit:
        state["unit"] = fill("unit", unit)
    return state


def _choice(exercise: Choice, setup: Setup) -> dict[str, Any]:
    options: list[dict[str, Any]] = []
    for number, option in enumerate(exercise.options, start=1):
        field, found = f"options {number}, right", option.right
        if isinstance(found, str):
            found = setup.value(field, found)
        if np.ndim(found) or np.asarray(found).dtype != bool:
            got = f"expected true, false or Python that gives a bool, got {found!r}"
            raise PracticeError(f"{field}: {got}")
        options.append({"text": option.text, "right": bool(found), "why": option.why})
    answer = [n for n, option in enumerate(options) if option["right"]]
    if not answer:
        raise PracticeError("options: expected at least one that is right")
    shown = "; ".join(options[n]["text"].strip() for n in answer)
    return {"options": options, "answer": answer, "shown": shown}


def _shuffled(count: int, name: str, needs: Sequence[Sequence[int]] = ()) -> list[int]:
    """An order that is the same each time, and not a right one."""
    places = list(range(count))
    pairs = needs or [[line, line - 1] for line in range(1, count)]
    while all(places.index(line) > places.index(needed) for line, needed in pairs):
        random.Random(f"{name}{places}").shuffle(places)
        name += "."
    return places


def _leads(needs: Sequence[Sequence[int]], first: int, then: int) -> bool:
    """Whether a line is needed by another, if only through lines between."""
    below = [line for line, needed in needs if needed == first]
    return then in below or any(_leads(needs, line, then) for line in below)


def _order(exercise: Order, setup: Setup) -> dict[str, Any]:
    lines = exercise.lines
    chain = [[line, line - 1] for line in range(1, len(lines))]
    needs = [[line - 1, needed - 1] for line, needed in exercise.needs] or chain
    for number, swap in enumerate(exercise.misconceptions, start=1):
        early, late = swap.before
        if not _leads(needs, late - 1, early - 1):
            said = f"line {early} does not need line {late}"
            raise PracticeError(f"misconceptions {number}, before: {said}")
    return {
        "lines": lines,
        **({"needs": needs} if exercise.needs else {}),  # else each line needs the one before
        "start": _shuffled(len(lines), exercise.id, needs),
        "answer": list(range(len(lines))),
        "misconceptions": [
            {"before": [x - 1 for x in swap.before], "message": swap.message}
            for swap in exercise.misconceptions
        ],
        "shown": " → ".join(line.strip() for line in lines),
    }


def _match(exercise: Match, setup: Setup) -> dict[str, Any]:
    texts = [
        str(setup.value(f"pairs {n}, value", pair.value)) if pair.value else str(pair.right)
        for n, pair in enumerate(exercise.pairs, start=1)
    ]
    pool = [*texts, *exercise.others]
    different = sorted(set(pool))
    if len(different) < 2:
        raise PracticeError("pairs: expected at least two different right sides")
    rights = [different[n] for n in _shuffled(len(different), exercise.id)]
    mistakes = []
    for number, wrong in enumerate(exercise.misconceptions, start=1):
        left, right = wrong.pair
        if right > len(pool) or pool[right - 1] == texts[left - 1]:
            raise PracticeError(f"misconceptions {number}, pair: {wrong.pair} is no wrong pair")
        place = [left - 1, rights.index(pool[right - 1])]
        mistakes.append({"pair": place, "message": wrong.message})
    both = zip(exercise.pairs, texts, strict=True)
    return {
        "lefts": [pair.left for pair in exercise.pairs],
        "rights": rights,
        "answer": [rights.index(text) for text in texts],
        "misconceptions": mistakes,
        "shown": "; ".join(f"{pair.left} ↔ {text}" for pair, text in both),
    }


STATES: dict[str, Callable[[Any, Setup], dict[str, Any]]] = {
    "number": answers.number,
    "matrix": answers.matrix,
    "mask": answers.mask,
    "choice": _choice,
    "order": _order,
    "match": _match,
}
