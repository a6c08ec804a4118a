"""Byte-pair encoding, merge by merge, on a text of the reader's own (section 5.1)."""

import numpy as np
import traitlets

from transformer_course.data import Tokenizer
from transformer_course.errors import DataError
from transformer_course.widgets.base import CourseWidget, Table

LONGEST = 20_000  # characters
SHOWN = 30  # merges of the static twin
# The counts of the example in Sennrich et al. 2016: low 5, lower 2, newest 6, widest 3.
EXAMPLE = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)


class BpeMerges(CourseWidget, source="bpe_merges"):
    """Count pairs of neighbors, merge the most frequent, count again; then encode a new word.

    The merges are those of the package's `Tokenizer`, in its order: of pairs that are equally
    frequent, the one whose pieces came into the vocabulary first. No pair that occurs once merges.
    """

    text = traitlets.Unicode(EXAMPLE, help="what the merges are learned from").tag(sync=True)
    done = traitlets.Int(4, min=0, max=LONGEST, help="merges so far").tag(sync=True)
    word = traitlets.Unicode("lowest", help="encoded with the merges so far").tag(sync=True)

    @traitlets.validate("text", "word")
    def _short_enough(self, proposal: dict) -> str:
        name, value = proposal["trait"].name, proposal["value"]
        if len(value) > LONGEST:
            raise traitlets.TraitError(
                f"{name}: expected at most {LONGEST:,} characters, got {len(value):,}; shorten it"
            )
        return value

    def __repr__(self) -> str:
        return f"BpeMerges(done={self.done}, word={self.word[:40]!r})"

    def tokenizer(self) -> Tokenizer | None:
        """The package's own, trained on the text with as many merges as are done, if it can be."""
        try:
            full = Tokenizer.train([self.text], vocab_size=2 * LONGEST)
        except DataError:  # a text without a character
            return None
        merges = full.merges[: self.done]
        pieces = [p for p in full.vocab if len(p) == 1] + [left + right for left, right in merges]
        kept = sorted(set(pieces), key=full.vocab.__getitem__)
        specials = sorted(full.vocab, key=full.vocab.__getitem__)[:4]
        return Tokenizer({piece: n for n, piece in enumerate([*specials, *kept])}, merges)

    def tables(self) -> list[Table]:
        """The latest merges, and how many pieces the text and the word have after each."""
        tokenizer = self.tokenizer()
        if tokenizer is None:
            return []
        merges, rows, counts = tokenizer.merges, [], []
        for done in range(max(0, len(merges) - SHOWN), len(merges) + 1):
            now = Tokenizer(tokenizer.vocab, merges[:done])
            rows.append(f"{done} {' + '.join(merges[done - 1])}" if done else "characters")
            counts.append([len(now.encode(self.text)), len(now.encode(self.word))])
        columns = ["pieces of the text", "of the word"]
        return [Table("Merges, in the order learned", rows, columns, np.array(counts, float))]
