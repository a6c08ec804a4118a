"""The other verbs: data, average, translate, evaluate, bench."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from transformer_course import checkpoint, data, evaluation
from transformer_course.devices import choose_device
from transformer_course.errors import DataError
from transformer_course.runs import Run
from transformer_course.textfiles import load_text_pairs, split_lines

BENCHMARKS = {
    "train": "benchmarks/train_speed.py",
    "decode": "benchmarks/decode_speed.py",
    "grade": "benchmarks/grade_speed.py",
    "page": "book/_tools/weigh.py",
}


def fetch(args: argparse.Namespace) -> None:
    """Download and verify a data set, and say where it is."""
    folder = data.fetch(args.name, progress=sys.stderr.isatty())
    about = data.DATASETS[args.name.partition(":")[0]].description
    print(f"{args.name}: complete and verified in {folder}\n{about}")


def average(args: argparse.Namespace) -> None:
    """Average the last checkpoints of a run."""
    paths = Run.open(args.folder).average(args.last)
    print(f"{args.folder / 'averaged'}: the mean of {', '.join(path.name for path in paths)}")


def translate(args: argparse.Namespace) -> None:
    """Translate the sentences given, or the lines of standard input."""
    run = Run.open(args.run)
    model = checkpoint.load(run.weights(args.weights), choose_device(args.device))
    sentences = args.sentences or split_lines(sys.stdin.buffer.read(), "standard input")
    outputs = evaluation.translate(
        model, run.tokenizer, sentences, beam=args.beam, alpha=args.alpha
    )
    print("\n".join(outputs))
    if args.attention:
        pairs = zip(sentences, outputs, strict=True)
        maps = [
            evaluation.attention_map(model, run.tokenizer, source, output)
            for source, output in pairs
        ]
        args.attention.write_text(json.dumps(maps, ensure_ascii=False) + "\n")


def check_direction(run: Run, name: str) -> None:
    """Refuse to score a run on another pair of languages than it was trained on."""
    trained, asked = (each.partition(":")[2] for each in (run.config.data, name))
    if "-" in trained and "-" in asked and trained != asked:
        raise DataError(
            f"{run.folder} translates {trained}, but {name} is {asked}: "
            f"use a data set for {trained}, such as {run.config.data}"
        )


def evaluate(args: argparse.Namespace) -> None:
    """Translate a split or a file and score it."""
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
    start = time.perf_counter()
    found = evaluation.translate(model, run.tokenizer, sources, beam=args.beam, alpha=args.alpha)
    seconds = time.perf_counter() - start
    scores = evaluation.score(found, references)
    if args.json:
        about = {"run": str(args.run), "weights": weights.name, "data": name, "split": split}
        search = {"beam": args.beam, "alpha": args.alpha, "seconds": round(seconds, 1)}
        print(json.dumps({**scores, **about, **search}))
    else:
        print(
            f"BLEU {scores['bleu']:.1f}, chrF {scores['chrf']:.1f}, exact match "
            f"{scores['exact_match']:.1%} on {len(sources)} sentences in {seconds:.0f} s, "
            f"{weights.name} of {args.run}, beam {args.beam}\n{scores['signature']}"
        )
    if args.output:  # last: should it fail, the scores are there
        args.output.write_text("\n".join(found) + "\n")


def bench(args: argparse.Namespace) -> None:
    """Measure speed, beside other libraries with --peers, or weigh the site's pages."""
    script = Path(__file__).parent.parent / BENCHMARKS[args.what]
    if not script.exists():
        raise DataError(
            f"no {script}: the benchmarks are not part of the package, run them from a clone of "
            "the course installed with `pip install -e .`"
        )
    raise SystemExit(subprocess.call([sys.executable, str(script), *args.rest]))
