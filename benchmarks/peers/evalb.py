"""Hold the package's count of brackets against PYEVALB's, on the grammar's parses of the sample.

    pip install PYEVALB==0.1.3 && python benchmarks/peers/evalb.py

By default PYEVALB counts punctuation and tells ADVP and PRT apart; it has no TOP to leave out, and
takes equal brackets for one. So both trees are first made such that its way and EVALB's are one.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from PYEVALB import parser, scorer

sys.path.insert(0, str(Path(__file__).parents[1]))

from grammar import MARKOV, Grammar

from transformer_course.commands import record
from transformer_course.data import Tree, load_trees
from transformer_course.decoding import match
from transformer_course.decoding.bracketing import PUNCTUATION, SAME


def alike(tree: Tree, counted: Iterator[bool]) -> Tree | None:
    """The tree without the words that do not count, with one label for ADVP and PRT."""
    if tree.is_tag:
        return tree if next(counted) else None
    children = [kept for child in tree.children if (kept := alike(child, counted)) is not None]
    return Tree(SAME.get(tree.label, tree.label), tuple(children)) if children else None


def main() -> int:
    """Parse, count twice, write the result file."""
    grammar, judge = Grammar(load_trees("treebank", "train"), MARKOV), scorer.Scorer()
    sentences = differing = 0
    for gold in load_trees("treebank", "test"):
        found = grammar.parse(gold.words())
        if found is None:
            continue
        counted = [tag.label not in PUNCTUATION for tag in gold.tags()]
        both = [
            parser.create_from_bracket_string(str(alike(t, iter(counted)))) for t in (gold, found)
        ]
        theirs = judge.score_trees(*both)
        counts = theirs.matched_brackets, theirs.test_brackets, theirs.gold_brackets
        differing += counts != tuple(match(found, gold))
        sentences += 1
    path = record.write(
        "parsing/pyevalb",
        "brackets of the grammar's parses counted by the package and by PYEVALB, set alike",
        ["pip install PYEVALB==0.1.3", "python benchmarks/peers/evalb.py"],
        peer="PYEVALB 0.1.3",
        sentences=sentences,
        differing=differing,
    )
    print(f"{differing} of {sentences} differ\n{path.relative_to(record.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
