"""From scores to sentences: one loop, and searches that say how to choose (section 6.1).

`write` is the loop: score what may follow, choose, go on with what still grows. `greedy` takes the
likeliest token, `sample` draws one, `beam_search` keeps the likeliest beginnings; their names are
in `SEARCHES`. All take padded source ids that end with `eos_id`, drop a sentence from the batch as
soon as it is done, and return target ids without `bos_id` and `eos_id`. An output is at most
`max_extra` tokens longer than its source, as in the paper.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding.beam import Beam, Hypothesis
from transformer_course.decoding.cache import CachedDecoder, CachedDecoderOnly
from transformer_course.decoding.packed import is_packed
from transformer_course.decoding.sampling import Sampler
from transformer_course.decoding.steady import SteadyDecoder
from transformer_course.errors import DataError
from transformer_course.model import Transformer, padding_mask


@runtime_checkable
class Search(Protocol):
    """How to go on from the scores of what may follow, and what was found so far."""

    def choose(
        self, logits: Float[Tensor, "rows vocab_size"]
    ) -> tuple[Int[Tensor, "kept"], Int[Tensor, "kept"] | None, Int[Tensor, "sentences"] | None]:
        """The next tokens, the rows that they follow, and the sentences these belong to.

        None stands for all rows, and for all sentences, in their order.
        """


def write(search: Search, decoder: CachedDecoderOnly, ids: Int[Tensor, "rows *prompt_len"]) -> None:
    """The loop of every search: score what may follow, choose, go on with what still grows."""
    while len(ids):
        ids, rows, sentences = search.choose(next_token_logits(decoder, ids))
        if rows is not None:
            decoder.select(rows)
        if sentences is not None:
            decoder.keep(sentences)


def next_token_logits(
    decoder: CachedDecoderOnly, ids: Int[Tensor, "rows *new"]
) -> Float[Tensor, "rows vocab_size"]:
    """Scores of what may follow these tokens; padding and the start mark never do."""
    logits = (decoder.step(ids) if ids.dim() == 1 else decoder.extend(ids)).float()
    for never in (PAD_ID, BOS_ID):
        logits[:, never] = float("-inf")
    return logits


class OneEach:
    """A search with one row for each text, which goes on with the token that `pick` takes.

    It reads a text's prompt to its end, then writes until `eos_id` or until the text, its prompt
    included, has as many tokens as `limits` says. `pick` is given the rows' scores and texts.
    """

    def __init__(
        self,
        prompts: Int[Tensor, "batch prompt_len"],
        limits: list[int],
        pick: Callable[[Tensor, list[int]], Tensor],
    ):
        self.prompts, self.limits, self.pick = prompts, limits, pick
        self.prompt_lengths = (prompts != PAD_ID).sum(-1).tolist()
        self.length = min(self.prompt_lengths, default=0)  # of every row, so far
        self.alive = list(range(len(prompts)))
        self.outputs: list[list[int]] = [[] for _ in self.alive]

    def choose(
        self, logits: Float[Tensor, "rows vocab_size"]
    ) -> tuple[Int[Tensor, "kept"], Int[Tensor, "kept"] | None, Int[Tensor, "kept"] | None]:
        """Add a token to every text, and drop the texts that are done."""
        ids = self.pick(logits, self.alive)
        if self.length < self.prompts.size(1):
            given = self.prompts[self.alive, self.length]
            ids = torch.where(given == PAD_ID, ids, given)
        going = []
        for row, (text, token) in enumerate(zip(self.alive, ids.tolist(), strict=True)):
            if self.length >= self.prompt_lengths[text]:
                if token == EOS_ID:
                    continue
                if self.length < self.limits[text]:
                    self.outputs[text].append(token)
            if self.length + 1 < self.limits[text]:
                going.append(row)
        self.length += 1
        if len(going) == len(self.alive):
            return ids, None, None
        self.alive = [self.alive[row] for row in going]
        rows = torch.tensor(going, dtype=torch.long, device=ids.device)
        return ids[rows], rows, rows


@contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Switch dropout off and gradients too, and put each part of the model back afterwards."""
    were_training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module in were_training:
            module.training = True


def start(
    model: Transformer, src: Int[Tensor, "batch src_len"], max_extra: int
) -> tuple[CachedDecoder, list[int]]:
    """Encode the sources once; how many tokens each output may have."""
    src_mask = padding_mask(src)
    lengths = src_mask.sum((1, 2, 3)).tolist()
    if 0 in lengths:
        raise DataError("a source is empty: every sentence needs at least its end mark, eos_id")
    limits = [min(length + max_extra, model.config.max_len - 1) for length in lengths]
    decoder = SteadyDecoder if is_packed(model) else CachedDecoder
    return decoder(model, model.encode(src, src_mask), src_mask), limits


def one_each(
    model: Transformer,
    src: Int[Tensor, "batch src_len"],
    max_extra: int,
    pick: Callable[[Tensor, list[int]], Tensor],
) -> list[list[int]]:
    """Translate each source, a token at a time, by what `pick` takes."""
    with evaluating(model):
        decoder, limits = start(model, src, max_extra)
        prompts = src.new_full((len(src), 1), BOS_ID)
        search = OneEach(prompts, [limit + 1 for limit in limits], pick)
        write(search, decoder, prompts[:, 0])
    return search.outputs


def greedy(
    model: Transformer, src: Int[Tensor, "batch src_len"], *, max_extra: int = 50
) -> list[list[int]]:
    """Take the likeliest token, again and again, until the model says that the sentence ends."""
    return one_each(model, src, max_extra, lambda logits, _: logits.argmax(-1))


def sample(
    model: Transformer,
    src: Int[Tensor, "batch src_len"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    seed: int = 0,
    max_extra: int = 50,
) -> list[list[int]]:
    """Draw each token from the model's distribution, as `sampling.shares` shapes it.

    With the same seed a source gets the same output, alone and in any batch; another seed draws
    another one.

    Raises:
        DataError: if the temperature is not above 0 or extreme, top_k below 1, or top_p not in
            (0, 1].
    """
    return one_each(model, src, max_extra, Sampler(src, temperature, top_k, top_p, seed))


def beam_search(
    model: Transformer,
    src: Int[Tensor, "batch src_len"],
    *,
    beam: int = 4,
    alpha: float = 0.6,
    max_extra: int = 50,
) -> list[list[int]]:
    """Translate each source by the best sentence that `beam_hypotheses` finds."""
    found = beam_hypotheses(model, src, beam=beam, alpha=alpha, max_extra=max_extra)
    return [hypotheses[0].ids for hypotheses in found]


def beam_hypotheses(
    model: Transformer,
    src: Int[Tensor, "batch src_len"],
    *,
    beam: int = 4,
    alpha: float = 0.6,
    max_extra: int = 50,
) -> list[list[Hypothesis]]:
    """Keep the `beam` likeliest beginnings at every step, and return whole sentences, best first.

    Whole sentences compete by log-probability over `length_penalty`. A search ends when no
    beginning that is left can still beat the worst of `beam` finished sentences.

    Raises:
        DataError: if the beam is below 1, or alpha below 0.
    """
    with evaluating(model):
        decoder, limits = start(model, src, max_extra)
        search = Beam(src, limits, beam, alpha)
        write(search, decoder, search.tokens[:, 0])
    return [sorted(hypotheses, reverse=True)[:beam] for hypotheses in search.finished]


SEARCHES: dict[str, Callable[..., list[list[int]]]] = {
    "greedy": greedy,
    "beam": beam_search,
    "sample": sample,
}
