"""Export a trained run as the small int8 model that the course carries, with a card of facts.

    python benchmarks/carried.py runs/mixture --test multi30k:en-de test_2016_flickr \
        --test tatoeba:en-de test --test phrasebook:en-de test \
        --out transformer_course/carried/everyday-en-de --name carried-everyday-en-de

The result file holds BLEU before and after, how sure the model is of unseen sentences, and which of
its heads aligns words best; the card quotes it.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from aligning import aligning

from transformer_course import data, decoding
from transformer_course.commands import record
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID, make_batch, pad
from transformer_course.decoding import export, quantize
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint

OWN_WORDS = ("grammar:en-de",)  # a model of this knows too few words of the phrasebook
RARE = 3  # sentences with a word, too few to learn it
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
| size, tokenizer and list of known words included | {bytes:,} bytes |

| unseen sentences | pairs | BLEU, beam 4 | before rounding | computing in int8 | exact |
|---|---:|---:|---:|---:|---:|
{rows}

sacreBLEU's signature: `{signature}`

Data and terms: {about}

Limits: it knows what its training texts talk about and little else. Even there it makes mistakes,
often fluent ones, and now and then a word that does not exist: idioms, rare words, names and long
sentences come out worst. It repeats the biases of its texts. It is a teaching example, not a
translator to rely on.
"""


def test(models: dict[str, Any], run: Run, name: str, split: str) -> dict[str, Any]:
    """Score a test set in three ways: float32, int8 as stored, computing in int8."""
    pairs = data.load_pairs(name, split)
    sources, references = zip(*pairs, strict=True)
    scores, exact = {}, {}
    for kind, model in models.items():
        found = decoding.translate(model, run.tokenizer, sources, beam=4)
        scores[kind] = decoding.score(found, references)
        exact[kind] = sum(map(str.__eq__, found, references)) / len(pairs)
    return {"data": name, "split": split, "pairs": len(pairs), "scores": scores, "exact": exact}


def english_words(pairs: Iterable[tuple[str, str]]) -> str:
    """Every word of the sources, in lower case, one a line; translating.js finds words likewise.

    Below an empty line stand those of at most RARE sentences.
    """
    counts = Counter(word for src, _ in pairs for word in {*re.findall(r"[^\W_]+", src.lower())})
    rare = {word for word, count in counts.items() if count <= RARE}
    return "\n\n".join("\n".join(sorted(part)) for part in (counts.keys() - rare, rare))


def sureness(model: Transformer, run: Run, sources: Sequence[str]) -> list[float]:
    """Percentiles 1, 5, 25, 50 of the geometric mean of the shares that written pieces got."""
    means = []
    for text in sources:
        src = [*run.tokenizer.encode(text), EOS_ID]
        [tgt] = decoding.beam_search(model, pad([src]))
        batch = make_batch([(src[:-1], tgt)])
        with decoding.evaluating(model):
            logits = model(batch.src, batch.tgt_in)[0]
            logits[:, [PAD_ID, BOS_ID]] = float("-inf")
        means.append(logits.log_softmax(-1).gather(1, batch.tgt_out.T).mean().exp())
    return torch.stack(means).quantile(torch.tensor([0.01, 0.05, 0.25, 0.5])).tolist()


def training(run: Run) -> dict[str, Any]:
    """How the run was trained, since the run itself is not carried."""
    log = run.records("log.jsonl")
    return {
        "model": asdict(run.config.model),
        "training": asdict(run.config.training),
        "steps": log[-1]["step"] if log else None,
        "minutes": round(log[-1]["seconds"] / 60, 1) if log else None,
        "target_tokens": sum(line["tokens"] for line in log),
    }


def aligned(model: Transformer, run: Run) -> list[list[float]]:
    """How well each layer and head aligns words, in three decimals."""
    return [[round(x, 3) for x in row] for row in aligning(model, run.tokenizer)]


def carry(run: Run, folder: Path, tests: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Export the run, and measure what it can do."""
    before = checkpoint.load(run.weights())
    exported = export(run, folder)
    train = data.load_pairs(run.config.data, "train")
    (folder / "words.txt").write_text(english_words(train), encoding="utf-8")
    stored = checkpoint.load(exported.weights()).eval()
    models = {"fp32": before, "int8": stored, "computed": quantize(stored)}
    held_out = [src for src, _ in data.load_pairs(run.config.data, "valid", 600)]
    return {
        "data": run.config.data,
        **training(run),
        "beam": 4,
        "weights": run.weights().name,
        "parameters": before.num_parameters(),
        "pairs": len(train),
        "vocabulary": len(run.tokenizer),
        "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        "tests": [test(models, run, name, split) for name, split in tests],
        "sure_percentiles_1_5_25_50": [round(x, 3) for x in sureness(stored, run, held_out)],
        **({} if run.config.data in OWN_WORDS else {"aligning": aligned(stored, run)}),
    }


def card(result: dict[str, Any], run: Run, folder: Path) -> str:
    """What someone who finds the folder should know, with the figures of the result file."""
    rows = [
        "| {data} {split} | {pairs:,} | {bleu} | {exact:.1%} |".format(
            **each,
            bleu=" | ".join(
                f"{each['scores'][k]['bleu']:.2f}" for k in ("int8", "fp32", "computed")
            ),
        )
        for each in [{**one, "exact": one["exact"]["int8"]} for one in result["tests"]]
    ]
    return CARD.format(
        **result,
        rows="\n".join(rows),
        folder=folder,
        signature=result["tests"][0]["scores"]["int8"]["signature"],
        about=data.describe(result["data"]),
        **{
            name: getattr(run.config.model, name) for name in ("d_model", "num_heads", "num_layers")
        },
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Export, score, write the result file and the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument(
        "--test", nargs=2, action="append", required=True, metavar=("DATA", "SPLIT")
    )
    parser.add_argument("--out", type=Path, required=True, help="folder that is not there yet")
    parser.add_argument("--name", required=True, help="of the result file")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    run = Run.open(args.run)
    result = carry(run, args.out, args.test)
    path = record.write(
        args.name,
        "BLEU of a trained model in float32 and as the int8 that the course carries",
        [f"python benchmarks/carried.py {' '.join(arguments)}"],
        **result,
    )
    (args.out / "README.md").write_text(card(result, run, args.out))
    for one in result["tests"]:
        bleu = {kind: round(scores["bleu"], 2) for kind, scores in one["scores"].items()}
        print(f"{one['data']} {one['split']}: BLEU {bleu}")
    print(f"{args.out}: {result['bytes']:,} bytes\n{path}")
    if result["bytes"] > LIMIT:
        print(f"{args.out} is larger than {LIMIT:,} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
