"""Which submissions are alike, for a person to look at: a measure, and no verdict.

Each cell of code is cut into tokens, comments among them, spaces not; a name is a token without
its letters, so that renaming changes nothing. A shingle is a run of `LENGTH` tokens. Of a
submission's shingles those count that are not in the released notebook and that few others have:
what many write is the task, not the writer. Two submissions are as alike as the share of the
shingles of the one with fewer that the other has too (containment).
"""

import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

LENGTH = 10  # tokens of a shingle
OFTEN = 0.05  # the share of a class beyond which a shingle is the task's
FEW = 5  # and as many may share it in any class
LEAST = 12  # shingles in common, of which less says nothing
ALIKE = 0.5  # containment from which a pair is listed
NO_TEXT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Shingle = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two students, the share of the smaller one's own shingles that both have, and how many."""

    students: tuple[str, str]
    share: float
    common: int


def pairs(answers: Mapping[str, Iterable[str]], released: Iterable[str]) -> list[Pair]:
    """The pairs that are alike, most alike first. Answers are cells of code, by student."""
    given = shingles(released)
    own = {student: shingles(cells) - given for student, cells in answers.items()}
    counts = Counter(each for found in own.values() for each in found)
    most = max(FEW, OFTEN * len(own))
    own = {name: {s for s in found if counts[s] <= most} for name, found in own.items()}
    having: dict[Shingle, list[str]] = {}
    for student, found in own.items():
        for each in found:
            having.setdefault(each, []).append(student)
    common: Counter[tuple[str, str]] = Counter()
    for students in having.values():
        common.update(combinations(sorted(students), 2))
    listed = [
        Pair(students=both, share=count / min(len(own[name]) for name in both), common=count)
        for both, count in common.items()
        if count >= LEAST
    ]
    kept = [each for each in listed if each.share >= ALIKE]
    return sorted(kept, key=lambda each: (-each.share, -each.common, each.students))


def shingles(cells: Iterable[str]) -> set[Shingle]:
    """The shingles of some cells of code; none goes over the end of a cell."""
    found: set[Shingle] = set()
    for cell in cells:
        words = list(tokens(cell))
        found |= {tuple(words[i : i + LENGTH]) for i in range(len(words) - LENGTH + 1)}
    return found


def tokens(source: str) -> Iterator[str]:
    """The tokens of a cell, as far as it is Python."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            if token.type not in NO_TEXT and token.string.strip():
                yield "a name" if is_name else token.string
    except (tokenize.TokenError, SyntaxError):
        return
