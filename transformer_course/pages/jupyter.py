"""A chapter as every notebook viewer shows it: no roles and directives of MyST, bookkeeping folded.

Chapters are written in MyST (book/text), which only the site understands. In the notebook, which
readers open in Jupyter, a quoted number stands as that number, a reference as a link, a question,
a theorem or an answer under its name. The site takes the words from the text, the outputs from
here.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import count

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from transformer_course.pages.gluing import HIDDEN
from transformer_course.pages.references import References, heading

FENCE = re.compile(r"(?P<marks>`{3,}|:{3,})(?:\{(?P<name>[\w:-]+)\})?[ ]*(?P<rest>.*)")
ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?P<text>[^`]+)`")
LABEL = re.compile(r"\([\w-]+\)=|\{[.#][^}]*\}")  # a line that names what follows, or its look
LOOK = re.compile(r"(?<=[)\]])\{[.#][^}]*\}")
GUESS = "Predict: "  # how the title of a question begins that asks for a guess
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
GONE = {"hide-cell", "remove-cell", "hide-output", "remove-output"}


def with_outputs(text: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The text's cells with the outputs of the same notebook as it was run."""
    whole = deepcopy(text)
    whole.metadata = deepcopy(executed.metadata)
    ran = (cell for cell in executed.cells if cell.cell_type == "code")
    for cell in whole.cells:
        if cell.cell_type == "code" and (found := next(ran, None)):
            cell.outputs, cell.execution_count = found.outputs, found.execution_count
    return whole


def for_jupyter(executed: NotebookNode, page: str, references: References) -> NotebookNode:
    """An executed chapter, named `page`, in the form that readers open."""
    reader = _Plain(page, references, dict(_glued(executed)))
    notebook = deepcopy(executed)
    notebook.cells = []
    for cell in deepcopy(executed.cells):
        if cell.cell_type == "markdown":
            if words := reader.words(cell.source):
                notebook.cells.append(new_markdown_cell(words))
        else:
            _fold(cell, answer=reader.answering)
            notebook.cells.append(cell)
    return notebook


def kind_and_title(title: str) -> tuple[str, str]:
    """What kind of question this is, and its title, from "Predict: a row" and the like."""
    if title.startswith(GUESS):
        title = title.removeprefix(GUESS)
        return "Predict", title[:1].upper() + title[1:]
    return "Question", title


def _fold(cell: NotebookNode, answer: bool) -> None:
    """Say in Jupyter's words what the tags say to the site: this code or output is folded."""
    tags = set(cell.metadata.get("tags", []))
    hidden = dict(cell.metadata.get("jupyter", {}))
    if tags & FOLDED or answer:
        hidden["source_hidden"] = True
    if tags & GONE or answer:
        hidden["outputs_hidden"] = True
    if hidden:
        cell.metadata["jupyter"] = hidden


def _glued(notebook: NotebookNode) -> Iterator[tuple[str, object]]:
    """The values that cells hand to the text, by name."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
                data = output["data"]
                text = data.get(f"{HIDDEN}text/plain", data.get("text/plain", ""))
                try:
                    yield name, ast.literal_eval(text)
                except (ValueError, SyntaxError):  # shown as it is
                    yield name, text


class _Plain:
    """Turns the words of one chapter, cell by cell: an answer may go on over several."""

    def __init__(self, page: str, references: References, values: dict[str, object]) -> None:
        self.page, self.references, self.values = page, references, values
        self.answering = self.answered = False
        self.questions = count(1)

    def words(self, source: str) -> str:
        """A cell of Markdown; nothing if it only began or ended an answer."""
        kept = list[str]()
        for is_answer, lines in self._parts(source.split("\n")):
            text = "\n".join(self._blocks(lines)).strip("\n")
            if is_answer and text:
                text = _details("Answer, continued" if self.answered else "Answer", text)
                self.answered = True
            kept += [text] if text else []
        if self.answering and not kept:
            kept = ["**Answer**, in the folded cells:"]
        return re.sub(r"\n{3,}", "\n\n", "\n\n".join(kept))

    def _parts(self, lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
        """What is answer, and what is not."""
        part = list[str]()
        rest = iter(lines)
        for line in rest:
            found = FENCE.fullmatch(line)
            if found and found["name"] in ("solution-start", "solution-end"):
                yield self.answering, part
                _until(found["marks"], rest)
                part, self.answering = [], found["name"] == "solution-start"
                self.answered = False
            else:
                part.append(line)
        yield self.answering, part

    def _blocks(self, lines: Iterable[str]) -> Iterator[str]:
        rest = iter(lines)
        for line in rest:
            found = FENCE.fullmatch(line)
            if found and found["name"]:
                yield from self._directive(found["name"], found["rest"], found["marks"], rest)
            elif found:
                yield from [line, *_until(found["marks"], rest), found["marks"]]
            elif numbered := re.fullmatch(r"\$\$ \((?P<label>[\w-]+)\)", line):
                yield f"\\tag{{{self.references.equations[numbered['label']]}}}\n$$"
            elif not LABEL.fullmatch(line):
                yield LOOK.sub("", ROLE.sub(self._role, line))

    def _directive(self, name: str, title: str, marks: str, rest: Iterator[str]) -> Iterator[str]:
        body = _until(marks, rest)
        options = {}
        while body and (option := re.fullmatch(r":([\w-]+): ?(.*)", body[0])):
            options[option[1]] = option[2]
            body = body[1:]
        if name == "bibliography":
            yield from ["", *self.references.works_of(self.page), ""]
            return
        text = "\n".join(self._blocks(body)).strip("\n")
        title = ROLE.sub(self._role, title)
        if name == "exercise":
            title = self._question(title, "nonumber" in options)
        elif name == "prf:theorem":
            number = self.references.theorems[options["label"]]
            title = f"Theorem {number}: {title}" if title else f"Theorem {number}"
        elif name == "prf:proof":
            title = title or "Proof"
        if name == "prf:proof" or options.get("class") == "dropdown":
            yield from ["", _details(title, text), ""]
        else:
            yield from ["", f"**{title}**" if title else "", "", text, ""]

    def _question(self, title: str, unnumbered: bool) -> str:
        kind, title = kind_and_title(title)
        if kind == "Question" and not unnumbered:
            kind = f"Question {next(self.questions)}"
        return f"{kind}: {title}"

    def _role(self, found: re.Match[str]) -> str:
        role, text = found["role"], found["text"]
        if role == "glue:text":
            name, _, form = text.partition(":")
            return format(self.values[name], form) if form else str(self.values[name])
        if role in ("cite:p", "cite:t"):
            return self.references.cited(text.split(","), in_brackets=role == "cite:p")
        if role == "eq":
            return f"({self.references.equations[text]})"
        if explicit := re.fullmatch(r"(?P<shown>.*?)\s*<(?P<target>[^<>]+)>", text, re.DOTALL):
            return self.references.link(role, explicit["target"], explicit["shown"], self.page)
        return self.references.link(role, text, None, self.page)


def _until(marks: str, rest: Iterator[str]) -> list[str]:
    """The lines up to the end of a fence, which is taken too."""
    found = list[str]()
    for line in rest:
        if line.startswith(marks) and not line.strip(marks[0]):
            break
        found.append(line)
    return found


def _details(title: str, text: str) -> str:
    """What is folded until the reader opens it."""
    return f"<details><summary>{heading(title)}</summary>\n\n{text}\n\n</details>"
