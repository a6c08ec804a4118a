"""The small models that the course trained and carries along, and the one way to open them.

"captions" learned from descriptions of photographs alone; "everyday" also from everyday sentences
and from the phrasebook; "grammar" from sentences of the course's own grammar, in which it is known
which word depends on which. All three turn English into German. A fourth model, the parser, writes
the tree of an English sentence (section 6.3). All hold their weights in int8.
"""

from functools import cache
from pathlib import Path

from transformer_course.data import Tokenizer, TreeTokens
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint

FOLDERS = {
    "captions": Path(__file__).parent / "multi30k-en-de",
    "everyday": Path(__file__).parent / "everyday-en-de",
    "grammar": Path(__file__).parent / "grammar-en-de",
}
FOLDER = FOLDERS["captions"]
PARSER = Path(__file__).parent / "parser-en"


def load(name: str = "captions") -> tuple[Transformer, Tokenizer]:
    """A model, ready to translate, and its tokenizer: a copy of your own."""
    run = Run.open(FOLDERS[name])
    return checkpoint.load(run.weights()).eval(), run.tokenizer


@cache
def translator(name: str = "captions") -> tuple[Transformer, Tokenizer]:
    """The same from every call, for those who change nothing."""
    return load(name)


def load_parser() -> tuple[Transformer, TreeTokens]:
    """The parser, ready for `decoding.parse`, and its tokens: a copy of your own."""
    return checkpoint.load(PARSER / "averaged").eval(), TreeTokens.load(PARSER / "tokens.json")


@cache
def parser() -> tuple[Transformer, TreeTokens]:
    """The same from every call, for those who change nothing."""
    return load_parser()
