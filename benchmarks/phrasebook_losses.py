"""The model of chapter 5.3 with one thing changed at a time, several seeds each.

    python benchmarks/phrasebook_losses.py --seeds 3       # about 20 minutes

Three questions, put down before the runs. (1) Smoothing: a model that knows everything gives the
right piece 0.9 at best, so its perplexity (e to the loss *without* smoothing) must be worse than
that of a model trained without; is its accuracy better all the same, and when? (2) How low does a
model come that reads the beginning of the target and no source: the landmark between the
frequencies and the floor. (3) Warm-up: what of its effect is the climb, and what is the size of the
first steps? So one run leaves the climb away at the formula's own rate, and one at the peak of the
run with warm-up. That one's rate falls from the first step on. Put down after these runs: (4) a
last one stays at the peak for as long as the climb takes, and then has the rates of the run with
warm-up, so that nothing but the climb is missing.
"""

import argparse
import itertools
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
import torch.nn.functional as F

from transformer_course.commands import record
from transformer_course.data import PAD_ID, Batch, TokenBatches, Tokenizer, make_batch, phrasebook
from transformer_course.decoding import evaluating, greedy
from transformer_course.model import TINY, Transformer
from transformer_course.training import (
    TRAINING_PRESETS,
    Step,
    label_smoothed_loss,
    make_optimizer,
    train,
)

Pairs = list[tuple[list[int], list[int]]]
RECIPE = TRAINING_PRESETS["tiny"]
NO_CLIMB = replace(RECIPE, warmup=1)
SAME_PEAK = replace(NO_CLIMB, rate_factor=RECIPE.rate_factor / RECIPE.warmup**0.5)
HELD = replace(SAME_PEAK, last_step=10**9)  # which is so far that the rate stays where it is
ROWS = {  # recipes, each with how many steps it is followed for
    "no source": [(RECIPE, None)],
    "no climb, same peak": [(SAME_PEAK, None)],
    "no climb": [(NO_CLIMB, None)],
    "no climb, same rates after": [(HELD, RECIPE.warmup), (RECIPE, None)],
    "as it is": [(RECIPE, None)],
    "no smoothing": [(replace(RECIPE, label_smoothing=0.0), None)],
}
FULL = ("as it is", "no smoothing")  # the others run half the steps


def without_source(pairs: Pairs) -> Pairs:
    """The same targets, and nothing but the end mark to read."""
    return [([], target) for _, target in pairs]


def encode(phrases: Sequence[phrasebook.Phrase], tokenizer: Tokenizer) -> Pairs:
    """Both sides as ids."""
    sides = ([each.english for each in phrases], [each.german for each in phrases])
    return list(zip(*map(tokenizer.encode_batch, sides), strict=True))


def measure(model: Transformer, pairs: Pairs) -> dict[str, float]:
    """Losses with smoothing and without, how often the likeliest piece and the output are right."""
    smoothed, plain, right, tokens, same = 0.0, 0.0, 0, 0, 0
    for first in range(0, len(pairs), 50):
        batch: Batch = make_batch(pairs[first : first + 50])
        with evaluating(model):
            logits = model(batch.src, batch.tgt_in)
        smoothed += label_smoothed_loss(logits, batch.tgt_out, num_tokens=1).item()
        real = batch.tgt_out != PAD_ID
        plain += F.cross_entropy(logits[real], batch.tgt_out[real], reduction="sum").item()
        right += int((logits.argmax(-1) == batch.tgt_out)[real].sum())
        tokens += batch.num_tokens
        wanted = [target for _, target in pairs[first : first + 50]]
        same += sum(a == b for a, b in zip(greedy(model, batch.src), wanted, strict=True))
    return {
        "smoothed_loss": round(smoothed / tokens, 4),
        "loss": round(plain / tokens, 4),
        "perplexity": round(math.exp(plain / tokens), 4),
        "accuracy": round(right / tokens, 4),
        "exact_match": round(same / len(pairs), 4),
    }


def taught(model: Transformer, batches: Iterator[Batch], name: str, seed: int) -> Iterator[Step]:
    """The steps of a row, by one recipe after the other."""
    optimizer, first = make_optimizer(model), 1
    for recipe, count in ROWS[name]:
        part, recipe = itertools.islice(batches, count), replace(recipe, seed=seed)
        yield from train(model, part, recipe, optimizer=optimizer, first_step=first)
        first += count or 0


def run(name: str, seed: int, steps: int, pairs: Pairs, test: Pairs) -> dict[str, Any]:
    """One model, measured four times while it learns."""
    if name == "no source":
        pairs, test = without_source(pairs), without_source(test)
    torch.manual_seed(seed)
    model = Transformer(TINY)
    batches = iter(TokenBatches(pairs, max_tokens=RECIPE.max_tokens, seed=seed))
    start, losses, stages = time.perf_counter(), [], []
    for step in itertools.islice(taught(model, batches, name, seed), steps):
        losses.append(step.loss)
        if step.number % (steps // 4) == 0:
            stages.append({"step": step.number, **measure(model, test)})
    seconds = round(time.perf_counter() - start)
    curve = [round(sum(losses[i : i + 20]) / 20, 3) for i in range(0, steps, 20)]
    return {"row": name, "seed": seed, "seconds": seconds, "stages": stages, "curve": curve}


def main(argv: Sequence[str] | None = None) -> int:
    """Train what is missing in the result file, which grows with each model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2400, help="half of them where that is enough")
    parser.add_argument("--phrases", type=int, default=20_000, help="to learn from")
    parser.add_argument("--count", type=int, default=500, help="sentences to test on")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    learned = phrasebook.generate("train", args.phrases)
    texts = [text for each in learned for text in (each.english, each.german)]
    tokenizer = Tokenizer.train(texts, vocab_size=TINY.vocab_size)
    pairs = encode(learned, tokenizer)
    test = encode(phrasebook.generate("valid", args.count), tokenizer)
    path, rows = record.RESULTS / "phrasebook-losses.json", []
    if path.exists():
        rows = json.loads(path.read_text(encoding="utf-8"))["runs"]
    for name, seed in itertools.product(ROWS, range(args.seeds)):
        if any((row["row"], row["seed"]) == (name, seed) for row in rows):
            continue
        steps = args.steps if name in FULL else args.steps // 2
        rows.append(run(name, seed, steps, pairs, test))
        print(name, seed, rows[-1]["seconds"], *rows[-1]["stages"], sep="\n", flush=True)
        path = record.write(
            "phrasebook-losses",
            "the model of chapter 5.3 with one thing changed: losses, perplexity, accuracy",
            [f"python benchmarks/phrasebook_losses.py {' '.join(arguments)}".strip()],
            model=asdict(TINY),
            training=asdict(RECIPE),
            phrases=args.phrases,
            sentences=args.count,
            runs=rows,
        )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
