"""A parser in the page: the course's own small model writes the tree of the reader's sentence."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import anywidget
import numpy as np
import traitlets

from transformer_course import carried
from transformer_course.data import line_of, tree_words
from transformer_course.decoding import parse
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.translator import promise

FILES = {"tokens": "tokens.json", "weights": "averaged/model.safetensors"}
SENTENCES = (
    "A man is eating a pizza with a fork.",
    "I saw the man with the telescope.",
    "We found that the mice with two copies of the gene were smaller.",
)


class Parser(CourseWidget, source="parser"):
    """Type an English sentence, and see the tree of its phrases as it is written, token by token.

    The page computes everything itself. It fetches the model, of about 1 MB, when the reader first
    asks for a tree of their own; the examples were parsed here.
    """

    beam = traitlets.Enum([1, 2, 4], 4, help="1 is greedy search").tag(sync=True)
    limit = traitlets.Int(40, min=1, max=100, help="words of a sentence at most").tag(sync=True)
    examples = traitlets.List(traitlets.Dict(), help="see look_at").tag(sync=True)
    files = traitlets.Dict(help="what the page has to fetch, to the byte").tag(sync=True)

    def __init__(self, sentences: Sequence[str] = SENTENCES, **traits: Any):
        """`sentences` are examples, parsed here; at least one."""
        super().__init__(**traits)
        self.examples = [look_at(text, self.beam) for text in sentences]
        self.files = {key: promise(carried.PARSER / name) for key, name in FILES.items()}

    @anywidget.experimental.command
    def read(self, message: object, buffers: list[bytes]) -> tuple[object, list[bytes]]:
        """Hand the files to the page where there is a kernel; they never stand in the notebook."""
        return list(FILES), [(carried.PARSER / name).read_bytes() for name in FILES.values()]

    def tables(self) -> list[Table]:
        """Of each example every constituent, with the words that it spans."""
        tables = []
        for example in self.examples:
            spans = spans_of(example["line"])
            rows, cells = [label for label, _ in spans], [[words] for _, words in spans]
            tables.append(Table(example["text"], rows, ["spans"], np.array(cells, dtype=object)))
        return tables


@lru_cache
def look_at(text: str, beam: int = 4) -> dict[str, Any]:
    """A sentence, its words, the line of its tree, and the words that the parser does not know."""
    model, tokens = carried.parser()
    words = tree_words(text)
    [found] = parse(model, tokens, [words], beam=beam)
    assert found.tree is not None  # the rule lets nothing else be written
    line = line_of(found.tree)
    return {"text": text, "words": words, "line": line, "unknown": tokens.unknown(words)}


def spans_of(line: Sequence[str]) -> list[tuple[str, str]]:
    """The label of each constituent, and its words, in the order of their opening brackets."""
    found: list[tuple[str, list[str]]] = []
    stack: list[list[str]] = []
    for token in line:
        if token[0] == "(":
            stack.append([])
            found.append((token[1:], stack[-1]))
        elif token[0] == ")":
            stack.pop()
        else:
            for words in stack:
                words.append(token)
    return [(label, " ".join(words)) for label, words in found]
