"""The parts that a configuration can name: the paper's first, then those of later papers.

A name stands here and nowhere else: configurations, error messages and the command line read it.
"""

from collections.abc import Mapping
from functools import partial

import torch.nn.functional as F
from torch import nn

from transformer_course.model.layers import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    FeedForwardMaker,
    NormMaker,
)
from transformer_course.model.multi_head_attention import MultiHeadAttention
from transformer_course.model.positions import (
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
)
from transformer_course.model.relative import AlibiAttention, RotaryAttention
from transformer_course.model.variants import (
    GatedFeedForward,
    GELUFeedForward,
    PreNormDecoderLayer,
    PreNormEncoderLayer,
    RMSNorm,
)

NORMS: dict[str, NormMaker] = {"layer": nn.LayerNorm, "rms": RMSNorm}
FEED_FORWARDS: dict[str, FeedForwardMaker] = {
    "relu": FeedForward,
    "gelu": GELUFeedForward,
    "swiglu": partial(GatedFeedForward, activation=F.silu),
    "geglu": partial(GatedFeedForward, activation=F.gelu),
}
LAYERS: dict[str, tuple[type[EncoderLayer], type[DecoderLayer]]] = {
    "post": (EncoderLayer, DecoderLayer),
    "pre": (PreNormEncoderLayer, PreNormDecoderLayer),
}
# What is added to the embeddings, and the attention within a sequence
POSITIONS: dict[str, tuple[type[nn.Module], type[MultiHeadAttention]]] = {
    "sinusoidal": (SinusoidalPositions, MultiHeadAttention),
    "learned": (LearnedPositions, MultiHeadAttention),
    "rotary": (NoPositions, RotaryAttention),
    "alibi": (NoPositions, AlibiAttention),
    "none": (NoPositions, MultiHeadAttention),
}

# By the entry of the configuration that names one of them
TABLES: dict[str, Mapping[str, object]] = {
    "norm_placement": LAYERS,
    "norm": NORMS,
    "positions": POSITIONS,
    "activation": FEED_FORWARDS,
}
CHOICES = {entry: tuple(table) for entry, table in TABLES.items()}
