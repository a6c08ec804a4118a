"""The phrasebook's words: lexicon.tsv, one lemma a line, and the forms it leaves out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from transformer_course.data.phrasebook import morphology


class Lemma(NamedTuple):
    """One line of the lexicon: what kind of word it is, the English lemma and the German one."""

    kind: str
    english: str
    german: str


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun: `english[plural]` and `german[plural][case]`; milk and rain are not `countable`."""

    english: tuple[str, str]
    german: tuple[tuple[str, ...], ...]
    gender: int
    countable: bool
    classes: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective: the German predicate, and the stem that takes endings (teuer, but teure)."""

    english: str
    german: str
    stem: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb; `particle` is the up of "wake up", `prefix` the auf of "aufwachen"."""

    base: str
    third: str
    past: str
    participle: str
    ing: str
    particle: tuple[str, ...]
    movable: bool  # the particle follows a pronoun: "picks him up"
    infinitive: str  # without the prefix
    prefix: str
    present: tuple[str, ...]
    german_participle: str
    auxiliary: str  # haben or sein
    subjects: frozenset[str]
    complement: str
    objects: frozenset[str]
    flags: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Adverbial:
    """An adverb, a time or a preposition: fixed words on both sides, and what it goes with."""

    english: tuple[str, ...]
    german: tuple[str, ...]
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Modal:
    """A modal verb, or the future's will: present and past forms (no past: an empty tuple)."""

    english: str
    english_past: str
    infinitive: str
    present: tuple[str, ...]
    past: tuple[str, ...]


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """The lexicon's lines, split at the tabs, padded to six columns."""
    text = (files("transformer_course.data.phrasebook") / "lexicon.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(tuple((line.split("\t") + [""] * 6)[:6]) for line in lines)


def lemmas() -> list[Lemma]:
    """Every word of the phrasebook once, in the order of the lexicon."""
    every = (Lemma(kind, lemma(english), lemma(german)) for kind, english, german, *_ in rows())
    return list(dict.fromkeys(every))


def lemma(field: str) -> str:
    """The dictionary form at the start of a field: "man, men" is man, "Mann m Männer" is Mann."""
    first = field.split(", ")[0]
    words = first.split()
    if len(words) > 2 and words[1] in morphology.GENDERS:
        return words[0]
    return words[0] if len(words) > 2 and words[0] in PRONOUNS else first.replace("|", "")


PRONOUNS = frozenset(["I", "you", "he", "she", "we", "they", "ich", "du", "er", "sie", "wir"])


def read_noun(english: str, german: str, classes: str, *_: str) -> Noun:
    """A noun from its line: an irregular English plural, and gender and plural of the German."""
    singular, *rest = english.split(", ")
    word, gender, plural, *weak = german.split()
    return Noun(
        english=(singular, rest[0] if rest else morphology.english_plural(singular)),
        german=morphology.german_noun(word, morphology.GENDERS[gender], plural, bool(weak)),
        gender=morphology.GENDERS[gender],
        countable=plural != "-",
        classes=frozenset(classes.split()),
    )


def read_adjective(english: str, german: str, classes: str, *_: str) -> Adjective:
    """An adjective from its line; the German stem where it differs."""
    word, *stem = german.split(", ")
    return Adjective(english, word, stem[0] if stem else word, frozenset(classes.split()))


def read_verb(english: str, german: str, subjects: str, complement: str, flags: str) -> Verb:
    """A verb from its line, with the forms that cannot be derived."""
    phrase, *parts = english.split(", ")
    base, *particle = phrase.replace("(", "").replace(")", "").split()
    past, participle = parts[:2] if parts else [morphology.english_past(base)] * 2
    ing = parts[2] if len(parts) > 2 else morphology.english_ing(base)
    infinitive, *forms = german.split(", ")
    auxiliary = "sein" if forms[-1:] == ["sein"] else "haben"
    third, german_participle = forms[:2] if len(forms) > 1 else (None, None)
    prefix, _, stem = infinitive.rpartition("|")
    kind = [word for word in complement.split() if word in ("dat", "acc")]
    return Verb(
        base=base,
        third="has" if base == "have" else morphology.english_plural(base),
        past=past,
        participle=participle,
        ing=ing,
        particle=tuple(particle),
        movable="(" in phrase,
        infinitive=stem,
        prefix=prefix,
        present=morphology.german_present(stem, third.split()[0] if third else None),
        german_participle=german_participle or morphology.german_participle(stem, prefix),
        auxiliary=auxiliary,
        subjects=frozenset(subjects.split()),
        complement=" ".join(kind) or complement.split()[0],
        objects=frozenset(complement.split()) - {"dat", "acc", "put"},
        flags=frozenset(flags.split()),
    )


def read_adverbial(english: str, german: str, *uses: str) -> Adverbial:
    """An adverbial from its line, and where it may stand."""
    split = uses[0].split() + [use for use in uses[1:] if use]
    return Adverbial(tuple(english.split()), tuple(german.split()), tuple(split))


def read_modal(english: str, german: str, *_: str) -> Modal:
    """A modal verb from its line, with what it becomes in the past."""
    now, *english_past = english.split(", ")
    infinitive, first, *simple_past = german.split(", ")
    forms = morphology.german_past(first)
    if first != "sollte":
        forms = morphology.german_present(infinitive, first)
    past_forms = morphology.german_past(simple_past[0]) if simple_past else ()
    return Modal(now, "".join(english_past), infinitive, forms, past_forms)


READERS: dict[str, Callable[..., Any]] = {
    "noun": read_noun,
    "adjective": read_adjective,
    "verb": read_verb,
    "modal": read_modal,
}


@cache
def words_of(kind: str) -> tuple:
    """Every word of one kind, in the order of the lexicon."""
    read = READERS.get(kind, read_adverbial)
    return tuple(read(*columns) for found, *columns in rows() if found == kind)


@cache
def noun(english: str) -> Noun:
    """The noun with this English singular."""
    return next(found for found in words_of("noun") if found.english[0] == english)


@cache
def adjective(english: str) -> Adjective:
    """The adjective with this English word."""
    return next(found for found in words_of("adjective") if found.english == english)


@cache
def verb(english: str, use: str | None = None) -> Verb:
    """The verb with this English lemma; `use`, its complement or subject, tells know from know."""
    return next(
        found
        for found in words_of("verb")
        if " ".join((found.base, *found.particle)) == english
        and use in (None, found.complement, *found.subjects)
    )


@cache
def adverbial(english: str, use: str | None = None) -> Adverbial:
    """The adverb, time or preposition; `use` tells on (location) from on (put)."""
    every = words_of("adverb") + words_of("time") + words_of("preposition")
    return next(
        found
        for found in every
        if " ".join(found.english) == english and use in (None, *found.uses)
    )


@cache
def modal(english: str) -> Modal:
    """The modal verb with this English present, "can" or "want to"."""
    return next(found for found in words_of("modal") if found.english == english)
