"""What the laboratory's experiments come to, over five seeds, beside PyTorch on the same machine.

    python benchmarks/learning.py
    python benchmarks/learning.py --only 10    # one experiment anew, the others' figures kept

Each prepared experiment of the page runs in Node, in the engine that the page has. Those in which
98 of 100 new rows are right at the end, by the median, run without SIMD too, in plain JavaScript,
and in PyTorch on one thread, which learns from the same batches.
"""

import argparse
import json
import statistics
import subprocess
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from transformer_course.commands import record
from transformer_course.data import Batch, make_batch
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import TrainingConfig, train

SCRIPT = Path(__file__).with_suffix(".js")
SEEDS = range(5)
EXPERIMENTS = 11
WANTED = 0.98


def in_the_page(seed: int, **asked: Any) -> dict[str, Any]:
    """A run in the page's engine, by Node."""
    command, text = ["node", str(SCRIPT)], json.dumps({"seed": seed, **asked})
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def in_torch(number: int, seed: int) -> list[tuple[int, float, float]]:
    """An experiment in PyTorch: steps, share of new rows right, seconds of the steps."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    drawn = in_the_page(seed, number=number, drawn=True)
    sizes = {field.name for field in fields(TransformerConfig)}
    config = {name: value for name, value in drawn["config"].items() if name in sizes}
    model = Transformer(TransformerConfig(**config))
    test = make_batch(drawn["newRows"])
    batches = [make_batch(pairs) for pairs in drawn["batches"]]
    found, seconds = [], 0.0
    steps = train(model, batches, TrainingConfig(**drawn["teaching"]))
    for done in range(1, len(batches) + 1):
        start = time.process_time()
        next(steps)
        seconds += time.process_time() - start
        if done % 50 == 0:
            found.append((done, share(model, test), round(seconds, 3)))
    return found


@torch.no_grad()
def share(model: Transformer, test: Batch) -> float:
    """How many rows the model would write without a mistake."""
    model.eval()
    said = model(test.src, test.tgt_in).argmax(-1)
    model.train()
    return ((said == test.tgt_out) | (test.tgt_out == 0)).all(1).float().mean().item()


def engine(runs: list[list[Any]]) -> dict[str, Any]:
    """What an engine's runs came to: [steps, share of new rows right, seconds] on the way."""
    return {
        "share": [shares[-1][1] for shares in runs],
        "seconds": [shares[-1][2] for shares in runs],
        "seconds_to_98": [
            next((s for _, right, s in shares if right >= WANTED), None) for shares in runs
        ],
    }


def measure(number: int) -> dict[str, Any]:
    """An experiment of the page with every seed, and in other engines where it is learned."""
    runs = [in_the_page(seed, number=number) for seed in SEEDS]
    found = {
        "name": runs[0]["name"],
        "settings": runs[0]["settings"],
        **engine([run["shares"] for run in runs]),
        "answers": [run["answer"] for run in runs],  # to its question
        "loss": [run["losses"][-1] for run in runs],
        "losses": [run["losses"] for run in runs],
    }
    if statistics.median(found["share"]) >= WANTED:
        plain = [in_the_page(seed, number=number, simd=False)["shares"] for seed in SEEDS]
        found["plain_javascript"] = engine(plain)
        found["torch"] = engine([in_torch(number, seed) for seed in SEEDS])
    print(json.dumps({key: found[key] for key in found if key != "losses"}), flush=True)
    return found


def write(result: dict[str, Any]) -> None:
    """Put the result into its file."""
    path = record.RESULTS / "learning.json"
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(path)


def main() -> None:
    """Run all of it, or one experiment, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, choices=range(EXPERIMENTS), help="its number, from 0")
    only = parser.parse_args().only
    if only is not None:
        result = json.loads((record.RESULTS / "learning.json").read_text(encoding="utf-8"))
        commit = record.commit("transformer_course/widgets", "benchmarks/learning.js")
        result["experiments"][only : only + 1] = [{**measure(only), "commit": commit}]
        return write(result)
    result = {
        "what": "the page's laboratory in Node: prepared experiments, five seeds each",
        "command": "python benchmarks/learning.py",
        "commit": record.commit("transformer_course/widgets", "benchmarks/learning.js"),
        "hardware": record.hardware(),
        "experiments": [measure(number) for number in range(EXPERIMENTS)],
    }
    return write(result)


if __name__ == "__main__":
    main()
