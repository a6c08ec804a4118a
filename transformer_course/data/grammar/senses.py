"""Words with two meanings, and the word elsewhere in the sentence that tells which."""

from transformer_course.data.grammar.lexicon import ADJECTIVES, SENSES, Noun, noun, nouns
from transformer_course.data.grammar.trees import (
    Chooser,
    NounPhrase,
    Question,
    Sentence,
    Word,
    finish,
    german,
    hang,
    noun_phrase,
    with_preposition,
)
from transformer_course.data.phrasebook.morphology import ACCUSATIVE, DATIVE, NOMINATIVE

SEEING = (
    ("saw", "gesehen"),
    ("drew", "gezeichnet"),
    ("described", "beschrieben"),
    ("photographed", "fotografiert"),
    ("painted", "gemalt"),
)
LOOKS = ("beautiful", "strange", "famous", "old")
BANKS = {  # what somebody wants who walks to one
    "Bank": (("pay", "bezahlen"), ("save", "sparen"), ("invest", "investieren")),
    "Ufer": (("swim", "schwimmen"), ("fish", "angeln"), ("dive", "tauchen")),
}
NEEDED = {"Bank": ("money", "coin"), "Ufer": ("boat", "ferry")}
FRAMES = ("and", "were", "about", "when", "that", "dream", "beside")
BANK_FRAMES = (*FRAMES, *("needed", "wanted") * 3)


def sense(choose: Chooser) -> Sentence:
    """The man saw the bat and the owl (Fledermaus), or and the ball (Schläger)."""
    meaning = choose.pick(SENSES)
    frame = choose.pick(BANK_FRAMES if meaning.english[0] == "bank" else FRAMES)
    cue = noun(choose.pick(meaning.qualities))
    person = choose.pick(nouns("person"))
    if frame == "wanted":
        return wanted(choose, meaning, person)
    return FRAMES_WRITTEN[frame](choose, meaning, cue, person)


def done(
    frame: str, one: NounPhrase, cue: Word, english: list[Word], words: list[Word]
) -> Sentence:
    """The sentence, and what it asks: the ambiguous word looks for its cue."""
    question = Question("cue", one.noun, cue, [one.german[-1]])
    return finish("sense", f"{one.noun.text} {cue.text} {frame}", english, words, [question])


