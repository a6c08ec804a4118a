"""The submissions of this folder: read from its texts, and broken ones made here.

A section of a text is one submission. Its head says the name and what it has earned, and whether
the points that a program gives may be more, if it asks a person to look at them; its pieces
of code are the answers, by question. What it does not answer is answered right. A piece of code
before the first section stands at the head of the answer to the first question.
"""

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer_course.grading.exercises.exercise import load, source_of
from transformer_course.grading.exercises.releasing import released

HERE = Path(__file__).parent
SOURCE = HERE / "exercise.md"
GETTING_OUT = ("processes", "memory", "files", "network", "kernel")
KINDS = ("honest", *GETTING_OUT, "lies", "rules", "border")
FENCE = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"^## ([\w-]+): (\d+)(, a person decides)?$", re.MULTILINE)
Notebook = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What is handed in, and what it has earned."""

    name: str
    kind: str
    earned: int
    data: bytes
    status: str = "graded"
    person: bool = False  # has to look at it, and is asked to


EXERCISE = load(SOURCE)
RIGHT = {
    cell.name: "\n".join(line for line in cell.source.splitlines() if " SOLUTION" not in line)
    for cell in EXERCISE.cells
    if cell.role == "solution"
}
WRONG = {"softmax": "def softmax(x):\n    return x\n"}


def notebook(answers: Mapping[str, str], extra: tuple[str, ...] = ()) -> Notebook:
    """A learner's notebook with these answers, the right ones elsewhere, and extra cells."""
    handed_in = released(EXERCISE)
    cells: list[dict[str, Any]] = []
    for raw in handed_in["cells"]:
        name = raw["metadata"].get("nbgrader", {}).get("grade_id")
        if name in RIGHT:
            raw["source"] = answers.get(name, RIGHT[name])
        cells.append(raw)
        if name == "setup":
            cells += [code(source) for source in extra]
    handed_in["cells"] = cells
    return handed_in


