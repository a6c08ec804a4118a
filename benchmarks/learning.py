"""What the laboratory's experiments come to, over five seeds, beside PyTorch on the same machine.

    python benchmarks/learning.py
    python benchmarks/learning.py --only 10    # one experiment anew, the others' figures kept

Each prepared experiment of the page runs in Node, in the engine that the page has; the first one
also without SIMD, and in PyTorch on one thread with the same sizes, rate and kind of rows.
"""

import argparse
import json
import random
import statistics
import subprocess
import time
from collections.abc import Iterator
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
FIRST, LETTERS, LENGTHS, TOKENS, STEPS = 4, 20, (5, 12), 256, 1200


def in_the_page(seed: int, **asked: Any) -> dict[str, Any]:
    """A run in the page's engine, by Node."""
    command, text = ["node", str(SCRIPT)], json.dumps({"seed": seed, **asked})
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def row(rng: random.Random, length: int, kept: bool) -> list[int]:
    """Letters of which the numbers add up to a multiple of ten, or not: none is in both."""
    while True:
        letters = [rng.randrange(LETTERS) for _ in range(length)]
        if (sum(letters) % 10 == 0) == kept:
            return [FIRST + letter for letter in letters]


def in_torch(seed: int) -> list[tuple[int, float, float]]:
    """The first experiment in PyTorch: steps, share of new rows right, seconds of the steps."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng, new = random.Random(seed), random.Random(12345)
    sizes = {"vocab_size": FIRST + LETTERS, "d_model": 32, "num_heads": 2, "d_ff": 64}
    model = Transformer(TransformerConfig(**sizes, num_layers=1, max_len=14, dropout=0.0))
    rows = [row(new, new.randint(*LENGTHS), True) for _ in range(100)]
    test = make_batch([(letters, letters[::-1]) for letters in rows])

    def batches() -> Iterator[Batch]:
        while True:
            length = rng.randint(*LENGTHS)
            count = TOKENS // (length + 1)
            letters = [row(rng, length, False) for _ in range(count)]
            yield make_batch([(each, each[::-1]) for each in letters])

    teaching = TrainingConfig(warmup=100, last_step=STEPS, max_tokens=TOKENS)
    found, seconds = [], 0.0
    steps = train(model, batches(), teaching)
    for number in range(1, STEPS + 1):
        start = time.process_time()
        next(steps)
        seconds += time.process_time() - start
        if number % 50 == 0:
            found.append((number, share(model, test), round(seconds, 3)))
    return found


@torch.no_grad()
def share(model: Transformer, test: Batch) -> float:
    """How many rows the model would write without a mistake."""
    model.eval()
    said = model(test.src, test.tgt_in).argmax(-1)
    model.train()
    return ((said == test.tgt_out) | (test.tgt_out == 0)).all(1).float().mean().item()


def seconds_to(shares: list[Any], wanted: float) -> float | None:
    """Seconds until this share was right for the first time."""
    return next((seconds for _, right, seconds in shares if right >= wanted), None)


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """A line for an experiment: its seeds' ends, and the medians."""
    ends = [run["shares"][-1][1] for run in runs]
    return {
        "name": runs[0]["name"],
        "settings": runs[0]["settings"],
        "share": ends,
        "answers": [run["answer"] for run in runs],  # to its question
        "median": statistics.median(ends),
        "loss": [run["losses"][-1] for run in runs],
        "seconds": [run["shares"][-1][2] for run in runs],
        "seconds_to_98": [seconds_to(run["shares"], 0.98) for run in runs],
        "losses": [run["losses"] for run in runs],
    }


def measure(number: int) -> dict[str, Any]:
    """An experiment of the page with every seed."""
    runs = [in_the_page(seed, number=number) for seed in SEEDS]
    found = summary(runs)
    print(found["name"], found["share"], found["answers"], found["seconds"], flush=True)
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
    experiments = [measure(number) for number in range(EXPERIMENTS)]
    plain = [in_the_page(seed, number=0, simd=False) for seed in SEEDS]
    torch_runs = [in_torch(seed) for seed in SEEDS]
    result = {
        "what": "the page's laboratory in Node: prepared experiments, five seeds each",
        "command": "python benchmarks/learning.py",
        "commit": record.commit("transformer_course/widgets", "benchmarks/learning.js"),
        "hardware": record.hardware(),
        "experiments": experiments,
        "plain_javascript": {
            "seconds": [run["shares"][-1][2] for run in plain],
            "seconds_to_98": [seconds_to(run["shares"], 0.98) for run in plain],
        },
        "torch": {
            "share": [run[-1][1] for run in torch_runs],
            "seconds": [run[-1][2] for run in torch_runs],
            "seconds_to_98": [seconds_to(run, 0.98) for run in torch_runs],
        },
    }
    print(json.dumps(result["torch"]), json.dumps(result["plain_javascript"]))
    return write(result)


if __name__ == "__main__":
    main()
