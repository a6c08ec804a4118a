"""A student's process that lies by rule, to have every check of an exercise asked at once.

Whoever owns a process can answer each request as they like. So the attacks stand where the
answers leave it: they see a request's bytes and what the right answer would be, and say something
else. No attack knows an exercise.
"""

import copy
import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from transformer_course.grading.border.asking import Limits, Student
from transformer_course.grading.border.failures import raised
from transformer_course.grading.border.packing import pack
from transformer_course.grading.border.proxy import Remote
from transformer_course.grading.border.unpacking import unpack
from transformer_course.grading.exercises import vary
from transformer_course.grading.exercises.answers import VIEWS, Answers, Stays
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.local import LocalStudent
from transformer_course.grading.exercises.releasing import without
from transformer_course.grading.grader.run import seed

FREE = ("values", "forbid")  # requests in which no code of the answer runs
Reply = tuple[Any, list[bytes]] | Exception
Request = tuple[str, str]  # the operation, and a digest of all that was sent


@contextmanager
def served(exercise: Exercise) -> Iterator[Answers]:
    """The reference solution, in this process, behind the same requests as a student's."""
    student = LocalStudent()
    for cell in exercise.cells:
        if cell.role in ("setup", "solution"):
            student.execute(cell.source, cell.name)
    yield student.answers
    student.answers.forbidden.forbid(())


class Honest(Student):
    """Asks the solution, packing and unpacking on the way as between processes."""

    def __init__(self, solution: Answers) -> None:
        super().__init__(None, Limits(), lambda _: "died")  # type: ignore[arg-type]
        self.solution = solution
        self.asked: list[tuple[Request, int | None, Reply]] = []

    def ask(self, operation: str, *args: Any) -> Any:
        """One request and its reply."""
        buffers: list[bytes] = []
        packed = json.loads(json.dumps(pack(list(args), buffers, self._refer)))
        digest = hashlib.sha256(json.dumps(packed).encode())
        for each in buffers:
            digest.update(b"|" + each)
        target = args[0] if operation not in (*FREE, "execute") else None
        reply = self.reply((operation, digest.hexdigest()), target, packed, buffers)
        self.asked.append(((operation, digest.hexdigest()), target, reply))
        if isinstance(reply, Exception):
            raise reply
        return unpack(*copy.deepcopy(reply), lambda handle, name: Remote(self, handle, name))

    def reply(
        self, request: Request, target: int | None, packed: Any, buffers: list[bytes]
    ) -> Reply:
        """What the solution says."""
        try:
            return self.packed(self.computed(request[0], self.given(packed, buffers)))
        except Exception as error:
            return raised(type(error).__name__, str(error), None)

    def given(self, packed: Any, buffers: list[bytes]) -> list[Any]:
        """The arguments as they are on the student's side."""
        return list(unpack(packed, buffers, lambda handle, _: self.solution.objects[handle]))

    def computed(self, operation: str, args: list[Any]) -> Any:
        """The right answer, before it is packed."""
        if operation == "values":
            names = self.solution.namespace
            return {name: names[name] for name in args[0] if name in names}
        if operation == "forbid":
            return []
        found = getattr(self.solution, operation)(*args)
        return list(found) if type(found) in VIEWS else found

    def packed(self, found: Any) -> Reply:
        """An answer as it leaves the process."""
        buffers: list[bytes] = []
        refer = self.solution.refer
        if type(found) is Stays:
            return refer(found.value), buffers
        return pack(found, buffers, refer), buffers


class Spoils(Honest):
    """Computes the right answer, and hands in what becomes of it."""

    def __init__(self, solution: Answers, spoil: Callable[[Any, list[Any]], Any]) -> None:
        super().__init__(solution)
        self.spoil = spoil

    def computed(self, operation: str, args: list[Any]) -> Any:
        """The answer, spoiled; the functions and objects themselves stay."""
        found = super().computed(operation, args)
        if operation in (*FREE, "execute", "is_module", "length") or type(found) is Stays:
            return found
        return self.spoil(found, args)


