"""Which head of a translator tells best which German word stands for which English one.

The phrasebook knows: its sentences come with their alignment. The model reads each sentence and its
right translation; a German word's guess is the English word with the most weight, the sum over the
word's pieces, the mean over the pieces that look.
"""

from collections.abc import Sequence

import torch

from transformer_course.data import EOS_ID, Tokenizer, make_batch, phrasebook
from transformer_course.decoding import evaluating
from transformer_course.model import Transformer, record_attention

SENTENCES = 300


def places(pieces: Sequence[str], words: Sequence[str]) -> list[int]:
    """The word that each piece is part of, counted from 0."""
    found, word, spelled = [], 0, ""
    for piece in pieces:
        found.append(word)
        spelled += piece.removeprefix("▁")
        if spelled == words[word]:
            word, spelled = word + 1, ""
    return found


def aligning(model: Transformer, tokenizer: Tokenizer, count: int = SENTENCES) -> list[list[float]]:
    """For each layer the share of words that its heads' mean gets right, then of each head."""
    config = model.config
    right = torch.zeros(config.num_layers, 1 + config.num_heads)
    asked = 0
    for phrase in phrasebook.generate("test", count, seed=0):
        sides = [tokenizer.encode(text) for text in (phrase.english, phrase.german)]
        words = [phrasebook.words(text) for text in (phrase.english, phrase.german)]
        source, target = (
            torch.tensor(places([tokenizer.id_to_piece(i) for i in ids], of))
            for ids, of in zip(sides, words, strict=True)
        )
        batch = make_batch([(sides[0], sides[1])])
        assert batch.src[0, -1] == EOS_ID
        with evaluating(model), record_attention(model) as recorded:
            model(batch.src, batch.tgt_in)
        known = {german: english for english, german in phrase.alignment}
        for layer in range(config.num_layers):
            heads = recorded[f"decoder_layers.{layer}.cross_attn"][0]
            ways = torch.cat([heads.mean(0, keepdim=True), heads])[:, : len(target), :-1]
            by_source = torch.zeros(*ways.shape[:2], len(words[0])).index_add(2, source, ways)
            by_word = torch.zeros(len(ways), len(words[1]), len(words[0]))
            guesses = by_word.index_add(1, target, by_source).argmax(2)  # a mean has the same best
            for german, english in known.items():
                right[layer] += guesses[:, german] == english
        asked += len(known)
    return (right / asked).tolist()
