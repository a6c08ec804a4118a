"""Forbidden functions that a notebook mentions: found without running it, for a person to see."""

import ast
from collections.abc import Iterable

from transformer_course.grading.exercises.exercise import Exercise
from transformer_course.grading.exercises.magics import to_python
from transformer_course.grading.grader.submission import Step

MAX_CHARACTERS = 50_000  # of a cell that is looked through
INSIDES = ("__closure__", "__globals__", "__wrapped__", "__subclasses__", "f_back", "f_globals")


def forbidden(exercise: Exercise, steps: Iterable[Step]) -> list[str]:
    """Names that a question forbids and its answer, or a cell beside it, mentions all the same."""
    questions = [each for each in exercise.questions.values() if each.forbid]
    if not questions:
        return []
    words = {name.rpartition(".")[2] for each in questions for name in each.forbid}
    words |= {"._", *INSIDES}
    names: dict[str, str] = {}
    found: dict[str, set[str]] = {}  # by question, "" for the cells beside the answers
    for step in steps:
        if step.kind == "check" or not ("import" in step.source or mentions(step.source, words)):
            continue
        nodes = parsed(step.source)
        names |= imported(nodes)
        if step.kind != "setup":
            question = step.name if step.kind == "answer" else ""
            found.setdefault(question, set()).update(used(nodes, names))
    asked = [(each, found.get(each.name, set()) | found.get("", set())) for each in questions]
    return sorted(
        {
            f"forbidden:{name}"
            for each, there in asked
            for name in (*each.forbid, *behind(there))
            if name in there or mentioned(name, there, each.forbid)
        }
    )


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


def mentioned(name: str, found: set[str], forbid: Iterable[str]) -> bool:
    """Whether a forbidden name is among those found, or the same in another corner of torch."""
    last = name.rpartition(".")[2].lower()
    others = {each for each in found if each.startswith("torch.")}.difference(forbid)
    corners = {each.rpartition(".")[2].strip("_").lower() for each in others}  # torch._C, torch.ops
    return bool(forms(name) & found) or last in corners


def forms(name: str) -> set[str]:
    """How a forbidden name can stand in code: a tensor's method follows any value."""
    owner, _, last = name.rpartition(".")
    return {name, f".{last}"} if owner.rpartition(".")[2] == "Tensor" else {name}
