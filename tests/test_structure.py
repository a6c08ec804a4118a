"""The package's rooms: what lies where, how large it is, and that imports run one way."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "transformer_course"
FACES = ("model", "data", "training", "decoding", "engines", "pages", "commands")
# A room imports from those before it, and from no other.
ORDER = ["errors", "model", "data", "training", "decoding", "engines", "carried", "pages"]
ORDER += ["widgets", "grading", "commands", "__main__"]
WITHOUT_PICTURES = ("errors", "model", "data", "training", "decoding", "engines", "carried")
WITHOUT_PICTURES += ("commands",)
PICTURES = {"matplotlib", "IPython", "ipywidgets", "anywidget", "traitlets"}
MODULES = sorted(PACKAGE.rglob("*.py"))
API = sorted(ROOT.glob("book/api-*.md"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> list[str]:
    """What a module imports, also in its functions: a submodule by its own name."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                there = ROOT.joinpath(*inner.split("."))
                is_module = there.is_dir() or there.with_suffix(".py").exists()
                found.append(inner if is_module else str(node.module))
    return found


def room(module: str) -> str:
    return [*module.split("."), ""][1]


GRAPH = {name_of(path): set(imports(path)) for path in MODULES}
OURS = {name: {each for each in found if each in GRAPH} for name, found in GRAPH.items()}


def test_the_package_has_few_entries():
    entries = {each.name for each in PACKAGE.iterdir() if each.name != "__pycache__"}
    assert len(entries - {"__init__.py", "__main__.py", "py.typed"}) <= 12


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_file_is_long(path):
    limit = 150 if "model" in path.relative_to(PACKAGE).parts[:1] else 250
    assert len(path.read_text().splitlines()) <= limit


def test_imports_between_rooms_run_one_way():
    uphill = [
        f"{name} imports {each}"
        for name, found in OURS.items()
        for each in found
        if room(name) and room(each) and ORDER.index(room(each)) > ORDER.index(room(name))
    ]
    assert uphill == []


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_module_imports_itself_by_others():
    assert circle(OURS) == []
    assert circle({**OURS, "transformer_course.errors": {"transformer_course.model.config"}}) != []


def test_another_room_is_entered_by_its_face():
    past = [
        f"{path.relative_to(ROOT)}: from {node.module}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and str(node.module).startswith(tuple(f"transformer_course.{face}." for face in FACES))
        and room(str(node.module)) != room(name_of(path))
    ]
    assert past == []


def test_within_a_room_modules_name_each_other():
    faces = {f"transformer_course.{face}" for face in FACES}
    assert [
        name
        for name, found in OURS.items()
        if f"transformer_course.{room(name)}" in found & faces and name not in faces
    ] == []


@pytest.mark.parametrize("face", FACES)
def test_a_face_names_its_files_in_a_reading_order(face):
    said = ast.get_docstring(ast.parse((PACKAGE / face / "__init__.py").read_text()))
    files = {each.stem for each in (PACKAGE / face).glob("*.py")} - {"__init__"}
    files |= {each.parent.name for each in (PACKAGE / face).glob("*/__init__.py")}
    assert [each for each in sorted(files) if not re.search(rf"\b{each}\b", said)] == []


@pytest.mark.parametrize("face", FACES)
def test_what_a_room_reads_first_comes_first(face):
    """No file imports one that its face names after it."""
    folder = PACKAGE / face
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    modules = [name for name in OURS if name.startswith(f"transformer_course.{face}.")]
    place = {}
    for name in modules:
        named = re.search(rf"\b{name.split('.')[2]}\b", said)
        assert named, f"{name} is not named in the text of {face}/__init__.py"
        place[name] = named.start()
    late = [
        f"{name} imports {each}"
        for name in modules
        for each in OURS[name] & place.keys()
        if place[each] > place[name]
    ]
    assert late == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_gpu_box_trains_without_pictures(path):
    if room(name_of(path)) in WITHOUT_PICTURES:
        assert {each.split(".")[0] for each in GRAPH[name_of(path)]} & PICTURES == set()


def test_the_order_has_every_room_once():
    rooms = {room(name) for name in GRAPH} - {""}
    assert sorted(ORDER) == sorted(rooms)
    assert all(a != b for a, b in pairwise(sorted(ORDER)))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_packages_pages_have_every_module(path):
    """By its own documentation, or in the list with its first line, and on one page alone."""
    text, name = "".join(each.read_text() for each in API), name_of(path)
    first = str(ast.get_docstring(ast.parse(path.read_text()))).splitlines()[0]
    assert text.count(f".. automodule:: {name}\n") + text.count(f"- `{name}`: {first}\n") == 1


def test_a_name_has_one_address_beside_its_home():
    """Only a face offers what it imports; other modules re-export nothing."""
    offering = [path for path in MODULES if "\n__all__ = " in path.read_text()]
    assert [name_of(path) for path in offering if path.name != "__init__.py"] == []
