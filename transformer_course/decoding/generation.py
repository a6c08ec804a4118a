"""Going on with a text: a decoder-only model writes one token after another."""

import torch
from jaxtyping import Int
from torch import Tensor

from transformer_course.data import PAD_ID
from transformer_course.decoding.cache import CachedDecoderOnly
from transformer_course.decoding.sampling import COLDEST, HOTTEST, check_tail, shares
from transformer_course.decoding.search import OneEach, evaluating, write
from transformer_course.errors import DataError
from transformer_course.model import DecoderOnly


def generate(
    model: DecoderOnly,
    prompts: Int[Tensor, "batch prompt_len"],
    *,
    max_new: int = 50,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """The tokens that follow each prompt, until `eos_id`, `max_new` tokens or max_len.

    Prompts are padded on the right. Temperature 0 takes the likeliest token (greedy); 1 draws from
    the model's own distribution, lower ones from a sharper one (Ackley et al. 1985). The
    draw is from the `top_k` likeliest, and of these from the nucleus of share `top_p`.

    Raises:
        DataError: if a prompt is empty, too long or padded elsewhere, the temperature below 0 or
            extreme, top_k below 1, or top_p not in (0, 1].
    """
    check_tail(top_k, top_p)
    if temperature != 0 and not COLDEST <= temperature <= HOTTEST:
        raise DataError(
            f"temperature={temperature}: expected 0 for greedy, or a number from {COLDEST:.0e} to "
            f"{HOTTEST:.0e}"
        )
    if not len(prompts):
        return []
    words, max_len = prompts != PAD_ID, model.config.max_len
    lengths = words.sum(-1).tolist()
    if 0 in lengths:
        raise DataError("a prompt is empty: give every one at least its start mark, bos_id")
    if (words[:, 1:] & ~words[:, :-1]).any():
        raise DataError("a prompt has padding before a word: pad prompts on the right")
    if max(lengths) > max_len:
        raise DataError(
            f"a prompt of {max(lengths)} tokens is longer than max_len={max_len}: shorten it"
        )

    def pick(logits: Tensor, texts: list[int]) -> Tensor:
        if temperature == 0:
            return logits.argmax(-1)
        weights = shares(logits, temperature, top_k, top_p)
        return torch.multinomial(weights, 1, generator=generator)[:, 0]

    shortest = min(lengths)
    limits = [min(length + max_new, max_len) for length in lengths]
    search = OneEach(prompts, limits, pick)
    if shortest < max(limits) and max_new > 0:
        with evaluating(model):
            write(search, CachedDecoderOnly(model), prompts[:, :shortest])
    return search.outputs
