"""A widget's browser code as one text: its module with the modules beside it that it imports."""

import re
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[\w/]+\.js)";\n', flags=re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(//.*|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", flags=re.MULTILINE)
CAST = re.compile(r"/\*\* @type \{[^*]*\*/ ")
INDENT = re.compile(r"^[ \t]+", flags=re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|let|function|async|class)", flags=re.MULTILINE)


def module(name: str) -> str:
    """The ES module `name`, below the modules it imports, each of them once.

    Browsers get a widget's code as one text, so an import of a neighbor becomes its text. In the
    files the imports are real: editors, type checkers and Node follow them. Comments, types and
    indents stay in the files too: a page carries what runs.
    """
    texts: dict[str, str] = {}
    _collect(name, texts)
    *shared, own = texts.values()
    whole = "\n".join([*(EXPORT.sub("", text) for text in shared), own])
    return INDENT.sub("", CAST.sub("", COMMENT.sub("", whole)))


def _collect(name: str, texts: dict[str, str]) -> None:
    text = (HERE / name).read_text(encoding="utf-8")
    for neighbor in IMPORT.findall(text):
        path = (HERE / name).parent.joinpath(neighbor).resolve().relative_to(HERE).as_posix()
        if path not in texts:
            _collect(path, texts)
    texts[name] = IMPORT.sub("", text)


def style(name: str) -> str:
    """The shared style sheet, then those of the modules that `name` imports, then its own."""
    texts: dict[str, str] = {}
    _collect(name, texts)
    files = [HERE / "shared.css", *(HERE / Path(each).with_suffix(".css") for each in texts)]
    return "\n".join(
        file.read_text(encoding="utf-8") for file in dict.fromkeys(files) if file.exists()
    )
