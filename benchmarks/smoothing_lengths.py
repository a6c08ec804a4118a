"""Does label smoothing make outputs short? The same small model with and without it.

    python benchmarks/smoothing_lengths.py        # about 5 minutes

The hypothesis, put down before the runs: with smoothing eps the end mark keeps a probability of
about eps / V at every place, also at the first. So saying nothing costs ln(V / eps), however long
the source is, while a sentence costs more with every token. Without smoothing that floor is gone.
If so, (1) the price of silence with smoothing is near ln(V / eps), and higher without; (2) what
wide beams find is shorter with smoothing than without.

The task: every symbol has two translations, and chance decides which. So the true probabilities
are known: half for each of the two, and an output has as many tokens as its source.
"""

import argparse
import itertools
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import torch

from transformer_course.commands import record
from transformer_course.data import EOS_ID, PAD_ID, TokenBatches, make_batch, pad
from transformer_course.decoding import beam_hypotheses, evaluating
from transformer_course.model import TINY, Transformer
from transformer_course.training import TrainingConfig, train

Ids = list[int]
SYMBOLS, LENGTHS = 10, range(2, 17)
VOCAB = 4 + 3 * SYMBOLS  # special ids; symbols; two translations of each
FIRST_SYMBOL, FIRST_TRANSLATION = 4, 4 + SYMBOLS
CONFIG = replace(TINY, vocab_size=VOCAB, d_model=48, d_ff=96)
TRAINING = TrainingConfig(max_tokens=400, warmup=150, rate_factor=0.5, last_step=900)
SMOOTHINGS, BEAMS = (0.0, 0.01, 0.1), (1, 4, 16, VOCAB)


def synonyms(count: int, rng: random.Random) -> list[tuple[Ids, Ids]]:
    """Sources of random symbols; each is translated by one of its two synonyms, at random."""
    pairs = []
    for _ in range(count):
        symbols = rng.choices(range(SYMBOLS), k=rng.choice(LENGTHS))
        target = [FIRST_TRANSLATION + 2 * each + rng.randint(0, 1) for each in symbols]
        pairs.append(([FIRST_SYMBOL + each for each in symbols], target))
    return pairs


@torch.inference_mode()
def log_probabilities(model: Transformer, pairs: Sequence[tuple[Ids, Ids]]) -> list[float]:
    """Of each target, its end mark included."""
    found: list[float] = []
    for first in range(0, len(pairs), 50):
        batch = make_batch(pairs[first : first + 50])
        each = model(batch.src, batch.tgt_in).log_softmax(-1)
        each = each.gather(-1, batch.tgt_out[..., None])[..., 0]
        found += each.masked_fill(batch.tgt_out == PAD_ID, 0).sum(-1).tolist()
    return found


def search(
    model: Transformer, pairs: Sequence[tuple[Ids, Ids]], beam: int, alpha: float
) -> dict[str, Any]:
    """One search over all sources; lengths count the end mark."""
    order = sorted(pairs, key=lambda pair: len(pair[0]))
    lengths: list[int] = []
    for first in range(0, len(order), 50):
        part = order[first : first + 50]
        src = pad([[*source, EOS_ID] for source, _ in part])
        found = beam_hypotheses(model, src, beam=beam, alpha=alpha)
        lengths += [len(best.ids) + 1 for best, *_ in found]
    wanted = sum(len(target) + 1 for _, target in pairs)
    return {
        "beam": beam,
        "alpha": alpha,
        "length_ratio": round(sum(lengths) / wanted, 4),
        "empty": lengths.count(1),
    }


def measure(
    training: TrainingConfig,
    pairs: Sequence[tuple[Ids, Ids]],
    test: Sequence[tuple[Ids, Ids]],
    steps: int,
) -> dict[str, Any]:
    """Train one model, then ask what silence costs it and how long its outputs are."""
    start = time.perf_counter()
    torch.manual_seed(training.seed)
    model = Transformer(CONFIG)
    batches = TokenBatches(pairs, max_tokens=training.max_tokens, seed=training.seed)
    for _ in itertools.islice(train(model, batches, training), steps):
        pass
    seconds = time.perf_counter() - start
    with evaluating(model):
        right = log_probabilities(model, test)
        nothing = log_probabilities(model, [(source, []) for source, _ in test])
    tokens = sum(len(target) + 1 for _, target in test)
    return {
        "smoothing": training.label_smoothing,
        "seed": training.seed,
        "seconds": round(seconds),
        "loss": round(-sum(right) / tokens, 4),
        "silence": round(sum(nothing) / len(test), 3),
        "silence_likelier": sum(a > b for a, b in zip(nothing, right, strict=True)),
        "searches": [search(model, test, beam, alpha) for beam in BEAMS for alpha in (0.0, 0.6)],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Train every model, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=TRAINING.last_step)
    parser.add_argument("--count", type=int, default=300, help="sentences to test on")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    pairs = synonyms(20_000, random.Random("train"))
    test = synonyms(args.count, random.Random("test"))
    truth = sum(len(target) for _, target in test) * math.log(2)
    rows = []
    for seed in range(args.seeds):
        for smoothing in SMOOTHINGS:
            asked = replace(TRAINING, label_smoothing=smoothing, seed=seed)
            rows.append(measure(asked, pairs, test, args.steps))
            print({key: value for key, value in rows[-1].items() if key != "searches"})
            print(*rows[-1]["searches"], sep="\n", flush=True)
    path = record.write(
        "smoothing-lengths",
        "a model with and without label smoothing: the price of saying nothing, output lengths",
        [f"python benchmarks/smoothing_lengths.py {' '.join(arguments)}".strip()],
        vocab_size=VOCAB,
        model=asdict(CONFIG),
        steps=args.steps,
        sentences=len(test),
        true_loss=round(truth / sum(len(target) + 1 for _, target in test), 4),
        prices={str(each): round(math.log(VOCAB / each), 3) for each in SMOOTHINGS if each},
        runs=rows,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
