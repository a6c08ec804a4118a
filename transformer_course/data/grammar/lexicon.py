"""The grammar's words: words.tsv, one a line, and their forms."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from transformer_course.data.phrasebook.morphology import (
    FEMININE,
    GENDERS,
    MASCULINE,
    english_plural,
    german_noun,
)

PRONOUNS = {GENDERS["m"]: "er", GENDERS["f"]: "sie", GENDERS["n"]: "es"}


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun, or one sense of an ambiguous one: both numbers, the German in four cases."""

    english: tuple[str, str]
    german: tuple[tuple[str, ...], ...]  # [plural][case]
    gender: int
    classes: frozenset[str]
    qualities: tuple[str, ...]  # what it can be too much of; of a sense: the words that tell it
    countable: bool

    @property
    def pronoun(self) -> str:
        """Er, sie or es."""
        return PRONOUNS[self.gender]

    @property
    def person(self) -> tuple[str, str]:
        """He and er, or she and sie: of people."""
        return {MASCULINE: ("he", "er"), FEMININE: ("she", "sie")}[self.gender]


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """The lines of words.tsv, split at the tabs, padded to five columns."""
    text = (files("transformer_course.data.grammar") / "words.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(tuple((line.split("\t") + [""] * 5)[:5]) for line in lines)


def read_noun(english: str, german: str, classes: str, qualities: str) -> Noun:
    """A noun from its columns."""
    singular, *rest = english.split(", ")
    word, gender, plural, *weak = german.split()
    return Noun(
        english=(singular, rest[0] if rest else english_plural(singular)),
        german=german_noun(word, GENDERS[gender], plural, bool(weak)),
        gender=GENDERS[gender],
        classes=frozenset(classes.split()),
        qualities=tuple(qualities.split()),
        countable=plural != "-",
    )


NOUNS = tuple(read_noun(*rest) for kind, *rest in rows() if kind == "noun")
SENSES = tuple(
    read_noun(english, german, "", cues)
    for kind, english, german, cues, _ in rows()
    if kind == "sense"
)
ADJECTIVES = {english: german for kind, english, german, *_ in rows() if kind == "adjective"}


@cache
def nouns(kind: str) -> tuple[Noun, ...]:
    """Every noun that can be this: an animal, what is crossed."""
    return tuple(noun for noun in NOUNS if kind in noun.classes)


@cache
def noun(english: str) -> Noun:
    """A noun by its English."""
    return next(each for each in NOUNS if each.english[0] == english)
