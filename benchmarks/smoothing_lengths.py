"""Does label smoothing make outputs short? The same model with and without it, on two tasks.

    python benchmarks/smoothing_lengths.py synonyms                                # about 6 minutes
    TRANSFORMER_COURSE_DATA=... python benchmarks/smoothing_lengths.py captions    # about 30

The hypothesis, put down before the runs: with smoothing eps the end mark keeps a probability of
about eps / V at every place, also at the first. So saying nothing costs ln(V / eps), however long
the source is, while a sentence costs more with every token. Without smoothing that floor is gone.
If so, (1) the price of silence with smoothing is near ln(V / eps), and higher without; (2) what
wide beams find is shorter with smoothing than without.

In "synonyms" every symbol has two translations, and chance decides which: the true probabilities
are known, and an output has as many tokens as its source. "captions" is Multi30k.
"""

import argparse
import itertools
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from transformer_course import data
from transformer_course.commands import record
from transformer_course.data import PAD_ID, TokenBatches, Tokenizer, make_batch, pad
from transformer_course.decoding import beam_hypotheses, evaluating
from transformer_course.model import SMALL, TINY, Transformer, TransformerConfig
from transformer_course.training import TrainingConfig, train

Ids = list[int]
SYMBOLS, LENGTHS = 10, range(2, 17)
VOCAB = 4 + 3 * SYMBOLS  # special ids; symbols; two translations of each
FIRST_SYMBOL, FIRST_TRANSLATION = 4, 4 + SYMBOLS
END = data.EOS_ID


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
        src = pad([[*source, END] for source, _ in part])
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
    config: TransformerConfig,
    training: TrainingConfig,
    pairs: Sequence[tuple[Ids, Ids]],
    test: Sequence[tuple[Ids, Ids]],
    steps: int,
    beams: Sequence[int],
) -> dict[str, Any]:
    """Train one model, then ask what silence costs it and how long its outputs are."""
    start = time.perf_counter()
    torch.manual_seed(training.seed)
    model = Transformer(config)
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
        "searches": [search(model, test, beam, alpha) for beam in beams for alpha in (0.0, 0.6)],
    }


def task(name: str) -> tuple[TransformerConfig, TrainingConfig, list, list]:
    """The model and its training; pairs of ids to learn from, and to test on."""
    if name == "synonyms":
        config = replace(TINY, vocab_size=VOCAB)
        training = TrainingConfig(max_tokens=512, warmup=200, rate_factor=0.7, last_step=1000)
        pairs = synonyms(40_000, random.Random("train"))
        return config, training, pairs, synonyms(300, random.Random("test"))
    texts = data.load_pairs("multi30k:en-de", "train")
    tokenizer = Tokenizer.train((t for pair in texts for t in pair), vocab_size=6000)
    config = replace(SMALL, vocab_size=len(tokenizer), num_layers=2)
    training = TrainingConfig(max_tokens=1000, warmup=400, rate_factor=0.7, last_step=2400)
    held_out = data.load_pairs("multi30k:en-de", "test_2016_flickr", 500)
    learn, test = (list(tokenizer.encode_pairs(each)) for each in (texts, held_out))
    return config, training, learn, test


def main(argv: Sequence[str] | None = None) -> int:
    """Train every model, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("task", choices=["synonyms", "captions"])
    parser.add_argument("--seeds", type=int, help="default: 5 for synonyms, 3 for captions")
    parser.add_argument("--steps", type=int, help="of training (default: to its end)")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    config, training, pairs, test = task(args.task)
    toy = args.task == "synonyms"
    smoothings = (0.0, 0.01, 0.1) if toy else (0.0, 0.1)
    beams = (1, 4, 16, 34) if toy else (1, 4, 16, 32)
    rows = []
    for seed in range(args.seeds or (5 if toy else 3)):
        for smoothing in smoothings:
            asked = replace(training, label_smoothing=smoothing, seed=seed)
            steps = args.steps or training.last_step
            rows.append(measure(config, asked, pairs, test, steps, beams))
            shown = ("smoothing", "seed", "seconds", "loss", "silence", "silence_likelier")
            print({key: rows[-1][key] for key in shown}, rows[-1]["searches"][-2], flush=True)
    path = record.write(
        f"smoothing-lengths-{args.task}",
        "a model with and without label smoothing: the price of saying nothing, output lengths",
        [f"python benchmarks/smoothing_lengths.py {' '.join(arguments)}"],
        task=args.task,
        vocab_size=config.vocab_size,
        steps=args.steps or training.last_step,
        sentences=len(test),
        floors={
            str(each): round(math.log(each / config.vocab_size), 3) for each in smoothings if each
        },
        runs=rows,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
