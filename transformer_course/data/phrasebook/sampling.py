"""Random noun phrases, places and company that make sense."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from transformer_course.data.phrasebook import choices as sense
from transformer_course.data.phrasebook.lexicon import Adverbial, Noun, Verb
from transformer_course.data.phrasebook.morphology import YOU
from transformer_course.data.phrasebook.phrases import (
    PRONOUNS,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
)

T = TypeVar("T")


@cache
def running_shares(count: int) -> list[float]:
    """The shares of the first rank, the first two, and so on up to `count`, not yet normalized."""
    return list(accumulate(1 / rank for rank in range(1, count + 1)))


class Chooser:
    """Draws from one stream of random numbers, the same on every machine."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random

    def chance(self, probability: float) -> bool:
        """True this often."""
        return self.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """One of them, each as likely."""
        return options[int(self.random() * len(options))]


class Sampler(Chooser):
    """Draws clauses from one random stream."""

    def word(self, options: Sequence[T]) -> T:
        """One of the lexicon's words: what stands earlier there comes more often, as in life.

        The share of the word of rank r is proportional to 1 / r, as in real text (Zipf 1949).
        """
        shares = running_shares(len(options))
        return options[bisect_right(shares, self.random() * shares[-1])]

    def plural(self, noun: Noun) -> bool:
        """Whether to take the plural: seldom of kin, never of milk, rain and places."""
        usual = 0.1 if "kin" in noun.classes else 0.3
        return noun.countable and not noun.classes & sense.SINGLE and self.chance(usual)

    def noun_phrase(
        self, noun: Noun, known: bool = False, short: bool = False, single: bool = False
    ) -> NounPhrase:
        """A noun, its determiner, perhaps adjective and owner; `known` leaves out a, every, two."""
        plural = not single and self.plural(noun)
        determiner = self.pick(sense.determiners(noun, plural, known))
        if not determiner and "person" in noun.classes:
            determiner = "the"
        owner, adjective, degree = None, None, None
        if self.chance(0.2 if short else 0.36) and sense.ADJECTIVES[noun]:
            adjective = self.word(sense.ADJECTIVES[noun])
            if determiner == "a" and "absolute" not in adjective.classes and self.chance(0.1):
                degree = sense.VERY
        if determiner == "the" and not short:
            if "part" in noun.classes:
                owner = NounPhrase(self.word(sense.CLASS["room"]), False, self.pick(sense.KNOWN))
            elif noun.classes & sense.OWNED and self.chance(0.16):
                person = self.word(sense.CLASS["person"])
                many = "kin" not in person.classes and self.chance(0.2)
                known_owner = sense.determiners(person, many, True)
                owner = NounPhrase(person, many, self.pick(known_owner))
        return NounPhrase(noun, plural, determiner, adjective, degree, owner)

    def subject(self, verb: Verb, known: bool, short: bool) -> NounPhrase | Pronoun:
        """Who or what can do this: a pronoun only where a person can."""
        classes = verb.subjects
        if "weather" in classes:
            return PRONOUNS["it"]
        if classes & {"person", "any"} and self.chance(0.5 if short else 0.33):
            return self.pick(sense.PERSONS)
        pool = sense.DESCRIBED if "any" in classes else sense.nouns(*sorted(classes))
        if "person" in classes and (len(classes) == 1 or self.chance(0.6)):
            pool = sense.CLASS["person"]
        found = self.noun_phrase(self.word(pool), known, short)
        return found if found.determiner else found._replace(determiner="the")

    def object(
        self,
        verb: Verb,
        subject: NounPhrase | Pronoun,
        known: bool,
        short: bool,
        chance: float = 0.22,
    ) -> NounPhrase | Pronoun:
        """What it is done to: never the subject itself, and "them" the only pronoun for things."""
        noun = self.word(sense.OBJECTS[verb])
        while isinstance(subject, NounPhrase) and subject.noun is noun:
            noun = self.word(sense.OBJECTS[verb])
        if "person" in noun.classes and self.chance(chance):
            return self.person(subject)
        if noun.countable and "dat" not in verb.complement and self.chance(0.05):
            return PRONOUNS["they"]
        single = verb.objects == {"instrument"}
        return self.noun_phrase(noun, known, short, single)

    def person(self, subject: NounPhrase | Pronoun) -> Pronoun:
        """A pronoun that is not the subject again: no "I help me", no "we help me"."""
        word = self.pick(sense.PERSONS)
        while isinstance(subject, Pronoun) and (
            {word.form, subject.form} <= sense.FIRST or word.form == subject.form == YOU
        ):
            word = self.pick(sense.PERSONS)
        return word

    def sky(self) -> Adverbial | PrepositionalPhrase:
        """Where it rains."""
        if self.chance(0.3):
            return self.pick(sense.ADVERBS["place"][:2])
        noun = self.word(sense.SKY)
        return self.inside(noun)

    def inside(self, noun: Noun) -> PrepositionalPhrase:
        """In, at or on a place, as the place asks: in the house, at the station, on the farm."""
        own = next(sense.PREPOSITION[name] for name in ("in", "at", "on") if name in noun.classes)
        return PrepositionalPhrase(own, self.noun_phrase(noun, True, True, True))

    def location(
        self, furniture: bool = False, animal: bool = False
    ) -> Adverbial | PrepositionalPhrase:
        """Where something is: here, at home, in the park, behind the house, on the table."""
        if self.chance(0.16):
            return self.pick(sense.ADVERBS["place"])
        if furniture and self.chance(0.6):
            noun = self.word(sense.CLASS["furniture"])
            preposition = self.pick(
                (sense.PREPOSITION["on"], sense.PREPOSITION["on"], sense.UNDER, *sense.AROUND[2:])
            )
        elif self.chance(0.06):
            noun, preposition = (
                sense.CLASS["plant"][0],
                self.pick((sense.UNDER, sense.UNDER, *sense.AROUND)),
            )
        else:
            noun = self.word((sense.OUTDOORS if animal else sense.CLASS)["place"])
            near = "built" in noun.classes and "sky" not in noun.classes and self.chance(0.28)
            if not near:
                return self.inside(noun)
            preposition = self.pick(sense.AROUND)
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, True, True, True))

    def goal(self, verb: Verb, animal: bool = False) -> PrepositionalPhrase:
        """Where someone goes: into the garden, to the station, through the park."""
        draw = self.random()
        preposition, kind = (sense.INTO, "in") if draw < 0.4 else (sense.TO, "target")
        pool = (sense.OUTDOORS if animal else sense.CLASS)[kind]
        if verb.infinitive == "fahren" and draw < 0.4:
            pool = sense.WIDE[2:4]  # one drives into a city, not into a kitchen
        if draw > 0.88:
            preposition, pool = sense.THROUGH, sense.WIDE
        return PrepositionalPhrase(preposition, self.noun_phrase(self.word(pool), True, True, True))

    def source(self, animal: bool = False) -> PrepositionalPhrase:
        """Where someone comes from: aus for what one is in, von for what one is at or on."""
        noun = self.word((sense.OUTDOORS if animal else sense.CLASS)["place"])
        preposition = sense.OUT_OF if "in" in noun.classes else sense.FROM
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, True, True, True))

    def together(
        self, preposition: Adverbial, subject: NounPhrase | Pronoun
    ) -> PrepositionalPhrase:
        """With whom, without whom, for whom."""
        noun = self.word(sense.CLASS["person"])
        if self.chance(0.35) or (isinstance(subject, NounPhrase) and subject.noun is noun):
            return PrepositionalPhrase(preposition, self.person(subject))
        return PrepositionalPhrase(preposition, self.noun_phrase(noun, True, True))

    def circumstance(self) -> PrepositionalPhrase:
        """After the concert, during the meeting, because of the rain."""
        if self.chance(0.6):
            return PrepositionalPhrase(
                self.pick(sense.EVENTS), NounPhrase(self.word(sense.CLASS["event"]), False, "the")
            )
        return PrepositionalPhrase(
            self.pick(sense.CAUSES), NounPhrase(self.word(sense.CLASS["cause"]), False, "the")
        )