def code(source: str, **metadata: Any) -> dict[str, Any]:
    """A cell of code."""
    about = {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": []}
    return {**about, "source": source}


def written(places: Mapping[str, str]) -> list[Submission]:
    """The submissions of the texts, with @NAMES@ of places filled in."""
    return [each for kind in KINDS for each in read(kind, places)]


def read(kind: str, places: Mapping[str, str]) -> list[Submission]:
    """The submissions of one text."""
    text = (HERE / f"{kind}.md").read_text()
    first, *parts = HEAD.split(text)
    shared = "".join(source for _, source in FENCE.findall(first))
    found = []
    for name, earned, person, body in zip(*(parts[i::4] for i in range(4)), strict=True):
        pieces = FENCE.findall(body)
        answers = {question: source for question, source in pieces if question != "extra"}
        answers["softmax"] = shared + "\n\n" + answers.get("softmax", RIGHT["softmax"])
        extra = tuple(source for question, source in pieces if question == "extra")
        data = json.dumps(notebook(answers, extra), ensure_ascii=False)
        for place, value in places.items():
            data = data.replace(f"@{place}@", value)
        found.append(
            Submission(
                name=name, kind=kind, earned=int(earned), data=data.encode(), person=bool(person)
            )
        )
    return found


BROKEN: list[tuple[str, int, str, Callable[[], bytes]]] = []
Make = Callable[[], Any]


def broken(earned: int, status: str = "graded") -> Callable[[Make], Make]:
    """Names a maker of a submission after itself; what it makes may be bytes or a notebook."""

    def keep(make: Make) -> Make:
        def data() -> bytes:
            made = make()
            return made if isinstance(made, bytes) else json.dumps(made).encode()

        BROKEN.append((make.__name__.replace("_", "-"), earned, status, data))
        return make

    return keep


def files() -> list[Submission]:
    """The submissions whose notebook itself is odd."""
    return [
        Submission(name=name, kind="notebooks", earned=earned, status=status, data=data())
        for name, earned, status, data in BROKEN
    ]


def cell_of(found: Notebook, name: str) -> dict[str, Any]:
    """The cell with a grade_id."""
    return next(
        c for c in found["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name
    )


@broken(0, "unreadable")
def not_json():
    return b'{"cells": [}'


@broken(0, "unreadable")
def no_bytes_at_all():
    return b""


@broken(0, "unreadable")
def half_a_file():
    return json.dumps(notebook({})).encode()[:4000]


@broken(0, "unreadable")
def a_zip():
    return b"PK\x03\x04" + bytes(1000)


@broken(0, "unreadable")
def a_list():
    return b"[1, 2, 3]"


@broken(0, "unreadable")
def brackets_without_end():
    return b"[" * 500_000


@broken(0, "unreadable")
def deeply_nested_metadata():
    return b'{"metadata": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_001


@broken(0, "unreadable")
def a_number_of_a_million_digits():
    return b'{"nbformat": ' + b"4" * 1_000_000 + b"}"


@broken(10)
def with_a_byte_order_mark():
    return b"\xef\xbb\xbf" + json.dumps(notebook({})).encode()


@broken(10)
def in_utf_16():
    return json.dumps(notebook({})).encode("utf-16")


@broken(0, "unreadable")
def in_latin_1():
    return json.dumps(notebook({"letter": 'letter = "b"  # \xe4'}), ensure_ascii=False).encode(
        "latin-1"
    )


@broken(10)
def not_a_number_in_json():
    return json.dumps({**notebook({}), "x": 0}).replace('"x": 0', '"x": NaN').encode()


@broken(10)
def keys_twice():
    """The last one counts in JSON: the cells of the first are none."""
    return json.dumps(notebook({})).replace("{", '{"cells": [], ', 1).encode()


@broken(10)
def halves_of_characters():
    found = notebook({})
    found["cells"].insert(1, code('text = "\ud800"'))
    return found


@broken(6)
def a_zero_byte_in_the_code():
    return notebook({"softmax": "def softmax(x):\n    return x\x00\n"})


@broken(10)
def of_format_5():
    return {**notebook({}), "nbformat": 5, "nbformat_minor": 99}


@broken(10)
def of_format_3():
    """Its cells lie in worksheets, as code was kept until 2015."""
    found = notebook({})
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": found["metadata"],
        "worksheets": [{"cells": found["cells"]}],
    }


@broken(10)
def of_no_format():
    found = notebook({})
    del found["nbformat"], found["nbformat_minor"]
    return found


@broken(0, "unreadable")
def cells_that_are_none():
    return {**notebook({}), "cells": None}


@broken(0, "unreadable")
def cells_among_other_things():
    found = notebook({})
    found["cells"][1:1] = [None, 7, "cell", [], {}, {"cell_type": "code"}, {"cell_type": 3}]
    return found


@broken(10)
def metadata_of_all_kinds():
    found = notebook({})
    odd = [None, [], "x", {"nbgrader": None}, {"nbgrader": []}, {"nbgrader": {"grade_id": ["a"]}}]
    odd += [{"nbgrader": {"grade_id": {"a": 1}}}, {"nbgrader": {"grade_id": None}}, {"course": 5}]
    found["cells"][1:1] = [{**code("x = 1"), "metadata": each} for each in odd]
    return found


@broken(0, "unreadable")
def sources_of_all_kinds():
    found = notebook({})
    odd = [None, 5, {}, [1, 2], ["x = 1\n", None], [["x = 1"]]]
    found["cells"][1:1] = [{**code(""), "source": each} for each in odd]
    return found


@broken(10)
def sources_as_lines():
    found = notebook({})
    for cell in found["cells"]:
        cell["source"] = source_of(cell).splitlines(keepends=True)
    return found


@broken(0, "unreadable")
def a_source_that_is_no_text():
    found = notebook({})
    cell_of(found, "softmax")["source"] = {"def": "softmax"}
    return found


@broken(10)
def outputs_of_forty_megabytes():
    found = notebook({})
    text = {"output_type": "stream", "name": "stdout", "text": "x" * 40_000_000}
    cell_of(found, "softmax")["outputs"] = [text]
    return found


@broken(0, "unreadable")
def more_than_a_hundred_megabytes():
    return json.dumps(notebook({})).encode() + b" " * (101 << 20)


@broken(10)
def a_thousand_more_cells():
    found = notebook({})
    found["cells"] += [code(f"x = {i}") for i in range(1000)]
    return found


@broken(0, "unreadable")
def fifty_thousand_cells():
    found = notebook({})
    found["cells"] += [code("x = 1")] * 50_000
    return found


@broken(0, "unreadable")
def a_cell_of_two_million_characters():
    return notebook({"softmax": "x = 1\n" * 400_000})


@broken(7)
def tests_edited():
    found = notebook(WRONG)
    cell_of(found, "softmax-values")["source"] = "pass"
    return found


@broken(7)
def tests_with_other_points():
    found = notebook(WRONG)
    for cell in found["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            cell["metadata"]["nbgrader"]["points"] = 1000
    return found


@broken(7)
def tests_deleted():
    found = notebook(WRONG)
    found["cells"] = [
        c for c in found["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")
    ]
    return found


@broken(10)
def order_turned_round():
    found = notebook({})
    found["cells"].reverse()
    return found


@broken(7)
def tests_of_its_own():
    """A check under a new name, which gives a thousand points."""
    found = notebook(WRONG)
    about = dict(
        cell_of(found, "softmax-values")["metadata"]["nbgrader"], grade_id="bonus", points=1000
    )
    found["cells"].append(
        code("pass", nbgrader=about, course={"question": "softmax", "title": "bonus"})
    )
    return found


@broken(7)
def set_up_edited():
    """The exercise's set-up runs, then what the student has made of it, as a cell of their own."""
    found = notebook(WRONG)
    cell_of(found, "setup")["source"] += "\nmath.sqrt = None\nraise SystemExit"
    return found


@broken(7)
def checks_helpers_edited():
    found = notebook({**WRONG, "letter": 'letter = "b"\ncheck_softmax = lambda *args: None\n'})
    for cell in found["cells"]:
        if cell["metadata"].get("course", {}).get("role") == "checks":
            cell["source"] = "check_softmax = checks = lambda *args: None"
    return found


@broken(7)
def answered_twice():
    """Of two definitions the last one counts, as in Jupyter."""
    found = notebook({})
    copied = copy.deepcopy(cell_of(found, "softmax"))
    copied["source"] = WRONG["softmax"]
    found["cells"].append(copied)
    return found


@broken(10)
def wrong_first_and_right_later():
    found = notebook(WRONG)
    copied = copy.deepcopy(cell_of(found, "softmax"))
    copied["source"] = source_of(cell_of(notebook({}), "softmax"))
    found["cells"].append(copied)
    return found


@broken(6)
def an_answer_deleted():
    found = notebook({})
    found["cells"].remove(cell_of(found, "softmax"))
    return found


@broken(10)
def without_schema_version():
    found = notebook({})
    for cell in found["cells"]:
        cell["metadata"].get("nbgrader", {}).pop("schema_version", None)
    return found


@broken(10)
def without_any_metadata():
    """Its cells' ids are those of the exercise."""
    found = notebook({})
    return {**found, "metadata": {}, "cells": [{**c, "metadata": {}} for c in found["cells"]]}


@broken(0, "wrong_exercise")
def of_another_exercise():
    found = notebook({})
    found["metadata"]["course"] = {"exercise": "01-scaled-attention"}
    return found


@broken(0, "wrong_exercise")
def an_empty_notebook():
    return {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@broken(7)
def of_a_made_up_version():
    found = notebook(WRONG)
    found["metadata"]["course"]["version"] = "sha256:" + "0" * 64
    return found


@broken(6)
def that_lets_itself_import_the_answers():
    """It says itself which modules of the course it may import."""
    found = notebook(
        {
            "softmax": "from transformer_course.model.numpy_reference import softmax as s\n\n\n"
            "def softmax(x):\n    return s(x)\n"
        }
    )
    found["metadata"]["course"]["provides"] = ["transformer_course.model.numpy_reference"]
    found["metadata"]["course"]["forbid"] = []
    cell_of(found, "softmax")["metadata"]["course"]["forbid"] = []
    return found
