"""Score a trained run on a test set, and write down how it was trained and how it came along.

    python benchmarks/translator.py runs/demo --data multi30k:en-de --split test_2016_flickr \
        --name multi30k-en-de-small
"""

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from transformer_course import data, decoding
from transformer_course.commands import record
from transformer_course.training import Run, checkpoint


def curve(run: Run, every: int = 100) -> list[dict[str, float]]:
    """The mean loss of each hundred steps, its learning rate, and the minutes until then."""
    log = run.records("log.jsonl")
    parts = [log[i : i + every] for i in range(0, len(log) - every + 1, every)]
    return [
        {
            "step": part[-1]["step"],
            "loss": round(sum(line["loss"] for line in part) / len(part), 4),
            "rate": round(part[-1]["rate"], 7),
            "minutes": round(part[-1]["seconds"] / 60, 2),
        }
        for part in parts
    ]


def test(run: Run, which: str, beam: int, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Translate the test set and score it."""
    weights = run.weights(which)
    model = checkpoint.load(weights)
    sources, references = zip(*pairs, strict=True)
    start = time.perf_counter()
    found = decoding.translate(model, run.tokenizer, sources, beam=beam)
    seconds = round(time.perf_counter() - start, 1)
    scores = decoding.score(found, references)
    return {"weights": weights.name, "beam": beam, "alpha": 0.6, **scores, "seconds": seconds}


def main() -> None:
    """Evaluate the run in four ways and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--split", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--command", action="append", default=[], help="how it was trained")
    args = parser.parse_args()
    run = Run.open(args.run)
    log = run.records("log.jsonl")
    pairs = data.load_pairs(args.data, args.split)
    ways = [("averaged", 4), ("averaged", 1), ("last", 4), ("last", 1)]
    model = checkpoint.load(run.weights("averaged"))
    shown = pairs[:8]
    outputs = decoding.translate(model, run.tokenizer, [source for source, _ in shown])
    path = record.write(
        args.name,
        f"{args.data} trained from scratch and scored on {args.split}",
        args.command,
        seed=run.config.training.seed,
        data=args.data,
        split=args.split,
        parameters=model.num_parameters(),
        vocabulary=len(run.tokenizer),
        model=asdict(run.config.model),
        training=asdict(run.config.training),
        steps=log[-1]["step"],
        minutes=round(log[-1]["seconds"] / 60, 1),
        target_tokens=sum(line["tokens"] for line in log),
        curve=curve(run),
        valid=[
            {
                "step": line["step"],
                "bleu": line["bleu"],
                "sentences": line["sentences"],
                "minutes": round(line["seconds"] / 60, 2),
            }
            for line in run.records("valid.jsonl")
        ],
        test=[test(run, which, beam, pairs) for which, beam in ways],
        samples=[
            {"source": source, "output": output, "reference": reference}
            for (source, reference), output in zip(shown, outputs, strict=True)
        ],
    )
    print(path)


if __name__ == "__main__":
    main()
