"""From sentences to batches of numbers. Read the files in this order:

textfiles, tokenizer, batching, toy, the folders phrasebook and grammar, and at need download,
multi30k, likeness, tatoeba, mixture, trees, tree_tokens, splitting, treebanks and sets.
"""

from transformer_course.data.batching import (
    Batch,
    EncodedPairs,
    TokenBatches,
    by_length,
    make_batch,
    pad,
    padding_waste,
)
from transformer_course.data.sets import describe, fetch, load_pairs, names, splits, to_fetch
from transformer_course.data.splitting import tree_words
from transformer_course.data.textfiles import load_text_pairs, split_lines
from transformer_course.data.tokenizer import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer
from transformer_course.data.tree_tokens import TreeTokens, line_of, look, tree_of
from transformer_course.data.treebanks import load_trees
from transformer_course.data.trees import TOP, Tree, cleaned, read_tree, read_trees

__all__ = [
    "BOS_ID",
    "EOS_ID",
    "PAD_ID",
    "TOP",
    "UNK_ID",
    "Batch",
    "EncodedPairs",
    "TokenBatches",
    "Tokenizer",
    "Tree",
    "TreeTokens",
    "by_length",
    "cleaned",
    "describe",
    "fetch",
    "line_of",
    "load_pairs",
    "load_text_pairs",
    "load_trees",
    "look",
    "make_batch",
    "names",
    "pad",
    "padding_waste",
    "read_tree",
    "read_trees",
    "split_lines",
    "splits",
    "to_fetch",
    "tree_of",
    "tree_words",
]
