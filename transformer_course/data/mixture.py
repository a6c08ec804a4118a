"""Captions, everyday sentences and phrases together: what the carried translator learns from."""

from collections.abc import Iterable
from itertools import chain, zip_longest

from transformer_course.data import multi30k, phrasebook, tatoeba
from transformer_course.data.likeness import likeness

PAIRS = ("en-de", "de-en")
SPLITS = ("train", "valid")  # each of the three keeps its own test
PHRASES = {"train": 20_000, "valid": 1_000, "test": 1_000}

Pairs = list[tuple[str, str]]


def parts(split: str) -> list[Pairs]:
    """The English-German pairs of each set: captions, everyday sentences, phrases."""
    captions = "test_2016_flickr" if split == "test" else split
    phrases = phrasebook.generate(split, PHRASES[split], seed=0)
    return [
        multi30k.load("en-de", captions, None),
        tatoeba.load("en-de", split, None),
        [(phrase.english, phrase.german) for phrase in phrases],
    ]


def unlike_set_aside(pairs: Iterable[tuple[str, str]]) -> Pairs:
    """English-German pairs, without those that are like one set aside, on either side."""
    aside = list(chain(*parts("valid"), *parts("test")))
    english, german = ({likeness(each[side]) for each in aside} for side in (0, 1))
    return [
        (en, de) for en, de in pairs if likeness(en) not in english and likeness(de) not in german
    ]


def load(pair: str, split: str, count: int | None) -> Pairs:
    """All pairs to learn from that are like none set aside, of any of the three; or, in turn, a
    pair of each to validate with."""
    if split == "valid":
        turns = chain.from_iterable(zip_longest(*parts("valid")))
        chosen = [turn for turn in turns if turn is not None]
    else:
        chosen = unlike_set_aside(chain(*parts("train")))
    if pair == "de-en":
        chosen = [(de, en) for en, de in chosen]
    return chosen[:count]
