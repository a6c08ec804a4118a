"""What the chapters refer to: each other, sections, equations, theorems, terms, and other works."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from string import ascii_lowercase
from urllib.parse import quote

from pybtex.database import Entry, Person, parse_file
from pybtex.richtext import Text

PAPER = {"eq-attention": "1", "eq-ffn": "2", "eq-rate": "3"}  # its own numbers of its equations
# equations of the first page, where a section has two
BEFORE = {"06-1-evaluation": 2, "07-beyond-the-block": 3}


def section(page: str) -> str:
    """What a chapter's file is called for: 3.2.2 of 03-2-2-multi-head-attention."""
    found = re.match(r"(?:\d+-)+", page)
    return ".".join(str(int(part)) for part in found[0].strip("-").split("-")) if found else ""


def equation_numbers(page: str, labels: Sequence[str]) -> dict[str, str]:
    """The number of each labelled equation of a page: the paper's, or (3.2.2a) and so on."""
    ours = count(BEFORE.get(page, 0))
    return {
        label: PAPER.get(label) or section(page) + ascii_lowercase[next(ours)] for label in labels
    }


def heading(text: str) -> str:
    """A heading's words without Markdown's marks."""
    return re.sub(r"[*`$]", "", text)


@dataclass
class References:
    """All that the pages of one book name, by the names they give it."""

    titles: dict[str, str] = field(default_factory=dict)  # of pages
    executed: set[str] = field(default_factory=set)  # the pages that are notebooks
    sections: dict[str, tuple[str, str]] = field(default_factory=dict)  # label -> page, heading
    equations: dict[str, str] = field(default_factory=dict)  # label -> number
    theorems: dict[str, int] = field(default_factory=dict)  # label -> number
    terms: dict[str, str] = field(default_factory=dict)  # term -> what the glossary says
    works: dict[str, Entry] = field(default_factory=dict)
    cites: dict[str, list[str]] = field(default_factory=dict)  # page -> keys of works

    @classmethod
    def of(cls, book: Path) -> "References":
        """Read a book's folder: its pages, the chapters' texts, its references.bib."""
        found = cls()
        chapters = sorted(book.glob("text/*.md"))
        found.executed = {path.stem for path in chapters}
        for path in [*chapters, *sorted(book.glob("*.md"))]:
            found._read(path.stem, path.read_text(encoding="utf-8"))
        if (bibliography := book / "references.bib").is_file():
            found.works = dict(parse_file(str(bibliography)).entries)
        return found

    def _read(self, page: str, text: str) -> None:
        if title := re.search(r"^# (.+)$", text, re.MULTILINE):
            self.titles[page] = title[1]
        for label, shown in re.findall(r"^\(([\w-]+)\)=\n+(?:#+ (.+))?", text, re.MULTILINE):
            self.sections[label] = page, shown
        labels = re.findall(r"^\$\$ \(([\w-]+)\)$", text, re.MULTILINE)
        self.equations |= equation_numbers(page, labels)
        theorems = re.findall(r"^`+\{prf:theorem\}.*\n:label: ([\w-]+)", text, re.MULTILINE)
        self.theorems |= {label: number for number, label in enumerate(theorems, 1)}
        if glossary := re.search(r"```\{glossary\}(.+?)```", text, re.DOTALL):
            self.terms = dict(re.findall(r"^(\S.*)\n[ ]+(.+)$", glossary[1], re.MULTILINE))
        keys = re.findall(r"\{cite:[pt]\}`([^`]+)`", text)
        self.cites[page] = sorted({key for some in keys for key in some.split(",")})

    def link(self, role: str, target: str, shown: str | None, page: str) -> str:
        """A link for a role that names a page, a section, a theorem or a term.

        Raises:
            KeyError: if there is no such target.
        """
        if role == "term":
            said = re.sub(r"\{[\w:]+\}`([^`<]*?)(?: ?<[^>]*>)?`", r"\1", self.terms[target])
            said = heading(said).replace('"', "'")
            return f'[{shown or target}](glossary.md "{said}")'
        if role == "prf:ref":
            return shown or f"Theorem {self.theorems[target]}"
        if role == "doc":
            return f"[{shown or self.titles[target]}]({self._file(target)})"
        there, words = self.sections[target]
        fragment = f"#{quote(words.replace(' ', '-'))}" if words else ""
        place = ("" if there == page else self._file(there)) + fragment
        return f"[{shown or words}]({place})" if place else str(shown)

    def _file(self, page: str) -> str:
        return f"{page}.ipynb" if page in self.executed else f"{page}.md"

    def cited(self, keys: Sequence[str], in_brackets: bool) -> str:
        """Works as the text names them, each with a link to it."""
        shown = []
        for key in keys:
            work = self.works[key.strip()]
            names, year = _names(work.persons["author"]), work.fields["year"]
            text = f"{names}, {year}" if in_brackets else f"{names} [{year}]"
            shown.append(_linked(text.replace("[", "\\[").replace("]", "\\]"), work))
        return f"\\[{'; '.join(shown)}\\]" if in_brackets else ", ".join(shown)

    def works_of(self, page: str) -> list[str]:
        """The works that a page names, a line each, by their authors."""
        lines = []
        for key in self.cites[page]:
            work = self.works[key]
            authors = ", ".join(map(_whole_name, work.persons["author"]))
            title = _linked(_plain(work.fields["title"]), work)
            lines.append(f"- {authors} ({work.fields['year']}). {title}.")
        return sorted(lines)


def _plain(latex: str) -> str:
    return str(Text.from_latex(latex).render_as("text"))


def _whole_name(person: Person) -> str:
    parts = [*person.first_names, *person.middle_names, *person.prelast_names, *person.last_names]
    return _plain(" ".join(parts))


def _names(authors: Sequence[Person]) -> str:
    first, *others = [_plain(" ".join([*each.prelast_names, *each.last_names])) for each in authors]
    if len(others) > 1:
        return f"{first} et al."
    return " and ".join([first, *others])


def _linked(text: str, work: Entry) -> str:
    return f"[{text}]({work.fields['url']})" if "url" in work.fields else text
