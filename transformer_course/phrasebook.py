"""The English-German phrasebook: a little grammar that writes parallel sentences with known word alignments.

One sentence of English has exactly one translation here. "you" is always one friend (du); the simple past is the German
perfect, but was and had are war and hatte; "must not" is avoided for "is not allowed to" (darf nicht). A job in the
masculine (Lehrer) stands for any teacher. The words are in phrasebook_lexicon.tsv, one a line, easy to add to.
"""

import re
from collections.abc import Callable
from zlib import crc32

from transformer_course import phrasebook_lexicon as lexicon
from transformer_course import phrasebook_sampling as sense
from transformer_course.phrasebook_clauses import Clause
from transformer_course.phrasebook_lexicon import Lemma, lemmas
from transformer_course.phrasebook_phrases import PRONOUNS, NounPhrase, Pronoun
from transformer_course.phrasebook_sampling import referring, weighted
from transformer_course.phrasebook_sentences import (
    ALTHOUGH,
    AND,
    BECAUSE,
    BUT,
    IF,
    THAT,
    WHAT,
    WHEN,
    WHETHER,
    WHO,
    WHY,
    WO,
    WOHIN,
    Phrase,
    clause_first,
    joined,
    question,
    statement,
)
from transformer_course.phrasebook_writer import Writer

__all__ = ["LARGEST", "SPLITS", "Lemma", "Phrase", "generate", "lemmas", "split_of", "words"]

SPLITS = ("train", "valid", "test")
LARGEST = {"train": 1_000_000, "valid": 100_000, "test": 100_000}
WORD = re.compile(r"'s|\w+|[^\w\s]")

KNOW = lexicon.verb("know", "that")
RAIN, SNOW = lexicon.verb("rain"), lexicon.verb("snow")
ASKED = tuple(v for c in ("acc", "dat") for v in sense.VERBS[c] if "person" in v.subjects)
SIMPLE = tuple(v for v in sense.VERBS["acc"] if not v.prefix and "person" in v.subjects)
PLACED = tuple(v for v in sense.VERBS["none"] if "place" in v.flags and "person" in v.subjects)


def words(text: str) -> list[str]:
    """Split a sentence into words; punctuation marks and the possessive 's count as words."""
    return WORD.findall(text)


def split_of(german: str) -> str:
    """The split a sentence belongs to, from a checksum of its German: 8 in 10 train, 1 valid, 1 test.

    English determines German, so a sentence that is in one split on one side is in no other on either side.
    """
    return (*["train"] * 8, "valid", "test")[crc32(german.encode()) % 10]


