"""Going on with a text: a decoder-only model writes one token after another."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding.cache import CachedDecoderOnly
from transformer_course.decoding.search import evaluating
from transformer_course.model import DecoderOnly


def generate(
    model: DecoderOnly,
    prompts: Int[Tensor, "batch prompt_len"],
    *,
    max_new: int = 50,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """The tokens that follow each prompt, until `eos_id`, `max_new` tokens or max_len.

    Prompts are padded on the right. Temperature 0 takes the likeliest token (greedy); 1 draws from
    the model's own distribution, lower ones from a sharper one (Ackley et al. 1985).

    Raises:
        ValueError: if a prompt is empty, too long or padded elsewhere, or the temperature below 0.
    """
    if not temperature >= 0:
        raise ValueError(f"temperature={temperature}: expected 0 for greedy, or a number above it")
    words, max_len = prompts != PAD_ID, model.config.max_len
    lengths = words.sum(-1).tolist()
    if min(lengths, default=0) == 0:
        raise ValueError("a prompt is empty: give every one at least its start mark, bos_id")
    if (words[:, 1:] & ~words[:, :-1]).any():
        raise ValueError("a prompt has padding before a word: pad prompts on the right")
    if max(lengths) > max_len:
        raise ValueError(
            f"a prompt of {max(lengths)} tokens is longer than max_len={max_len}: shorten it"
        )
    outputs: list[list[int]] = [[] for _ in lengths]
    with evaluating(model):
        decoder = CachedDecoderOnly(model)
        shortest = min(lengths)
        logits = decoder.extend(prompts[:, :shortest])
        alive = [row for row in range(len(lengths)) if max_new > 0]
        for place in range(shortest, max_len):
            picked = pick(logits, temperature, generator).tolist()
            going, ids = [], []
            for row, sentence in enumerate(alive):
                written, token = outputs[sentence], picked[row]
                if place < lengths[sentence]:  # still inside its prompt
                    token = int(prompts[sentence, place])
                elif token == EOS_ID:
                    continue
                else:
                    written.append(token)
                if len(written) < max_new:
                    going.append(row)
                    ids.append(token)
            if not going:
                break
            if len(going) < len(alive):
                decoder.select(prompts.new_tensor(going))
                alive = [alive[row] for row in going]
            logits = decoder.step(prompts.new_tensor(ids))
    return outputs


def pick(
    logits: Float[Tensor, "rows vocab_size"],
    temperature: float,
    generator: torch.Generator | None,
) -> Int[Tensor, "rows"]:
    """One next token for each row; padding and the start mark never are."""
    logits = logits.float()
    logits[:, [PAD_ID, BOS_ID]] = float("-inf")
    if temperature == 0:
        return logits.argmax(-1)
    weights = (logits / temperature).softmax(-1)
    return torch.multinomial(weights, 1, generator=generator)[:, 0]
