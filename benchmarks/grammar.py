"""A probabilistic grammar that parses the sample: the baseline of section 6.3, in NumPy.

    python benchmarks/grammar.py treebank        # writes results/parsing/grammar-treebank.json

Rules and their probabilities are counted in the training trees. A constituent's label is told
apart by its parent's, and a long rule is cut into binary ones, each of which sees the two siblings
before it (Johnson 1998; Klein and Manning 2003, section 2). The likeliest tree is found span by
span (CKY).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from transformer_course.commands import record
from transformer_course.data import Tree, load_trees, look
from transformer_course.decoding import match, score_trees

RARE = 2  # words seen no more often are known by their look, as in the Transformer's vocabulary
Rule = tuple[str, ...]  # a symbol, and one or two below it


@dataclass(frozen=True)
class Order:
    """What a rule sees beside its own label: its parent's, and so many siblings (None is all)."""

    parent: bool = True
    siblings: int | None = 2

    def symbol(self, label: str, parent: str) -> str:
        """A label as the grammar tells it apart."""
        return f"{label}^{parent}" if self.parent else label

    def rules(self, tree: Tree, parent: str = "TOP") -> Iterator[Rule]:
        """The rules of a tree, those of more than two children cut from left to right."""
        if tree.is_tag:
            return
        left, done = self.symbol(tree.label, parent), []
        below = [self.symbol(child.label, tree.label) for child in tree.children]
        while len(below) > 2:
            done.append(tree.children[len(done)].label)
            seen = done if self.siblings is None else done[-self.siblings :]
            rest = f"@{self.symbol(tree.label, parent)}|{' '.join(seen)}"
            yield left, below.pop(0), rest
            left = rest
        yield left, *below
        for child in tree.children:
            yield from self.rules(child, tree.label)


class Grammar:
    """Rules in arrays, sorted by the symbol on top; all probabilities are logarithms."""

    def __init__(self, trees: Sequence[Tree], order: Order):
        self.order = order
        self.known = Counter(word for tree in trees for word in tree.words())
        rules = Counter(rule for tree in trees for rule in order.rules(tree))
        tops = Counter(order.symbol(tree.label, "TOP") for tree in trees)
        words: Counter[tuple[str, str]] = Counter()
        for tree in trees:
            for symbol, word in self.tagged(tree):
                words[symbol, word] += 1
                if self.known[word] <= RARE:  # one of them at a time is asked for
                    words.update((symbol, each) for each in look(word))
                    words[symbol, ""] += 1
        names = {name for rule in rules for name in rule} | {name for name, _ in words}
        self.names = sorted(names)
        self.ids = {name: place for place, name in enumerate(self.names)}
        totals: Counter[str] = Counter()
        for (left, *_), count in rules.items():
            totals[left] += count
        tags: Counter[str] = Counter()
        for (symbol, word), count in words.items():
            tags[symbol] += count if word in self.known else 0
        self.words: dict[str, list[tuple[int, float]]] = {}
        for (symbol, word), count in words.items():
            entry = self.ids[symbol], math.log(count / tags[symbol])
            self.words.setdefault(word, []).append(entry)
        self.top = np.full(len(self.names), -np.inf, np.float32)
        for name, count in tops.items():
            self.top[self.ids[name]] = math.log(count / len(trees))
        self.unary = self.table(rules, totals, 2)
        self.binary = self.table(rules, totals, 3)

    def tagged(self, tree: Tree, parent: str = "TOP") -> Iterator[tuple[str, str]]:
        """The words, with their tags as the grammar tells them apart."""
        if tree.word is not None:
            yield self.order.symbol(tree.label, parent), tree.word
        for child in tree.children:
            yield from self.tagged(child, tree.label)

    def table(self, rules: Counter[Rule], totals: Counter[str], width: int) -> Table:
        """The rules of a width."""
        rows = sorted(
            (*(self.ids[name] for name in rule), math.log(count / totals[rule[0]]))
            for rule, count in rules.items()
            if len(rule) == width
        )
        return Table(np.array(rows, dtype=np.float64).reshape(-1, width + 1))

    def entries(self, word: str) -> list[tuple[int, float]]:
        """The tags of a word, by itself or by its look, with their probabilities."""
        if self.known[word] > RARE:
            return self.words[word]
        return next(self.words[each] for each in [*look(word), ""] if each in self.words)

    def parse(self, words: Sequence[str]) -> Tree | None:
        """The likeliest tree, or None if the rules make none."""
        length = len(words)
        chart = np.full((length, length + 1, len(self.names)), -np.inf, np.float32)
        for place, word in enumerate(words):
            for symbol, score in self.entries(word):
                chart[place, place + 1, symbol] = score
            self.climb(chart[place, place + 1])
        for width in range(2, length + 1):
            for start in range(length - width + 1):
                self.fill(chart, start, start + width)
        root = int((chart[0, length] + self.top).argmax())
        if chart[0, length, root] + self.top[root] == -np.inf:
            return None
        [tree] = self.trace(chart, words, 0, length, root)
        return tree

    def fill(self, chart: np.ndarray, start: int, end: int) -> None:
        """The best score of every symbol over a span."""
        middles, rules = range(start + 1, end), self.binary
        best = np.full(len(rules), -np.inf, np.float32)
        for middle in middles:
            left, right = chart[start, middle], chart[middle, end]
            np.maximum(best, left[rules.first] + right[rules.second], out=best)
        best += rules.score
        chart[start, end][rules.tops] = np.maximum.reduceat(best, rules.starts)
        self.climb(chart[start, end])

    def climb(self, cell: np.ndarray) -> None:
        """Add symbols by rules with one child, on top of each other while that gains anything."""
        rules = self.unary
        while True:
            best = np.maximum.reduceat(cell[rules.first] + rules.score, rules.starts)
            if not (best > cell[rules.tops]).any():
                return
            cell[rules.tops] = np.maximum(cell[rules.tops], best)

    def trace(
        self, chart: np.ndarray, words: Sequence[str], start: int, end: int, symbol: int
    ) -> list[Tree]:
        """The trees below a symbol: one, or of a rest the siblings that it stands for."""
        goal, name = chart[start, end, symbol], self.names[symbol]
        label = name.partition("^")[0] if self.order.parent else name
        if end == start + 1 and any(
            np.float32(score) == goal and each == symbol
            for each, score in self.entries(words[start])
        ):
            return [Tree(label, word=words[start])]
        below: list[Tree] = []
        rules = self.binary.under(symbol)
        for middle in range(start + 1, end):
            left, right = chart[start, middle], chart[middle, end]
            scores = left[self.binary.first[rules]] + right[self.binary.second[rules]]
            hits = np.flatnonzero(scores + self.binary.score[rules] == goal)
            if len(hits):
                place = rules.start + hits[0]
                first, second = int(self.binary.first[place]), int(self.binary.second[place])
                below = self.trace(chart, words, start, middle, first)
                below += self.trace(chart, words, middle, end, second)
                break
        else:
            rules = self.unary.under(symbol)
            scores = chart[start, end][self.unary.first[rules]] + self.unary.score[rules]
            child = int(self.unary.first[rules][int((scores == goal).argmax())])
            below = self.trace(chart, words, start, end, child)
        return below if name.startswith("@") else [Tree(label, tuple(below))]


