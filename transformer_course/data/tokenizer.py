"""Byte-pair encoding with one vocabulary for both languages (section 5.1; Sennrich et al. 2016).

The steps, each small enough to repeat in another language:

1. Unicode NFC, so that "é" is one character however it was typed.
2. Every run of white space becomes one space; none at the start or the end. "▁" is white space.
3. A space becomes "▁", and the text starts with one: "▁A▁dog's▁ball." Words split before each "▁".
4. Every punctuation mark (`PUNCTUATION`) stands alone: "▁A", "▁dog", "'", "s", "▁ball", ".".
5. Within each part the merges apply, the earliest learned first, the leftmost of equals first.
6. A character that training never saw becomes `UNK_ID`.

Decoding joins the pieces and turns "▁" back into a space. Text therefore comes back exactly, except
that white space is normalized (step 2) and a character never seen comes back as "�".
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from transformer_course.errors import DataError

PAD_ID, BOS_ID, EOS_ID, UNK_ID = 0, 1, 2, 3
SPECIAL_PIECES = ("<pad>", "<s>", "</s>", "<unk>")

WORD_START = "▁"
WHITE_SPACE = "[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000▁]+"
PUNCTUATION = r"[\p{P}$+<=>^`|~]"  # Unicode's category P and the rest of ASCII's marks


def normalize(text: str) -> str:
    """Return the text as decoding gives it back: NFC, white space single, none at the ends."""
    return re.sub(WHITE_SPACE, " ", unicodedata.normalize("NFC", text)).strip(" ")


class Tokenizer:
    """Turn text into piece ids and back."""

    def __init__(self, vocab: dict[str, int], merges: Sequence[Sequence[str]]) -> None:
        self.vocab = vocab
        self.merges = [(left, right) for left, right in merges]
        self._pieces = sorted(vocab, key=vocab.__getitem__)
        # The special pieces stand in the vocabulary only, not among the tokenizer's "added tokens":
        # those are recognized inside plain text, and a sentence that quotes "</s>" would end there.
        self._engine = _pipeline(models.BPE(vocab, self.merges, unk_token=SPECIAL_PIECES[UNK_ID]))

    @classmethod
    def train(cls, texts: Iterable[str], *, vocab_size: int) -> Tokenizer:
        """Learn the merges from texts of both languages; equal texts give an equal vocabulary.

        A small corpus can run out of pairs that occur twice; then `len` is less than `vocab_size`.

        Raises:
            DataError: if there is no text, or `vocab_size` cannot hold every single character.
        """
        engine = _pipeline(models.BPE(unk_token=SPECIAL_PIECES[UNK_ID]))
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            special_tokens=list(SPECIAL_PIECES),
            show_progress=False,
        )
        engine.train_from_iterator(texts, trainer)
        model = json.loads(engine.to_str())["model"]
        vocab, merges = model["vocab"], model["merges"]
        num_characters = sum(len(piece) == 1 for piece in vocab)
        smallest = num_characters + len(SPECIAL_PIECES)
        if not num_characters:
            raise DataError("expected texts to learn a vocabulary from, got none with a character")
        if vocab_size < smallest:
            raise DataError(
                f"vocab_size={vocab_size} is too small: the texts hold {num_characters} characters "
                f"beside the 4 special pieces; use at least {smallest}"
            )
        return cls(vocab, merges)

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read what `save` wrote.

        Raises:
            DataError: if the file is missing, damaged, or of another kind of tokenizer.
        """
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"no tokenizer at {path}: {error.strerror}; train one first") from error
        except ValueError as error:
            raise DataError(f"{path} is damaged: expected JSON, got {error}; {_REBUILD}") from error
        try:
            model = stored["model"]
            tokenizer = cls(model["vocab"], model["merges"])
            same = json.loads(tokenizer._engine.to_str()) == stored
            gapless = sorted(tokenizer.vocab.values()) == list(range(len(tokenizer)))
        except Exception as error:  # the engine raises bare Exception on merges it cannot use
            raise DataError(
                f"{path} is not a byte-pair vocabulary ({error!r}); {_REBUILD}"
            ) from error
        if not (same and gapless and tuple(tokenizer._pieces[:4]) == SPECIAL_PIECES):
            raise DataError(
                f"{path} holds a tokenizer with other steps or special pieces than this course's; "
                + _REBUILD
            )
        return tokenizer

    def save(self, path: str | Path) -> None:
        """Write one JSON file that the `tokenizers` package reads too; all of it or nothing."""
        path = Path(path)
        scratch = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            scratch.write_text(self._engine.to_str(), encoding="utf-8")
            os.replace(scratch, path)
        finally:
            scratch.unlink(missing_ok=True)

    def fingerprint(self) -> str:
        """Return a sha256 of the vocabulary: equal exactly when two tokenizers encode alike."""
        return hashlib.sha256(json.dumps([self._pieces, self.merges]).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text's pieces, without BOS and EOS."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Encode many texts, on all cores.

        Raises:
            DataError: if a text holds half a character (bytes that were not UTF-8).
        """
        try:
            return [encoding.ids for encoding in self._engine.encode_batch_fast(list(texts))]
        except TypeError:
            for number, text in enumerate(texts, 1):
                _check_unicode(number, text)
            raise

    def encode_pairs(
        self, pairs: Sequence[tuple[str, str]], at_once: int = 10_000
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Encode sources and targets, some thousands at once, so that millions need no room."""
        for start in range(0, len(pairs), at_once):
            sides = zip(*pairs[start : start + at_once], strict=True)
            yield from zip(*map(self.encode_batch, sides), strict=True)

    def pieces(self, text: str) -> list[str]:
        """Return the pieces as one reads them; what the vocabulary lacks shows as "<unk>"."""
        return [self._pieces[piece_id] for piece_id in self.encode(text)]

    def id_to_piece(self, piece_id: int) -> str:
        """Return the piece of one id.

        Raises:
            DataError: if there is no such id.
        """
        if not 0 <= piece_id < len(self._pieces):
            raise DataError(
                f"expected a piece id from 0 to {len(self._pieces) - 1}, got {piece_id}: "
                "was it made with another vocabulary?"
            )
        return self._pieces[piece_id]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; PAD, BOS and EOS are dropped, UNK shows as "�"."""
        shown = (
            _SHOWN.get(piece_id) or self.id_to_piece(piece_id)
            for piece_id in map(int, ids)
            if piece_id > EOS_ID
        )
        return "".join(shown).replace(WORD_START, " ").strip(" ")


_SHOWN = {UNK_ID: "�"}
_REBUILD = "train it again or restore the file"


def _pipeline(model: models.BPE) -> tokenizers.Tokenizer:
    """Build steps 1 to 5 around a byte-pair model."""
    engine = tokenizers.Tokenizer(model)
    engine.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(WHITE_SPACE), " "), normalizers.Strip()]
    )
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=WORD_START, prepend_scheme="always"),
            pre_tokenizers.Split(Regex(PUNCTUATION), behavior="isolated"),
        ]
    )
    return engine


def _check_unicode(number: int, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"text {number}: character {error.start + 1} is not valid Unicode "
            f"({text[error.start]!r}); give the text as UTF-8"
        ) from error
