"""Export a trained run as the small int8 model that the course carries, with a card of facts.

    python benchmarks/carried.py runs/demo --data multi30k:en-de --split test_2016_flickr \
        --out transformer_course/carried/multi30k-en-de --name carried-multi30k-en-de

The result file holds BLEU before and after; the card quotes it.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_course import data, decoding
from transformer_course.commands import record
from transformer_course.decoding import export, quantize
from transformer_course.training import Run, checkpoint

LIMIT = 4 * 10**6  # bytes that a reader of a page may have to load
CARD = """\
# A small translator, {data}

Trained from scratch by this course on {pairs:,} sentence pairs and stored as int8, with a scale for
every row of a weight matrix: `transformer-course translate --run {folder} "A dog runs."`

| | |
|---|---|
| parameters | {parameters:,} |
| layers, heads, width | {num_layers} + {num_layers}, {num_heads}, {d_model} |
| vocabulary, both languages | {vocabulary:,} pieces |
| size, tokenizer included | {bytes:,} bytes |
| BLEU on {split}, beam {beam} | {int8} |
| the same in float32, before rounding | {fp32} |
| the same when it also computes in int8 | {computed} |

sacreBLEU's signature: `{signature}`

Data and terms: {about}

Limits: it knows what its training texts talk about and little else. Other subjects, names, long
sentences and questions come out badly, often fluent and wrong. It repeats the biases of its texts.
It is a teaching example, not a translator to rely on.
"""


def carry(run: Run, folder: Path, name: str, split: str) -> dict[str, Any]:
    """Export the run and score it in three ways: float32, int8 as stored, computing in int8."""
    pairs = data.load_pairs(name, split)
    sources, references = zip(*pairs, strict=True)
    before = checkpoint.load(run.weights())
    exported = export(run, folder)
    stored = checkpoint.load(exported.weights())
    models = {"fp32": before, "int8": stored, "computed": quantize(stored)}
    scores = {}
    for kind, model in models.items():
        found = decoding.translate(model, run.tokenizer, sources, beam=4)
        scores[kind] = decoding.score(found, references)
    return {
        "data": name,
        "split": split,
        "beam": 4,
        "weights": run.weights().name,
        "parameters": before.num_parameters(),
        "pairs": len(data.load_pairs(run.config.data, "train")),
        "vocabulary": len(run.tokenizer),
        "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        "lost_bleu": round(scores["fp32"]["bleu"] - scores["int8"]["bleu"], 2),
        "scores": scores,
    }


def card(result: dict[str, Any], run: Run, folder: Path) -> str:
    """What someone who finds the folder should know, with the figures of the result file."""
    bleu = {kind: f"{scores['bleu']:.2f}" for kind, scores in result["scores"].items()}
    return CARD.format(
        **result,
        **bleu,
        folder=folder,
        signature=result["scores"]["int8"]["signature"],
        about=data.describe(result["data"]),
        **{
            name: getattr(run.config.model, name) for name in ("d_model", "num_heads", "num_layers")
        },
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Export, score, write the result file and the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--split", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder that is not there yet")
    parser.add_argument("--name", required=True, help="of the result file")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    run = Run.open(args.run)
    result = carry(run, args.out, args.data, args.split)
    path = record.write(
        args.name,
        "BLEU of a trained model in float32 and as the int8 that the course carries",
        [f"python benchmarks/carried.py {' '.join(arguments)}"],
        **result,
    )
    (args.out / "README.md").write_text(card(result, run, args.out))
    bleu = {kind: scores["bleu"] for kind, scores in result["scores"].items()}
    print(f"{args.out}: {result['bytes']:,} bytes, BLEU {bleu}\n{path}")
    if result["bytes"] > LIMIT:
        print(f"{args.out} is larger than {LIMIT:,} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
