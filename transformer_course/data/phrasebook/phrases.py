"""Noun phrases, pronouns and adverbials of the phrasebook, rendered in both languages at once.

A rendered piece is a pair (English tokens, German tokens). A token is (word, links): links is an
integer used as a set of bits, and two words of a sentence are aligned when their sets share a bit.
So "im" carries the bits of "in" and of "the", and "keinen" those of "not" and of "a".
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.lexicon import Adjective, Adverbial, Noun
from transformer_course.data.phrasebook.morphology import (
    ACCUSATIVE,
    DATIVE,
    DER,
    EIN,
    GENITIVE,
    HE,
    MIXED,
    PLURAL,
    RELATIVE,
    STRONG,
    STRONG_DETERMINER,
    THEY,
    WE,
    WEAK,
    YOU,
    I,
)

if TYPE_CHECKING:
    from transformer_course.data.phrasebook.clauses import Clause

Token: TypeAlias = tuple[str, int]
Piece: TypeAlias = tuple[list[Token], list[Token]]
Links: TypeAlias = Iterator[int]


class NounPhrase(NamedTuple):
    """A noun with what belongs to it; determiner "" is none at all, as in "milk" and "children"."""

    noun: Noun
    plural: bool = False
    determiner: str = "the"
    adjective: Adjective | None = None
    degree: Adverbial | None = None
    owner: "NounPhrase | None" = None
    relative: "Clause | None" = None

    @property
    def form(self) -> int:
        """The row of the conjugation table that agrees with it."""
        return THEY if self.plural else HE

    @property
    def definite(self) -> bool:
        """Whether it stands before "nicht" and "schon" rather than after."""
        return self.determiner not in INDEFINITE


class Pronoun(NamedTuple):
    """A personal, question or relative pronoun: its words by case, nominative first."""

    english: tuple[str, ...]
    german: tuple[str, ...]
    form: int


class PrepositionalPhrase(NamedTuple):
    """A preposition, which decides the German case, and its noun phrase or pronoun."""

    preposition: Adverbial
    object: NounPhrase | Pronoun


def _endings(stem: str, table: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(stem + ending for ending in row) for row in table)


_PERSONS = {"I": I, "you": YOU, "he": HE, "she": HE, "we": WE, "they": THEY}
PRONOUNS: dict[str, Pronoun] = {"it": Pronoun(("it",), ("es",), HE)}
# German forms by [gender or plural][case], and the adjective endings that go with them.
DETERMINERS = {
    "the": (DER, WEAK),
    "a": (_endings("ein", EIN), MIXED),
    "no": (_endings("kein", EIN), MIXED),
    "this": (_endings("dies", STRONG_DETERMINER), WEAK),
    "every": (_endings("jed", STRONG_DETERMINER), WEAK),
    "which": (_endings("welch", STRONG_DETERMINER), WEAK),
    "all": (_endings("all", STRONG_DETERMINER), WEAK),
    "many": (_endings("viel", STRONG_DETERMINER), STRONG),
    "some": (_endings("einig", STRONG_DETERMINER), STRONG),
    "two": ((("zwei",) * 4,) * 4, STRONG),
    "three": ((("drei",) * 4,) * 4, STRONG),
}
for _kind, _english, _german, *_ in lexicon.rows():
    if _kind == "pronoun" and _english != "it":
        _subject, _object, _possessive = _english.split()
        *_cases, _mine = _german.split()
        PRONOUNS[_subject] = Pronoun(
            (_subject, _object, _object), tuple(_cases), _PERSONS[_subject]
        )
        DETERMINERS[_possessive] = (
            (_endings(_mine, EIN), MIXED) if _possessive != "their" else DETERMINERS["her"]
        )
POSSESSIVES = {"I": "my", "you": "your", "he": "his", "she": "her", "we": "our", "they": "their"}
INDEFINITE = frozenset({"a", "", "two", "three", "many", "some"})
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
}
CASE_OF = {"accusative": ACCUSATIVE, "dative": DATIVE, "genitive": GENITIVE}
SILENT_H = frozenset({"honest"})  # "an honest man": the article follows the sound


def relative_pronoun(phrase: NounPhrase) -> Pronoun:
    """The who, whom or that of a relative clause; in German with the gender of its noun."""
    person = "person" in phrase.noun.classes
    english = ("who", "whom", "whom") if person else ("that",) * 3
    return Pronoun(english, RELATIVE[PLURAL if phrase.plural else phrase.noun.gender], phrase.form)


def noun_phrase(phrase: NounPhrase, case: int, links: Links, negation: int = 0) -> Piece:
    """Render a noun phrase, no relative clause; `negation`, the link of not, makes ein kein."""
    noun, plural, determiner, adjective, degree, owner, _ = phrase
    row = PLURAL if plural else noun.gender
    link, noun_link = next(links), next(links)
    english: list[Token] = []
    german: list[Token] = []
    endings = STRONG
    if negation and determiner in ("a", ""):
        forms, endings = DETERMINERS["no"]
        german.append((forms[row][case], link | negation))
    elif determiner:
        forms, endings = DETERMINERS[determiner]
        german.append((forms[row][case], link))
    if determiner:
        english.append(("these" if plural and determiner == "this" else determiner, link))
    if degree:
        degree_link = next(links)
        english.append((degree.english[0], degree_link))
        german.append((degree.german[0], degree_link))
    if adjective:
        adjective_link = next(links)
        english.append((adjective.english, adjective_link))
        german.append((adjective.stem + endings[row][case], adjective_link))
    english.append((noun.english[plural], noun_link))
    german.append((noun.german[plural][case], noun_link))
    if determiner == "a":
        after = english[1][0]
        if after[0] in "aeiou" or after in SILENT_H:
            english[0] = ("an", link)
    if owner:
        english_owner, german_owner = noun_phrase(owner, GENITIVE, links)
        german += german_owner
        if owner.plural or not owner.noun.classes & {"person", "animal"}:
            english += [("of", german_owner[0][1]), *english_owner]
        else:
            english[0:1] = [*english_owner, ("'s", link)]
    return english, german


def pronoun(word: Pronoun, case: int, links: Links) -> Piece:
    """Render a pronoun."""
    link = next(links)
    return [(word.english[case], link)], [(word.german[case], link)]


def adverbial(words: Adverbial, links: Links) -> Piece:
    """Render fixed words: linked one to one if there are as many on both sides, else all to all."""
    pairwise = len(words.english) == len(words.german)
    link = next(links)
    fresh = [link] + [next(links) if pairwise else link for _ in words.english[1:]]
    german = fresh if pairwise else [link] * len(words.german)
    return list(zip(words.english, fresh, strict=True)), list(
        zip(words.german, german, strict=True)
    )


def prepositional_phrase(phrase: PrepositionalPhrase, links: Links) -> Piece:
    """Render a preposition with its object; in dem becomes im, aligned with "in" and "the"."""
    link = next(links)
    case = CASE_OF[phrase.preposition.uses[0]]
    inner = phrase.object
    if isinstance(inner, NounPhrase):
        english, german = noun_phrase(inner, case, links)
    else:
        english, german = pronoun(inner, case, links)
    english[0:0] = [(word, link) for word in phrase.preposition.english]
    word = phrase.preposition.german[0]
    article, article_link = german[0]
    short = CONTRACTIONS.get((word, article)) if isinstance(inner, NounPhrase) else None
    if short:
        german[0] = (short, link | article_link)
    else:
        german.insert(0, (word, link))
    return english, german
