"""Score the carried translator's beam searches: what the model thinks of them, and what BLEU does.

    python benchmarks/beam_sizes.py --split test_2016_flickr

Without the length penalty (alpha 0) and with the paper's (0.6), for beams of 1 to 32.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from transformer_course import carried, data, decoding
from transformer_course.commands import record
from transformer_course.data import Tokenizer, pad
from transformer_course.decoding import beam_hypotheses, length_penalty
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint

DATA = "multi30k:en-de"
BEAMS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 32)


def measure(
    model: Transformer,
    tokenizer: Tokenizer,
    pairs: Sequence[tuple[str, str]],
    beam: int,
    alpha: float,
) -> dict[str, Any]:
    """One search over all pairs; lengths are in tokens and count the end mark."""
    english, german = zip(*pairs, strict=True)
    sources = decoding.encode_sources(english, tokenizer, model.config.max_len)
    places = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    outputs: list[list[int]] = [[] for _ in sources]
    score = log_probability = 0.0
    for first in range(0, len(places), 50):
        part = places[first : first + 50]
        src = pad([sources[place] for place in part])
        found = beam_hypotheses(model, src, beam=beam, alpha=alpha)
        for place, [best, *_] in zip(part, found, strict=True):
            outputs[place] = best.ids
            score += best.score
            log_probability += best.score * length_penalty(len(best.ids) + 1, alpha)
    lengths = [len(ids) + 1 for ids in outputs]
    scores = decoding.score([tokenizer.decode(ids) for ids in outputs], german)
    return {
        "beam": beam,
        "alpha": alpha,
        "score": round(score / len(pairs), 4),
        "log_probability": round(log_probability / len(pairs), 4),
        "length": round(sum(lengths) / len(pairs), 3),
        "empty": lengths.count(1),
        **scores,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Search with every beam, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--split", default="test_2016_flickr")
    parser.add_argument("--count", type=int, help="sentences (default: all)")
    parser.add_argument("--beams", type=int, nargs="+", default=BEAMS)
    parser.add_argument("--out", type=Path, help="default: results/beam-sizes.json")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    run = Run.open(carried.FOLDER)
    model = checkpoint.load(run.weights())
    pairs = data.load_pairs(DATA, args.split, args.count)
    references = run.tokenizer.encode_batch([german for _, german in pairs])
    searches = []
    for alpha in (0.0, 0.6):
        for beam in args.beams:
            searches.append(measure(model, run.tokenizer, pairs, beam, alpha))
            print({key: searches[-1][key] for key in ("beam", "alpha", "score", "length", "chrf")})
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "beam-sizes",
        "beam searches of the carried translator: the model's score, length and quality",
        [f"python benchmarks/beam_sizes.py {' '.join(arguments)}".strip()],
        data=DATA,
        split=args.split,
        sentences=len(pairs),
        reference_length=round(sum(len(ids) + 1 for ids in references) / len(pairs), 3),
        searches=searches,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
