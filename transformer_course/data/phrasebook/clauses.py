"""Clauses of the phrasebook: where the verb stands in each language, and what stands around it.

German puts the finite verb second in a statement, first in a yes-no question and last in a
subordinate clause, and the rest of the verb (prefix, participle, infinitive) at the end: the
"Satzklammer" of the Duden grammar. Between the two stand pronouns (accusative first), then time,
dative, accusative, manner and place. Before nicht, nie and schon stand pronouns and definite
objects, and the time between them; whatever is left follows.
"""

from typing import NamedTuple, TypeAlias

from transformer_course.data.phrasebook.lexicon import Adjective, Adverbial, Modal, Verb
from transformer_course.data.phrasebook.morphology import (
    ACCUSATIVE,
    DATIVE,
    HE,
    NOMINATIVE,
    german_past,
    german_present,
)
from transformer_course.data.phrasebook.phrases import (
    Links,
    NounPhrase,
    Piece,
    PrepositionalPhrase,
    Pronoun,
    Token,
    noun_phrase,
    prepositional_phrase,
    pronoun,
)
from transformer_course.data.phrasebook.phrases import adverbial as fixed

AUXILIARIES = {word: german_present(word) for word in ("haben", "sein")}
SIMPLE_PAST = {"haben": german_past("hatte"), "sein": german_past("war")}
BE = ("am", "are", "is", "are", "are", "are")
WAS = ("was", "were", "was", "were", "were", "were")
NOTHING: Piece = ([], [])
STATEMENT, QUESTION, SUBORDINATE, AFTER_CLAUSE = (
    "statement",
    "question",
    "subordinate",
    "after clause",
)


Part: TypeAlias = NounPhrase | Pronoun | PrepositionalPhrase | Adverbial | Adjective | None


class Clause(NamedTuple):
    """What a clause says; `front` names the part that stands first in both languages."""

    subject: NounPhrase | Pronoun
    verb: Verb
    tense: str = "present"  # present, progressive, past, perfect; with a modal verb: present, past
    modal: Modal | None = None
    dative: NounPhrase | Pronoun | None = None
    accusative: NounPhrase | Pronoun | None = None
    predicate: Adjective | NounPhrase | None = None
    degree: Adverbial | None = None
    adverb: Adverbial | None = None  # frequency, never, already, yet
    manner: Adverbial | None = None
    place: Adverbial | PrepositionalPhrase | None = None
    time: Adverbial | PrepositionalPhrase | None = None
    negated: bool = False
    front: str | None = None


def ask_for(spec: Clause, role: str, word: NounPhrase | Pronoun) -> Clause:
    """The clause with this object, dative or accusative, standing in front."""
    if role == "dative":
        return spec._replace(dative=word, front=role)
    return spec._replace(accusative=word, front=role)


def constituent(part: Part, case: int, links: Links, negation: int = 0) -> Piece:
    """Render any part of a clause; a noun phrase brings its relative clause, between commas."""
    if part is None:
        return [], []
    if isinstance(part, NounPhrase):
        english, german = noun_phrase(part, case, links, negation)
        if part.relative:
            english_clause, german_clause = clause(part.relative, links, SUBORDINATE)
            english += english_clause
            german += [(",", 0), *german_clause, (",", 0)]
        return english, german
    if isinstance(part, Pronoun):
        return pronoun(part, case, links)
    if isinstance(part, PrepositionalPhrase):
        return prepositional_phrase(part, links)
    if isinstance(part, Adverbial):
        return fixed(part, links)
    link = next(links)
    return [(part.english, link)], [(part.german, link)]


def english_verb(
    spec: Clause, helped: bool, finite: int, main: int, negation: int
) -> tuple[list[Token], list[Token]]:
    """The auxiliary with not, and the rest; `helped` asks for do ("does not eat")."""
    verb, form, past = spec.verb, spec.subject.form, spec.tense == "past"
    third = form == HE
    no = [("not", negation)] if spec.negated else []
    do = ("did" if past else "does" if third else "do", finite)
    if spec.modal:
        name, base = spec.modal.english, (verb.base, main)
        if name == "be allowed to":
            be = (WAS if past else BE)[form]
            return [(be, finite), *no], [("allowed", finite), ("to", main), base]
        if name == "want to" or (name == "must" and (helped or past)):
            head = "want" if name == "want to" else "have"
            if helped:
                return [do, *no], [(head, finite), ("to", main), base]
            word = spec.modal.english_past.split()[0] if past else "wants" if third else "want"
            return [], [(word, finite), ("to", main), base]
        if name == "can" and not past and spec.negated:
            return [("cannot", finite | negation)], [base]
        return [(spec.modal.english_past if past else name, finite), *no], [base]
    if spec.tense == "perfect":
        return [("has" if third else "have", finite), *no], [(verb.participle, main)]
    if verb.base == "be":
        return [((WAS if past else BE)[form], finite | main), *no], []
    if spec.tense == "progressive":
        return [(BE[form], finite), *no], [(verb.ing, main)]
    if helped:
        return [do, *no], [(verb.base, main)]
    word = verb.past if past else verb.third if third else verb.base
    return [], [(word, finite | main)]


