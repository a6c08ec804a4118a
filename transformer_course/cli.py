"""The command `transformer-course`: data, train, average, translate, evaluate, bench."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import torch

from transformer_course import __version__, checkpoint, data, distributed, evaluation
from transformer_course.errors import DataError
from transformer_course.model import PRESETS, TransformerConfig
from transformer_course.progress import ProgressBar, StopSignal
from transformer_course.runs import Run, RunConfig, RunTraining
from transformer_course.textfiles import load_text_pairs, split_lines
from transformer_course.tokenizer import Tokenizer
from transformer_course.training import (
    PRECISIONS,
    TRAINING_PRESETS,
    TrainingConfig,
    choose_device,
    choose_precision,
)

VALID_SENTENCES = 200  # translated greedily while training, to see how far it is


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; bad input gives one line on standard error and exit code 2."""
    args = build_parser().parse_args(argv)
    try:
        args.run_verb(args)
        sys.stdout.flush()
    except (DataError, FloatingPointError) as error:
        print(f"transformer-course: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ntransformer-course: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full disk, a folder that is not there or not ours
        where = f"{error.filename}: " if error.filename else ""
        print(f"transformer-course: error: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def fetch(args: argparse.Namespace) -> None:
    """Download and verify a data set, and say where it is."""
    folder = data.fetch(args.name, progress=sys.stderr.isatty())
    about = data.DATASETS[args.name.partition(":")[0]].description
    print(f"{args.name}: complete and verified in {folder}\n{about}")


def train(args: argparse.Namespace) -> None:
    """Start a run or go on with one, show how it goes, and average its last checkpoints."""
    with distributed.joined(), distributed.only_first_prints():
        train_together(args)


def train_together(args: argparse.Namespace) -> None:
    """Train in this process, and in those beside it if `torchrun` started several."""
    device = choose_device(args.device)
    first = distributed.rank() == 0
    if first and not args.resume:
        create_run(args, device)
    distributed.wait_for_all()
    run = resume_run(args) if args.resume else Run.open(args.out)
    if device.type == "cpu" and run.config.model.d_model < 128:
        torch.set_num_threads(1)  # so small a model makes a second thread wait, not work
    training = RunTraining(run, device, compile=args.compile, accumulate=args.accumulate)
    held_out = data.load_pairs(run.config.data, "valid", VALID_SENTENCES)
    valid_every = args.valid_every or 2 * run.config.save_every
    processes = f"{distributed.world_size()} processes on " if distributed.world_size() > 1 else ""
    print(
        f"{run.folder}: {training.model.num_parameters():,} parameters, "
        f"{len(training.batches.pairs):,} pairs, {training.batches.batches_per_epoch} batches an "
        f"epoch, on {processes}{device}, "
        + (f"from step {training.step}" if training.step else "from scratch")
    )
    with StopSignal() as stop, ProgressBar(args.minutes, args.steps, hidden=not first) as bar:
        try:
            while not distributed.any_of_them(stop.asked or bar.is_over(training)):
                step = next(training)
                bar.show(training, step)
                if first and step.number % valid_every == 0:
                    bar.say(validate(training, held_out))
        except RuntimeError:  # such as another process that died: what is here is whole
            training.save()
            raise
    training.save()
    if not first:
        return
    made = ""
    if not run.config.training.last_step:  # a rate that ended at zero left nothing to average
        averaged = run.average(min(run.config.keep, len(run.checkpoints())))
        made = f"; averaged {averaged[0].name} to {averaged[-1].name}"
    print(
        f"stopped at step {training.step} after {training.seconds / 60:.1f} minutes{made}\n"
        f"next: transformer-course evaluate --run {run.folder} --data {run.config.data} --split "
        f"{data.splits(run.config.data)[-1]}"
    )


def create_run(args: argparse.Namespace, device: torch.device) -> Run:
    """Learn the vocabulary and lay out a new run."""
    if args.out.exists():  # say so before minutes of work, not after
        raise DataError(f"{args.out} exists already: resume it with --resume, or choose another")
    config = changed(PRESETS[args.preset or "small"], args)
    training = changed(TRAINING_PRESETS[args.preset or "small"], args)
    precision = args.precision or choose_precision(device, config.d_model)
    pairs = data.load_pairs(args.data or "phrasebook:en-de", "train")
    texts = (text for pair in pairs for text in pair)
    tokenizer = Tokenizer.train(texts, vocab_size=config.vocab_size)
    run_config = RunConfig(
        data=args.data or "phrasebook:en-de",
        model=replace(config, vocab_size=len(tokenizer)),
        training=replace(training, precision=precision),
        save_every=args.save_every or RunConfig.save_every,
    )
    return Run.create(args.out, run_config, tokenizer)


def resume_run(args: argparse.Namespace) -> Run:
    """Open a run, and make sure that the options given are those it was started with."""
    run = Run.open(args.out)
    old = run.config
    training = changed(old.training, args)
    model = (
        replace(PRESETS[args.preset], vocab_size=old.model.vocab_size) if args.preset else old.model
    )
    model = changed(model, args)
    run.check_same(
        replace(
            old,
            data=args.data or old.data,
            model=model,
            training=training,
            save_every=args.save_every or old.save_every,
        )
    )
    return run


C = TypeVar("C", TransformerConfig, TrainingConfig)


def changed(config: C, args: argparse.Namespace) -> C:
    """The configuration with what the command line says of it, by `--set` or an option."""
    given = {"seed": args.seed, "precision": args.precision, "max_tokens": args.max_tokens}
    types = {field.name: field.type for field in fields(config)}
    named = {name: value for name, value in given.items() if name in types and value is not None}
    everything = {f.name for kind in (TransformerConfig, TrainingConfig) for f in fields(kind)}
    for setting in args.set or []:
        name, _, text = setting.partition("=")
        if name not in everything:
            known = ", ".join(sorted(everything))
            raise DataError(f"--set {setting}: expected NAME=VALUE, with NAME one of {known}")
        if name in types:
            named[name] = parse_value(setting, text, types[name])
    try:
        return replace(config, **named)
    except ValueError as error:
        raise DataError(str(error)) from error


def parse_value(setting: str, text: str, kind: Any) -> Any:
    """Read what stands behind the equals sign of `--set` as the type of that entry."""
    kind = next(iter(get_args(kind)), kind)  # int | None is read as int
    try:
        return kind(text)
    except ValueError as error:
        raise DataError(f"--set {setting}: expected {kind.__name__}, got {text!r}") from error


def validate(training: RunTraining, held_out: list[tuple[str, str]]) -> str:
    """Translate some of the validation set greedily; write the score down and show samples."""
    sources, references = zip(*held_out, strict=True)
    found = evaluation.translate(training.model, training.run.tokenizer, sources, beam=1)
    scores = evaluation.score(found, references)
    samples = [list(each) for each in zip(sources, found, references, strict=True)][:3]
    line = {"step": training.step, "seconds": round(training.seconds, 1), **scores}
    training.run.append("valid.jsonl", {**line, "samples": samples})
    shown = "\n".join(f"  {source}\n    -> {output}" for source, output, _ in samples)
    return (
        f"step {training.step}: BLEU {scores['bleu']:.1f}, greedy, on {len(sources)} sentences "
        f"of the validation set\n{shown}"
    )


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


BENCHMARKS = {
    "train": "benchmarks/train_speed.py",
    "decode": "benchmarks/decode_speed.py",
    "page": "book/_tools/weigh.py",
}


def bench(args: argparse.Namespace) -> None:
    """Measure speed, beside other libraries with --peers, or weigh the site's pages."""
    script = Path(__file__).parent.parent / BENCHMARKS[args.what]
    if not script.exists():
        raise DataError(
            f"no {script}: the benchmarks are not part of the package, run them from a clone of "
            "the course installed with `pip install -e .`"
        )
    raise SystemExit(subprocess.call([sys.executable, str(script), *args.rest]))


def build_parser() -> argparse.ArgumentParser:
    """All verbs and their options."""
    parser = argparse.ArgumentParser(prog="transformer-course", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, function: object, example: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(
            name,
            help=function.__doc__,
            description=function.__doc__,
            epilog=f"example: transformer-course {example}",
        )
        made.set_defaults(run_verb=function)
        return made

    def search_options(made: argparse.ArgumentParser) -> None:
        made.add_argument("--run", type=Path, required=True, help="folder of the run")
        made.add_argument("--weights", help="averaged, last or step-NNNNNN; default: the best")
        made.add_argument("--beam", type=positive, default=4, help="1 is greedy search")
        made.add_argument("--alpha", type=float, default=0.6, help="strength of length penalty")
        made.add_argument("--device", help="cpu, cuda or mps; default: the best there is")

    fetching = verb("data", fetch, "data fetch multi30k")
    fetching.add_argument("action", choices=["fetch"])
    fetching.add_argument("name", help="multi30k, multi30k:en-de or multi30k:en-fr")

    made = verb("train", train, "train --data multi30k:en-de --preset small --out runs/demo")
    made.add_argument("--data", help=f"one of {', '.join(data.names())}; default: phrasebook:en-de")
    made.add_argument("--preset", choices=PRESETS, help="size of the model; default: small")
    made.add_argument("--out", type=Path, required=True, help="folder of the run")
    made.add_argument("--minutes", type=positive_float, help="stop after so long, resumes included")
    made.add_argument("--steps", type=positive, help="stop after so many steps")
    made.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    made.add_argument("--seed", type=int, help="default: 0")
    made.add_argument("--precision", choices=PRECISIONS, help="default: bf16 where it is faster")
    made.add_argument("--max-tokens", type=positive, help="padded tokens of a batch, on each side")
    made.add_argument(
        "--set", action="append", metavar="NAME=VALUE", help="change the preset: --set dropout=0.3"
    )
    made.add_argument("--save-every", type=positive, help="steps between checkpoints")
    made.add_argument("--valid-every", type=positive, help="steps between looks at translations")
    made.add_argument(
        "--accumulate",
        type=positive,
        default=1,
        help="passes a step, each over a part of the batch",
    )
    made.add_argument("--device", help="cpu, cuda or mps; default: the best there is")
    made.add_argument("--compile", action="store_true", help="compile the model first; for GPUs")

    made = verb("average", average, "average runs/demo --last 5")
    made.add_argument("folder", type=Path, metavar="RUN")
    made.add_argument("--last", type=positive, default=5, help="how many checkpoints")

    made = verb("translate", translate, 'translate --run runs/demo "A dog runs."')
    search_options(made)
    made.add_argument("--attention", type=Path, metavar="FILE", help="write every head's weights")
    made.add_argument("sentences", nargs="*", metavar="SENTENCE")

    example = "evaluate --run runs/demo --data multi30k:en-de --split test_2016_flickr --json"
    made = verb("evaluate", evaluate, example)
    search_options(made)
    made.add_argument("--data", help="data set, with --split")
    made.add_argument("--split", default="valid", help="default: valid")
    made.add_argument("--src", type=Path, help="your own file of sentences, with --ref")
    made.add_argument("--ref", type=Path, help="their reference translations")
    made.add_argument("--output", type=Path, help="write the translations here")
    made.add_argument("--json", action="store_true", help="one line of JSON")

    made = verb("bench", bench, "bench train --peers")
    made.add_argument("what", choices=BENCHMARKS)
    made.add_argument("rest", nargs=argparse.REMAINDER, help="`bench train --help` lists them")
    return parser


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, got {text!r}")
    return int(text)


def positive_float(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number
