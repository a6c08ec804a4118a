"""How much of the vocabulary is in play at temperature 2, with label smoothing and without?

    python benchmarks/smoothing_temperature.py        # about 10 minutes

Label smoothing asks for a probability of eps / V for every token that is wrong. At temperature 2
each token counts by the root of its probability, and V roots of eps / V are many times the root of
the best token's. So a model trained without smoothing should have far fewer tokens in play there.
The model is chapter 5.3's; both of a pair start from the same weights.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
from phrasebook_losses import Pairs, encode

from transformer_course.commands import record
from transformer_course.data import PAD_ID, TokenBatches, Tokenizer, make_batch, phrasebook
from transformer_course.decoding import evaluating
from transformer_course.model import TINY, Transformer
from transformer_course.training import TRAINING_PRESETS, train

RECIPE = TRAINING_PRESETS["tiny"]
SMOOTHINGS, TEMPERATURES = (RECIPE.label_smoothing, 0.0), (1, 2)


def spread(logits: torch.Tensor, temperature: float) -> dict[str, float]:
    """Of the median place: the best token's probability, and how many tokens are in play."""
    probabilities = (logits.double() / temperature).softmax(-1)
    in_play = torch.special.entr(probabilities).sum(-1).exp()
    best = probabilities.amax(-1)
    return {"best": round(best.median().item(), 4), "in_play": round(in_play.median().item(), 2)}


def run(smoothing: float, seed: int, steps: int, pairs: Pairs, test: Pairs) -> dict[str, Any]:
    """Train one model, and look at its choices at all places of the test sentences."""
    torch.manual_seed(seed)
    model = Transformer(TINY)
    batches = TokenBatches(pairs, max_tokens=RECIPE.max_tokens, seed=seed)
    recipe = replace(RECIPE, label_smoothing=smoothing, seed=seed)
    for _ in itertools.islice(train(model, batches, recipe), steps):
        pass
    batch = make_batch(test)
    real = batch.tgt_out != PAD_ID
    with evaluating(model):
        logits = model(batch.src, batch.tgt_in)[real]
    right = (logits.argmax(-1) == batch.tgt_out[real]).double().mean().item()
    found = {str(each): spread(logits, each) for each in TEMPERATURES}
    return {
        "smoothing": smoothing,
        "seed": seed,
        "accuracy": round(right, 4),
        "temperatures": found,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Train every pair and write one result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--phrases", type=int, default=20_000, help="to learn from")
    parser.add_argument("--count", type=int, default=200, help="sentences to look at")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    learned = phrasebook.generate("train", args.phrases)
    texts = [text for each in learned for text in (each.english, each.german)]
    tokenizer = Tokenizer.train(texts, vocab_size=TINY.vocab_size)
    pairs = encode(learned, tokenizer)
    test = encode(phrasebook.generate("valid", args.count), tokenizer)
    rows = []
    for seed, smoothing in itertools.product(range(args.seeds), SMOOTHINGS):
        rows.append(run(smoothing, seed, args.steps, pairs, test))
        print(rows[-1], flush=True)
    path = record.write(
        "smoothing-temperature",
        "the model of chapter 5.3 with and without label smoothing: tokens in play by temperature",
        [f"python benchmarks/smoothing_temperature.py {' '.join(arguments)}".strip()],
        model=asdict(TINY),
        training=asdict(RECIPE),
        steps=args.steps,
        phrases=args.phrases,
        sentences=args.count,
        runs=rows,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
