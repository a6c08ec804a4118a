"""Train the reader's first translator, the phrasebook, on two cores, from five seeds.

    python benchmarks/first_translator.py

Each kind of instructions has a file of its own; ATEN_CPU_CAPABILITY=avx2 before the command plays
the older one. A seed whose run stands there already is left out, so a stopped benchmark goes on.
`seconds_of_training` are those of training alone, by the clock: learning the vocabulary and the
start of the processes come before it, translating the test set after it. `processor_seconds` are
those of the whole command and of all its processes, which other programs stretch less.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from transformer_course.commands import record
from transformer_course.training import Run

RECIPE = ["--data", "phrasebook:en-de", "--preset", "tiny", "--device", "cpu"]
CHANGES = {"positions": "rotary", "num_heads": 4, "vocab_size": 3500}
CHANGES |= {"warmup": 300, "rate_factor": 1.2, "label_smoothing": 0.03}
STEPS = 1800
SEEDS = (1, 2, 3, 4, 5)
PREFIX = "phrasebook-first-translator"
RECIPE += ["--max-tokens", "1024", *(f"--set={name}={value}" for name, value in CHANGES.items())]


def first_translator(seed: int, steps: int, processes: int, folder: Path) -> dict[str, Any]:
    """One run by the command line; greedy exact match of its last weights on unseen pairs."""
    several = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    train = [sys.executable, *(several if processes > 1 else []), "-m", "transformer_course"]
    train += ["train", *RECIPE, "--steps", str(steps), "--set", f"last_step={steps}"]
    train += ["--seed", str(seed), "--save-every", str(steps), "--out", str(folder)]
    before = processor_seconds()
    subprocess.run(train, check=True, stdout=subprocess.DEVNULL)
    taken = processor_seconds() - before
    test = [sys.executable, "-m", "transformer_course", "evaluate", "--run", str(folder), "--json"]
    test += ["--data", "phrasebook:en-de", "--split", "test", "--beam", "1", "--weights", "last"]
    scores = json.loads(subprocess.run(test, check=True, capture_output=True, text=True).stdout)
    run = Run.open(folder)
    log = run.records("log.jsonl")
    return {
        "seed": seed,
        "steps": log[-1]["step"],
        "target_tokens": sum(line["tokens"] for line in log),
        "precision": run.config.training.precision,
        "processes": processes,
        "seconds_of_training": round(log[-1]["seconds"], 1),
        "processor_seconds": round(taken, 1),
        "sentences": scores["sentences"],
        "exact_match": scores["exact_match"],
        "bleu": scores["bleu"],
    }


def processor_seconds() -> float:
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def finished(path: Path, training: dict[str, Any]) -> list[dict[str, Any]]:
    """The runs that a file holds already, if they had the recipe of today."""
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    return found["runs"] if found.get("recipe") == training else []


def found() -> dict[str, list[dict[str, Any]]]:
    """All runs on file, by the kind of instructions."""
    files = (json.loads(path.read_text()) for path in record.RESULTS.glob(f"{PREFIX}-*.json"))
    return {each["capability"]: each["runs"] for each in files}


def sentence() -> str:
    """What the README says of them."""
    shares = [100 * run["exact_match"] for runs in found().values() for run in runs]
    return f"{min(shares):.1f} to {max(shares):.1f} % exact translations of unseen sentences"


def details() -> str:
    """What benchmarks/README.md says of them."""
    runs = sorted(found().items())
    counts = [
        f"{len(each)} {'seed' if len(each) == 1 else 'seeds'} with {kind}" for kind, each in runs
    ]
    seconds = [run["processor_seconds"] for _, each in runs for run in each]
    return (
        f"{' and '.join(counts)} got {sentence()}. A run took {min(seconds):.0f} to "
        f"{max(seconds):.0f} seconds of processor time, both processes and the vocabulary together"
    )


def main() -> None:
    """Five seeds, one result file a kind of instructions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    args = parser.parse_args()
    recipe = {**CHANGES, "steps": args.steps}
    capability = torch.backends.cpu.get_cpu_capability()
    name = f"{PREFIX}-{capability.lower()}"
    runs = finished(record.RESULTS / f"{name}.json", recipe)
    for seed in args.seeds:
        if seed in {run["seed"] for run in runs}:
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            runs.append(first_translator(seed, args.steps, args.processes, out))
            config = Run.open(out).config
        print(runs[-1], flush=True)
        path = record.write(
            name,
            "greedy exact match on unseen phrasebook pairs after a short training",
            [f"python benchmarks/first_translator.py --steps {args.steps}"],
            capability=capability,
            recipe=recipe,
            model=asdict(config.model),
            training={**asdict(config.training), "precision": "each run's", "seed": "each run's"},
            runs=sorted(runs, key=lambda run: run["seed"]),
        )
        print(path)


if __name__ == "__main__":
    main()