def joined(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The man drew the bat and the owl."""
    verb_text, participle = choose.pick(SEEING)
    verb = Word(verb_text)
    who = noun_phrase(person, NOMINATIVE)
    hang([who.noun], verb, "subject")
    one, two = noun_phrase(meaning, ACCUSATIVE), noun_phrase(cue, ACCUSATIVE)
    first, second = (one, two) if choose.chance(0.5) else (two, one)
    both = coordination(first, second)
    hang([first.noun], verb, "object")
    english = [*who.english, verb, *both.english]
    words = [*who.german, Word("hat"), *both.german, Word(participle)]
    return done("and", one, two.noun, english, words)


def coordination(first: NounPhrase, second: NounPhrase) -> NounPhrase:
    """The bat and the owl: the second hangs on the first."""
    hang([second.noun], first.noun, "coordinated")
    conjunction = Word("and", second.noun, "conjunction")
    return NounPhrase(
        [*first.english, conjunction, *second.english],
        [*first.german, Word("und"), *second.german],
        first.noun,
    )


def were(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The owl and the bat were beautiful."""
    one, two = noun_phrase(meaning, NOMINATIVE), noun_phrase(cue, NOMINATIVE)
    first, second = (one, two) if choose.chance(0.5) else (two, one)
    both = coordination(first, second)
    look = choose.pick(LOOKS)
    root = Word(look)
    hang([first.noun], root, "subject")
    english = [*both.english, Word("were", root, "auxiliary"), root]
    words = [*both.german, *german(f"waren {ADJECTIVES[look]}")]
    return done("were", one, two.noun, english, words)


def about(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The man talked about the owl and later about the bat."""
    verb = Word("talked")
    who = noun_phrase(person, NOMINATIVE)
    hang([who.noun], verb, "subject")
    one, two = (
        with_preposition("about", "über", noun_phrase(each, ACCUSATIVE)) for each in (meaning, cue)
    )
    first, second = (one, two) if choose.chance(0.5) else (two, one)
    hang([first.noun], verb, "about")
    hang([second.noun], first.noun, "coordinated")
    middle = hang([Word("and"), Word("later")], second.noun, "conjunction")
    english = [*who.english, verb, *first.english, *middle, *second.english]
    words = [
        *who.german, Word("hat"), *first.german, *german("und später"), *second.german,
        Word("gesprochen"),
    ]  # fmt: skip
    return done("about", one, two.noun, english, words)


def when(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """When the man thought of the owl, he remembered the bat."""
    verb, thought = Word("remembered"), Word("thought")
    who = noun_phrase(person, NOMINATIVE)
    hang([who.noun], thought, "subject")
    two = with_preposition("of", "an", noun_phrase(cue, ACCUSATIVE))
    one = noun_phrase(meaning, ACCUSATIVE)
    hang([two.noun], thought, "about")
    hang([thought], verb, "clause")
    hang([one.noun], verb, "object")
    he, er = person.person
    english = [
        Word("when", thought, "conjunction"), *who.english, thought, *two.english, Word(","),
        Word(he, verb, "subject"), verb, *one.english,
    ]  # fmt: skip
    words = [
        Word("als"), *who.german, *two.german, Word("dachte"), Word(","),
        *german(f"erinnerte {er} sich an"), *one.german,
    ]  # fmt: skip
    return done("when", one, two.noun, english, words)


def that(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The bat that the man saw was next to the owl."""
    saw, participle = choose.pick(SEEING)
    verb = Word(saw)
    who, one = noun_phrase(person, NOMINATIVE), noun_phrase(meaning, NOMINATIVE)
    two = with_preposition("next to", "neben", noun_phrase(cue, DATIVE))
    hang([who.noun], verb, "subject")
    hang([verb], one.noun, "clause")
    hang([one.noun], two.noun, "subject")
    english = [
        *one.english, Word("that", verb, "object"), *who.english, verb,
        Word("was", two.noun, "auxiliary"), *two.english,
    ]  # fmt: skip
    relative = noun_phrase(meaning, ACCUSATIVE).german[0]  # den, die, das: as the article
    words = [
        *one.german, Word(","), relative, *who.german, Word(participle), Word("hat"), Word(","),
        Word("war"), *two.german,
    ]  # fmt: skip
    return done("that", one, two.noun, english, words)


def dream(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The man dreamed of the bat because he had seen the owl."""
    verb, seen = Word("dreamed"), Word("seen")
    who = noun_phrase(person, NOMINATIVE)
    hang([who.noun], verb, "subject")
    one = with_preposition("of", "von", noun_phrase(meaning, DATIVE))
    two = noun_phrase(cue, ACCUSATIVE)
    he, er = person.person
    hang([one.noun], verb, "about")
    hang([seen], verb, "clause")
    hang([two.noun], seen, "object")
    clause = [
        Word("because", seen, "conjunction"), Word(he, seen, "subject"),
        Word("had", seen, "auxiliary"), seen, *two.english,
    ]  # fmt: skip
    english = [*who.english, verb, *one.english, *clause]
    words = [
        *who.german, Word("hat"), *one.german, Word("geträumt"), Word(","),
        *german(f"weil {er}"), *two.german, *german("gesehen hatte"),
    ]  # fmt: skip
    return done("dream", one, two.noun, english, words)


def beside(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """Next to the owl the man saw the bat."""
    saw, participle = choose.pick(SEEING)
    verb = Word(saw)
    who, one = noun_phrase(person, NOMINATIVE), noun_phrase(meaning, ACCUSATIVE)
    two = with_preposition("next to", "neben", noun_phrase(cue, DATIVE))
    hang([who.noun], verb, "subject")
    hang([one.noun], verb, "object")
    hang([two.noun], verb, "place")
    english = [*two.english, *who.english, verb, *one.english]
    words = [*two.german, Word("hat"), *who.german, *one.german, Word(participle)]
    return done("beside", one, two.noun, english, words)


def walking(choose: Chooser, meaning: Noun, person: Noun) -> tuple[NounPhrase, NounPhrase]:
    """The man walked to the bank, or waited there: verb and all; then the bank."""
    waited = choose.chance(0.5)
    verb = Word("waited" if waited else "walked")
    who = noun_phrase(person, NOMINATIVE)
    hang([who.noun], verb, "subject")
    prepositions = ("at", "an") if waited else ("to", "zu")
    one = with_preposition(*prepositions, noun_phrase(meaning, DATIVE))
    hang([one.noun], verb, "place")
    finite, participle = ("hat", "gewartet") if waited else ("ist", "gegangen")
    words = [*who.german, Word(finite), *one.german, Word(participle), Word(","), Word("weil")]
    return NounPhrase([*who.english, verb, *one.english], words, verb), one


def needed(choose: Chooser, meaning: Noun, cue: Noun, person: Noun) -> Sentence:
    """The man walked to the bank because he needed the money."""
    cue = noun(choose.pick(NEEDED[meaning.german[0][0]]))
    main, one = walking(choose, meaning, person)
    verb, two, (he, er) = Word("needed"), noun_phrase(cue, ACCUSATIVE), person.person
    hang([verb], main.noun, "clause")
    hang([two.noun], verb, "object")
    because = [Word("because", verb, "conjunction"), Word(he, verb, "subject")]
    english = [*main.english, *because, verb, *two.english]
    words = [*main.german, Word(er), *two.german, Word("brauchte")]
    frame = f"needed {main.noun.text} {person.english[0]}"
    return done(frame, one, two.noun, english, words)


def wanted(choose: Chooser, meaning: Noun, person: Noun) -> Sentence:
    """The man waited at the bank because he wanted to swim."""
    main, one = walking(choose, meaning, person)
    swim, schwimmen = choose.pick(BANKS[meaning.german[0][0]])
    verb, aim, (he, er) = Word("wanted"), Word(swim), person.person
    hang([verb], main.noun, "clause")
    hang([aim], verb, "object")
    because = [Word("because", verb, "conjunction"), Word(he, verb, "subject")]
    english = [*main.english, *because, verb, Word("to", aim, "preposition"), aim]
    words = [*main.german, *german(f"{er} {schwimmen} wollte")]
    frame = f"wanted {main.noun.text} {person.english[0]}"
    return done(frame, one, aim, english, words)


FRAMES_WRITTEN = {
    "and": joined,
    "were": were,
    "about": about,
    "when": when,
    "that": that,
    "dream": dream,
    "beside": beside,
    "needed": needed,
}
