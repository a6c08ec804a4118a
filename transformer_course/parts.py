"""From the names in a configuration to the parts that a model stacks.

Only the models read a configuration, and only through here: parts take plain values.
"""

from functools import partial
from typing import Any

import torch.nn.functional as F
from torch import nn

from transformer_course.attention import MultiHeadAttention
from transformer_course.config import OPTIONAL_SIZES, TransformerConfig
from transformer_course.layers import (
    AttentionMaker,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    FeedForwardMaker,
    NormMaker,
)
from transformer_course.positions import LearnedPositions, NoPositions, SinusoidalPositions
from transformer_course.relative import AlibiAttention, RotaryAttention
from transformer_course.variants import (
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


def positions(config: TransformerConfig) -> nn.Module:
    """What is added to the embeddings."""
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.max_len, config.d_model)
    if config.positions == "learned":
        return LearnedPositions(config.max_len, config.d_model)
    return NoPositions()


def encoder_layer(config: TransformerConfig) -> EncoderLayer:
    """One layer of an encoder, or of a decoder that has no source to look at."""
    kind = PreNormEncoderLayer if config.norm_placement == "pre" else EncoderLayer
    return kind(**of_both_kinds(config))


def decoder_layer(config: TransformerConfig) -> DecoderLayer:
    """One layer of a decoder that looks at a source."""
    kind = PreNormDecoderLayer if config.norm_placement == "pre" else DecoderLayer
    return kind(cross_attn=cross_attention(config), **of_both_kinds(config))


def of_both_kinds(config: TransformerConfig) -> dict[str, Any]:
    """What every layer is made of."""
    return {
        "d_model": config.d_model,
        "num_heads": config.num_heads,
        "d_ff": config.d_ff,
        "dropout": config.dropout,
        "self_attn": self_attention(config),
        "feed_forward": FEED_FORWARDS[config.activation],
        "norm": NORMS[config.norm],
    }


def final_norm(config: TransformerConfig) -> nn.Module:
    """What ends a stack: the paper's layers end normalized already, pre-norm layers do not."""
    return NORMS[config.norm](config.d_model) if config.norm_placement == "pre" else nn.Identity()


def cross_attention(config: TransformerConfig) -> AttentionMaker:
    """Attention to another sequence: distances mean nothing there."""
    return partial(MultiHeadAttention, **sizes(config))


def self_attention(config: TransformerConfig) -> AttentionMaker:
    """Attention within a sequence, where RoPE and ALiBi see how far apart two tokens are."""
    if config.positions == "rotary":
        return partial(RotaryAttention, max_len=config.max_len, **sizes(config))
    if config.positions == "alibi":
        return partial(AlibiAttention, **sizes(config))
    return cross_attention(config)


def sizes(config: TransformerConfig) -> dict[str, Any]:
    """How wide and how many the heads are."""
    return {name: getattr(config, name) for name in OPTIONAL_SIZES}
