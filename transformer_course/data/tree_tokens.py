"""A tree as a line of tokens, and back: parsing becomes translation (section 6.3).

`(S (NP Dogs )NP (VP bark )VP )S` has a token for every bracket, which says its label on both sides,
and one for every word. The words themselves may stand there ("word"), or their tags ("tag"), as in
the line that the paper's own recipe asks for (Vinyals et al. 2015, section 3).
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from transformer_course.data.tokenizer import SPECIAL_PIECES, UNK_ID
from transformer_course.data.trees import Tree
from transformer_course.errors import DataError

LEAVES = ("word", "tag")
RARE = 2  # a word that the training trees have no more often than this is known by its look only


def line_of(tree: Tree, leaf: str = "word") -> list[str]:
    """The tokens of a tree: an opening and a closing one for each constituent, a leaf between."""
    if tree.word is not None:
        return [tree.word if leaf == "word" else tree.label]
    inner = [token for child in tree.children for token in line_of(child, leaf)]
    return [f"({tree.label}", *inner, f"){tree.label}"]


def tree_of(line: Iterable[str], words: Sequence[str], leaf: str = "word") -> Tree:
    """The tree that a line of tokens means, over the words of the sentence.

    Where leaves are words, the tags are unknown, and read "?".

    Raises:
        DataError: if the line is no tree over just these words.
    """
    top: list[Tree] = []
    open_brackets: list[tuple[str, list[Tree]]] = [("", top)]
    place = 0
    for token in line:
        label, inside = open_brackets[-1]
        if is_opening(token):
            open_brackets.append((token[1:], []))
        elif is_closing(token):
            if token[1:] != label or not inside:
                raise DataError(f"expected ){label or '...'} with something in it, got {token}")
            open_brackets.pop()
            open_brackets[-1][1].append(Tree(label, tuple(inside)))
        elif place == len(words) or not label:
            raise DataError(f"expected {len(words)} words in brackets, got {token} too")
        else:
            inside.append(Tree(token if leaf == "tag" else "?", word=words[place]))
            place += 1
    if len(open_brackets) > 1 or len(top) != 1 or place < len(words):
        raise DataError(
            f"expected one closed tree of {len(words)} words, got {len(top)} of {place}, "
            f"and {len(open_brackets) - 1} open brackets"
        )
    return top[0]


def is_opening(token: str) -> bool:
    """Whether a token opens a constituent; no word begins with a bracket."""
    return token.startswith("(")


def is_closing(token: str) -> bool:
    """Whether a token closes a constituent."""
    return token.startswith(")")


def look(word: str) -> list[str]:
    """What is to be seen of a word that nobody knows, the most telling first."""
    shape = "Aa" if word[:1].isupper() else "a"
    shape += "1" if re.search(r"\d", word) else ""
    shape += "-" if "-" in word[1:] else ""
    ending = word[-2:].lower() if word[-2:].isalpha() and len(word) > 3 else ""
    return [f"<{shape} {ending}>", f"<{shape}>"] if ending else [f"<{shape}>"]


class TreeTokens:
    """Ids of words and of a tree's tokens, from the trees that are learned from."""

    def __init__(
        self,
        trees: Sequence[Tree],
        leaf: str = "word",
        *,
        sentences: Iterable[Sequence[str]] = (),
        rare: int = RARE,
    ):
        """`sentences` without trees count too; a word of at most `rare` is known by its look."""
        if leaf not in LEAVES:
            raise DataError(f"leaf={leaf!r}: expected one of {', '.join(LEAVES)}")
        self.counts = Counter(word for tree in trees for word in tree.words())
        self.counts.update(word for words in sentences for word in words)
        known = {word: count for word, count in self.counts.items() if count > rare}
        looks = Counter(
            each
            for word, count in self.counts.items()
            if count <= rare
            for each in look(word) * count
        )
        known |= {each: count for each, count in looks.items() if count > rare}
        self.leaf = leaf
        brackets = {token for tree in trees for token in line_of(tree) if is_opening(token)}
        tags = sorted({tag.label for tree in trees for tag in tree.tags()}) if leaf == "tag" else []
        words = [*SPECIAL_PIECES, *sorted(known, key=lambda word: (-known[word], word))]
        self._number(leaf, words, tags, sorted(token[1:] for token in brackets))

    def _number(self, leaf: str, words: list[str], tags: list[str], labels: list[str]) -> None:
        """Give each token its place: words, tags, opening brackets, closing ones."""
        self.leaf = leaf
        opened = [f"({label}" for label in labels]
        self.tokens = [*words, *tags, *opened, *(f"){label}" for label in labels)]
        first_open = len(words) + len(tags)
        first_close = first_open + len(opened)
        self.leaves = range(len(words), first_open) if tags else range(UNK_ID, len(words))
        self.opening = range(first_open, first_close)
        self.closing = range(first_close, len(self.tokens))
        self._word_ids = {token: place for place, token in enumerate(words)}
        self._tree_ids = {
            token: len(words) + place for place, token in enumerate(self.tokens[len(words) :])
        }

    def save(self, path: Path) -> None:
        """Write the tokens to a file, all but how often each was counted."""
        words = list(self._word_ids)
        parts = {
            "leaf": self.leaf,
            "words": words,
            "tags": self.tokens[len(words) : self.opening.start],
            "labels": [self.tokens[place][1:] for place in self.opening],
        }
        path.write_text(json.dumps(parts, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> TreeTokens:
        """The tokens of a file: enough to parse with, not to hide words while learning."""
        parts = json.loads(path.read_text(encoding="utf-8"))
        tokens = cls.__new__(cls)
        tokens.counts = Counter()
        tokens._number(**parts)
        return tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def encode_words(self, words: Sequence[str], hide: random.Random | None = None) -> list[int]:
        """An id for every word: its own if it is known, else that of its look.

        With `hide` a known word is shown by its look now and then, the rarer the more often, so
        that looks are learned too (as Kiperwasser and Goldberg 2016, section 4).
        """
        return [self._word_id(word, hide) for word in words]

    def encode_tree(self, tree: Tree, word_ids: Sequence[int]) -> list[int]:
        """The ids of a tree's line; where leaves are words, these are theirs.

        Raises:
            DataError: if the tree has a label that the training trees had not.
        """
        words = iter(word_ids)
        ids = []
        for token in line_of(tree, self.leaf):
            if self.leaf == "word" and token[0] not in "()":
                ids.append(next(words))
            elif token in self._tree_ids:
                ids.append(self._tree_ids[token])
            else:
                raise DataError(f"the trees learned from have no {token}: leave this tree out")
        return ids

    def decode(self, ids: Sequence[int], words: Sequence[str]) -> Tree:
        """The tree that ids mean.

        Raises:
            DataError: if they mean none.
        """
        return tree_of((self.tokens[each] for each in ids), words, self.leaf)

    def unknown(self, words: Iterable[str]) -> list[str]:
        """The words that are known by their look only, each once."""
        return [word for word in dict.fromkeys(words) if word not in self._word_ids]

    def pairs(self, trees: Iterable[Tree], seed: int | None = None) -> list[tuple[list, list]]:
        """Source and target ids of each tree; with a seed, some words are hidden."""
        hide = None if seed is None else random.Random(seed)
        found = []
        for tree in trees:
            src = self.encode_words(tree.words(), hide)
            found.append((src, self.encode_tree(tree, src)))
        return found

    def _word_id(self, word: str, hide: random.Random | None) -> int:
        hidden = hide is not None and hide.random() < 1 / (1 + self.counts[word])
        for each in look(word) if hidden else [word, *look(word)]:
            if each in self._word_ids:
                return self._word_ids[each]
        return UNK_ID
