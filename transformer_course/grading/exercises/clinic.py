"""Ten broken Transformers, and a sound one, that can be asked and not opened.

For the exercise "find the bug". All have the right shapes, and all of them learn.
"""

import hashlib
from typing import Any

import torch
from torch import Tensor, nn

from transformer_course.model import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    Transformer,
    TransformerConfig,
    causal_mask,
    record_attention,
)

SOUND = "sound"
ILLNESSES = (
    "no causal mask",
    "mask one too wide",
    "mask after softmax",
    "softmax over queries",
    "norm over tokens",
    "padding is read",
    "no positions",
    "dropout never off",
    "memory of layer 0",
    "source ignored",
)
VOCAB_SIZE = 29
LARGEST = 1000  # ids in one question
CONFIG = TransformerConfig(vocab_size=VOCAB_SIZE, d_model=16, num_heads=2, d_ff=24, num_layers=2)


class Attention(MultiHeadAttention):
    """Written out, so that it can be ill."""

    illness = SOUND

    def weigh(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """The weights, whatever has become of them."""
        scores = q @ k.transpose(-2, -1) * self.head_dim**-0.5
        seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        if self.illness == "mask after softmax":
            return scores.softmax(-1) * seen
        scores = scores.masked_fill(~seen, float("-inf"))
        if self.illness == "softmax over queries":
            return scores.softmax(-2).nan_to_num(0)  # a key that nobody may see
        return scores.softmax(-1)

    def mix(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.weigh(q, k, mask) @ v

    def weights(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q, k, _ = self.project(query, key, value)
        return self.weigh(q, k, mask)


class TokenNorm(nn.LayerNorm):
    """Mean and variance over the tokens of a sentence, where those of one token are meant."""

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=1, keepdim=True, correction=0)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias


class AlwaysDropout(nn.Dropout):
    """Deaf to `eval()`."""

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(x, self.p, training=True)


class SickTransformer(Transformer):
    """The course's model with one thing wrong."""

    def __init__(self, illness: str) -> None:
        self.illness = illness
        super().__init__(CONFIG)
        norm = TokenNorm if illness == "norm over tokens" else nn.LayerNorm
        d_model, num_heads, d_ff = CONFIG.d_model, CONFIG.num_heads, CONFIG.d_ff
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, self_attn=Attention, norm=norm) for _ in range(2)
        )
        self.decoder_layers = nn.ModuleList(
            DecoderLayer(
                *(d_model, num_heads, d_ff), self_attn=Attention, cross_attn=Attention, norm=norm
            )
            for _ in range(2)
        )
        for module in list(self.modules()):
            if isinstance(module, Attention):
                module.illness = illness
            if illness == "dropout never off" and hasattr(module, "dropout"):
                module.dropout = AlwaysDropout(CONFIG.dropout)
        if illness == "no positions":
            nn.init.zeros_(self.positions.get_buffer("table"))

    def encode(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        x = self.embed(src)
        for layer in list(self.encoder_layers)[: 1 if self.illness == "memory of layer 0" else 2]:
            x = layer(x, src_mask)
        return x

    def decode_states(self, tgt: Tensor, memory: Tensor, src_mask: Tensor | None = None) -> Tensor:
        wide = {"no causal mask": tgt.size(1), "mask one too wide": 1}.get(self.illness, 0)
        tgt_mask = (
            causal_mask(tgt.size(1) + wide)[wide:, :-wide] if wide else causal_mask(tgt.size(1))
        )
        x = self.embed(tgt)
        for layer in self.decoder_layers:
            if self.illness == "source ignored":
                x = layer(x, x, tgt_mask, tgt_mask)
            else:
                x = layer(
                    x, memory, tgt_mask, None if self.illness == "padding is read" else src_mask
                )
        return x


class Patient:
    """A Transformer for sequences of ids from 0 (padding) to 28. It comes in training mode."""

    def __init__(self, illness: str, seed: int = 0) -> None:
        if illness not in (SOUND, *ILLNESSES):
            raise ValueError(f"{illness!r}: expected {SOUND} or one of {', '.join(ILLNESSES)}")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = SickTransformer(illness)
            for parameter in self._model.parameters():
                nn.init.normal_(parameter, mean=float(parameter.dim() == 1), std=0.3)

    def train(self) -> "Patient":
        """Dropout on, as while it learns."""
        self._model.train()
        return self

    def eval(self) -> "Patient":
        """Dropout off, as it should be."""
        self._model.eval()
        return self

    def __call__(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits (batch, tgt_len, 29) for src (batch, src_len) and tgt (batch, tgt_len)."""
        check_ids(src, tgt)
        with torch.no_grad():
            return self._model(src, tgt)

    def attention(self, src: Tensor, tgt: Tensor) -> dict[str, Tensor]:
        """The weights of each attention, (batch, heads, q_len, k_len), by its name."""
        check_ids(src, tgt)
        with record_attention(self._model) as weights, torch.no_grad():
            self._model(src, tgt)
        return weights

    def gradients(self, src: Tensor, tgt: Tensor) -> dict[str, float]:
        """The largest gradient of each parameter, of the sum of all squared logits; 0 is none."""
        check_ids(src, tgt)
        self._model.zero_grad(set_to_none=True)
        self._model(src, tgt).square().sum().backward()
        named = self._model.named_parameters()
        return {name: 0.0 if p.grad is None else p.grad.abs().max().item() for name, p in named}

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"A patient has no `{name}`. It can be called, as in `model(src, tgt)`, asked for its "
            "`attention` and its `gradients`, and told to `train` or to `eval`."
        )

    def answer(self, what: str, mode: str, src: Tensor, tgt: Tensor) -> Any:
        """What it says to a question that came over a line: logits, attention or gradients."""
        self._model.train(mode == "train")
        if what == "attention":
            return self.attention(src, tgt)
        return self.gradients(src, tgt) if what == "gradients" else self(src, tgt)


def patient(letter: str) -> Patient:
    """One of the ten, from A to J. Who has what is not written here."""
    letters = "ABCDEFGHIJ"
    if letter not in letters or len(letter) != 1:
        raise ValueError(f"{letter!r}: the patients are the letters from A to J")
    order = sorted(ILLNESSES, key=lambda name: hashlib.sha256(f"ward {name}".encode()).digest())
    return Patient(order[letters.index(letter)], seed=letters.index(letter))


def check_ids(src: Tensor, tgt: Tensor) -> None:
    """Refuse what is no batch of ids."""
    for name, ids in (("src", src), ("tgt", tgt)):
        good = isinstance(ids, Tensor) and ids.dim() == 2 and ids.dtype == torch.long
        if not good or not 0 < ids.numel() <= LARGEST:
            raise ValueError(
                f"{name}: expected a tensor (batch, length) of at most {LARGEST} whole numbers, "
                "such as torch.tensor([[5, 6, 7]])"
            )
        if not 0 <= int(ids.min()) <= int(ids.max()) < VOCAB_SIZE:
            raise ValueError(f"{name}: expected ids from 0 (padding) to {VOCAB_SIZE - 1}")
    if len(src) != len(tgt):
        raise ValueError(f"src has {len(src)} rows and tgt {len(tgt)}: one target for each source")
