"""Words that belong together and stand apart: a verb and its particle, a verb and its subject."""

from typing import NamedTuple

from transformer_course.data.grammar.lexicon import Noun, noun, nouns
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
from transformer_course.data.phrasebook.morphology import (
    ACCUSATIVE,
    DATIVE,
    NOMINATIVE,
    PLURAL,
    RELATIVE,
)
from transformer_course.data.phrasebook.sampling import Chooser


class ParticleVerb(NamedTuple):
    """A verb of two words: English base, past, third person and particle; German prefix (or none),
    er-form, participle and infinitive; what it is done to."""

    base: str
    past: str
    third: str
    particle: str
    prefix: str
    er_form: str
    participle: str
    infinitive: str
    objects: str


VERBS = tuple(
    ParticleVerb(*line.split("|"))
    for line in """\
turn|turned|turns|on|an|macht|angemacht|anmachen|device
turn|turned|turns|off|aus|macht|ausgemacht|ausmachen|device
take|took|takes|off|aus|zieht|ausgezogen|ausziehen|clothing
take|took|takes|away|weg|nimmt|weggenommen|wegnehmen|goods
take|took|takes|along|mit|nimmt|mitgenommen|mitnehmen|goods
put|put|puts|on|an|zieht|angezogen|anziehen|clothing
put|put|puts|away|weg|räumt|weggeräumt|wegräumen|goods
put|put|puts|back|zurück|legt|zurückgelegt|zurücklegen|goods
bring|brought|brings|back|zurück|bringt|zurückgebracht|zurückbringen|goods
bring|brought|brings|along|mit|bringt|mitgebracht|mitbringen|goods
give|gave|gives|back|zurück|gibt|zurückgegeben|zurückgeben|goods
give|gave|gives|away||verschenkt|verschenkt|verschenken|goods
throw|threw|throws|away|weg|wirft|weggeworfen|wegwerfen|goods
throw|threw|throws|back|zurück|wirft|zurückgeworfen|zurückwerfen|goods
send|sent|sends|back|zurück|schickt|zurückgeschickt|zurückschicken|goods
send|sent|sends|off|ab|schickt|abgeschickt|abschicken|goods
pick|picked|picks|up|auf|hebt|aufgehoben|aufheben|goods
pick|picked|picks|out|aus|sucht|ausgesucht|aussuchen|goods""".splitlines()
)
LOOKS = ("beautiful", "strange", "old", "new", "red", "green", "black", "white")
LATER = (("tomorrow", "morgen"), ("today", "heute"), ("later", "später"))
PLACES = (
    *(("in", "in", each) for each in ("kitchen", "bathroom", "office", "cellar", "garage")),
    *(("in", "in", each) for each in ("room", "house", "car", "hotel", "school")),
    *(("on", "auf", each) for each in ("table", "bed", "sofa", "carpet", "bench")),
    *(("under", "unter", each) for each in ("table", "bed", "sofa", "bench", "blanket")),
    *(("next to", "neben", each) for each in ("door", "sofa", "bed", "table", "curtain")),
)
OUTSIDE = (("behind", "hinter"), ("next to", "neben"), ("in front of", "vor"))
ENDS = (  # what somebody or something did: English, German participle, its auxiliary, who can
    ("slept", "geschlafen", "hat", "person animal"),
    ("waited", "gewartet", "hat", "person animal"),
    ("disappeared", "verschwunden", "ist", "person animal thing"),
    ("fell over", "umgefallen", "ist", "person animal thing"),
    ("ran away", "weggelaufen", "ist", "person animal"),
    ("laughed", "gelacht", "hat", "person"),
    ("danced", "getanzt", "hat", "person"),
    ("burned", "gebrannt", "hat", "thing"),
)
SEEN = (("saw", "gesehen"), ("drew", "gezeichnet"), ("found", "gefunden"), ("painted", "gemalt"))
MANY = {"hat": "haben", "ist": "sind"}


def objects(verb: ParticleVerb) -> tuple[Noun, ...]:
    """What can be turned off, put on, thrown away."""
    if verb.objects == "goods":
        return (*nouns("thing"), *nouns("clothing"))
    return nouns(verb.objects)


def place(choose: Chooser) -> NounPhrase:
    """On the table."""
    english, preposition, name = choose.pick(PLACES)
    return with_preposition(english, preposition, noun_phrase(noun(name), DATIVE))


