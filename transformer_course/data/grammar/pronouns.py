"""What "it" stands for: of two nouns with different German genders, the reason tells which."""

from typing import NamedTuple

from transformer_course.data.grammar.lexicon import ADJECTIVES, nouns
from transformer_course.data.grammar.trees import (
    TIMES,
    NounPhrase,
    Question,
    Sentence,
    Word,
    attach,
    finish,
    german,
    hang,
    noun_phrase,
    opening,
    with_preposition,
)
from transformer_course.data.phrasebook.morphology import ACCUSATIVE, DATIVE, NOMINATIVE
from transformer_course.data.phrasebook.sampling import Chooser

MOODS = ("tired", "weak", "scared", "sick", "lazy")


class Scene(NamedTuple):
    """Who can fail to do what to what, and what either can be too much of.

    English base and past; German er-form, participle, infinitive; the preposition, if any.
    """

    english: tuple[str, str]
    german: tuple[str, str, str]
    preposition: tuple[str, str]
    doer: str
    done_to: str
    doer_reasons: tuple[str, ...]
    done_to_reasons: tuple[str, ...]


NONE = ("", "")
SCENES = (
    Scene(
        ("cross", "crossed"), ("überquert", "überquert", "überqueren"), NONE,
        "animal", "crossed", MOODS, ("wide", "long", "slippery", "deep"),
    ),
    Scene(
        ("swim", "swam"), ("durchschwimmt", "durchschwommen", "durchschwimmen"), ("across", ""),
        "animal", "swum", MOODS, ("wide", "deep"),
    ),
    Scene(
        ("climb", "climbed"), ("besteigt", "bestiegen", "besteigen"), NONE,
        "animal", "climbed", MOODS, ("high", "steep", "slippery"),
    ),
    Scene(
        ("eat", "ate"), ("frisst", "gefressen", "fressen"), NONE,
        "animal", "eaten", MOODS, ("hot", "hard", "salty", "sour", "sweet"),
    ),
    Scene(
        ("pull", "pulled"), ("zieht", "gezogen", "ziehen"), NONE,
        "strong", "pulled", MOODS, ("heavy", "big"),
    ),
    Scene(
        ("enter", "entered"), ("betritt", "betreten", "betreten"), NONE,
        "animal", "entered", MOODS, ("dark", "loud", "narrow"),
    ),
    Scene(
        ("use", "used"), ("benutzt", "benutzt", "benutzen"), NONE,
        "vehicle", "used", ("heavy", "wide", "big"), ("narrow", "slippery", "steep"),
    ),
    Scene(
        ("fit", "fit"), ("passt", "gepasst", "passen"), ("into", "in"),
        "parcel", "holder", ("big", "thick", "wide", "long"), ("small", "narrow", "full"),
    ),
    Scene(
        ("cover", "covered"), ("bedeckt", "bedeckt", "bedecken"), NONE,
        "cover", "covered", ("small", "short", "narrow"), ("big", "long", "wide"),
    ),
)  # fmt: skip
LOOKS = ("beautiful", "strange", "black", "white", "brown")
LANDMARKS = (("behind", "hinter"), ("next to", "neben"), ("in front of", "vor"))
OUTDOORS = ("crossed", "climbed", "entered", "used")


def landmark(choose: Chooser) -> NounPhrase:
    """Behind the church."""
    place = noun_phrase(choose.pick(nouns("landmark")), DATIVE)
    return with_preposition(*choose.pick(LANDMARKS), place)


def pronoun(choose: Chooser) -> Sentence:
    """The animal did not cross the street because it was too tired (es) or too wide (sie)."""
    scene = choose.pick(SCENES)
    doer, other = choose.pick(nouns(scene.doer)), choose.pick(nouns(scene.done_to))
    while doer.gender == other.gender or doer is other:
        doer, other = choose.pick(nouns(scene.doer)), choose.pick(nouns(scene.done_to))
    means_doer = choose.chance(0.5)
    reasons = scene.doer_reasons if means_doer else scene.done_to_reasons
    meant = doer if means_doer else other
    if meant.qualities:
        reasons = tuple(each for each in reasons if each in meant.qualities)
    reason = choose.pick(reasons)
    looks = [choose.pick(LOOKS) if choose.chance(0.3) else "" for _ in range(2)]
    subject = noun_phrase(doer, NOMINATIVE, adjective=looks[0])
    object_ = noun_phrase(other, ACCUSATIVE, adjective=looks[1])
    if scene.preposition != NONE:
        before, after = scene.preposition
        object_ = with_preposition(before, after, object_) if after else across(before, object_)
    if scene.done_to in OUTDOORS and other.classes.isdisjoint({"landmark"}) and choose.chance(0.3):
        object_ = attach(object_, landmark(choose))
    despite = choose.chance(0.25)
    tense = "past" if despite else choose.pick(("past", "past", "present", "could"))
    helpers = {"past": "did not", "present": "does not", "could": "could not"}[tense]
    verb = Word(scene.english[1 if despite else 0])
    doing = [verb]
    if not despite:
        doing = [*(Word(each, verb, "auxiliary") for each in helpers.split()), verb]
    hang([subject.noun], verb, "subject")
    hang([object_.noun], verb, "object")
    third, participle, infinitive = scene.german
    nicht = [] if despite else german("nicht")
    finite, last = {
        "past": ("hat", participle),
        "present": (third, ""),
        "could": ("konnte", infinitive),
    }[tense]
    negation = [*nicht, *object_.german] if scene.preposition[1] else [*object_.german, *nicht]
    rest = [*negation, *german(last)]

    it, pronoun_, being = Word("it"), Word(meant.pronoun), "is" if tense == "present" else "was"
    why = Word(reason, verb, "reason")
    degree, how = ("very", "sehr") if despite else ("too", "zu")
    link = Word("although" if despite else "because", why, "conjunction")
    clause = [link, it, *hang([Word(being)], why, "auxiliary"), Word(degree, why, "degree"), why]
    hang([it], why, "subject")
    german_clause = [
        *german("obwohl" if despite else "weil"), pronoun_,
        *german(f"{how} {ADJECTIVES[reason]} {'ist' if being == 'is' else 'war'}"),
    ]  # fmt: skip
    draw = choose.random()
    front: tuple[list[Word], list[Word]] = ([], [])
    if draw < 0.15:
        english = [*clause, Word(","), *subject.english, *doing, *object_.english]
        told = [*german_clause, Word(","), Word(finite), *subject.german, *rest]
    else:
        if draw < 0.45 and tense == "past":
            front = opening(choose, TIMES, verb)
        english = [*front[0], *subject.english, *doing, *object_.english, *clause]
        start = [*front[1], Word(finite), *subject.german] if front[1] else []
        told = [*(start or [*subject.german, Word(finite)]), *rest, Word(","), *german_clause]
    answer, distractor = (subject, object_) if means_doer else (object_, subject)
    return finish(
        "pronoun",
        f"{doer.english[0]} {other.english[0]}",
        english,
        told,
        [
            Question("antecedent", it, answer.noun, [pronoun_]),
            Question("other noun", it, distractor.noun, [pronoun_]),
            Question("reason", it, why, [pronoun_]),
        ],
    )


def across(preposition: str, phrase: NounPhrase) -> NounPhrase:
    """Swim across the river: a preposition in English alone."""
    word = Word(preposition, phrase.noun, "preposition")
    return phrase._replace(english=[word, *phrase.english])
