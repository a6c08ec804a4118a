"""From scores to sentences: greedy and beam search (section 6.1).

Both take padded source ids that end with `eos_id`, drop a sentence from the batch as soon as it is
done, and return target ids without `bos_id` and `eos_id`. An output is at most `max_extra` tokens
longer than its source, as in the paper.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding.cache import CachedDecoder
from transformer_course.model import Transformer, padding_mask


class Hypothesis(NamedTuple):
    """A whole sentence of a beam: log-probability over length penalty, and the target ids."""

    score: float
    ids: list[int]


@contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Switch dropout off and gradients too, and put the model back afterwards."""
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(was_training)


def start(model: Transformer, src: Tensor, max_extra: int) -> tuple[CachedDecoder, list[int]]:
    """Encode the sources once; how many tokens each output may have."""
    src_mask = padding_mask(src)
    lengths = src_mask.flatten(1).sum(-1).tolist()
    if min(lengths, default=0) == 0:
        raise ValueError("a source is empty: every sentence needs at least its end mark, eos_id")
    limits = [min(length + max_extra, model.config.max_len - 1) for length in lengths]
    return CachedDecoder(model, model.encode(src, src_mask), src_mask), limits


def next_token_logits(decoder: CachedDecoder, ids: Tensor) -> Float[Tensor, "rows vocab_size"]:
    """Scores of what may follow; padding and the start mark never do."""
    logits = decoder.step(ids).float()
    logits[:, [PAD_ID, BOS_ID]] = float("-inf")
    return logits


def greedy(
    model: Transformer, src: Int[Tensor, "batch src_len"], *, max_extra: int = 50
) -> list[list[int]]:
    """Take the likeliest token, again and again, until the model says that the sentence ends."""
    outputs: list[list[int]] = [[] for _ in src]
    with evaluating(model):
        decoder, limits = start(model, src, max_extra)
        alive = list(range(len(src)))
        ids = src.new_full((len(src),), BOS_ID)
        while alive:
            ids = next_token_logits(decoder, ids).argmax(-1)
            going = []
            for row, (sentence, token) in enumerate(zip(alive, ids.tolist(), strict=True)):
                if token == EOS_ID:
                    continue
                outputs[sentence].append(token)
                if len(outputs[sentence]) < limits[sentence]:
                    going.append(row)
            if len(going) < len(alive):
                rows = torch.tensor(going, dtype=torch.long, device=src.device)
                decoder.keep(rows)
                decoder.select(rows)
                ids, alive = ids[rows], [alive[row] for row in going]
    return outputs


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
    """
    if beam < 1:
        raise ValueError(f"beam={beam}: a search needs at least one hypothesis, use beam=1 or more")
    finished: list[list[Hypothesis]] = [[] for _ in src]
    with evaluating(model):
        decoder, limits = start(model, src, max_extra)
        alive = list(range(len(src)))
        scores = torch.full((len(src), beam), float("-inf"), device=src.device)
        scores[:, 0] = 0  # all rows of a sentence are still the same, so only one may grow
        tokens = src.new_full((len(src) * beam, 1), BOS_ID)
        while alive:
            logits = next_token_logits(decoder, tokens[:, -1])
            place = logits if logits.device.type == "cpu" else None  # the table is large
            log_probs = torch.log_softmax(logits, -1, out=place).view(len(alive), beam, -1)
            length = tokens.size(1)  # of the outputs after this step, their end mark included
            for row, sentence in enumerate(alive):
                if length > limits[sentence]:  # out of room: only the end may follow
                    log_probs[row, :, :EOS_ID] = log_probs[row, :, EOS_ID + 1 :] = float("-inf")
            # Twice the beam, since at most half of the best continuations can be endings.
            best, following = likeliest(log_probs, 2 * beam)
            del logits, place, log_probs  # before the next one is made
            totals, picks = (best + scores[..., None]).flatten(1).topk(2 * beam)
            parents, following = picks // best.size(-1), following.flatten(1).gather(1, picks)
            ends = following == EOS_ID
            for row, rank in (ends[:, :beam] & totals[:, :beam].isfinite()).nonzero().tolist():
                ids = tokens[row * beam + int(parents[row, rank]), 1:].tolist()
                score = totals[row, rank].item() / length_penalty(length, alpha)
                finished[alive[row]].append(Hypothesis(score, ids))
            scores, order = totals.masked_fill(ends, float("-inf")).topk(beam)
            parents, following = parents.gather(1, order), following.gather(1, order)
            going = [
                row
                for row, (sentence, best_alive) in enumerate(
                    zip(alive, scores[:, 0].tolist(), strict=True)
                )
                if not is_done(finished[sentence], best_alive, limits[sentence], beam, alpha)
            ]
            kept = torch.tensor(going, dtype=torch.long, device=src.device)
            rows = (kept[:, None] * beam + parents[kept]).flatten()
            tokens = torch.cat([tokens[rows], following[kept].view(-1, 1)], dim=1)
            scores = scores[kept]
            decoder.select(rows)
            if len(going) < len(alive):
                decoder.keep(kept)
                alive = [alive[row] for row in going]
    return [sorted(hypotheses, reverse=True)[:beam] for hypotheses in finished]


def length_penalty(length: int, alpha: float) -> float:
    """Divide a log-probability by this, or short outputs are favored (GNMT, Wu 2016)."""
    return ((5 + length) / 6) ** alpha


def is_done(
    finished: list[Hypothesis], best_alive: float, limit: int, beam: int, alpha: float
) -> bool:
    """Whether nothing that still grows can get among the `beam` best finished sentences."""
    if best_alive == float("-inf"):
        return True
    if len(finished) < beam:
        return False
    worst = sorted(finished, reverse=True)[beam - 1].score
    # Log-probabilities only fall, and the longest output has the kindest penalty.
    return worst >= best_alive / length_penalty(limit + 1, alpha)


def likeliest(
    scores: Float[Tensor, "*batch vocab_size"], count: int
) -> tuple[Float[Tensor, "*batch count"], Int[Tensor, "*batch count"]]:
    """The `count` highest scores, best first, and their tokens; all, if there are fewer.

    As `topk` finds them, and faster.

    The highest score of a block of tokens is found much faster than the best few of a long row.
    And the best `count` tokens lie in the `count` blocks with the highest such scores.
    """
    width = math.gcd(scores.size(-1), 100)  # of a block: any divisor is right, large ones are fast
    blocks = scores.unflatten(-1, (-1, width))
    best = blocks.amax(-1).topk(min(count, blocks.size(-2))).indices
    found = blocks.gather(-2, best[..., None].expand(*best.shape, width)).flatten(-2)
    values, places = found.topk(min(count, found.size(-1)))
    return values, best.gather(-1, places // width) * width + places % width
