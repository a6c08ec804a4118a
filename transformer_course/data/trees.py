"""Trees of sentences: read from bracketed text, as treebanks store them, and cleaned for parsing.

`(S (NP (NNS Dogs)) (VP (VBP bark)))` is a sentence with two words. A bracket with one word is a
*tag*, such as NNS; all others are *constituents*, such as NP (section 6.3; Marcus et al. 1993).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from transformer_course.errors import DataError

TOP = "TOP"  # of a tree whose outermost bracket says nothing, as in the Penn Treebank
EMPTY = "-NONE-"  # the tag of what was moved or left out: a trace is no word
DEEPEST = 200  # brackets in brackets; what people say and write stays below 50


@dataclass(frozen=True)
class Tree:
    """A label, and what stands below it: trees, or of a tag one word.

    Words and labels have neither brackets nor spaces: treebanks write -LRB- for a bracket.
    """

    label: str
    children: tuple[Tree, ...] = ()
    word: str | None = None

    def __str__(self) -> str:
        inner = [self.word] if self.word is not None else map(str, self.children)
        return f"({self.label} {' '.join(inner)})"

    @property
    def is_tag(self) -> bool:
        """Whether this is a tag with its word."""
        return self.word is not None

    def tags(self) -> Iterator[Tree]:
        """The tags with their words, from left to right."""
        if self.is_tag:
            yield self
        for child in self.children:
            yield from child.tags()

    def words(self) -> list[str]:
        """The sentence."""
        return [tag.word for tag in self.tags() if tag.word is not None]


def read_trees(text: str, where: str | Path = "the text") -> list[Tree]:
    """Read all trees of a text; line breaks mean nothing. An outermost bracket may lack its label.

    Raises:
        DataError: if brackets do not match, or one is empty or has no label; the line is told.
    """
    found: list[Tree] = []
    open_brackets: list[tuple[int, str, list[Tree], list[str]]] = []  # line, label, trees, words
    for line, part, is_label in _parts(text):
        if part == "(":
            if len(open_brackets) == DEEPEST:
                raise _wrong(where, line, f"at most {DEEPEST} brackets in brackets", "one more")
            open_brackets.append((line, "", [], []))
        elif not open_brackets:
            what = "one that closes none" if part == ")" else repr(part)
            raise _wrong(where, line, "an opening bracket", what)
        elif part == ")":
            tree = _close(*open_brackets.pop(), is_outermost=not open_brackets, where=where)
            (open_brackets[-1][2] if open_brackets else found).append(tree)
        elif is_label:
            open_brackets[-1] = (open_brackets[-1][0], part, *open_brackets[-1][2:])
        else:
            open_brackets[-1][3].append(part)
    if open_brackets:
        line = open_brackets[-1][0]
        raise _wrong(where, line, "every bracket closed", "one that is open at the end")
    if not found:
        raise DataError(f"expected trees such as (NP (NNS dogs)) in {where}, got no bracket")
    return found


def read_tree(text: str) -> Tree:
    """Read a text that holds one tree.

    Raises:
        DataError: if it holds another number of trees, or something else.
    """
    trees = read_trees(text)
    if len(trees) != 1:
        raise DataError(f"expected one tree, got {len(trees)}: read them with read_trees")
    return trees[0]


def cleaned(tree: Tree) -> Tree | None:
    """The tree without functions, traces and an outermost label that says nothing.

    NP-SBJ-1 and NP=2 become NP, ADVP|PRT becomes ADVP. What holds no word goes; None if all does.
    """
    label = re.split(r"(?<!^)[-=|]", tree.label)[0] if tree.label[0] != "-" else tree.label
    if tree.is_tag:
        return None if tree.label == EMPTY else Tree(label, word=tree.word)
    children = tuple(kept for child in tree.children if (kept := cleaned(child)) is not None)
    if not children:
        return None
    return children[0] if label == TOP and len(children) == 1 else Tree(label, children)


def _parts(text: str) -> Iterator[tuple[int, str, bool]]:
    """Brackets and what stands between: its line, itself, whether it follows an opening bracket."""
    before = ""
    for number, line in enumerate(text.splitlines(), start=1):
        for part in re.findall(r"[()]|[^\s()]+", line):
            yield number, part, before == "("
            before = part


def _close(
    line: int, label: str, trees: list[Tree], words: list[str], *, is_outermost: bool, where: object
) -> Tree:
    """The tree of a bracket that has come to its end."""
    if not label and is_outermost and trees:
        label = TOP
    if not label:
        what = "one without" if trees else "()"
        raise _wrong(where, line, "a label in every bracket but the outermost", what)
    if len(words) + bool(trees) != 1:
        inside = " ".join([*words, *map(str, trees)]) or "nothing"
        inside = inside if len(inside) <= 40 else f"{inside[:40]} ..."
        raise _wrong(where, line, f"one word or trees in ({label} ...)", inside)
    return Tree(label, tuple(trees), words[0] if words else None)


def _wrong(where: object, line: int, expected: str, got: str) -> DataError:
    return DataError(f"{where}, line {line}: expected {expected}, got {got}; mend that line")
