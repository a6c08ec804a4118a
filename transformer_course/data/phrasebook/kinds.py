"""The kinds of sentence the phrasebook writes, one function each, and how often each comes."""

from transformer_course.data.phrasebook import choices as sense
from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.choices import referring, weighted
from transformer_course.data.phrasebook.clauses import Clause
from transformer_course.data.phrasebook.morphology import HE
from transformer_course.data.phrasebook.phrases import PRONOUNS, NounPhrase, Pronoun
from transformer_course.data.phrasebook.questions import asked, asking, yes_no
from transformer_course.data.phrasebook.sentences import (
    ALTHOUGH,
    AND,
    BECAUSE,
    BUT,
    IF,
    THAT,
    WHETHER,
    Phrase,
    clause_first,
    joined,
    statement,
)
from transformer_course.data.phrasebook.writer import Writer

KNOW = lexicon.verb("know", "that")
RAIN, SNOW = lexicon.verb("rain"), lexicon.verb("snow")
SIMPLE = tuple(v for v in sense.VERBS["acc"] if not v.prefix and "person" in v.subjects)
ACTIONS = tuple(
    v for c in ("none", "goal", "acc") for v in sense.VERBS[c] if "person" in v.subjects
)
DEEDS = tuple(
    verb
    for kind in sense.COMPLEMENTS
    for verb in sense.VERBS[kind]
    if "person" in verb.subjects and "plain" not in verb.flags and verb.base != "stand"
)


def plain(writer: Writer) -> Phrase:
    """The woman gives the child an apple."""
    return statement(writer.clause())


def describing(writer: Writer) -> Phrase:
    """The old house is very beautiful."""
    return statement(writer.description())


def weather(writer: Writer) -> Phrase:
    """It is raining in the city today."""
    return statement(weather_clause(writer)._replace(place=writer.sky()))


def weather_clause(writer: Writer, tense: str | None = None) -> Clause:
    """It rains, it is snowing, it rained."""
    verb = writer.pick((RAIN, SNOW))
    return Clause(PRONOUNS["it"], verb, tense or writer.pick(("progressive", "past")))


def main_and_tense(writer: Writer) -> tuple[Clause, str, str]:
    """A short main clause, and the tense of a reason beside it, and of the rain."""
    when = writer.pick(("present", "progressive", "past", "past", "future", "modal"))
    main = writer.clause(short=True, verb=writer.word(DEEDS), when=when)
    return (main, "past", "past") if main.tense == "past" else (main, "present", "progressive")


def circumstances(writer: Writer, main: Clause, tense: str, raining: str) -> Clause:
    """A reason or a condition: a mood, the weather, something the same person does."""
    draw = writer.random()
    if draw < 0.15 and main.verb.complement in ("none", "goal", "from", "place"):
        return weather_clause(writer, raining)
    same = referring(main.subject) if writer.chance(0.85) else None
    if draw < 0.55:
        return writer.description(short=True, subject=same, when=tense, mood=True)
    if tense == "present":
        tense = writer.pick(("present", "modal"))
    verb = writer.word(ACTIONS)
    while verb is main.verb:
        verb = writer.word(ACTIONS)
    return writer.clause(short=True, verb=verb, subject=same, when=tense)


def reason(writer: Writer) -> Phrase:
    """The child laughs because the dog is dancing."""
    main, *tenses = main_and_tense(writer)
    conjunction = writer.pick((BECAUSE, BECAUSE, ALTHOUGH))
    return joined(main, conjunction, circumstances(writer, main, *tenses))


def reason_first(writer: Writer) -> Phrase:
    """Because it rained, we stayed at home."""
    main, *tenses = main_and_tense(writer)
    return clause_first(
        writer.pick((BECAUSE, ALTHOUGH)), circumstances(writer, main, *tenses), main
    )


def condition(writer: Writer) -> Phrase:
    """If it rains, the children will stay at home."""
    when = writer.pick(("present", "future", "modal"))
    main = writer.clause(short=True, verb=writer.word(DEEDS), when=when)
    other = circumstances(writer, main, "present", "present")
    if writer.chance(0.5):
        return clause_first(IF, other, main)
    return joined(main, IF, other)


def reported(writer: Writer) -> Phrase:
    """She knows that the man is tired. We do not know whether he is coming."""
    verb = writer.word(sense.VERBS["that"])
    main = writer.clause(short=True, verb=verb)._replace(negated=False)
    conjunction = THAT
    if verb is KNOW and writer.chance(0.5):
        subject = main.subject if isinstance(main.subject, Pronoun) else PRONOUNS["we"]
        main, conjunction = main._replace(subject=subject, negated=True), WHETHER
    tense = writer.pick(("present", "present", "past", "future"))
    other = writer.clause(short=True, known=True, when=tense)
    if writer.chance(0.35):
        other = writer.description(short=True)
    if conjunction is WHETHER:
        other = asked(other)
    strange = conjunction is WHETHER or main.subject is PRONOUNS["we"]
    if strange and isinstance(other.subject, Pronoun) and other.subject.form != HE:
        other = other._replace(subject=PRONOUNS["they"])  # no "whether I am tired"
    return joined(main, conjunction, other)


def relative_subject(writer: Writer) -> Phrase:
    """The man who bought the car is rich."""
    noun = writer.word(sense.RELATED)
    return statement(writer.description(short=True, subject=writer.related(noun)))


def relative_object(writer: Writer) -> Phrase:
    """He is looking for the key that she lost."""
    verb = writer.word(SIMPLE)
    noun = writer.word(sense.OBJECTS[verb])
    spec = writer.clause(short=True, verb=verb, when=writer.pick(("present", "progressive")))
    while isinstance(spec.subject, NounPhrase) and spec.subject.noun is noun:
        spec = writer.clause(short=True, verb=verb, when="present")
    return statement(
        spec._replace(accusative=writer.related(noun, verb), negated=False, adverb=None, place=None)
    )


def coordinated(writer: Writer) -> Phrase:
    """The boy is dancing, but the girl is sleeping."""
    if writer.chance(0.4):
        tense, conjunction = writer.pick(("present", "past")), writer.pick((AND, BUT))
        first = writer.description(short=True, when=tense, mood=True)
        other = writer.description(short=True, when=tense, mood=True)
    else:
        tense, conjunction = writer.pick(("progressive", "past")), writer.pick((AND, BUT))
        first = writer.clause(short=True, known=True, verb=writer.word(ACTIONS), when=tense)
        other = writer.clause(short=True, known=True, verb=writer.word(ACTIONS), when=tense)
    if first.subject == other.subject or (first.predicate and first.predicate is other.predicate):
        return coordinated(writer)
    return joined(first, conjunction, other)


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
