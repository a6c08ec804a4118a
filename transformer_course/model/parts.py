"""From the names in a configuration to the parts that a model stacks.

Only the models read a configuration, and only through here: parts take plain values.
"""

from functools import partial
from typing import Any

from torch import nn

from transformer_course.model.choices import FEED_FORWARDS, LAYERS, NORMS, POSITIONS
from transformer_course.model.config import OPTIONAL_SIZES, TransformerConfig
from transformer_course.model.layers import AttentionMaker, DecoderLayer, EncoderLayer
from transformer_course.model.multi_head_attention import MultiHeadAttention
from transformer_course.model.positions import NoPositions
from transformer_course.model.relative import RotaryAttention


def positions(config: TransformerConfig) -> nn.Module:
    """What is added to the embeddings."""
    added, _ = POSITIONS[config.positions]
    return added() if added is NoPositions else added(config.max_len, config.d_model)


def encoder_layer(config: TransformerConfig) -> EncoderLayer:
    """One layer of an encoder, or of a decoder that has no source to look at."""
    kind, _ = LAYERS[config.norm_placement]
    return kind(**of_both_kinds(config))


def decoder_layer(config: TransformerConfig) -> DecoderLayer:
    """One layer of a decoder that looks at a source."""
    _, kind = LAYERS[config.norm_placement]
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
    _, kind = POSITIONS[config.positions]
    longest = {"max_len": config.max_len} if kind is RotaryAttention else {}
    return partial(kind, **longest, **sizes(config))


def sizes(config: TransformerConfig) -> dict[str, Any]:
    """How wide and how many the heads are."""
    return {name: getattr(config, name) for name in OPTIONAL_SIZES}
