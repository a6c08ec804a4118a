"""The verb `export`: a trained model for an engine that others keep, or for the page."""

import argparse

from transformer_course import carried, engines
from transformer_course.training import Run


def export(args: argparse.Namespace) -> None:
    """Write a trained model for CTranslate2, for ONNX runtimes, or as the page reads it."""
    folder = args.run if args.run.exists() else carried.FOLDERS.get(str(args.run), args.run)
    engines.export_to(args.to, Run.open(folder), args.out, args.weights)
    size = sum(file.stat().st_size for file in args.out.rglob("*") if file.is_file())
    print(f"{args.out}: {args.run} for {args.to}, {size / 1e6:.1f} MB")
