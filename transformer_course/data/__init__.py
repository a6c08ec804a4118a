"""From sentences to batches of numbers. Read the files in this order:

textfiles, tokenizer, batching, toy, the folders phrasebook and grammar, and at need download,
multi30k, likeness, tatoeba, mixture and sets.
"""

from transformer_course.data.batching import (
    Batch,
    EncodedPairs,
    TokenBatches,
    make_batch,
    pad,
    padding_waste,
)
from transformer_course.data.sets import describe, fetch, load_pairs, names, splits, to_fetch
from transformer_course.data.textfiles import load_text_pairs, split_lines
from transformer_course.data.tokenizer import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer

__all__ = [
    "BOS_ID",
    "EOS_ID",
    "PAD_ID",
    "UNK_ID",
    "Batch",
    "EncodedPairs",
    "TokenBatches",
    "Tokenizer",
    "describe",
    "fetch",
    "load_pairs",
    "load_text_pairs",
    "make_batch",
    "names",
    "pad",
    "padding_waste",
    "split_lines",
    "splits",
    "to_fetch",
]
