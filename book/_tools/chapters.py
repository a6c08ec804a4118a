"""The two forms of a chapter: the text twin people write, the executed notebook readers open.

The twin is MyST, for the site. The notebook has its words in plain Markdown, for Jupyter.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from transformer_course.pages.jupyter import for_jupyter, with_outputs
from transformer_course.pages.references import References

BOOK = Path(__file__).parents[1]
TEXT = BOOK / "text"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def twins() -> list[Path]:
    """Every chapter's text twin, in reading order."""
    return sorted(TEXT.glob("*.md"))


def notebook_of(twin: Path) -> Path:
    """Where a twin's executed notebook lies."""
    return BOOK / f"{twin.stem}.ipynb"


def read_twin(twin: Path) -> NotebookNode:
    """The notebook a text twin stands for, not executed."""
    notebook = jupytext.read(twin)
    notebook.metadata = {"kernelspec": dict(notebook.metadata["kernelspec"])}
    return notebook


def for_readers(executed: NotebookNode, twin: Path) -> NotebookNode:
    """An executed twin in the form that readers open; its folder says what it may refer to."""
    notebook = for_jupyter(executed, twin.stem, References.of(twin.parents[1]))
    name_cells(notebook)
    return notebook


def normalize(executed: NotebookNode, twin: Path) -> str:
    """An executed twin as its notebook's text, the same for every run with the same outputs.

    Cell ids come from the cells' text, widget ids from the order in which the widgets were made,
    and what only this run knew (times, kernel version) is dropped.
    """
    notebook = for_readers(executed, twin)
    keep_shown(notebook)
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    text = nbformat.writes(notebook)
    state = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for number, model_id in enumerate(state):
        ours = hashlib.sha1(f"{twin.stem}:{number}".encode()).hexdigest()
        text = text.replace(model_id, ours[:32])
    return as_text(nbformat.reads(text, as_version=4))


def keep_shown(notebook: NotebookNode) -> None:
    """Forget the widgets that no output shows, so that no page carries what a cell only asked."""
    state = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    views = [out.get("data", {}).get(WIDGET_VIEW, {}) for out in outputs]
    found, kept = [view["model_id"] for view in views if view], set()
    while found:
        each = found.pop()
        if each in state and each not in kept:
            kept.add(each)
            found += re.findall(r"IPY_MODEL_(\w+)", json.dumps(state[each]["state"]))
    for each in set(state) - kept:
        del state[each]


def name_cells(notebook: NotebookNode) -> None:
    """Give each cell the id that follows from its text."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        digest = hashlib.sha1(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def reword(twin: Path, notebook: Path) -> bool:
    """Put a twin's words and tags into its executed notebook; whether anything changed.

    A changed line of code changes outputs, so that notebook stays as it is until it is run.
    """
    wanted, found = read_twin(twin), nbformat.read(notebook, as_version=4)
    if code_of(wanted) != code_of(found):
        print(f"{notebook.name} stays as it is: {twin.name} has other code, run `make execute`")
        return False
    text = as_text(for_readers(with_outputs(wanted, found), twin))
    changed = text != notebook.read_text(encoding="utf-8")
    if changed:
        notebook.write_text(text, encoding="utf-8")
    return changed


def code_of(notebook: nbformat.NotebookNode) -> list[str]:
    """What its cells of code say."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def widget_classes() -> list[type]:
    """Every widget of the course."""
    from transformer_course import widgets  # noqa: PLC0415  the site's tests need no torch

    found = [getattr(widgets, name) for name in widgets.__all__]
    return [each for each in found if getattr(each, "_esm_name", "")]


def refresh(notebook: Path) -> bool:
    """Put in today's browser code and page exercises; whether anything changed."""
    content = nbformat.read(notebook, as_version=4)
    state = content.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for model in state.values():
        for cls in widget_classes():
            if model["state"].get("_anywidget_id") == f"{cls.__module__}.{cls.__name__}":
                model["state"]["_esm"], model["state"]["_css"] = str(cls._esm), str(cls._css)
    _ask_as_today(content, state)
    text = as_text(content)
    changed = text != notebook.read_text(encoding="utf-8")
    if changed:
        notebook.write_text(text, encoding="utf-8")
    return changed


def _ask_as_today(notebook: NotebookNode, state: dict) -> None:
    """Make the outputs of page exercises anew: their cells show what files of `practice` hold."""
    from transformer_course.widgets import PageExercise  # noqa: PLC0415  as above

    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    for out in outputs:
        name = out.get("data", {}).get(WIDGET_VIEW, {}).get("model_id")
        shown = state.get(name, {}).get("state", {}).get("exercise", {})
        if "id" not in shown:
            continue
        today = PageExercise(shown["id"], BOOK / "practice")
        state[name]["state"]["exercise"] = today.exercise
        out["data"] |= {"text/plain": today.as_text(), "text/html": today.as_html()}


def as_text(notebook: NotebookNode) -> str:
    """A notebook in the form it has in the repository: keys sorted, one line for each line."""
    raw = json.loads(nbformat.writes(notebook))
    return json.dumps(raw, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def differences(twin: Path, notebook: Path) -> list[str]:
    """How a twin and its executed notebook disagree, one line each; none if they agree."""
    if not notebook.exists():
        return [f"{twin.name} has no executed notebook: run `make execute`"]
    executed = nbformat.read(notebook, as_version=4)
    wanted, found = for_readers(with_outputs(read_twin(twin), executed), twin).cells, executed.cells
    lines = []
    if len(wanted) != len(found):
        lines.append(f"{twin.name} has {len(wanted)} cells, {notebook.name} has {len(found)}")
    for number, (want, have) in enumerate(zip(wanted, found, strict=False), start=1):
        if _compared(want) != _compared(have):
            start = want.source.splitlines()[0] if want.source else ""
            lines.append(f"cell {number} differs between {twin.name} and {notebook.name}: {start}")
    return lines


def _compared(cell: NotebookNode) -> tuple[object, ...]:
    folded = cell.metadata.get("jupyter", {})
    return cell.cell_type, cell.source, cell.metadata.get("tags", []), folded
