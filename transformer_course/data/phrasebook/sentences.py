"""Sentences of the phrasebook: clauses as statements and questions, or joined by weil and und."""

from itertools import count
from typing import NamedTuple

from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.clauses import (
    AFTER_CLAUSE,
    QUESTION,
    STATEMENT,
    SUBORDINATE,
    Clause,
    clause,
)
from transformer_course.data.phrasebook.lexicon import Adverbial
from transformer_course.data.phrasebook.morphology import HE
from transformer_course.data.phrasebook.phrases import Links, Piece, Pronoun, Token


class Phrase(NamedTuple):
    """A sentence pair; `alignment` holds (index in words(english), index in words(german))."""

    english: str
    german: str
    alignment: tuple[tuple[int, int], ...]


def word(kind: str, english: str, german: str | None = None) -> Adverbial:
    """A conjunction or question word of the lexicon."""
    found = (w for w in lexicon.words_of(kind) if " ".join(w.english) == english)
    return next(w for w in found if german in (None, *w.german))


BECAUSE, ALTHOUGH, IF = (word("conjunction", name) for name in ("because", "although", "if"))
THAT, WHETHER, AND, BUT = (word("conjunction", name) for name in ("that", "whether", "and", "but"))
WO, WOHIN = word("question", "where", "wo"), word("question", "where", "wohin")
WHEN, WHY = word("question", "when"), word("question", "why")
WHO = Pronoun(("who",) * 3, ("wer", "wen", "wem"), HE)
WHAT = Pronoun(("what",) * 3, ("was", "was", "wem"), HE)


def finish(piece: Piece, mark: str) -> Phrase:
    """Close a sentence: capital letter, punctuation, text, alignment."""
    english, german = piece
    if german[-1][0] == ",":
        german.pop()
    english.append((mark, 1))
    german.append((mark, 1))
    return Phrase(
        text(english),
        text(german),
        tuple((i, j) for i, e in enumerate(english) for j, g in enumerate(german) if e[1] & g[1]),
    )


def text(tokens: list[Token]) -> str:
    """Words joined as they are written: no space before punctuation and before 's."""
    joined = " ".join([token[0] for token in tokens])
    for mark in (" ,", " .", " ?", " 's"):
        joined = joined.replace(mark, mark[1:])
    return joined[0].upper() + joined[1:]


def new_links() -> Links:
    """Fresh bits for one sentence; the first bit is kept for the final punctuation mark."""
    return (1 << n for n in count(1))


def statement(spec: Clause) -> Phrase:
    """A main clause: Today the man buys a book."""
    return finish(clause(spec, new_links(), STATEMENT), ".")


def question(spec: Clause) -> Phrase:
    """A yes-no question, or a w-question when the clause has a question word in front."""
    return finish(clause(spec, new_links(), QUESTION), "?")


def joined(main: Clause, conjunction: Adverbial, other: Clause) -> Phrase:
    """Main clause, conjunction, second clause: its verb last after weil, second after und."""
    links = new_links()
    english, german = clause(main, links, STATEMENT)
    link = next(links)
    mood = STATEMENT if conjunction in (AND, BUT) else SUBORDINATE
    second_english, second_german = clause(other, links, mood)
    comma = next(links)
    if german[-1][0] == ",":
        german.pop()
    english += [(",", comma)] if conjunction in (AND, BUT) else []
    german += [(",", comma)] if conjunction is not AND else []
    english += [(conjunction.english[0], link), *second_english]
    german += [(conjunction.german[0], link), *second_german]
    return finish((english, german), ".")


def clause_first(conjunction: Adverbial, other: Clause, main: Clause) -> Phrase:
    """Subordinate clause first, then the main clause: Wenn es regnet, bleibt er zu Hause."""
    links = new_links()
    link, comma = next(links), next(links)
    english, german = clause(other, links, SUBORDINATE)
    second_english, second_german = clause(main, links, AFTER_CLAUSE)
    return finish(
        (
            [(conjunction.english[0], link), *english, (",", comma), *second_english],
            [(conjunction.german[0], link), *german, (",", comma), *second_german],
        ),
        ".",
    )
