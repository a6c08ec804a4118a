"""Plan the batches of a corpus as large as the paper's, made up: time, memory, padding.

python benchmarks/corpus_scale.py
"""

import resource
import time
from collections.abc import Iterator

import numpy as np

from transformer_course.commands import record
from transformer_course.data import TokenBatches, padding_waste

PAIRS, MAX_TOKENS = 4_500_000, 25_000


def pairs(count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Ids that mean nothing: 27 tokens a side on average, the two sides a fifth apart."""
    rng = np.random.default_rng(0)
    for _ in range(count // 10_000):
        length = rng.gamma(3, 9, size=(10_000, 1)) * np.exp(rng.normal(0, 0.2, size=(10_000, 2)))
        for sides in np.clip(length, 2, 100).astype(int).tolist():
            yield tuple([4] * side for side in sides)


def main() -> None:
    """Measure once and write the result file."""
    start = time.process_time()
    batches = TokenBatches(pairs(PAIRS), max_tokens=MAX_TOKENS)
    planned = time.process_time()
    batches.batch(0)
    shuffled = time.process_time()
    some = [batches.batch(number) for number in range(1, 101)]
    made = time.process_time()
    path = record.write(
        "corpus-scale",
        "planning batches for 4.5 million made-up sentence pairs, CPU seconds of one core",
        ["python benchmarks/corpus_scale.py"],
        pairs=PAIRS,
        mean_tokens=batches.pairs.lengths.mean(0).round(1).tolist(),
        max_tokens=MAX_TOKENS,
        batches_per_epoch=batches.batches_per_epoch,
        seconds_to_plan=round(planned - start, 1),
        seconds_to_shuffle_an_epoch=round(shuffled - planned, 2),
        milliseconds_a_batch=round((made - shuffled) * 1000 / len(some), 2),
        peak_gb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        padding_waste=round(padding_waste(some), 4),
    )
    print(path.read_text())


if __name__ == "__main__":
    record.no_options(__doc__)
    main()
