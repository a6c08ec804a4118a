"""A parser in the page: the course's own small model writes the tree of the reader's sentence."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import anywidget
import numpy as np
import torch
import traitlets

from transformer_course import carried
from transformer_course.data import BOS_ID, EOS_ID, TreeTokens, line_of, tree_words
from transformer_course.decoding import TreeRule, parse
from transformer_course.model import Transformer
from transformer_course.widgets.base import CourseWidget, Table
from transformer_course.widgets.translator import promise

FILES = {"tokens": "tokens.json", "weights": "averaged/model.safetensors"}
SENTENCES = (
    "A man is eating a pizza with a fork.",
    "I see the man with the microscope.",
    "We found that the mice with two copies of the gene were smaller.",
)
NO_VERB = "who which what when where that the a an in on of with"
JOINS = "and or nor but not so yet"
NOUNS = {"I see the man with the beard."}  # here a reader hangs the phrase on the noun


class Parser(CourseWidget, source="parser"):
    """Type an English sentence, and see the tree of its phrases as it is written, token by token.

    Where a phrase with a preposition could hang elsewhere, the other tree is drawn dashed, with how
    likely each of the two is; where a reader knows better, in green.

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
    """A sentence, its words, the line of its tree, and the words that the parser does not know.

    Where `rival_of` has another tree, also the share of this one, how likely it is of the two, and
    whether a reader says that it is wrong. Where it has none: which token of the line was the least
    likely when it was written, and how likely.
    """
    model, tokens = carried.parser()
    words = tree_words(text)
    [found] = parse(model, tokens, [words], beam=beam)
    assert found.tree is not None  # the rule lets nothing else be written
    line = line_of(found.tree)
    looked: dict[str, Any] = {
        "text": text,
        "words": words,
        "line": line,
        "unknown": tokens.unknown(words),
    }
    rival = rival_of(line)
    if rival:
        own, other = (chance(model, tokens, words, each) for each in (line, rival))
        looked["share"] = 1 / (1 + math.exp(other - own))
        looked["wrong"] = text in NOUNS and len(rival) > len(line)
    else:
        steps = chances(model, tokens, words, line)
        looked["least"] = [steps.index(min(steps)), math.exp(min(steps))]
    return looked


def rival_of(line: Sequence[str]) -> list[str] | None:
    """The same tree, but for the first phrase with a preposition that follows a verb's object.

    If it hangs below the verb, it goes to the object, and the other way round. Most trees have no
    such phrase, and in one that is broken nothing is asked.
    """
    if flawed(line):
        return None
    opened: list[int] = []
    for place, token in enumerate(line):
        if token[0] == "(":
            opened.append(place)
        if token[0] != ")":
            continue
        noun = opened.pop()
        if [*line[place : place + 2]] != [")NP", "(PP"]:
            continue
        depths = np.cumsum([(each[0] == "(") - (each[0] == ")") for each in line[place + 1 :]])
        after = place + 2 + int((depths == 0).argmax())  # behind the phrase
        above = [line[each] for each in opened[-2:]]
        if above[-1] == "(VP":
            return [*line[:noun], "(NP", *line[noun:after], ")NP", *line[after:]]
        if above == ["(VP", "(NP"] and opened[-1] == noun - 1 and line[after] == ")NP":
            return [*line[: noun - 1], *line[noun:after], *line[after + 1 :]]
    return None


def flawed(line: Sequence[str]) -> bool:
    """Whether a tree has what hardly any tree of a treebank has.

    That is a constituent of punctuation alone, a word right below an S that joins nothing, or a VP
    that begins with a word that is no verb.
    """
    opened: list[tuple[list[str], list[str]]] = []  # of each: all words, and what is right below
    for token in line:
        if token[0] == "(":
            if opened:
                opened[-1][1].append("")
            opened.append(([], []))
        elif token[0] != ")":
            for words, _ in opened:
                words.append(token)
            opened[-1][1].append(token)
        else:
            label, (words, below) = token[1:], opened.pop()
            if label != "LST" and not set("".join(words)) - set(".,;:?!"):
                return True
            if label == "VP" and below[0].lower() in NO_VERB.split():
                return True
            if label == "S" and any(
                word[:1].isalpha() and word.lower() not in JOINS.split() for word in below
            ):
                return True
    return False


def chance(
    model: Transformer, tokens: TreeTokens, words: Sequence[str], line: Sequence[str]
) -> float:
    """The logarithm of the probability that a line is written behind the rule of trees."""
    return sum(chances(model, tokens, words, line))


def chances(
    model: Transformer, tokens: TreeTokens, words: Sequence[str], line: Sequence[str]
) -> list[float]:
    """The same of each token of the line, and of its end."""
    src = tokens.encode_words(words)
    rest = iter(src)
    ids = [tokens.tokens.index(each) if each[0] in "()" else next(rest) for each in line]
    rule = TreeRule(tokens, tuple(src), model.config.max_len)
    with torch.inference_mode():
        rows = model(torch.tensor([[*src, EOS_ID]]), torch.tensor([[BOS_ID, *ids]]))[0]
    steps = []
    for row, each in zip(rows, [*ids, EOS_ID], strict=True):
        steps.append(float(rule.restrict(row).log_softmax(-1)[each]))
        rule = rule.after(each)
    return steps


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
