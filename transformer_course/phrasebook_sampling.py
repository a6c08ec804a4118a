"""Random noun phrases and clauses that make sense: what can do what to what, when and where."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from transformer_course import phrasebook_lexicon as lexicon
from transformer_course.phrasebook_lexicon import Adverbial, Noun, Verb
from transformer_course.phrasebook_morphology import MASCULINE, NEUTER, WE, YOU, I
from transformer_course.phrasebook_phrases import (
    POSSESSIVES,
    PRONOUNS,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
)

T = TypeVar("T")


def weighted(table: dict[T, int]) -> tuple[T, ...]:
    """A sequence in which each entry stands as often as its weight, so that a uniform choice is a weighted one."""
    return tuple(entry for entry, weight in table.items() for _ in range(weight))


def nouns_of(classes: Iterable[str], countable: bool = False) -> tuple[Noun, ...]:
    """The nouns that belong to any of these classes."""
    wanted = set(classes)
    return tuple(
        noun
        for noun in lexicon.words_of("noun")
        if noun.classes & wanted and (noun.countable or not countable)
    )


MINE = dict.fromkeys(POSSESSIVES.values(), 3)
SINGULAR = weighted({"the": 42, "a": 24, "this": 8, "every": 4, **MINE})
PLURALS = weighted(
    {"the": 36, "": 20, "this": 6, "two": 6, "three": 6, "many": 6, "some": 6, "all": 6, **MINE}
)
MASS = weighted(
    {"": 24, "the": 18, "this": 2, "my": 2, "your": 2, "his": 2, "her": 2, "our": 2, "their": 2}
)
KNOWN = weighted({"the": 24, "this": 4, **MINE})  # what a question or a denial can be about
KNOWN_SET, PLAIN_SET = frozenset(KNOWN), frozenset(KNOWN) | {"a", ""}
SUBJECTS = weighted({"person": 4, "animal": 1})
TENSES = weighted(
    {"present": 30, "progressive": 14, "past": 26, "perfect": 7, "future": 7, "modal": 16}
)
MODALS = weighted(
    {lexicon.modal(name): 1 for name in ("can", "must", "want to", "should", "be allowed to")}
)
WILL = lexicon.modal("will")
PERSONS = tuple(word for name, word in PRONOUNS.items() if name != "it")
FIRST = frozenset({I, WE})
ADJECTIVES = {
    noun: tuple(a for a in lexicon.words_of("adjective") if a.classes & noun.classes)
    for noun in lexicon.words_of("noun")
}
MOODS = tuple(a for a in lexicon.words_of("adjective") if "mood" in a.classes)
GROWTH = tuple(a for a in lexicon.words_of("adjective") if a.classes & {"mood", "growth"})
ADVERBS = {
    use: tuple(a for a in lexicon.words_of("adverb") if use in a.uses)
    for use in ("frequency", "negative", "already", "yet", "place", "degree", "manner")
}
VERY = lexicon.adverbial("very")
MANNERS = {
    "manner": tuple(lexicon.adverbial(word) for word in ("slowly", "quickly", "alone")),
    "voice": tuple(lexicon.adverbial(word) for word in ("loudly", "quietly", "alone")),
}
TIMES = {
    tense: tuple(t for t in lexicon.words_of("time") if tense in t.uses)
    for tense in ("present", "progressive", "past", "future", "modal")
}
VERBS = {
    complement: tuple(v for v in lexicon.words_of("verb") if v.complement == complement)
    for complement in ("none", "goal", "from", "place", "put", "acc", "dat", "dat acc", "that")
}
OBJECTS = {verb: nouns_of(verb.objects) for verb in lexicon.words_of("verb")}
COMPLEMENTS = weighted(
    {"none": 13, "goal": 8, "from": 4, "place": 8, "put": 5, "acc": 42, "dat": 8, "dat acc": 12}
)
PREPOSITION = {use: lexicon.adverbial(use, "location") for use in ("in", "at", "on")}
AROUND = tuple(lexicon.adverbial(word) for word in ("behind", "in front of", "next to"))
UNDER, ONTO = lexicon.adverbial("under"), lexicon.adverbial("on", "put")
INTO, TO, THROUGH = (lexicon.adverbial(word) for word in ("into", "to", "through"))
OUT_OF = lexicon.adverbial("from", "source of an inside")
FROM = lexicon.adverbial("from", "source of another place")
COMPANY = tuple(lexicon.adverbial(word) for word in ("with", "with", "without"))
FOR = lexicon.adverbial("for")
EVENTS = tuple(lexicon.adverbial(word) for word in ("after", "before", "during"))
CAUSES = tuple(lexicon.adverbial(word) for word in ("because of", "despite"))
CLASS = {
    name: nouns_of([name]) for name in ("person", "animal", "place", "furniture", "event", "cause")
}
CLASS |= {name: nouns_of([name]) for name in ("in", "target", "job", "plant", "room")}
WIDE = tuple(lexicon.noun(word) for word in ("forest", "park", "city", "village", "garden"))
OWNED = frozenset({"clothes", "vehicle", "text", "instrument", "pet", "thing", "room"})
RELATED = nouns_of(
    ["person", "animal", "text", "clothes", "thing", "vehicle", "furniture", "instrument", "food"]
)
BE, BECOME = lexicon.verb("be"), lexicon.verb("become")


class Sampler:
    """Draws clauses from one random stream."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random

    def chance(self, probability: float) -> bool:
        """True this often."""
        return self.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """One of them, each as likely."""
        return options[int(self.random() * len(options))]

    def noun_phrase(self, noun: Noun, known: bool = False, short: bool = False) -> NounPhrase:
        """A noun with a determiner and perhaps an adjective and an owner; `known` leaves out a, every, two, many."""
        plural = noun.countable and self.chance(0.27)
        options = KNOWN if known else PLURALS if plural else SINGULAR if noun.countable else MASS
        if "cause" in noun.classes or (not noun.countable and "event" in noun.classes):
            plural, options = False, ("the",)
        determiner, owner, adjective, degree = self.pick(options), None, None, None
        if self.chance(0.2 if short else 0.36) and ADJECTIVES[noun]:
            adjective = self.pick(ADJECTIVES[noun])
            if determiner == "a" and self.chance(0.08):
                degree = VERY
        if determiner == "the" and not short:
            if "part" in noun.classes:
                owner = NounPhrase(self.pick(CLASS["room"]), False, self.pick(KNOWN))
            elif noun.classes & OWNED and self.chance(0.16):
                owner = NounPhrase(self.pick(CLASS["person"]), self.chance(0.2), self.pick(KNOWN))
        return NounPhrase(noun, plural, determiner, adjective, degree, owner)

    def subject(self, verb: Verb, known: bool, short: bool) -> NounPhrase | Pronoun:
        """Who or what can do this: a pronoun only where a person can."""
        classes = verb.subjects
        if "weather" in classes:
            return PRONOUNS["it"]
        if "person" in classes and self.chance(0.5 if short else 0.33):
            return self.pick(PERSONS)
        if "any" in classes:
            return self.noun_phrase(self.pick(tuple(ADJECTIVES)), known, short)
        if "person" in classes:
            kind = "person"
            if len(classes) > 1 and self.chance(0.4):
                kind = self.pick(sorted(classes - {"person"}))
            return self.noun_phrase(self.pick(nouns(kind)), known, short)
        return self.noun_phrase(self.pick(nouns(*sorted(classes))), known, short)

    def object(
        self, verb: Verb, subject: object, known: bool, short: bool, chance: float = 0.22
    ) -> NounPhrase | Pronoun:
        """What it is done to: never the subject itself, and "them" the only pronoun for things."""
        noun = self.pick(OBJECTS[verb])
        while isinstance(subject, NounPhrase) and subject.noun is noun:
            noun = self.pick(OBJECTS[verb])
        if "person" in noun.classes and self.chance(chance):
            return self.person(subject)
        if noun.countable and "dat" not in verb.complement and self.chance(0.05):
            return PRONOUNS["they"]
        return self.noun_phrase(noun, known, short)

    def person(self, subject: object) -> Pronoun:
        """A pronoun that is not the subject again: no "I help me", no "we help me"."""
        word = self.pick(PERSONS)
        while isinstance(subject, Pronoun) and (
            {word.form, subject.form} <= FIRST or word.form == subject.form == YOU
        ):
            word = self.pick(PERSONS)
        return word

    def location(self, furniture: bool = False) -> Adverbial | PrepositionalPhrase:
        """Where something is: here, at home, in the park, behind the house, on the table."""
        if self.chance(0.16):
            return self.pick(ADVERBS["place"])
        if furniture and self.chance(0.6):
            noun = self.pick(CLASS["furniture"])
            preposition = self.pick((PREPOSITION["on"], PREPOSITION["on"], UNDER, *AROUND[2:]))
        elif self.chance(0.06):
            noun, preposition = CLASS["plant"][0], self.pick((UNDER, UNDER, *AROUND))
        else:
            noun = self.pick(CLASS["place"])
            own = next(PREPOSITION[name] for name in ("in", "at", "on") if name in noun.classes)
            preposition = own
            if self.chance(0.2):
                preposition = self.pick(AROUND)
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, known=True, short=True))

    def goal(self) -> PrepositionalPhrase:
        """Where someone goes: into the garden, to the station, through the park."""
        draw = self.random()
        preposition, pool = (INTO, CLASS["in"]) if draw < 0.4 else (TO, CLASS["target"])
        if draw > 0.88:
            preposition, pool = THROUGH, WIDE
        return PrepositionalPhrase(preposition, self.noun_phrase(self.pick(pool), True, True))

    def source(self) -> PrepositionalPhrase:
        """Where someone comes from: aus for what one can be in, von for what one can be at or on."""
        noun = self.pick(CLASS["place"])
        preposition = OUT_OF if "in" in noun.classes else FROM
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, True, True))

    def together(self, preposition: Adverbial, subject: object) -> PrepositionalPhrase:
        """With whom, without whom, for whom."""
        noun = self.pick(CLASS["person"])
        if self.chance(0.35) or (isinstance(subject, NounPhrase) and subject.noun is noun):
            return PrepositionalPhrase(preposition, self.person(subject))
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, True, True))

    def circumstance(self) -> PrepositionalPhrase:
        """After the concert, during the meeting, because of the rain."""
        if self.chance(0.6):
            return PrepositionalPhrase(
                self.pick(EVENTS), NounPhrase(self.pick(CLASS["event"]), False, "the")
            )
        return PrepositionalPhrase(
            self.pick(CAUSES), NounPhrase(self.pick(CLASS["cause"]), False, "the")
        )


_NOUNS: dict[tuple[str, ...], tuple[Noun, ...]] = {}


def nouns(*classes: str) -> tuple[Noun, ...]:
    """The nouns of these classes, looked up once."""
    if classes not in _NOUNS:
        _NOUNS[classes] = nouns_of(classes)
    return _NOUNS[classes]


def referring(subject: NounPhrase | Pronoun) -> Pronoun | None:
    """The pronoun that takes up a subject again; none where the two languages would disagree (das Mädchen)."""
    if isinstance(subject, Pronoun):
        return subject
    if subject.plural:
        return PRONOUNS["they"]
    if "person" not in subject.noun.classes or subject.noun.gender == NEUTER:
        return None
    return PRONOUNS["he" if subject.noun.gender == MASCULINE else "she"]
