"""The command `transformer-course`: data, training, translating, exercises, benchmarks."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from transformer_course import __version__, carried, data, engines
from transformer_course.commands import grade as grading
from transformer_course.commands.arguments import positive, positive_float
from transformer_course.commands.average import average
from transformer_course.commands.bench import BENCHMARKS, bench
from transformer_course.commands.data import fetch
from transformer_course.commands.evaluate import evaluate
from transformer_course.commands.export import export
from transformer_course.commands.release import release
from transformer_course.commands.train import train
from transformer_course.commands.translate import add_search, translate
from transformer_course.errors import DataError
from transformer_course.model import CHOICES, PRESETS
from transformer_course.training import PRECISIONS

WHICH = "averaged, last or step-NNNNNN; default: averaged if training ended with it, else last"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; bad input gives one line on standard error and exit code 2."""
    args = build_parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as what is read and what files hold
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


class Parser(argparse.ArgumentParser):
    """Answers options that cannot be with one line."""

    def error(self, message: str) -> NoReturn:
        """What was expected, what came, and where all that can be given is listed."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """All verbs and their options."""
    parser = Parser(prog="transformer-course", description=__doc__)
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

    def translating(made: argparse.ArgumentParser) -> None:
        made.add_argument(
            "--run",
            type=Path,
            default=carried.FOLDERS["everyday"],
            help="folder of the run; default: a small one, en-de",
        )
        made.add_argument("--weights", help=WHICH)
        add_search(made)
        made.add_argument("--device", help="cpu, cuda or mps; default: the best there is")

    fetching = verb("data", fetch, "data fetch multi30k")
    fetching.add_argument("action", choices=["fetch"])
    fetching.add_argument("name", help=f"one of {', '.join(data.to_fetch())}")

    made = verb("train", train, "train --data multi30k:en-de --preset small --out runs/demo")
    made.add_argument("--data", help=f"one of {', '.join(data.names())}; default: phrasebook:en-de")
    made.add_argument("--preset", choices=PRESETS, help="size of the model; default: small")
    made.add_argument("--out", type=Path, required=True, help="folder of the run")
    made.add_argument("--minutes", type=positive_float, help="stop after so long, resumes included")
    made.add_argument("--steps", type=positive, help="stop after so many steps")
    made.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    made.add_argument("--seed", type=int, help="default: 0")
    made.add_argument(
        "--precision",
        choices=["auto", *PRECISIONS],
        default="auto",
        help="default: auto, the faster one here by measuring; a run keeps its own",
    )
    made.add_argument("--max-tokens", type=positive, help="padded tokens of a batch, on each side")
    choices = "; ".join(f"{name}: {', '.join(known)}" for name, known in CHOICES.items())
    made.add_argument(
        "--set",
        action="append",
        metavar="NAME=VALUE",
        help=f"change the preset: --set dropout=0.3, or a part by its name ({choices})",
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
    made.add_argument(
        "--fsdp",
        action="store_true",
        help="under torchrun: each process holds a part of every weight, not the whole model",
    )

    made = verb("average", average, "average runs/demo --last 5")
    made.add_argument("folder", type=Path, metavar="RUN")
    made.add_argument("--last", type=positive, default=5, help="how many checkpoints")

    made = verb("translate", translate, 'translate --run runs/demo "A dog runs."')
    translating(made)
    made.add_argument("--attention", type=Path, metavar="FILE", help="write every head's weights")
    said = "translate by this one, from a run or from what `export` wrote for it"
    made.add_argument("--engine", choices=engines.ENGINES, help=said)
    made.add_argument("sentences", nargs="*", metavar="SENTENCE")

    example = "evaluate --run runs/demo --data multi30k:en-de --split test_2016_flickr --json"
    made = verb("evaluate", evaluate, example)
    translating(made)
    made.add_argument("--data", help="data set, with --split")
    made.add_argument("--split", default="valid", help="default: valid")
    made.add_argument("--src", type=Path, help="your own file of sentences, with --ref")
    made.add_argument("--ref", type=Path, help="their reference translations")
    made.add_argument("--output", type=Path, help="write the translations here")
    made.add_argument("--json", action="store_true", help="one line of JSON")

    made = verb("export", export, "export --to ctranslate2 runs/demo handed-over")
    made.add_argument("--to", choices=engines.TARGETS, required=True, help="what will read it")
    made.add_argument("--weights", help=WHICH)
    made.add_argument(
        "run",
        type=Path,
        metavar="RUN",
        help=f"its folder, or a carried one: {', '.join(carried.FOLDERS)}",
    )
    made.add_argument("out", type=Path, metavar="OUT", help="a new or an empty folder")

    example = "release exercises/sources/*.md --out handout"
    made = verb("release", release, example)
    made.add_argument("exercises", nargs="+", type=Path, metavar="EXERCISE")
    made.add_argument("--out", type=Path, help="folder of the learners' notebooks")
    made.add_argument(
        "--autograder", type=Path, metavar="ZIP", help="what Gradescope makes an autograder from"
    )
    made.add_argument("--force", action="store_true", help="replace notebooks that hold answers")
    said = "list the wrong answers, of the file beside a source, that hear the same message"
    made.add_argument("--messages", action="store_true", help=said)

    grading.add_options(
        verb("grade", grading.grade, "grade moodle.zip --out results.jsonl --workers 4")
    )

    made = verb("bench", bench, "bench train --peers")
    made.add_argument("what", choices=BENCHMARKS)
    made.add_argument("rest", nargs=argparse.REMAINDER, help="`bench train --help` lists them")
    return parser
