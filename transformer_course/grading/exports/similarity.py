"""Which submissions are alike, for a person to look at: a measure, and no verdict.

Each cell of code is cut into tokens, comments among them, spaces not; a name is a token without
its letters, so that renaming changes nothing. A shingle is a run of `LENGTH` tokens. Of a
submission's shingles those count that are not in the released notebook. Submissions are as alike
as the share of the shingles of the one with fewest that the others have too (containment).

Two questions are asked. Who has nearly all of a notebook in common, however many they are? And
which two have much in common that few others have? For what many write is the task, not the writer.
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
SAME = 0.9  # of the shingles of two submissions together, from which they are one and the same
NO_TEXT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Shingle = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Students, the share of the smallest one's shingles that all of them have, and how many."""

    students: tuple[str, ...]
    share: float
    common: int


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """Who is alike, most alike first; and the shingles that counted for no pair, being common."""

    alike: list[Alike]
    left_out: int


def likeness(answers: Mapping[str, Iterable[str]], released: Iterable[str]) -> Likeness:
    """The submissions that are alike. Answers are cells of code, by student."""
    given = shingles(released)
    every = {student: shingles(cells) - given for student, cells in answers.items()}
    counts = Counter(each for found in every.values() for each in found)
    most = max(FEW, OFTEN * len(every))
    rare = {name: {s for s in found if counts[s] <= most} for name, found in every.items()}
    rings = same(every)
    known = {both for ring in rings for both in combinations(ring.students, 2)}
    kept = rings + [each for each in pairs(rare) if each.students not in known]
    return Likeness(
        alike=sorted(kept, key=lambda x: (-x.share, -len(x.students), -x.common, x.students)),
        left_out=sum(count > most for count in counts.values()),
    )


def same(own: Mapping[str, set[Shingle]]) -> list[Alike]:
    """Those who handed in nearly the same, each with all others that did."""
    ring = {name: {name} for name, found in own.items() if len(found) >= LEAST}
    for one, two in combinations(ring, 2):
        less, more = sorted((len(own[one]), len(own[two])))
        if less < SAME * more or ring[one] is ring[two]:
            continue
        common = len(own[one] & own[two])
        if common >= SAME * (less + more - common):
            ring[one] |= ring[two]
            ring |= dict.fromkeys(ring[two], ring[one])
    rings = {id(names): sorted(names) for names in ring.values() if len(names) > 1}
    return [alike(names, own) for names in rings.values()]


def alike(names: Iterable[str], own: Mapping[str, set[Shingle]]) -> Alike:
    """How alike these students' shingles are."""
    sets = [own[name] for name in names]
    common = len(set.intersection(*sets))
    return Alike(students=tuple(names), share=common / min(map(len, sets)), common=common)


def pairs(own: Mapping[str, set[Shingle]]) -> list[Alike]:
    """Any two that have much in common."""
    having: dict[Shingle, list[str]] = {}
    for student, found in own.items():
        for each in found:
            having.setdefault(each, []).append(student)
    common: Counter[tuple[str, str]] = Counter()
    for students in having.values():
        common.update(combinations(sorted(students), 2))
    listed = [alike(both, own) for both, count in common.items() if count >= LEAST]
    return [each for each in listed if each.share >= ALIKE]


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