def generate(split: str, count: int, seed: int = 0) -> list[Phrase]:
    """Write `count` distinct phrases of a split; the same arguments give the same list on every machine.

    Raises:
        ValueError: the split is unknown, or the count is not between 1 and `LARGEST[split]`.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    if not 1 <= count <= LARGEST[split]:
        raise ValueError(
            f"count={count} phrases of {split!r}: ask for 1 to {LARGEST[split]:,}, what the grammar can surely reach"
        )
    writer = Writer(seed)
    phrases: dict[str, Phrase] = {}
    while len(phrases) < count:
        phrase = writer.pick(KINDS)(writer)
        if split_of(phrase.german) == split:
            phrases.setdefault(phrase.english, phrase)
    return list(phrases.values())


def plain(writer: Writer) -> Phrase:
    """The woman gives the child an apple."""
    return statement(writer.clause())


def describing(writer: Writer) -> Phrase:
    """The old house is very beautiful."""
    return statement(writer.description())


def weather(writer: Writer) -> Phrase:
    """It is raining in the city today."""
    return statement(weather_clause(writer)._replace(place=writer.location()))


def weather_clause(writer: Writer, conditional: bool = False) -> Clause:
    """It rains, it is snowing, it rained."""
    verb = writer.pick((RAIN, SNOW))
    return Clause(
        PRONOUNS["it"], verb, "present" if conditional else writer.pick(("progressive", "past"))
    )


def yes_no(writer: Writer) -> Phrase:
    """Does the man sell his car?"""
    if writer.chance(0.2):
        return question(writer.description(known=True)._replace(front=None, negated=False))
    return question(asked(writer.clause(known=True)))


def asked(spec: Clause) -> Clause:
    """The clause as a question can ask it: nothing in front, nothing denied."""
    adverb = spec.adverb if spec.adverb and "yet" not in spec.adverb.uses else None
    return spec._replace(front=None, negated=False, adverb=adverb)


def asking(writer: Writer) -> Phrase:
    """Who, what, where, when, why, which."""
    return writer.pick((who_subject, what_object, who_object, which_object, where, when_or_why))(
        writer
    )


def who_subject(writer: Writer) -> Phrase:
    """Who buys the book?"""
    spec = asked(writer.clause(verb=writer.pick(ASKED), subject=WHO))
    return question(spec._replace(front="subject"))


def what_object(writer: Writer) -> Phrase:
    """What is the child eating?"""
    return fronted_object(writer, WHAT, lambda noun: not noun.classes & {"person", "animal"})


def who_object(writer: Writer) -> Phrase:
    """Who does the girl help?"""
    return fronted_object(writer, WHO, lambda noun: "person" in noun.classes)


def which_object(writer: Writer) -> Phrase:
    """Which book does the teacher read?"""
    return fronted_object(writer, None, lambda noun: noun.countable)


def fronted_object(writer: Writer, word: Pronoun | None, fits: Callable) -> Phrase:
    """A question for the object, by a question word or by which."""
    verb = writer.pick(ASKED)
    while not all(fits(noun) for noun in sense.OBJECTS[verb]):
        verb = writer.pick(ASKED)
    spec = asked(writer.clause(short=True, known=True, verb=verb))
    noun = writer.pick(sense.OBJECTS[verb])
    while isinstance(spec.subject, NounPhrase) and spec.subject.noun is noun:
        noun = writer.pick(sense.OBJECTS[verb])
    asked_for = word or NounPhrase(noun, writer.chance(0.25), "which")
    role = "dative" if verb.complement == "dat" else "accusative"
    return question(spec._replace(**{role: asked_for, "front": role}))


def where(writer: Writer) -> Phrase:
    """Where does he work? Where is she going?"""
    goal = writer.chance(0.4)
    verb = writer.pick(sense.VERBS["goal"] if goal else (*PLACED, *sense.VERBS["place"]))
    spec = asked(writer.clause(short=True, known=True, verb=verb))
    return question(spec._replace(place=WOHIN if goal else WO, front="place"))


def when_or_why(writer: Writer) -> Phrase:
    """When does the film begin? Why is the dog barking?"""
    spec = asked(writer.clause(short=True, known=True))
    return question(spec._replace(time=writer.pick((WHEN, WHY)), front="time", adverb=None))


def second(writer: Writer, main: Clause) -> Clause:
    """A short clause for after a conjunction, often about the same person, or about the weather."""
    draw = writer.random()
    if draw < 0.1:
        return weather_clause(writer)
    same = referring(main.subject) if writer.chance(0.5) else None
    if draw < 0.4:
        return writer.description(short=True, subject=same)
    return same_subject(writer, same)


def same_subject(writer: Writer, same: Pronoun | None) -> Clause:
    """A short clause about a given person, or about anyone."""
    if same is None or same is PRONOUNS["it"]:
        return writer.clause(short=True)
    spec = writer.clause(short=True)
    while "person" not in spec.verb.subjects:
        spec = writer.clause(short=True)
    return writer.clause(short=True, verb=spec.verb, subject=same)


def reason(writer: Writer) -> Phrase:
    """The child laughs because the dog is dancing."""
    main = writer.clause(short=True)
    return joined(main, writer.pick((BECAUSE, BECAUSE, ALTHOUGH)), second(writer, main))


def reason_first(writer: Writer) -> Phrase:
    """Because it is raining, we stay at home."""
    main = writer.clause(short=True)
    return clause_first(writer.pick((BECAUSE, ALTHOUGH)), second(writer, main), main)


def condition(writer: Writer) -> Phrase:
    """If it rains, the children stay at home."""
    main = writer.clause(short=True, when=writer.pick(("present", "future", "modal")))
    if writer.chance(0.3):
        other = weather_clause(writer, conditional=True)
    else:
        other = writer.clause(short=True, when="present")
    if writer.chance(0.5):
        return clause_first(IF, other, main)
    return joined(main, IF, other)


def reported(writer: Writer) -> Phrase:
    """She knows that the man is tired. We do not know whether he is coming."""
    verb = writer.pick(sense.VERBS["that"])
    main = writer.clause(short=True, verb=verb)._replace(adverb=None)
    conjunction = THAT
    if verb is KNOW and isinstance(main.subject, Pronoun):
        main, conjunction = main._replace(negated=writer.chance(0.8)), WHETHER
        conjunction = WHETHER if main.negated else THAT
    return joined(main, conjunction, second(writer, main))


def relative_subject(writer: Writer) -> Phrase:
    """The man who bought the car is rich."""
    noun = writer.pick(sense.RELATED)
    return statement(writer.description(short=True, subject=writer.related(noun)))


def relative_object(writer: Writer) -> Phrase:
    """He is looking for the key that she lost."""
    verb = writer.pick(SIMPLE)
    noun = writer.pick(sense.OBJECTS[verb])
    spec = writer.clause(short=True, verb=verb, when=writer.pick(("present", "progressive")))
    while isinstance(spec.subject, NounPhrase) and spec.subject.noun is noun:
        spec = writer.clause(short=True, verb=verb, when="present")
    return statement(
        spec._replace(accusative=writer.related(noun), negated=False, adverb=None, place=None)
    )


def coordinated(writer: Writer) -> Phrase:
    """The man is old, but the woman is young."""
    make = writer.pick((writer.clause, writer.description))
    return joined(make(short=True), writer.pick((AND, BUT)), make(short=True))


KINDS = weighted(
    {
        plain: 54,
        describing: 10,
        weather: 1,
        yes_no: 9,
        asking: 8,
        reason: 6,
        reason_first: 2,
        condition: 4,
        reported: 5,
        relative_subject: 3,
        relative_object: 3,
        coordinated: 3,
    }
)
