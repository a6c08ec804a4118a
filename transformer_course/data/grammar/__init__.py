"""Sentences whose truth is known: what "it" stands for, what tells a meaning, what hangs on what.

A little grammar beside the phrasebook. It writes four kinds of sentence, in equal parts, in which
one German word depends on an English word elsewhere:

- pronoun: "The animal did not cross the street because it was too wide." The two nouns differ in
  German gender; the reason tells for which of them "it" stands, and so whether it is er, sie or es.
- sense: "The man walked to the bank because he wanted to swim." A word has two translations, and
  one other word tells which.
- particle: "The man turns the old lamp in the kitchen off." The last word decides the verb.
- agreement: "The dogs behind the house slept." The English verb does not show its number, the
  German one must; nouns in between mislead.

Each sentence also has its tree: on which word every English word hangs. The words are in words.tsv.
"""

from hashlib import sha256

from transformer_course.data.grammar.distances import agreement, particle
from transformer_course.data.grammar.pronouns import pronoun
from transformer_course.data.grammar.senses import sense
from transformer_course.data.grammar.trees import Link, Sentence
from transformer_course.data.phrasebook.sampling import Chooser
from transformer_course.errors import DataError

__all__ = ["KINDS", "LARGEST", "SPLITS", "Link", "Sentence", "generate", "split_of"]

SPLITS = ("train", "valid", "test")
LARGEST = {"train": 200_000, "valid": 20_000, "test": 20_000}
KINDS = {"pronoun": pronoun, "sense": sense, "particle": particle, "agreement": agreement}
SALT = 1225114  # chosen so that the examples of the book are among the tests


def split_of(kind: str, content: str) -> str:
    """The split of what a sentence is about: 8 in 10 train, 1 valid, 1 test.

    Of a pronoun's sentence that is the pair of nouns; of a sense the word, its cue and the pattern
    (and who goes to the bank, and how); of a particle verb the verb with its object; of an
    agreement the subject, its number and the next noun. So these stand together in test sentences
    and in no other.
    """
    digest = sha256(f"{SALT} {kind} {content}".encode()).digest()
    return (*["train"] * 8, "valid", "test")[int.from_bytes(digest[:4], "big") % 10]


def generate(split: str, count: int, seed: int = 0, kind: str | None = None) -> list[Sentence]:
    """Write `count` distinct sentences of a split, of all kinds in turn or of one.

    Raises:
        DataError: split or kind is unknown, or the count is not between 1 and `LARGEST[split]`.
    """
    if split not in SPLITS:
        raise DataError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    if kind is not None and kind not in KINDS:
        raise DataError(f"unknown kind {kind!r}: choose one of {', '.join(KINDS)}")
    if not 1 <= count <= LARGEST[split]:
        raise DataError(
            f"count={count} sentences of {split!r}: ask for 1 to {LARGEST[split]:,}, "
            "as many distinct ones as the grammar is known to reach"
        )
    choose, kinds = Chooser(seed), [kind] if kind else [*KINDS]
    found: dict[str, Sentence] = {}
    while len(found) < count:
        sentence = KINDS[kinds[len(found) % len(kinds)]](choose)
        if split_of(sentence.kind, sentence.content) == split:
            found.setdefault(sentence.english, sentence)
    return list(found.values())
