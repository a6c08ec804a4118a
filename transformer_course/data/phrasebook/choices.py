"""What goes with what in the phrasebook, and how often."""

from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.lexicon import Noun
from transformer_course.data.phrasebook.morphology import MASCULINE, NEUTER, WE, I
from transformer_course.data.phrasebook.phrases import (
    POSSESSIVES,
    PRONOUNS,
    NounPhrase,
    Pronoun,
)

T = TypeVar("T")


def weighted(table: dict[T, int]) -> tuple[T, ...]:
    """Each entry as often as its weight says, so that a uniform choice is a weighted one."""
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
KIN = weighted({"the": 8, "this": 1, **MINE})  # "a mother" and "every uncle" would sound odd
KINSHIP = weighted({"the": 3, "this": 1, "our": 2, "their": 2})
WILD = weighted(
    {"the": 46, "a": 24, "this": 10, "every": 5}
)  # nobody's: the king, the wolf, the river
WILD_PLURALS = weighted(
    {"the": 40, "": 18, "this": 8, "two": 7, "three": 7, "many": 7, "some": 7, "all": 6}
)
WILD_KNOWN = weighted({"the": 6, "this": 1})
NOBODYS = frozenset({"person", "animal", "place", "plant", "event"})
SOMEBODYS = frozenset({"kin", "mine", "pet", "home"})
TENSES = weighted(
    {"present": 30, "progressive": 14, "past": 26, "perfect": 9, "future": 7, "modal": 16}
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
TRAITS = tuple(a for a in lexicon.words_of("adjective") if "person" in a.classes and a not in MOODS)
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
    complement: tuple(
        v
        for v in lexicon.words_of("verb")
        if v.complement == complement and "weather" not in v.subjects
    )
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
SINGLE = frozenset({"place", "event", "part", "plant", "cause"})  # the plural would be rare or odd
OUTDOORS = {
    kind: tuple(noun for noun in CLASS[kind] if "outdoors" in noun.classes)
    for kind in ("place", "in", "target")
}
RELATED = nouns_of(
    ["person", "animal", "text", "clothes", "thing", "vehicle", "furniture", "instrument", "food"]
)
DESCRIBED = tuple(noun for noun, adjectives in ADJECTIVES.items() if adjectives)
SKY = nouns_of(["sky"])
BE, BECOME = lexicon.verb("be"), lexicon.verb("become")


def determiners(noun: Noun, plural: bool, known: bool) -> tuple[str, ...]:
    """The determiners a noun can take, as often as they should come."""
    if "cause" in noun.classes or ("event" in noun.classes and not noun.countable):
        return ("the",)
    if "kin" in noun.classes:
        return KINSHIP if plural else KIN
    if noun.classes & NOBODYS and not noun.classes & SOMEBODYS:
        return WILD_KNOWN if known else WILD_PLURALS if plural else WILD
    if known:
        return KNOWN
    return PLURALS if plural else SINGULAR if noun.countable else MASS


@cache
def nouns(*classes: str) -> tuple[Noun, ...]:
    """The nouns of these classes, looked up once."""
    return nouns_of(classes)


def referring(subject: NounPhrase | Pronoun) -> Pronoun | None:
    """The pronoun that takes up a person again; none where the languages disagree (das Mädchen)."""
    if isinstance(subject, Pronoun):
        return subject
    if "person" not in subject.noun.classes:
        return None
    if subject.plural:
        return PRONOUNS["they"]
    if subject.noun.gender == NEUTER:
        return None
    return PRONOUNS["he" if subject.noun.gender == MASCULINE else "she"]
