"""Which of the course's modules an exercise may import. The others hold its answers.

A folder's face, such as transformer_course.model, offers what comes from provided modules alone.
"""

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "transformer_course"
PANEL = f"{PACKAGE}.grading.panel"
NO_PANELS = """
class Panels:
    def __init__(self, *args, **kwargs): pass
    def show(self, *args): pass
    def summary(self): pass
"""
_FORGOTTEN: list[ModuleType] = []  # kept: to free a module in a fork is to copy its memory


def refused(name: str, provides: Collection[str]) -> bool:
    """Whether an import of this module is refused: a module of the course that is not provided."""
    return name.startswith(PACKAGE + ".") and not any(
        each == name or each.startswith(name + ".") for each in provides
    )


def refusal(name: str) -> ModuleNotFoundError:
    """What such an import raises."""
    # without name=..., which would have `from transformer_course import x` say something else
    return ModuleNotFoundError(f"{name} is not available in this exercise: write it yourself")


@cache
def with_imports(package: Path, provides: tuple[str, ...]) -> tuple[str, ...]:
    """What is provided, and the modules of the course that it imports itself."""
    found = list(provides)
    for each in found:  # grows while it is read
        path = package.joinpath(*each.split(".")[1:]).with_suffix(".py")
        if path.is_file():
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            homes = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
            found += sorted(home for home in homes if refused(home, found))
    return tuple(found)


def names_of(face: str) -> dict[str, str]:
    """The module that each name of a face comes from, by the face's text."""
    imports = (node for node in ast.parse(face).body if isinstance(node, ast.ImportFrom))
    return {each.name: str(node.module) for node in imports for each in node.names}


def face_of(face: str, package: str, provides: Collection[str]) -> str:
    """The text of a face for a folder of copies: what is provided, and a refusal of the rest."""
    names = {name: home for name, home in names_of(face).items() if not refused(home, provides)}
    inner = sorted({each.split(".")[package.count(".") + 1] for each in below(package, provides)})
    return (
        "".join(f"from {home} import {name}\n" for name, home in names.items())
        + "def __getattr__(name):\n"
        + f"    if name in {inner} or name[:2] == '__':\n"
        + "        raise AttributeError(name)\n"
        + f"    raise ModuleNotFoundError({str(refusal(package + '.{}'))!r}.format(name))\n"
    )


def below(package: str, provides: Collection[str]) -> list[str]:
    """The provided modules of a package."""
    return [each for each in provides if each.startswith(package + ".")]


class Offered(ModuleType):
    """A package in this process, of which only what is provided can be seen."""

    def __init__(self, package: ModuleType, provides: Collection[str]) -> None:
        super().__init__(package.__name__, package.__doc__)
        self._package, self._provides = package, provides
        self._names = names_of(Path(str(package.__file__)).read_text(encoding="utf-8"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return getattr(self._package, name)
        full = f"{self.__name__}.{name}"
        if full in self._provides or below(full, self._provides):
            module = importlib.import_module(full)
            return module if full in self._provides else Offered(module, self._provides)
        if refused(self._names.get(name, full), self._provides):
            raise refusal(full)
        return getattr(self._package, name)


class Panels(importlib.abc.Loader):
    """Stands for the panels, which a learner's cell may show beside its answers."""

    def exec_module(self, module: ModuleType) -> None:
        """Whatever is asked of panels does nothing."""
        if module.__name__ == PANEL:
            exec(NO_PANELS, vars(module))


class Finder(importlib.abc.MetaPathFinder):
    """Finds provided modules in a folder of copies, and refuses the rest of the package."""

    def __init__(self, provides: Collection[str], folder: Path) -> None:
        self._provides, self._folder = frozenset(provides), folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """None for what does not belong to the course."""
        if fullname != PACKAGE and not fullname.startswith(PACKAGE + "."):
            return None
        if fullname in (PANEL, PANEL.rpartition(".")[0]):
            return importlib.machinery.ModuleSpec(fullname, Panels(), is_package=True)
        if refused(fullname, self._provides):
            raise refusal(fullname)
        place = self._folder.joinpath(*fullname.split("."))
        if place.is_dir():
            return importlib.util.spec_from_file_location(
                fullname, place / "__init__.py", submodule_search_locations=[str(place)]
            )
        return importlib.util.spec_from_file_location(fullname, place.with_suffix(".py"))


def copy(package: Path, provides: Collection[str], folder: Path) -> None:
    """Copy the provided modules, and the package's other files that are named like a path.

    `provides` holds modules (transformer_course.model.masks) and data (transformer_course/x.tsv).
    """
    (folder / PACKAGE).mkdir(parents=True)
    (folder / PACKAGE / "__init__.py").touch()
    for each in provides:
        inner = Path(each).relative_to(PACKAGE) if "/" in each else Path(*each.split(".")[1:])
        source, target = package / inner, folder / PACKAGE / inner
        if source.is_dir() and "/" in each:
            shutil.copytree(source, target)
            continue
        if "/" not in each:
            for parent in reversed(inner.parents[:-1]):
                (folder / PACKAGE / parent).mkdir(exist_ok=True)
                name = ".".join((PACKAGE, *parent.parts))
                face = (package / parent / "__init__.py").read_text(encoding="utf-8")
                text = face_of(face, name, provides)
                (folder / PACKAGE / parent / "__init__.py").write_text(text, encoding="utf-8")
            source, target = source.with_suffix(".py"), target.with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def install(provides: Collection[str], folder: Path) -> None:
    """Make this process one in which the course's package holds nothing but `provides`."""
    own = [name for name in sys.modules if name.split(".")[0] == PACKAGE]
    _FORGOTTEN.extend(sys.modules.pop(name) for name in own)
    sys.meta_path.insert(0, Finder(provides, folder))


@contextmanager
def only(provides: Collection[str]) -> Iterator[None]:
    """Refuse the same imports to code of a notebook in this process, as long as it lasts."""
    original = builtins.__import__

    def guarded(
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        ours = name == PACKAGE or name.startswith(PACKAGE + ".")
        if level or not ours or (globals or {}).get("__name__") != "__main__":
            return original(name, globals, locals, fromlist or (), level)
        if refused(name, provides):
            raise refusal(name)
        module = importlib.import_module(name if fromlist else PACKAGE)
        return module if module.__name__ in provides else Offered(module, provides)

    builtins.__import__ = guarded  # type: ignore[assignment]
    try:
        yield
    finally:
        builtins.__import__ = original
