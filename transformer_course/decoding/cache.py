"""A decoder that goes on from where it stopped: keys and values of earlier tokens are kept.

`DecoderLayer.forward` stays the paper's figure. Here its two attentions are replaced by ones that
remember, so any decoder layer built from `MultiHeadAttention` can be cached without knowing it.
"""

import copy
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_course.model import (
    DecoderLayer,
    DecoderOnly,
    EncoderLayer,
    MultiHeadAttention,
    Transformer,
    causal_mask,
)


class CachedSelfAttention(nn.Module):
    """Self-attention for the next tokens of each row: only their keys and values are computed."""

    def __init__(self, attend: MultiHeadAttention):
        super().__init__()
        self.attend = attend
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def forward(
        self,
        query: Float[Tensor, "rows new d_model"],
        key: Float[Tensor, "rows new d_model"],
        value: Float[Tensor, "rows new d_model"],
        mask: Bool[Tensor, "..."] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """Let the new tokens look at all before them and at each other, and remember them."""
        start = 0 if self.keys is None else self.keys.size(2)
        q, k, v = self.attend.project(query, key, value, start)
        if self.keys is not None and self.values is not None:
            k, v = torch.cat([self.keys, k], dim=2), torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        return self.attend.out_proj(self.attend.merge_heads(self.attend.mix(q, k, v, mask)))

    def select(self, rows: Int[Tensor, "kept"]) -> None:
        """Go on with what is kept of these rows, in this order."""
        if self.keys is not None and self.values is not None:
            self.keys = self.keys.index_select(0, rows)
            self.values = self.values.index_select(0, rows)


class CachedCrossAttention(nn.Module):
    """Cross-attention whose keys and values are computed once for each sentence.

    The hypotheses of one sentence ask it as rows of one query, so a beam never copies the memory.
    """

    def __init__(
        self, attend: MultiHeadAttention, memory: Float[Tensor, "sentences src_len d_model"]
    ):
        super().__init__()
        self.attend = attend
        self.keys = attend.split_heads(attend.key_proj(memory), attend.num_kv_heads)
        self.values = attend.split_heads(attend.value_proj(memory), attend.num_kv_heads)

    def forward(
        self,
        query: Float[Tensor, "rows new d_model"],
        key: Float[Tensor, "sentences src_len d_model"],
        value: Float[Tensor, "sentences src_len d_model"],
        mask: Bool[Tensor, "sentences 1 1 src_len"] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """Let every row look at the source of its sentence; key and value are known already."""
        by_sentence = query.view(self.keys.size(0), -1, query.size(-1))
        q = self.attend.split_heads(self.attend.query_proj(by_sentence))
        mixed = self.attend.mix(q, self.keys, self.values, mask)
        return self.attend.out_proj(self.attend.merge_heads(mixed)).view_as(query)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Forget the other sentences."""
        self.keys, self.values = self.keys[sentences], self.values[sentences]


class CachedDecoderOnly:
    """Decode token by token; `step` equals the last row of the model's forward pass so far."""

    def __init__(self, model: DecoderOnly | Transformer):
        self.model, self.length = model, 0
        layers = cast(list[EncoderLayer | DecoderLayer], list(model.decoder_layers))
        self.self_attns = [self.self_attention(layer.self_attn) for layer in layers]
        pairs = zip(layers, self.self_attns, strict=True)
        self.layers = [replace_attentions(layer, self_attn=attend) for layer, attend in pairs]

    def step(self, ids: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab_size"]:
        """Add one token to every row and score what may come next."""
        return self.extend(ids[:, None])

    def extend(self, ids: Int[Tensor, "rows new"]) -> Float[Tensor, "rows vocab_size"]:
        """Add several tokens to every row, a whole prompt at best, and score what may come next."""
        x = self.model.embed(ids, start=self.length)
        self.length += ids.size(1)
        # One new token may attend to all that is kept, several only to what is not after them.
        mask = causal_mask(self.length, ids.device)[-ids.size(1) :] if ids.size(1) > 1 else None
        for layer in self.layers:
            x = self.run_layer(layer, x, mask)
        return self.model.logits(self.model.decoder_norm(x[:, -1]))

    def run_layer(
        self,
        layer: nn.Module,
        x: Float[Tensor, "rows new d_model"],
        mask: Bool[Tensor, "new length"] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """One layer over the new tokens."""
        return layer(x, mask)

    def self_attention(self, attend: MultiHeadAttention) -> CachedSelfAttention:
        """What stands in a layer for its attention to the tokens so far."""
        return CachedSelfAttention(attend)

    def select(self, rows: Int[Tensor, "kept"]) -> None:
        """Go on with these rows, in this order, each within its own sentence."""
        for attend in self.self_attns:
            attend.select(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """There is no source to forget."""


class CachedDecoder(CachedDecoderOnly):
    """The same with a source; `step` equals the last row of `Transformer.decode` so far.

    A sentence may have several rows (the hypotheses of a beam), as long as all have equally many.
    """

    def __init__(
        self,
        model: Transformer,
        memory: Float[Tensor, "sentences src_len d_model"],
        src_mask: Bool[Tensor, "sentences 1 1 src_len"],
    ):
        super().__init__(model)
        self.memory, self.src_mask = memory, src_mask
        layers = cast(list[DecoderLayer], list(model.decoder_layers))
        self.cross_attns = [self.cross_attention(layer.cross_attn) for layer in layers]
        pairs = zip(self.layers, self.cross_attns, strict=True)
        self.layers = [replace_attentions(layer, cross_attn=attend) for layer, attend in pairs]

    def run_layer(
        self,
        layer: nn.Module,
        x: Float[Tensor, "rows new d_model"],
        mask: Bool[Tensor, "new length"] | None,
    ) -> Float[Tensor, "rows new d_model"]:
        """The same, with the source beside them."""
        return layer(x, self.memory, mask, self.src_mask)

    def cross_attention(self, attend: MultiHeadAttention) -> CachedCrossAttention:
        """What stands in a layer for its attention to the source."""
        return CachedCrossAttention(attend, self.memory)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Forget the other sentences; `select` their rows too."""
        self.memory, self.src_mask = self.memory[sentences], self.src_mask[sentences]
        for attend in self.cross_attns:
            attend.keep(sentences)


def replace_attentions(layer: nn.Module, **attentions: nn.Module) -> nn.Module:
    """A shallow copy of a layer: the same weights and forward, other attentions."""
    replaced = copy.copy(layer)
    replaced._modules = {**layer._modules, **attentions}
    return replaced