class Table(Honest):
    """What the solution was seen to answer to the same request; elsewhere it is lost."""

    def __init__(self, solution: Answers, seen: "Seen", lost: Reply) -> None:
        super().__init__(solution)
        self.table: dict[Request, list[Reply]] = defaultdict(list)
        for request, _, reply in itertools.chain.from_iterable(seen.values()):
            self.table[request].append(reply)
        self.times: dict[Request, int] = defaultdict(int)
        self.lost = lost

    def reply(
        self, request: Request, target: int | None, packed: Any, buffers: list[bytes]
    ) -> Reply:
        if request[0] in FREE:
            return super().reply(request, target, packed, buffers)
        known = self.table.get(request, [self.lost])
        self.times[request] += 1
        return known[(self.times[request] - 1) % len(known)]


class Order(Honest):
    """What the solution answered when it was asked for the n-th time, whatever is asked now."""

    def __init__(self, solution: Answers, seen: "Seen", apart: bool) -> None:
        super().__init__(solution)
        self.seen, self.apart = seen, apart

    def start(self, check: str) -> None:
        """Of each function apart, or of all requests in one row; over and over."""
        rows: dict[Any, list[Reply]] = defaultdict(list)
        for (operation, _), target, reply in self.seen.get(check, []):
            rows[(operation, target) if self.apart else operation].append(reply)
        self.rows = {key: itertools.cycle(row) for key, row in rows.items()}

    def reply(
        self, request: Request, target: int | None, packed: Any, buffers: list[bytes]
    ) -> Reply:
        if request[0] in FREE:
            return super().reply(request, target, packed, buffers)
        row = self.rows.get((request[0], target) if self.apart else request[0])
        return next(row) if row else raised("ValueError", "nothing left to say", None)


Seen = dict[str, list[tuple[Request, int | None, Reply]]]  # by check


