"""Sentences with their truth: which word hangs on which, and which German word hangs on what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from transformer_course.data.grammar.lexicon import ADJECTIVES, Noun
from transformer_course.data.phrasebook.morphology import DER, EIN, MIXED, PLURAL, WEAK
from transformer_course.data.phrasebook.sampling import Chooser

CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("von", "dem"): "vom",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
}


@dataclass(eq=False)
class Word:
    """A word while its sentence is built: its head, and what it is to it."""

    text: str
    head: "Word | None" = None
    relation: str = "root"


@dataclass(eq=False)
class Question:
    """What a German word depends on: the place that must look, where, and who is decided."""

    name: str
    asks: Word
    answer: Word
    decided: list[Word]


class Link(NamedTuple):
    """A question by places: English word, English word it depends on, German words decided."""

    name: str
    asks: int
    answer: int
    decided: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """An English sentence, its German, and what is true of them; words counted from 0.

    `arcs` are (word, its head, relation), the full stop and commas left out; the root is its own
    head. `content` is what the splits are made by.
    """

    kind: str
    content: str
    english_words: tuple[str, ...]
    german_words: tuple[str, ...]
    arcs: tuple[tuple[int, int, str], ...]
    links: tuple[Link, ...]

    @property
    def english(self) -> str:
        """As it is written."""
        return written(self.english_words)

    @property
    def german(self) -> str:
        """As it is written."""
        return written(self.german_words)


def written(words: Sequence[str]) -> str:
    """Words joined, no space before punctuation."""
    return " ".join(words).replace(" ,", ",").replace(" .", ".")


class NounPhrase(NamedTuple):
    """The words of a noun with what stands before and after it, and the noun's own."""

    english: list[Word]
    german: list[Word]
    noun: Word


def german(text: str) -> list[Word]:
    """German words; nobody asks for their heads."""
    return [Word(each) for each in text.split()]


def hang(words: Sequence[Word], head: Word, relation: str) -> list[Word]:
    """Hang those that have no head yet on one."""
    for word in words:
        if word.head is None and word is not head:
            word.head, word.relation = head, relation
    return list(words)


def noun_phrase(
    noun: Noun, case: int, *, plural: bool = False, adjective: str = "", article: str = "the"
) -> NounPhrase:
    """The black dogs: die schwarzen Hunde."""
    row = PLURAL if plural else noun.gender
    name = Word(noun.english[plural])
    english = [Word(article, name, "article")]
    determiner = DER[row][case] if article == "the" else "ein" + EIN[row][case]
    words = [determiner]
    if adjective:
        english.append(Word(adjective, name, "adjective"))
        ending = (WEAK if article == "the" else MIXED)[row][case]
        words.append(ADJECTIVES[adjective] + ending)
    words.append(noun.german[plural][case])
    return NounPhrase([*english, name], [Word(each) for each in words], name)


def with_preposition(english: str, preposition: str, phrase: NounPhrase) -> NounPhrase:
    """Behind the house: the preposition hangs on the noun, and the noun on what is asked later."""
    words = [Word(each, phrase.noun, "preposition") for each in english.split()]
    first, *rest = phrase.german
    short = CONTRACTIONS.get((preposition, first.text))
    opening = [Word(short)] if short else [Word(preposition), first]
    return NounPhrase([*words, *phrase.english], [*opening, *rest], phrase.noun)


def attach(phrase: NounPhrase, place: NounPhrase) -> NounPhrase:
    """A noun phrase with a place behind it: the lamp in the kitchen."""
    hang([place.noun], phrase.noun, "place")
    return NounPhrase(
        [*phrase.english, *place.english], [*phrase.german, *place.german], phrase.noun
    )


def finish(
    kind: str,
    content: str,
    english: Sequence[Word],
    german: Sequence[Word],
    questions: Sequence[Question],
) -> Sentence:
    """Words become places; the first is written with a capital, and a full stop ends."""
    place = {id(word): n for side in (english, german) for n, word in enumerate(side)}
    texts = [[word.text for word in side] + ["."] for side in (english, german)]
    for side in texts:
        side[0] = side[0][0].upper() + side[0][1:]
    return Sentence(
        kind,
        content,
        tuple(texts[0]),
        tuple(texts[1]),
        tuple(
            (n, place[id(word.head or word)], word.relation)
            for n, word in enumerate(english)
            if word.text != ","
        ),
        tuple(
            Link(
                each.name,
                place[id(each.asks)],
                place[id(each.answer)],
                tuple(sorted(place[id(word)] for word in each.decided)),
            )
            for each in questions
        ),
    )


TIMES = (("yesterday", "gestern"), ("today", "heute"), ("at first", "zuerst"))


def opening(
    choose: Chooser, times: Sequence[tuple[str, str]], head: Word
) -> tuple[list[Word], list[Word]]:
    """Yesterday: a time before everything else."""
    english, words = choose.pick(times)
    *rest, last = [Word(each) for each in english.split()]
    return hang([*hang(rest, last, "preposition"), last], head, "time"), german(words)
