"""fp32 or bf16 for a training on a CPU: what is faster here is found by trying."""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import torch

from transformer_course.data import EOS_ID, Batch, make_batch
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training.loop import PartLoss
from transformer_course.training.schedule import TrainingConfig

CLEARLY = 0.95  # bf16 rounds more, so it has to take at most this share of the time of fp32
VOCABULARY = 4000  # tokens of it at most: more are all alike, and take long to lay out
LENGTH = 16  # tokens of a sentence of the trial
WORK = 6e9  # operations of a trial step, about: with less, rounding the weights takes the time
FEWEST, ROUNDS = 3, 9  # that count


def measure_precision(
    config: TransformerConfig,
    training: TrainingConfig,
    *,
    seconds: float = 0.9,
    clock: Callable[[], float] = time.thread_time,
) -> tuple[str, str]:
    """The faster precision for such a model on this CPU, and a line that says how much.

    A model of the same width with one layer a stack goes forward and back in both, in turns, A B
    B A: one round to warm up, then rounds until `seconds` are over. Each round has a share of its
    own, and the median decides: a busy moment spoils one round, not the choice. Where bf16 is not
    clearly faster, the choice is fp32. The random numbers of what comes next stay as they are.
    """
    begun = clock()
    shares: list[float] = []
    with torch.random.fork_rng(devices=[]):
        vocab_size = min(config.vocab_size, VOCABULARY)
        model = Transformer(replace(config, num_layers=1, vocab_size=vocab_size)).train()
        part = PartLoss(model, training.label_smoothing)
        batch = trial_batch(model, training.max_tokens)
        order = ["fp32", "bf16"]
        warm = False
        while len(shares) < FEWEST or (len(shares) < ROUNDS and clock() - begun < seconds):
            taken = {}
            for precision in order:
                start = clock()
                forward_and_back(part, batch, precision)
                taken[precision] = clock() - start
            if warm:
                shares.append(taken["bf16"] / taken["fp32"])
            warm = True
            order.reverse()
    share = statistics.median(shares)
    chosen = "bf16" if share < CLEARLY else "fp32"
    return (
        chosen,
        f"precision {chosen}: measured here, bf16 takes {share:.2f} times as long as fp32",
    )


def trial_batch(model: Transformer, max_tokens: int) -> Batch:
    """As many tokens as make a step of about `WORK` operations, at most those of a real batch."""
    tokens = min(max_tokens, int(WORK / (6 * model.num_parameters())))
    length = min(LENGTH, max_tokens, model.config.max_len)
    top = model.config.vocab_size
    row = [number % (top - EOS_ID - 1) + EOS_ID + 1 for number in range(length - 1)]
    return make_batch([(row, row)] * max(1, tokens // length, 64 // length))


def forward_and_back(part: PartLoss, batch: Batch, precision: str) -> None:
    """What a step does, but for the update, which is in fp32 always."""
    part.zero_grad(set_to_none=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = part(batch.src, batch.tgt_in, batch.tgt_out, batch.num_tokens)
    loss.backward()
