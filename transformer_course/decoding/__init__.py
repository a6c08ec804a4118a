"""From a trained model to sentences. Read the files in this order:

cache, search, generation, packed (which can wait), translation, quantized, exporting.
"""

from transformer_course.decoding.cache import CachedDecoder, CachedDecoderOnly
from transformer_course.decoding.exporting import export
from transformer_course.decoding.generation import generate
from transformer_course.decoding.packed import pack
from transformer_course.decoding.quantized import quantize
from transformer_course.decoding.search import (
    Hypothesis,
    beam_hypotheses,
    beam_search,
    evaluating,
    greedy,
    length_penalty,
    next_token_logits,
    start,
)
from transformer_course.decoding.translation import attention_map, encode_sources, score, translate

__all__ = [
    "CachedDecoder",
    "CachedDecoderOnly",
    "Hypothesis",
    "attention_map",
    "beam_hypotheses",
    "beam_search",
    "encode_sources",
    "evaluating",
    "export",
    "generate",
    "greedy",
    "length_penalty",
    "next_token_logits",
    "pack",
    "quantize",
    "score",
    "start",
    "translate",
]
