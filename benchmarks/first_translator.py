"""Train the reader's first translator, the phrasebook, for a minute, from three seeds.

    python benchmarks/first_translator.py --minutes 1

Everything counts that a reader waits for while it trains; learning the vocabulary and translating
the test set are timed apart.
"""

import argparse
import time
from dataclasses import asdict, replace

import record
import torch

from transformer_course import data, evaluation
from transformer_course.batching import TokenBatches
from transformer_course.checkpoint import mean_weights
from transformer_course.model import TINY, Transformer
from transformer_course.tokenizer import Tokenizer
from transformer_course.training import TRAINING_PRESETS, choose_precision, train

SNAPSHOT_EVERY, SNAPSHOTS = 100, 5


def first_translator(seed: int, minutes: float) -> dict[str, float]:
    """One run: exact match of the averaged and of the last weights on 1,000 unseen pairs."""
    torch.set_num_threads(1)  # at this size a second thread waits more than it computes
    start = time.perf_counter()
    pairs = data.load_pairs("phrasebook:en-de", "train")
    tokenizer = Tokenizer.train((s for pair in pairs for s in pair), vocab_size=TINY.vocab_size)
    source, target = zip(*pairs, strict=True)
    encoded = zip(tokenizer.encode_batch(source), tokenizer.encode_batch(target), strict=True)
    precision = choose_precision(torch.device("cpu"), TINY.d_model)
    training = replace(TRAINING_PRESETS["tiny"], seed=seed, precision=precision)
    batches = TokenBatches(list(encoded), max_tokens=training.max_tokens, seed=seed)
    torch.manual_seed(seed)
    model = Transformer(replace(TINY, vocab_size=len(tokenizer)))
    prepared, snapshots = time.perf_counter(), []
    for step in train(model, batches, training):
        if step.number % SNAPSHOT_EVERY == 0:
            snapshots.append({name: w.clone() for name, w in model.state_dict().items()})
            snapshots = snapshots[-SNAPSHOTS:]
        if time.perf_counter() - prepared >= minutes * 60:
            break
    trained = time.perf_counter()
    held_out = data.load_pairs("phrasebook:en-de", "test", 1000)
    source, target = zip(*held_out, strict=True)
    last = evaluation.score(evaluation.translate(model, tokenizer, source, beam=1), target)
    model.load_state_dict(mean_weights(snapshots))
    found = evaluation.translate(model, tokenizer, source, beam=1)
    averaged = evaluation.score(found, target)
    return {
        "seed": seed,
        "steps": step.number,
        "seconds_to_prepare": round(prepared - start, 1),
        "seconds_of_training": round(trained - prepared, 1),
        "exact_match": averaged["exact_match"],
        "exact_match_last": last["exact_match"],
        "bleu": averaged["bleu"],
    }


def main() -> None:
    """Three seeds, one result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    args = parser.parse_args()
    runs = []
    for seed in args.seeds:
        runs.append(first_translator(seed, args.minutes))
        print(runs[-1], flush=True)
    path = record.write(
        "phrasebook-first-translator",
        "greedy exact match on 1,000 unseen phrasebook pairs after a fixed time of training",
        [f"python benchmarks/first_translator.py --minutes {args.minutes}"],
        minutes=args.minutes,
        model=asdict(TINY),
        training=asdict(TRAINING_PRESETS["tiny"]),
        runs=runs,
    )
    print(path)


if __name__ == "__main__":
    main()
