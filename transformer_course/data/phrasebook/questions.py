"""The questions that the phrasebook asks."""

from collections.abc import Callable
from typing import Any

from transformer_course.data.phrasebook import choices as sense
from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.clauses import Clause, ask_for
from transformer_course.data.phrasebook.phrases import PRONOUNS, NounPhrase, Pronoun
from transformer_course.data.phrasebook.sentences import (
    WHAT,
    WHEN,
    WHO,
    WHY,
    WO,
    WOHIN,
    Phrase,
    question,
)
from transformer_course.data.phrasebook.writer import Writer

ASKED = tuple(v for c in ("acc", "dat") for v in sense.VERBS[c] if "person" in v.subjects)
EVERYDAY = tuple(
    lexicon.verb(base) for base in ("sleep", "work", "come", "read", "buy", "see", "need", "help")
)
ALLOWED = tuple(lexicon.modal(name) for name in ("can", "must", "should", "be allowed to"))
PLACED = tuple(v for v in sense.VERBS["none"] if "place" in v.flags and "person" in v.subjects)


def yes_no(writer: Writer) -> Phrase:
    """Did the man sell his car? In the present only of everyday verbs: "Schläfst du?"."""
    if writer.chance(0.2):
        return question(writer.description()._replace(front=None, negated=False))
    if writer.chance(0.25):
        return question(wondering(writer, verb=writer.pick(EVERYDAY), when="present"))
    return question(wondering(writer, when=writer.pick(("past", "past", "modal", "future"))))


def wondering(writer: Writer, **choices: Any) -> Clause:
    """A clause to ask about; nobody asks "Do I sleep?", only "Can I", "Should we"."""
    spec = writer.clause(known=True, **choices)
    while spec.subject in (PRONOUNS["I"], PRONOUNS["we"]) and spec.modal not in ALLOWED:
        spec = writer.clause(known=True, **choices)
    return asked(spec)


def asked(spec: Clause) -> Clause:
    """The clause as a question can ask it: nothing in front, nothing denied."""
    adverb = spec.adverb if spec.adverb and "yet" not in spec.adverb.uses else None
    tense = "past" if spec.tense == "perfect" and not adverb else spec.tense
    return spec._replace(front=None, negated=False, adverb=adverb, tense=tense)


def asking(writer: Writer) -> Phrase:
    """Who, what, where, when, why, which."""
    return writer.pick((who_subject, what_object, who_object, which_object, where, when_or_why))(
        writer
    )


def who_subject(writer: Writer) -> Phrase:
    """Who buys the book?"""
    spec = asked(writer.clause(verb=writer.word(ASKED), subject=WHO))
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
    verb = writer.word(ASKED)
    while not all(fits(noun) for noun in sense.OBJECTS[verb]):
        verb = writer.word(ASKED)
    spec = wondering(writer, short=True, verb=verb)
    noun = writer.word(sense.OBJECTS[verb])
    while isinstance(spec.subject, NounPhrase) and spec.subject.noun is noun:
        noun = writer.word(sense.OBJECTS[verb])
    asked_for = word or NounPhrase(noun, writer.plural(noun), "which")
    role = "dative" if verb.complement == "dat" else "accusative"
    return question(ask_for(spec, role, asked_for))


def where(writer: Writer) -> Phrase:
    """Where does he work? Where is she going?"""
    goal = writer.chance(0.4)
    verb = writer.word(sense.VERBS["goal"] if goal else (*PLACED, *sense.VERBS["place"]))
    spec = wondering(writer, short=True, verb=verb)
    return question(spec._replace(place=WOHIN if goal else WO, front="place"))


def when_or_why(writer: Writer) -> Phrase:
    """When does the film begin? Why is the dog barking?"""
    spec = wondering(writer, short=True)
    tense = "past" if spec.tense == "perfect" else spec.tense  # no "When has he arrived?"
    time = writer.pick((WHEN, WHY))
    return question(spec._replace(time=time, front="time", adverb=None, tense=tense))
