"""A widget's browser code as one text: its module with the modules beside it that it imports."""

import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[\w/]+\.js)";\n', flags=re.MULTILINE)
COMMENT = re.compile(
    r"^[ \t]*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n|(?<=[;,{]) // [^\"'`\n]*$",
    flags=re.MULTILINE,
)
CAST = re.compile(r"/\*\* @type \{[^*]*\*/ ")
INDENT = re.compile(r"^[ \t]+", flags=re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|let|function|async|class)", flags=re.MULTILINE)
# A statement of a formatted file: its first line, and what is indented, blank or closes below it.
DECLARED = re.compile(
    r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)\b.*\n(?:(?:[ \t)}\]].*)?\n)*",
    flags=re.MULTILINE,
)
# A name that is used: no property, no key of an object, no method where it is made, no whole text.
NAME = re.compile(
    r"(?<![\w$\"])(?<![\w)\]?]\.)[\w$]+(?![\w$\":]|\([^()]*\) \{$)", flags=re.MULTILINE
)
NOTE = re.compile(r"/\*.*?\*/\s*", flags=re.DOTALL)
# Of a style sheet: the spaces around what parts rules, which no text in quotes may hold, those
# between a property and its value, the quotes around an attribute's value that is a word.
SPACE = re.compile(r"\s*([{};>])\s*")
VALUE = re.compile(r"(?<=[{;])([\w-]+): ")
QUOTED = re.compile(r"(\[[\w-]+=)\"([a-z][\w-]*)\"(?=\])")


def module(name: str) -> str:
    """The ES module `name`, below the modules it imports, each of them once.

    Browsers get a widget's code as one text, so an import of a neighbor becomes its text. In the
    files the imports are real: editors, type checkers and Node follow them. Comments, types,
    indents, and what this widget does not use of the others' code stay in the files too: a page
    carries what runs.
    """
    texts: dict[str, str] = {}
    _collect(name, texts)
    *shared, own = (CAST.sub("", COMMENT.sub("", text)) for text in texts.values())
    return INDENT.sub("", EXPORT.sub("", _needed("\n".join(shared), own)) + "\n" + own)


def _needed(shared: str, own: str) -> str:
    """The declarations of `shared` that another one, or the widget's own code, names."""
    while True:
        named = Counter(NAME.findall(shared + own))
        idle = [
            each[0]
            for each in DECLARED.finditer(shared)
            if named[each[1]] == NAME.findall(each[0]).count(each[1])
        ]
        if not idle:
            return shared
        for text in idle:
            shared = shared.replace(text, "", 1)


def _collect(name: str, texts: dict[str, str]) -> None:
    text = (HERE / name).read_text(encoding="utf-8")
    for neighbor in IMPORT.findall(text):
        path = (HERE / name).parent.joinpath(neighbor).resolve().relative_to(HERE).as_posix()
        if path not in texts:
            _collect(path, texts)
    texts[name] = IMPORT.sub("", text)


def style(name: str) -> str:
    """The shared style sheet, then those of the modules that `name` imports, then its own.

    Each of them is one line: comments and spaces stay in the files.
    """
    texts: dict[str, str] = {}
    _collect(name, texts)
    files = [HERE / "shared.css", *(HERE / Path(each).with_suffix(".css") for each in texts)]
    sheets = [file.read_text(encoding="utf-8") for file in dict.fromkeys(files) if file.exists()]
    return "".join(f"{_close(sheet)}\n" for sheet in sheets)


def _close(sheet: str) -> str:
    """A style sheet without what only its authors need, in one line."""
    plain = SPACE.sub(r"\1", NOTE.sub("", sheet)).replace(";}", "}")
    return QUOTED.sub(r"\1\2", VALUE.sub(r"\1:", plain))
