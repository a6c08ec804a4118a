"""Draw translations from the carried model: how good they are, and how different from each other.

    TRANSFORMER_COURSE_DATA=... python benchmarks/sampling_quality.py       # about 4 minutes

For every temperature, top-k and nucleus it draws four translations of each sentence. Greedy and
beam search stand beside them.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from transformer_course import carried, data, decoding
from transformer_course.commands import record

DATA, SPLIT = "multi30k:en-de", "test_2016_flickr"
SAMPLES = 4
SETTINGS: list[dict[str, Any]] = [
    *({"temperature": t} for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.4)),
    *({"top_k": k} for k in (2, 3, 5, 10, 40)),
    *({"top_p": p} for p in (0.2, 0.3, 0.5, 0.7, 0.8, 0.9)),
]


def self_bleu(samples: Sequence[Sequence[str]]) -> float:
    """The mean BLEU of one sample of the test set with another as its reference: 100 if alike."""
    pairs = list(itertools.permutations(samples, 2))
    return sum(sacrebleu.BLEU().corpus_score(a, [b]).score for a, b in pairs) / len(pairs)


def measure(samples: Sequence[Sequence[str]], references: Sequence[str]) -> dict[str, Any]:
    """Quality of each sample against the references; how many of a sentence's samples differ."""
    scores = [decoding.score(sample, references) for sample in samples]
    different = [len(set(each)) for each in zip(*samples, strict=True)]
    return {
        "bleu": [score["bleu"] for score in scores],
        "chrf": [score["chrf"] for score in scores],
        "distinct": round(sum(different) / len(different), 3),
        "self_bleu": round(self_bleu(samples), 2) if len(samples) > 1 else 100.0,
        "words": round(
            sum(len(text.split()) for sample in samples for text in sample)
            / (len(samples) * len(references)),
            2,
        ),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Draw with every setting, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, help="sentences (default: all)")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, help="default: results/sampling-quality.json")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    model, tokenizer = carried.load()
    sources, references = zip(*data.load_pairs(DATA, SPLIT, args.count), strict=True)

    def draw(search: str, **options: Any) -> list[str]:
        return decoding.translate(model, tokenizer, sources, search=search, **options)

    rows: list[dict[str, Any]] = [
        {"search": search, **measure([draw(search)], references)} for search in ("greedy", "beam")
    ]
    for options in SETTINGS:
        samples = [draw("sample", seed=seed, **options) for seed in range(args.samples)]
        rows.append({"search": "sample", **options, **measure(samples, references)})
        mean = sum(rows[-1]["bleu"]) / args.samples
        print(options, f"BLEU {mean:.1f}, self-BLEU {rows[-1]['self_bleu']:.1f}", flush=True)
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "sampling-quality",
        "translations drawn from the carried model: BLEU of each sample, and how samples differ",
        [f"python benchmarks/sampling_quality.py {' '.join(arguments)}".strip()],
        data=DATA,
        split=SPLIT,
        sentences=len(references),
        samples=args.samples,
        signature=decoding.score(references, references)["signature"],
        searches=rows,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