class Table:
    """Rules of one width: symbols below, log-probabilities, and where each symbol on top begins."""

    def __init__(self, rows: np.ndarray):
        self.first = rows[:, 1].astype(np.int64)
        self.second = rows[:, -2].astype(np.int64)
        self.score = rows[:, -1].astype(np.float32)
        self.tops, self.starts = np.unique(rows[:, 0].astype(np.int64), return_index=True)

    def __len__(self) -> int:
        return len(self.score)

    def under(self, symbol: int) -> slice:
        """The rules that have this symbol on top."""
        place = int(np.searchsorted(self.tops, symbol))
        if place == len(self.tops) or self.tops[place] != symbol:
            return slice(0, 0)
        ends = [*self.starts[1:], len(self)]
        return slice(int(self.starts[place]), int(ends[place]))


PLAIN, MARKOV = Order(parent=False, siblings=None), Order()


def measure(name: str, count: int | None = None) -> dict[str, object]:
    """Count both grammars in the training trees, and parse the test sentences with each.

    The few sentences that the rules of the finer grammar cannot make, the plain one parses.
    """
    trees, gold = load_trees(name, "train"), load_trees(name, "test", count)
    rows: dict[str, object] = {}
    plain: list[Tree | None] = []
    for title, order in (("plain", PLAIN), ("markov", MARKOV)):
        begun = time.process_time()
        grammar = Grammar(trees, order)
        parsed = [grammar.parse(tree.words()) for tree in gold]
        seconds = time.process_time() - begun
        found = [one or other for one, other in zip(parsed, plain or parsed, strict=True)]
        plain = plain or parsed
        rows[title] = {
            "symbols": len(grammar.names),
            "rules": len(grammar.binary) + len(grammar.unary),
            "parsed_by_these_rules": sum(tree is not None for tree in parsed),
            "cpu_seconds": round(seconds, 1),
            "scores": score_trees(found, gold),
            "matches": [list(match(*pair)) for pair in zip(found, gold, strict=True)],
        }
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, score, write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("data", choices=("treebank", "craft"))
    args = parser.parse_args(argv)
    rows = measure(args.data)
    path = record.write(
        f"parsing/grammar-{args.data}",
        "F1 of a probabilistic grammar on the test sentences, plain and with parent and siblings",
        [f"python benchmarks/grammar.py {args.data}"],
        data=args.data,
        grammars=rows,
    )
    for title, row in rows.items():
        print(title, row["scores"], f"{row['cpu_seconds']} s")  # type: ignore[index]
    print(path.relative_to(record.ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