def particle(choose: Chooser) -> Sentence:
    """The man turns the old lamp in the kitchen off (macht ... aus)."""
    meant = choose.pick(VERBS)
    thing = choose.pick(objects(meant))
    who = noun_phrase(choose.pick(nouns("person")), NOMINATIVE)
    look = choose.pick(LOOKS) if choose.chance(0.4) else ""
    what = noun_phrase(thing, ACCUSATIVE, adjective=look)
    used: list[str] = []
    for _ in range(choose.pick((0, 1, 1, 2))):
        where = place(choose)
        if where.noun.text not in (*used, thing.english[0]):
            what, used = attach(what, where), [*used, where.noun.text]
    tense = choose.pick(("present", "present", "past", "past", "will", "want"))
    text = {"present": meant.third, "past": meant.past}.get(tense, meant.base)
    verb = Word(text)
    off = Word(meant.particle, verb, "particle")
    hang([who.noun], verb, "subject")
    hang([what.noun], verb, "object")
    helpers = {"will": ["will"], "want": ["wants", "to"]}.get(tense, [])
    before = [Word(each, verb, "auxiliary") for each in helpers]
    last = {"present": meant.prefix, "past": meant.participle}.get(tense, meant.infinitive)
    finite = Word({"present": meant.er_form, "past": "hat", "will": "wird", "want": "will"}[tense])
    end = german(last)
    decided = [finite, *end] if tense == "present" else end
    front: tuple[list[Word], list[Word]] = ([], [])
    if tense in ("past", "will") and choose.chance(0.4):
        front = opening(choose, TIMES if tense == "past" else LATER, verb)
    start = [*front[1], finite, *who.german] if front[1] else [*who.german, finite]
    return finish(
        "particle",
        f"{meant.base} {meant.particle} {thing.english[0]}",
        [*front[0], *who.english, *before, verb, *what.english, off],
        [*start, *what.german, *end],
        [Question("particle", verb, off, decided)],
    )


def agreement(choose: Chooser) -> Sentence:
    """The dogs behind the house slept (haben), and the dog behind the houses slept (hat)."""
    kind = choose.pick(("person", "animal", "thing"))
    usual = [each for each in nouns(kind) if each.countable]
    plural = choose.chance(0.5)
    first = choose.pick(usual)
    ends = [each for each in ENDS if kind in each[3].split()]
    text, participle, auxiliary, _ = choose.pick(ends)
    name, *particles = text.split()
    verb = Word(name)
    finite = Word(MANY[auxiliary] if plural else auxiliary)
    subject = noun_phrase(first, NOMINATIVE, plural=plural)
    questions = [Question("subject", verb, subject.noun, [finite])]
    if choose.chance(0.4):
        subject, inner, second = seen(choose, first, plural, subject)
        questions.append(inner)
    else:
        subject, second = beside(choose, plural, subject)
        more, third = beside(choose, plural, subject)
        if third.rstrip("s") != second.rstrip("s") and choose.chance(0.3):
            subject = more
    hang([subject.noun], verb, "subject")
    front: tuple[list[Word], list[Word]] = ([], [])
    if choose.chance(0.3):
        front = opening(choose, TIMES, verb)
    told = subject.german
    start = [*front[1], finite, *told] if front[1] else [*told, finite]
    tail = [Word(each, verb, "particle") for each in particles]
    number = "s" if plural else ""
    return finish(
        "agreement",
        f"{first.english[0]}{number} {second}",
        [*front[0], *subject.english, verb, *tail],
        [*start, Word(participle)],
        questions,
    )


def other_number(choose: Chooser, plural: bool) -> bool:
    """Mostly the other number than the subject's: a noun in between that misleads."""
    return not plural if choose.chance(0.7) else plural


def beside(choose: Chooser, plural: bool, subject: NounPhrase) -> tuple[NounPhrase, str]:
    """The dogs behind the house."""
    where = choose.pick(nouns("landmark"))
    many = other_number(choose, plural)
    phrase = noun_phrase(where, DATIVE, plural=many)
    found = with_preposition(*choose.pick(OUTSIDE), phrase)
    return attach(subject, found), phrase.noun.text


def seen(
    choose: Chooser, first: Noun, plural: bool, subject: NounPhrase
) -> tuple[NounPhrase, Question, str]:
    """The dogs that the woman saw: a second verb, with a subject of its own."""
    who = choose.pick([each for each in nouns("person") if each is not first])
    many = other_number(choose, plural)
    phrase = noun_phrase(who, NOMINATIVE, plural=many)
    saw, participle = choose.pick(SEEN)
    verb = Word(saw)
    hang([phrase.noun], verb, "subject")
    hang([verb], subject.noun, "clause")
    finite = Word("haben" if many else "hat")
    relative = RELATIVE[PLURAL if plural else first.gender][ACCUSATIVE]
    words = [
        *subject.german, Word(","), Word(relative), *phrase.german, Word(participle), finite,
        Word(","),
    ]  # fmt: skip
    english = [*subject.english, Word("that", verb, "object"), *phrase.english, verb]
    inner = Question("subject", verb, phrase.noun, [finite])
    return NounPhrase(english, words, subject.noun), inner, phrase.noun.text
