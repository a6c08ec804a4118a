"""The verb `translate`: sentences, or the lines of standard input."""

import argparse
import json
import sys

from transformer_course import decoding
from transformer_course.data import split_lines
from transformer_course.training import Run, checkpoint, choose_device


def translate(args: argparse.Namespace) -> None:
    """Translate the sentences given, or the lines of standard input."""
    run = Run.open(args.run)
    model = checkpoint.load(run.weights(args.weights), choose_device(args.device))
    sentences = args.sentences or split_lines(sys.stdin.buffer.read(), "standard input")
    outputs = decoding.translate(model, run.tokenizer, sentences, beam=args.beam, alpha=args.alpha)
    print("\n".join(outputs))
    if args.attention:
        pairs = zip(sentences, outputs, strict=True)
        maps = [
            decoding.attention_map(model, run.tokenizer, source, output) for source, output in pairs
        ]
        args.attention.write_text(json.dumps(maps, ensure_ascii=False) + "\n")
