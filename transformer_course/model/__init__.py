"""The Transformer, part by part. Read the files in this order:

masks, sizes, scaled_dot_product, multi_head_attention, positions, layers; then, skipping relative
and variants, which hold what came after the paper, choices, config, parts and transformer. Later
come decoder_only and encoder_only, numpy_reference, the same model without torch, and flash.
"""

from transformer_course.model.choices import CHOICES
from transformer_course.model.config import (
    BASE,
    BIG,
    PRESETS,
    SMALL,
    TINY,
    TransformerConfig,
    without_retired,
)
from transformer_course.model.decoder_only import DecoderOnly
from transformer_course.model.encoder_only import EncoderOnly, mask_tokens, masked_token_loss
from transformer_course.model.flash import tiled_attention
from transformer_course.model.layers import DecoderLayer, EncoderLayer, FeedForward
from transformer_course.model.masks import causal_mask, padding_mask
from transformer_course.model.multi_head_attention import MultiHeadAttention, record_attention
from transformer_course.model.positions import (
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
    sinusoidal,
)
from transformer_course.model.relative import AlibiAttention, RotaryAttention
from transformer_course.model.scaled_dot_product import attention, fused_attention
from transformer_course.model.sizes import head_sizes
from transformer_course.model.transformer import Transformer
from transformer_course.model.variants import (
    GatedFeedForward,
    GELUFeedForward,
    PreNormDecoderLayer,
    PreNormEncoderLayer,
    RMSNorm,
)

__all__ = [
    "BASE",
    "BIG",
    "CHOICES",
    "PRESETS",
    "SMALL",
    "TINY",
    "AlibiAttention",
    "DecoderLayer",
    "DecoderOnly",
    "EncoderLayer",
    "EncoderOnly",
    "FeedForward",
    "GELUFeedForward",
    "GatedFeedForward",
    "LearnedPositions",
    "MultiHeadAttention",
    "NoPositions",
    "PreNormDecoderLayer",
    "PreNormEncoderLayer",
    "RMSNorm",
    "RotaryAttention",
    "SinusoidalPositions",
    "Transformer",
    "TransformerConfig",
    "attention",
    "causal_mask",
    "fused_attention",
    "head_sizes",
    "mask_tokens",
    "masked_token_loss",
    "padding_mask",
    "record_attention",
    "sinusoidal",
    "tiled_attention",
    "without_retired",
]
