"""The English-German phrasebook: a little grammar that writes parallel sentences, words aligned.

One sentence of English has exactly one translation here, so there are conventions. "you" is always
one friend (du). The simple past is the German perfect (hat gekauft), but was and had are war and
hatte, and modal verbs stand in the simple past. "I put" and "they read" are always the present.
"not allowed to" is darf nicht, "not have to" is muss nicht. A job in the masculine (Lehrer) stands
for any teacher. The words are in lexicon.tsv; to add a word, add a line.
"""

import re
from zlib import crc32

from transformer_course.data.phrasebook.kinds import KINDS
from transformer_course.data.phrasebook.lexicon import Lemma, lemmas
from transformer_course.data.phrasebook.sentences import Phrase
from transformer_course.data.phrasebook.writer import Writer
from transformer_course.errors import DataError

__all__ = ["LARGEST", "SPLITS", "Lemma", "Phrase", "generate", "lemmas", "split_of", "words"]

SPLITS = ("train", "valid", "test")
LARGEST = {"train": 1_000_000, "valid": 100_000, "test": 100_000}
WORD = re.compile(r"'s|\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Split a sentence into words; punctuation marks and the possessive 's count as words."""
    return WORD.findall(text)


def split_of(german: str) -> str:
    """The split of a sentence, by a checksum of its German: 8 in 10 train, 1 valid, 1 test.

    English determines German, so no sentence of either side is in two splits.
    """
    return (*["train"] * 8, "valid", "test")[crc32(german.encode()) % 10]


def generate(split: str, count: int, seed: int = 0) -> list[Phrase]:
    """Write `count` distinct phrases of a split; the same arguments give the same list everywhere.

    Raises:
        DataError: the split is unknown, or the count is not between 1 and `LARGEST[split]`.
    """
    if split not in SPLITS:
        raise DataError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    if not 1 <= count <= LARGEST[split]:
        raise DataError(
            f"count={count} phrases of {split!r}: ask for 1 to {LARGEST[split]:,}, "
            "as many distinct ones as the grammar is known to reach"
        )
    writer = Writer(seed)
    phrases: dict[str, Phrase] = {}
    while len(phrases) < count:
        phrase = writer.pick(KINDS)(writer)
        if split_of(phrase.german) == split:
            phrases.setdefault(phrase.english, phrase)
    return list(phrases.values())