def german_verb(spec: Clause, finite: int, main: int, last: bool) -> tuple[Token, list[Token]]:
    """The finite verb and what closes the bracket: steht ... auf, hat ... gekauft."""
    verb, form = spec.verb, spec.subject.form
    if spec.modal:
        forms = spec.modal.past if spec.tense == "past" else spec.modal.present
        return (forms[form], finite), [(verb.prefix + verb.infinitive, main)]
    if spec.tense == "past" and "past" in verb.flags:
        return (SIMPLE_PAST[verb.infinitive][form], finite | main), []
    if spec.tense in ("past", "perfect"):
        return (AUXILIARIES[verb.auxiliary][form], finite), [(verb.german_participle, main)]
    if verb.prefix and not last:
        return (verb.present[form], finite | main), [(verb.prefix, main)]
    return (verb.prefix + verb.present[form], finite | main), []


def english_objects(spec: Clause, dative: Piece, accusative: Piece, main: int) -> list[Token]:
    """Objects and particle: give him an apple, give them to him, pick up the child, pick him up."""
    particle = [(word, main) for word in spec.verb.particle]
    if spec.dative and spec.accusative:
        if "to" in spec.verb.flags or isinstance(spec.accusative, Pronoun):
            return accusative[0] + [("to", dative[1][0][1])] + dative[0]
        return dative[0] + accusative[0]
    if spec.verb.movable and isinstance(spec.accusative, Pronoun):
        return accusative[0] + particle
    return particle + dative[0] + accusative[0]


def clause(spec: Clause, links: Links, mood: str = STATEMENT) -> Piece:
    """Render a clause in both languages, without a conjunction and without marks around it."""
    finite, main, negation = next(links), next(links), next(links)
    front, inverted = spec.front, mood == QUESTION and spec.front != "subject"
    dative_kein = negation if spec.negated and not spec.accusative else 0
    kein = negation if spec.negated else 0
    parts = {
        "subject": constituent(spec.subject, NOMINATIVE, links),
        "dative": constituent(spec.dative, DATIVE, links, dative_kein),
        "accusative": constituent(spec.accusative, ACCUSATIVE, links, kein),
        "time": constituent(spec.time, NOMINATIVE, links),
        "place": constituent(spec.place, NOMINATIVE, links),
    }
    first = parts[front] if front else NOTHING
    if front:
        parts[front] = NOTHING
    subject, dative, accusative = parts["subject"], parts["dative"], parts["accusative"]
    degree = constituent(spec.degree, NOMINATIVE, links)
    predicate = constituent(spec.predicate, NOMINATIVE, links, kein)
    adverb, manner = constituent(spec.adverb, NOMINATIVE, links), constituent(spec.manner, 0, links)
    yet = "yet" in spec.adverb.uses if spec.adverb else False
    tail = manner[0] + parts["place"][0] + parts["time"][0] + (adverb[0] if yet else [])

    auxiliary, rest = english_verb(spec, spec.negated or inverted, finite, main, negation)
    between = [] if yet else adverb[0]
    objects = english_objects(spec, dative, accusative, main)
    verb = rest + objects + degree[0] + predicate[0] + tail
    if inverted:
        english = first[0] + auxiliary[:1] + subject[0] + auxiliary[1:] + between + verb
    else:
        english = first[0] + subject[0] + auxiliary + between + verb

    used_kein = any(isinstance(p, NounPhrase) and p.determiner in ("a", "") for p in
                    (spec.accusative or spec.dative, spec.predicate))  # fmt: skip
    nicht = [("nicht", negation)] if spec.negated and not used_kein else []
    frequent = adverb[1] if spec.adverb and "frequency" in spec.adverb.uses else []
    polarity = nicht if frequent else adverb[1] + nicht
    middle = [
        *german_objects(spec, dative[1], accusative[1], parts["time"][1] + frequent, polarity),
        *manner[1], *parts["place"][1], *degree[1], *predicate[1],
    ]  # fmt: skip
    last = mood == SUBORDINATE
    finite_verb, closing = german_verb(spec, finite, main, last)
    if last:
        german = first[1] + subject[1] + middle + closing + [finite_verb]
    elif front or mood != STATEMENT:
        german = first[1] + [finite_verb] + subject[1] + middle + closing
    else:
        german = subject[1] + [finite_verb] + middle + closing
    return english, german


def german_objects(
    spec: Clause,
    dative: list[Token],
    accusative: list[Token],
    time: list[Token],
    polarity: list[Token],
) -> list[Token]:
    """The middle up to the objects: ihn ihm heute, heute dem Kind einen Ball."""
    pronouns: list[Token] = []
    definite: list[Token] = []
    others: list[Token] = []
    for part, tokens in ((spec.dative, dative), (spec.accusative, accusative)):
        if isinstance(part, Pronoun):
            pronouns = tokens + pronouns
        elif part and part.definite and polarity:
            definite += tokens
        else:
            others += tokens
    return pronouns + definite + time + polarity + others
