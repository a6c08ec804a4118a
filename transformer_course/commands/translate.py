"""The verb `translate`: sentences, or the lines of standard input."""

import argparse
import json
import sys
from typing import Any

from transformer_course import decoding, engines
from transformer_course.commands.arguments import (
    nonnegative_float,
    positive,
    positive_float,
    share,
    width,
)
from transformer_course.data import split_lines
from transformer_course.decoding import SEARCHES
from transformer_course.errors import DataError
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint, choose_device


def translate(args: argparse.Namespace) -> None:
    """Translate the sentences given, or the lines of standard input."""
    options = search_options(args)
    if args.engine:
        print("\n".join(by_engine(args, options)))
        return
    run = Run.open(args.run)
    model = checkpoint.load(run.weights(args.weights), choose_device(args.device))
    sentences = args.sentences or typed()
    fast, _ = fastest(model, len(sentences), options)
    outputs = decoding.translate(fast, run.tokenizer, sentences, search=args.search, **options)
    print("\n".join(outputs))
    if args.attention:
        pairs = zip(sentences, outputs, strict=True)
        maps = [
            decoding.attention_map(model, run.tokenizer, source, output) for source, output in pairs
        ]
        args.attention.write_text(json.dumps(maps, ensure_ascii=False) + "\n", encoding="utf-8")


def typed() -> list[str]:
    """The lines of standard input; who sits at a terminal is told what to type."""
    if sys.stdin.isatty():
        print("type one sentence a line, then Ctrl-D (Windows: Ctrl-Z, Enter)", file=sys.stderr)
    return split_lines(sys.stdin.buffer.read(), "standard input")


def fastest(model: Transformer, sentences: int, options: dict[str, Any]) -> tuple[Transformer, str]:
    """The model as it decodes so many sentences fastest here, and a line that says what it is.

    What is chosen is where the weights lie in memory, so the translations stay as they are. Fewer
    bits a weight would be faster still and change them, so they are never chosen here.
    """
    layouts = decoding.choose_layouts(model, sentences * (options.get("beam") or 1))
    return decoding.lay_out(model, layouts), decoding.describe(layouts)


def by_engine(args: argparse.Namespace, options: dict[str, Any]) -> list[str]:
    """The translations by an engine that is not the course's own."""
    for name in ("attention", "device"):
        if getattr(args, name) is not None:
            raise DataError(f"--{name} is for the course's own engine: leave out it or --engine")
    sentences = args.sentences or typed()
    given = {"which": args.weights, "search": args.search, **options}
    return engines.translate(args.engine, args.run, sentences, **given)


def add_search(parser: argparse.ArgumentParser) -> None:
    """Let a verb that translates choose a search, and the options of each."""
    parser.add_argument("--search", choices=SEARCHES, default="beam", help="default: beam")
    parser.add_argument("--beam", type=width, help="of beam: width, 1 is greedy; default: 4")
    parser.add_argument(
        "--alpha", type=nonnegative_float, help="of beam: length penalty; default: 0.6"
    )
    parser.add_argument(
        "--temperature", type=positive_float, help="of sample: below 1 is sharper; default: 1"
    )
    parser.add_argument("--top-k", type=positive, help="of sample: draw from the k likeliest")
    parser.add_argument("--top-p", type=share, help="of sample: draw from the nucleus of share p")
    parser.add_argument("--seed", type=int, help="of sample: another seed, other words; default: 0")


def search_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the search that was chosen, its defaults included.

    Raises:
        DataError: if an option is given that belongs to another search.
    """
    names = {name for search in SEARCHES for name in decoding.search_defaults(search)}
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return decoding.search_options(args.search, given)
