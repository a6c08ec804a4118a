"""Speculative decoding: a table guesses, the translator checks, and keeps what is its own."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import BOS_ID, EOS_ID, phrasebook
from transformer_course.decoding import encode_sources
from transformer_course.widgets.base import CourseWidget, Table

MOST_GUESSES, COUNTED, MOST_PIECES = 8, 20_000, 16
SENTENCES = [
    "Every sad man lives in the house.",
    "The old women say that she will find the woman.",
    "The men ordered a potato for the woman last week.",
    "We do not know whether they are tired.",
    "They sometimes dance.",
]


@cache
def follower() -> dict[int, int]:
    """Which piece follows which most often, in the German sentences of the phrasebook."""
    tokenizer = translator("everyday")[1]
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    phrases = phrasebook.generate("train", COUNTED)
    for ids in tokenizer.encode_batch([phrase.german for phrase in phrases]):
        for piece, after in zip([BOS_ID, *ids], [*ids, EOS_ID], strict=True):
            counts[piece][after] += 1
    return {piece: found.most_common(1)[0][0] for piece, found in counts.items()}


def guesses(piece: int, count: int) -> list[int]:
    """Up to `count` pieces that may follow, each from the one before; none after the end mark."""
    found = [piece]
    while len(found) <= count and found[-1] in follower():
        found.append(follower()[found[-1]])
    return found[1:]


def count_calls(written: Sequence[int], drafts: Sequence[Sequence[int]], most: int) -> int:
    """How often the target is called for a text that it writes, with up to `most` guesses a call.

    `drafts` holds the guesses at each place of the text. What is kept is always the target's own.
    """
    place = calls = 0
    while place < len(written):
        guess = drafts[place][:most]
        wrong = (
            n for n, piece in enumerate(guess) if written[place + n : place + n + 1] != [piece]
        )
        place, calls = place + next(wrong, len(guess)) + 1, calls + 1
    return calls


@cache
def record(sentence: str) -> dict[str, Any]:
    """The everyday translator's greedy output, and the table's guesses at each of its places."""
    model, tokenizer = translator("everyday")
    source = torch.tensor(encode_sources([sentence], tokenizer, model.config.max_len))
    [found] = decoding.greedy(model, source)
    written = [*found, EOS_ID]
    if len(written) > MOST_PIECES:
        raise traitlets.TraitError(
            f"sentences: expected translations of at most {MOST_PIECES} pieces, got "
            f"{len(written)} for {sentence!r}: take a shorter sentence"
        )
    drafts = [guesses(piece, MOST_GUESSES) for piece in [BOS_ID, *found]]
    known = sorted({*written, *(piece for row in drafts for piece in row)})
    return {
        "source": sentence,
        "pieces": [tokenizer.id_to_piece(piece) for piece in known],
        "written": [known.index(piece) for piece in written],
        "drafts": [[known.index(piece) for piece in row] for row in drafts],
    }


class Speculation(CourseWidget, source="speculation"):
    """Step through the calls of a translator whose next words a table of pairs guesses.

    Greedy throughout: a guess is kept if the translator would have written the same. So the output
    is the translator's, whatever the guesses are, and its calls are what changes.
    """

    sentences = traitlets.List(
        traitlets.Unicode(), SENTENCES, minlen=1, maxlen=6, help="English, short"
    )
    texts: traitlets.List = traitlets.List(help="what was recorded of each").tag(sync=True)
    sentence = traitlets.Int(1, min=0, help="which of the sentences").tag(sync=True)
    most = traitlets.Int(4, min=0, max=MOST_GUESSES, help="guesses a call").tag(sync=True)
    step = traitlets.Int(3, min=0, help="which call; past the last one: the last").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        if self.sentence >= len(self.sentences):
            raise traitlets.TraitError(
                f"sentence={self.sentence}: there are {len(self.sentences)}, counted from 0"
            )
        self.texts = [record(sentence) for sentence in self.sentences]

    def __repr__(self) -> str:
        return f"Speculation({self.sentences[self.sentence]!r}, most={self.most})"

    def tables(self) -> list[Table]:
        """Calls of the translator for each sentence, by the guesses a call."""
        most = [0, 1, 2, 4, 8]
        cells = [
            [count_calls(text["written"], text["drafts"], guess) for guess in most]
            for text in self.texts
        ]
        columns = [f"{guess} guess{'es' * (guess != 1)}" for guess in most]
        return [Table("Calls of the translator", list(self.sentences), columns, np.array(cells))]
