"""From a trained model to sentences. Read the files in this order:

cache, beam, sampling; what is fast on a CPU: packed, layouts, quantized, steady; then search,
generation, translation, exporting; and for trees constrained, parsing and bracketing.
"""

from transformer_course.decoding.beam import Beam, Hypothesis, length_penalty
from transformer_course.decoding.bracketing import (
    Matches,
    brackets,
    f1,
    match,
    paired_bootstrap,
    score_trees,
)
from transformer_course.decoding.cache import CachedDecoder, CachedDecoderOnly
from transformer_course.decoding.constrained import Constrained, Rule
from transformer_course.decoding.exporting import export
from transformer_course.decoding.generation import generate
from transformer_course.decoding.layouts import choose_layouts, describe, lay_out
from transformer_course.decoding.packed import pack
from transformer_course.decoding.parsing import Parse, TreeRule, parse
from transformer_course.decoding.quantized import quantize
from transformer_course.decoding.sampling import shares
from transformer_course.decoding.search import (
    SEARCHES,
    OneEach,
    Search,
    beam_hypotheses,
    beam_search,
    evaluating,
    greedy,
    next_token_logits,
    sample,
    start,
    write,
)
from transformer_course.decoding.translation import (
    attention_map,
    encode_sources,
    score,
    search_defaults,
    search_options,
    translate,
)

__all__ = [
    "SEARCHES",
    "Beam",
    "CachedDecoder",
    "CachedDecoderOnly",
    "Constrained",
    "Hypothesis",
    "Matches",
    "OneEach",
    "Parse",
    "Rule",
    "Search",
    "TreeRule",
    "attention_map",
    "beam_hypotheses",
    "beam_search",
    "brackets",
    "choose_layouts",
    "describe",
    "encode_sources",
    "evaluating",
    "export",
    "f1",
    "generate",
    "greedy",
    "lay_out",
    "length_penalty",
    "match",
    "next_token_logits",
    "pack",
    "paired_bootstrap",
    "parse",
    "quantize",
    "sample",
    "score",
    "score_trees",
    "search_defaults",
    "search_options",
    "shares",
    "start",
    "translate",
    "write",
]