def changed(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A value with every tensor, array, number, string in it replaced; objects stay."""
    if isinstance(value, list | tuple):
        return type(value)(changed(each, leaf) for each in value)
    if isinstance(value, set):
        return {changed(each, leaf) for each in value}
    if isinstance(value, dict):
        return {key: changed(each, leaf) for key, each in value.items()}
    if isinstance(value, torch.Tensor | np.ndarray | np.generic | bool | int | float | str):
        return leaf(value)
    return value


def floats(number: float) -> Callable[[Any, list[Any]], Any]:
    """Every number that is not whole becomes this one."""

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.full_like(value, number) if value.is_floating_point() else value
        if isinstance(value, np.ndarray | np.generic):
            inexact = np.issubdtype(value.dtype, np.inexact)
            return np.full_like(value, number) if inexact else value
        return number if isinstance(value, float) else value

    return lambda found, _: changed(found, leaf)


def constant(number: int) -> Callable[[Any, list[Any]], Any]:
    """Everything becomes this number, in the right shape and of the right type."""

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.full_like(value, number)
        if isinstance(value, np.ndarray | np.generic):
            return np.full_like(value, number)
        return type(value)(number) if not isinstance(value, str) else str(number)

    return lambda found, _: changed(found, leaf)


def empty(found: Any, _: list[Any]) -> Any:
    """Nothing, of the right type."""
    if isinstance(found, torch.Tensor | np.ndarray):
        return found[:0] if found.ndim else found * 0
    if isinstance(found, list | tuple | dict | set | str | int | float):
        return type(found)()
    return found


def first_only(found: Any, _: list[Any]) -> Any:
    """Right at the first place of each list and outermost axis, and wrong behind it."""
    if isinstance(found, torch.Tensor | np.ndarray):
        if found.ndim and found.shape[0] == 1:
            inner = first_only(found[0], _)
            return inner[None]
        spoiled = found.copy() if isinstance(found, np.ndarray) else found.clone()
        if found.ndim:
            spoiled[1:] = wrong(found[1:])
        return spoiled
    if isinstance(found, tuple):  # several results, each by itself
        return type(found)(first_only(each, _) for each in found)
    if isinstance(found, dict):
        return {key: first_only(each, _) for key, each in found.items()}
    if isinstance(found, list) and len(found) > 1:
        return [found[0], *map(wrong, found[1:])]
    return found


def wrong(found: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(found, list | tuple):
        return type(found)(map(wrong, found))
    if isinstance(found, dict):
        return {key: wrong(each) for key, each in found.items()}
    if isinstance(found, bool) or "bool" in str(getattr(found, "dtype", "")):
        return ~found if hasattr(found, "dtype") else not found
    if isinstance(found, str):
        return found + "?"
    if isinstance(found, int | float | torch.Tensor | np.ndarray):
        return 3 * (found == 0) + 0 * found  # never what it was
    return found


def identity(found: Any, args: list[Any]) -> Any:
    """The first argument, as often as there are results."""
    given = args[1] if len(args) > 1 else []
    given = given[0] if isinstance(given, list) and given else given
    if isinstance(found, torch.Tensor | np.ndarray | int | float | str | list | dict):
        return given
    return tuple(given for _ in found) if isinstance(found, tuple) else found


SPOILS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "NaN": floats(float("nan")),
    "infinity": floats(float("inf")),
    "zeros": constant(0),
    "ones": constant(1),
    "empty": empty,
    "first only": first_only,
    "identity": identity,
}


@dataclass
class Attacked:
    """What the attacks on an exercise have earned: by attack, then by check."""

    calling: set[str]  # checks in which code of the answer runs
    fixed: set[str]  # those of them that ask every submission the same
    paid: dict[str, dict[str, float]] = field(default_factory=dict)


def visible(exercise: Exercise) -> Exercise:
    """The exercise as a learner sees it: its checks without what is hidden."""
    cells = tuple(
        replace(cell, source=without("HIDDEN TESTS", cell.source, (), cell.name))
        if cell.role == "check"
        else cell
        for cell in exercise.cells
    )
    return replace(exercise, cells=cells)


def run(checker: Checker, student: Honest, submission: str) -> tuple[dict[str, float], Seen]:
    """The points of each check, and what was asked in it."""
    points, seen = {}, {}
    vary.of(submission)
    for check in checker.exercise.checks:
        student.asked = []
        if isinstance(student, Order):
            student.start(check.name)
        seed()
        points[check.name] = checker.run(check, student).points
        seen[check.name] = [each for each in student.asked if each[0][0] not in FREE]
    return points, seen


def same(one: Reply, other: Reply) -> bool:
    """Whether two replies are the same bytes, or the same kind of error."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is type(other)
    return json.dumps(one[0]) == json.dumps(other[0]) and one[1] == other[1]


def unspoiled(told: list[Any], right: list[Any]) -> bool:
    """Whether there was nothing in the answers that could be spoiled: they are the right ones."""
    return all(same(one, other) for (*_, one), (*_, other) in zip(told, right, strict=False))


def attacked(exercise: Exercise) -> Attacked:
    """Every attack on every check. An answer that nothing in it spoils is a right one."""
    checker, shown = Checker(exercise), Checker(visible(exercise))

    def fresh(make: Callable[[Answers], Honest], checks: Checker, submission: str) -> Any:
        with served(exercise) as solution:
            return run(checks, make(solution), submission)

    right, whole = fresh(Honest, checker, "this")
    assert sum(right.values()) == exercise.points, [k for k, v in right.items() if not v]
    _, seen = fresh(Honest, shown, "this")
    _, others = fresh(Honest, checker, "another's")
    calling = {name for name, asked in whole.items() if asked}
    fixed = {
        name
        for name in calling
        if [request for request, *_ in whole[name]] == [request for request, *_ in others[name]]
    }
    found = Attacked(calling=calling, fixed=fixed)
    raises, nothing = raised("ValueError", "unknown", None), (None, [])
    attacks: dict[str, Callable[[Answers], Honest]] = {
        name: lambda solution, spoil=spoil: Spoils(solution, spoil)
        for name, spoil in SPOILS.items()
    }
    attacks |= {
        "table, else raises": lambda s: Table(s, seen, raises),
        "table, else None": lambda s: Table(s, seen, nothing),
        "another's table": lambda s: Table(s, others, raises),
        "order of calls": lambda s: Order(s, seen, apart=False),
        "order of each function": lambda s: Order(s, seen, apart=True),
        "another's order": lambda s: Order(s, others, apart=False),
        "another's order of each function": lambda s: Order(s, others, apart=True),
    }
    for name, make in attacks.items():
        points, told = fresh(make, checker, "this")
        found.paid[name] = {
            check: points[check]
            for check in found.calling
            if points[check] and not (name in SPOILS and unspoiled(told[check], whole[check]))
        }
    return found
