"""A decoder that goes on from where it stopped: keys and values of earlier tokens are kept.

`DecoderLayer.forward` stays the paper's figure. Here its two attentions are replaced by ones that
remember, so any decoder layer built from `MultiHeadAttention` can be cached without knowing it.
"""

import copy
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_course.attention import MultiHeadAttention, fused_attention
from transformer_course.layers import DecoderLayer
from transformer_course.model import Transformer


class CachedSelfAttention(nn.Module):
    """Self-attention for one new token per row: only its key and value are computed."""

    def __init__(self, attend: MultiHeadAttention):
        super().__init__()
        self.attend = attend
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        q = self.attend.split_heads(self.attend.query_proj(query))
        k = self.attend.split_heads(self.attend.key_proj(key))
        v = self.attend.split_heads(self.attend.value_proj(value))
        if self.keys is not None and self.values is not None:
            k, v = torch.cat([self.keys, k], dim=2), torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        # No mask: a new token may attend to all that is kept, and nothing later exists yet.
        mixed = fused_attention(q, k, v)
        return self.attend.out_proj(self.attend.merge_heads(mixed))

    def select(self, rows: Int[Tensor, "kept"]) -> None:
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]


class CachedCrossAttention(nn.Module):
    """Cross-attention whose keys and values are computed once for each sentence.

    The hypotheses of one sentence ask it as rows of one query, so a beam never copies the memory.
    """

    def __init__(self, attend: MultiHeadAttention, memory: Tensor):
        super().__init__()
        self.attend = attend
        self.keys = attend.split_heads(attend.key_proj(memory))
        self.values = attend.split_heads(attend.value_proj(memory))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        by_sentence = self.attend.query_proj(query).view(self.keys.size(0), -1, query.size(-1))
        q = self.attend.split_heads(by_sentence)
        mixed = fused_attention(q, self.keys, self.values, mask)
        return self.attend.out_proj(self.attend.merge_heads(mixed)).view_as(query)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        self.keys, self.values = self.keys[sentences], self.values[sentences]


class CachedDecoder:
    """Decode token by token; `step` equals the last row of `Transformer.decode` so far.

    A sentence may have several rows (the hypotheses of a beam), as long as all have equally many.
    """

    def __init__(
        self,
        model: Transformer,
        memory: Float[Tensor, "sentences src_len d_model"],
        src_mask: Bool[Tensor, "sentences 1 1 src_len"],
    ):
        self.model, self.memory, self.src_mask = model, memory, src_mask
        layers = cast(list[DecoderLayer], list(model.decoder_layers))
        self.self_attns = [CachedSelfAttention(layer.self_attn) for layer in layers]
        self.cross_attns = [CachedCrossAttention(layer.cross_attn, memory) for layer in layers]
        attentions = zip(layers, self.self_attns, self.cross_attns, strict=True)
        self.layers = [replace_attentions(*each) for each in attentions]
        self.length = 0

    def step(self, ids: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab_size"]:
        """Add one token to every row and score what may come next."""
        x = self.model.embed(ids[:, None], start=self.length)
        for layer in self.layers:
            x = layer(x, self.memory, None, self.src_mask)
        self.length += 1
        return self.model.logits(x[:, 0])

    def select(self, rows: Int[Tensor, "kept"]) -> None:
        """Go on with these rows, in this order, each within its own sentence."""
        for attend in self.self_attns:
            attend.select(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Forget the other sentences; `select` their rows too."""
        self.memory, self.src_mask = self.memory[sentences], self.src_mask[sentences]
        for attend in self.cross_attns:
            attend.keep(sentences)


def replace_attentions(layer: nn.Module, self_attn: nn.Module, cross_attn: nn.Module) -> nn.Module:
    """A shallow copy of a decoder layer: the same weights and forward, other attentions."""
    replaced = copy.copy(layer)
    replaced._modules = {**layer._modules, "self_attn": self_attn, "cross_attn": cross_attn}
    return replaced
