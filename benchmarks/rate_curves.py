"""How a small model learns to sort letters under many schedules of the learning rate.

    python benchmarks/rate_curves.py

writes transformer_course/widgets/learning_rate.json, which the widget LearningRate shows. One
model, the same random weights and the same batches each time; only equation 3 has other numbers in
it. `width` is the d_model of that formula, not of the model that learns. Six minutes of one core.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import torch

from transformer_course import data, training
from transformer_course.data import TokenBatches, Tokenizer
from transformer_course.model import TINY, Transformer
from transformer_course.widgets.learning_rate import MEASURED

TASK, SEED, STEPS, EVERY, MAX_TOKENS = "toy:sort", 0, 1600, 40, 128
WIDTHS, WARMUPS = [32, 64, 256, 512, 1024], [100, 400, 1000, 4000, 16_000]
SHAPE = {"d_model": 32, "d_ff": 64, "num_heads": 4, "num_layers": 4}


def losses(
    width: int, warmup: int, tokenizer: Tokenizer, batches: TokenBatches, steps: int
) -> list[float]:
    """The loss of every step; `rate_factor` makes the formula's width from the model's."""
    torch.manual_seed(SEED)
    network = Transformer(replace(TINY, vocab_size=len(tokenizer), **SHAPE))
    factor = (SHAPE["d_model"] / width) ** 0.5
    recipe = training.TrainingConfig(
        max_tokens=MAX_TOKENS, warmup=warmup, rate_factor=factor, label_smoothing=0.0, seed=SEED
    )
    return [step.loss for step in islice(training.train(network, batches, recipe), steps)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train once for each schedule, and keep the means of a few steps each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", default=str(MEASURED))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    pairs = data.load_pairs(TASK, "train")
    tokenizer = Tokenizer.train((text for pair in pairs for text in pair), vocab_size=60)
    sources, targets = (tokenizer.encode_batch(side) for side in zip(*pairs, strict=True))
    ids = list(zip(sources, targets, strict=True))
    batches = TokenBatches(ids, max_tokens=MAX_TOKENS, seed=SEED)
    curves = []
    for width in WIDTHS:
        for warmup in WARMUPS:
            found = np.array(losses(width, warmup, tokenizer, batches, options.steps))
            means = found.reshape(-1, EVERY).mean(axis=1)
            curves.append({"width": width, "warmup": warmup, "loss": means.round(3).tolist()})
            print(f"width {width}, warm-up {warmup}: {means[-1]:.3f} at the end", flush=True)
    rows = ",\n".join(f"  {json.dumps(curve)}" for curve in curves)
    head = json.dumps({"task": TASK, **SHAPE, "steps": options.steps, "every": EVERY})[1:-1]
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(f'{{\n {head},\n "curves": [\n{rows}\n ]\n}}\n')
    print(f"wrote {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
