"""The verb `evaluate`: translate a split or a file, and score it."""

import argparse
import json
import sys
import time
from typing import Any

from transformer_course import data, decoding
from transformer_course.commands.translate import fastest, search_options
from transformer_course.data import load_text_pairs
from transformer_course.errors import DataError
from transformer_course.training import Run, checkpoint, choose_device


def evaluate(args: argparse.Namespace) -> None:
    """Translate a split or a file and score it."""
    options = search_options(args)
    run = Run.open(args.run)
    if (args.src is None) != (args.ref is None) or (args.data is None) == (args.src is None):
        raise DataError("expected --data NAME --split NAME, or --src FILE --ref FILE")
    if args.data:
        name, split = args.data, args.split
        check_direction(run, name)
        pairs = data.load_pairs(name, split)
    else:
        name, split = f"files:{args.src},{args.ref}", None
        pairs = load_text_pairs(args.src, args.ref)
    weights = run.weights(args.weights)
    model = checkpoint.load(weights, choose_device(args.device))
    sources, references = zip(*pairs, strict=True)
    model, said = fastest(model, len(sources), options)
    start = time.perf_counter()
    found = decoding.translate(model, run.tokenizer, sources, search=args.search, **options)
    seconds = time.perf_counter() - start
    print(said, file=sys.stderr)
    scores = decoding.score(found, references)
    if args.json:
        about = {"run": str(args.run), "weights": weights.name, "data": name, "split": split}
        search = {"search": args.search, **options, "seconds": round(seconds, 1)}
        print(json.dumps({**scores, **about, **search}))
    else:
        print(
            f"BLEU {scores['bleu']:.1f}, chrF {scores['chrf']:.1f}, exact match "
            f"{scores['exact_match']:.1%} on {len(sources)} sentences in {seconds:.0f} s, "
            f"{weights.name} of {args.run}, {describe(args.search, options)}\n{scores['signature']}"
        )
    if args.output:  # last: should it fail, the scores are there
        args.output.write_text("\n".join(found) + "\n", encoding="utf-8")


def describe(search: str, options: dict[str, Any]) -> str:
    """A search in a few words, such as "beam 4"."""
    if search == "beam":
        return f"beam {options['beam']}"
    chosen = [f"{name} {value}" for name, value in options.items() if value is not None]
    return ", ".join([search, *chosen])


def check_direction(run: Run, name: str) -> None:
    """Refuse to score a run on another pair of languages than it was trained on."""
    trained, asked = (each.partition(":")[2] for each in (run.config.data, name))
    if "-" in trained and "-" in asked and trained != asked:
        raise DataError(
            f"{run.folder} translates {trained}, but {name} is {asked}: "
            f"use a data set for {trained}, such as {run.config.data}"
        )
