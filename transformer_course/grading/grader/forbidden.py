"""Forbidden functions that a notebook mentions: found without running it, for a person to see."""

import ast
import symtable
from collections.abc import Collection, Iterable, Mapping, Sequence

import torch

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.magics import to_python
from transformer_course.grading.grader.submission import Step

MAX_CHARACTERS = 50_000  # of a cell that is looked through
INSIDES = ("__closure__", "__globals__", "__wrapped__", "__subclasses__", "f_back", "f_globals")


def forbidden(exercise: Exercise, steps: Sequence[Step]) -> list[str]:
    """Names that a question forbids and its answer, or a cell that it builds on, mentions.

    A cell that no answer builds on may use what it likes, such as to compare with torch; what
    leads behind a library's face is told of every cell beside the answers.
    """
    questions = [each for each in exercise.questions.values() if each.forbid]
    if not questions:
        return []
    words = {name.rpartition(".")[2] for each in questions for name in each.forbid}
    words |= {"._", *INSIDES}
    names: dict[str, str] = {}
    found: dict[int, set[str]] = {}  # by place in steps
    for place, step in enumerate(steps):
        if step.kind == "check" or not ("import" in step.source or mentions(step.source, words)):
            continue
        nodes = parsed(step.source)
        names |= imported(nodes)
        if step.kind != "setup":
            found[place] = used(nodes, names)
    extra = {place: scopes(step.source) for place, step in enumerate(steps) if step.kind == "extra"}
    told: set[str] = set()
    for asked in questions:
        own = [
            place
            for place, step in enumerate(steps)
            if step.kind == "answer" and step.name == asked.name
        ]
        near = [*own, *built_on([scopes(steps[place].source)[1] for place in own], extra)]
        there = set().union(*(found.get(place, set()) for place in near))
        told |= {name for name in asked.forbid if mentioned(name, there, asked.forbid)}
        told |= behind(there.union(*(found.get(place, set()) for place in extra)))
    return [f"forbidden:{name}" for name in sorted(told)]


def built_on(used: Iterable[set[str]], extra: Mapping[int, tuple[set[str], set[str]]]) -> set[int]:
    """The cells that make a name which is used, by an answer or by another one of these."""
    wanted, found = set().union(*used), set[int]()
    while near := {place for place, (made, _) in extra.items() if made & wanted} - found:
        found |= near
        wanted |= set().union(*(extra[place][1] for place in near))
    return found


def scopes(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell makes for others, imports aside, and those that it uses."""
    made, uses = set[str](), set[str]()
    try:
        tables = [symtable.symtable(to_python(source[:MAX_CHARACTERS]), "", "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return made, uses
    for table in tables:
        tables += table.get_children()
        for each in table.get_symbols():
            outside = table is tables[0] or each.is_global()
            if outside and each.is_assigned() and not each.is_imported():
                made.add(each.get_name())
            if outside and each.is_referenced():
                uses.add(each.get_name())
    return made, uses


def behind(names: set[str]) -> set[str]:
    """Those that lead behind a library's face, each as far as it leads."""
    found = set(filter(private, names))
    return {name for name in found if not any(each.startswith(f"{name}.") for each in found)}


def private(name: str) -> bool:
    """Whether a name leads behind a library's face, where no function has the name it is known by.

    Such as `torch._C.anything`, `numpy._core`, `_thread`, or a function's `__closure__`.
    """
    root, *parts = name.strip(".").split(".")
    library = root.lstrip("_") in ("torch", "numpy", "threading", "thread", "ctypes")
    hidden = [each for each in (root, *parts) if each.startswith("_") and each[-2:] != "__"]
    return (library and bool(hidden)) or any(each in INSIDES for each in parts)


def mentions(source: str, words: Iterable[str]) -> bool:
    """Whether any of the words stands in the text."""
    return any(word in source for word in words)


def parsed(source: str) -> list[ast.AST]:
    """All nodes of a cell's tree; none if Python cannot make one."""
    if len(source) > MAX_CHARACTERS:
        return []
    try:
        return list(ast.walk(ast.parse(to_python(source))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What the names that a cell imports stand for."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for each in node.names:
                root = each.name.partition(".")[0]
                names |= {each.asname: each.name} if each.asname else {root: root}
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


def used(nodes: Iterable[ast.AST], names: dict[str, str]) -> set[str]:
    """Full names in a cell, and `.name` for each method that it calls."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = node.func.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if not (isinstance(base, ast.Name) and base.id in names):  # a module has no methods
                found.add(f".{node.func.attr}")
        if isinstance(node, ast.Name | ast.Attribute):
            found.add(dotted(node, names))
    return found


def dotted(node: ast.AST, names: dict[str, str]) -> str:
    """The full name that `F.softmax` stands for, "" for anything but a name with dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def mentioned(name: str, found: set[str], forbid: Collection[str]) -> bool:
    """Whether a forbidden name is among those found, or the same in another corner of torch."""
    last = name.rpartition(".")[2].lower()
    plain = ((torch, f"torch.{last}"), (torch.nn.functional, f"torch.nn.functional.{last}"))
    if any(hasattr(place, last) and each not in forbid for place, each in plain):
        return bool(forms(name) & found)  # it has an allowed namesake, as in `operations.Watch`
    others = {each for each in found if each.startswith("torch.")}.difference(forbid)
    corners = {each.rpartition(".")[2].strip("_").lower() for each in others}  # torch._C, torch.ops
    return bool(forms(name) & found) or last in corners


def forms(name: str) -> set[str]:
    """How a forbidden name can stand in code: a tensor's method follows any value."""
    owner, _, last = name.rpartition(".")
    return {name, f".{last}"} if owner.rpartition(".")[2] == "Tensor" else {name}
