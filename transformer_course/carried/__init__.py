"""The small translator that the course trained and carries along, and the one way to open it."""

from functools import cache
from pathlib import Path

from transformer_course.data import Tokenizer
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint

FOLDER = Path(__file__).parent / "multi30k-en-de"  # English to German, weights in int8


def load() -> tuple[Transformer, Tokenizer]:
    """The model, ready to translate, and its tokenizer: a copy of your own."""
    run = Run.open(FOLDER)
    return checkpoint.load(run.weights()).eval(), run.tokenizer


@cache
def translator() -> tuple[Transformer, Tokenizer]:
    """The same from every call, for those who change nothing."""
    return load()
