"""Train the reader's first translator, the phrasebook, on two cores, from three seeds.

    python benchmarks/first_translator.py

The time is that of training alone: learning the vocabulary and the start of the processes come
before it, translating the test set after it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from transformer_course.commands import record
from transformer_course.training import Run

RECIPE = ["--data", "phrasebook:en-de", "--preset", "tiny", "--device", "cpu"]
CHANGES = {"positions": "rotary", "num_heads": 4, "vocab_size": 3500}
CHANGES |= {"warmup": 300, "rate_factor": 1.0}
RECIPE += ["--max-tokens", "1024", *(f"--set={name}={value}" for name, value in CHANGES.items())]


def first_translator(seed: int, steps: int, processes: int, folder: Path) -> dict[str, float]:
    """One run by the command line; greedy exact match of its last weights on unseen pairs."""
    several = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    train = [sys.executable, *(several if processes > 1 else []), "-m", "transformer_course"]
    train += ["train", *RECIPE, "--steps", str(steps), "--set", f"last_step={steps}"]
    train += ["--seed", str(seed), "--save-every", str(steps), "--out", str(folder)]
    subprocess.run(train, check=True, stdout=subprocess.DEVNULL)
    test = [sys.executable, "-m", "transformer_course", "evaluate", "--run", str(folder), "--json"]
    test += ["--data", "phrasebook:en-de", "--split", "test", "--beam", "1", "--weights", "last"]
    scores = json.loads(subprocess.run(test, check=True, capture_output=True, text=True).stdout)
    log = Run.open(folder).records("log.jsonl")
    return {
        "seed": seed,
        "steps": log[-1]["step"],
        "target_tokens": sum(line["tokens"] for line in log),
        "seconds_of_training": round(log[-1]["seconds"], 1),
        "sentences": scores["sentences"],
        "exact_match": scores["exact_match"],
        "bleu": scores["bleu"],
    }


def main() -> None:
    """Three seeds, one result file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    args = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in args.seeds:
            out = Path(folder) / str(seed)
            runs.append(first_translator(seed, args.steps, args.processes, out))
            print(runs[-1], flush=True)
        config = Run.open(out).config
    command = f"python benchmarks/first_translator.py --steps {args.steps}"
    path = record.write(
        "phrasebook-first-translator",
        "greedy exact match on unseen phrasebook pairs after a short training, three seeds",
        [f"{command} --processes {args.processes}"],
        processes=args.processes,
        model=asdict(config.model),
        training=asdict(config.training),
        runs=runs,
    )
    print(path)


if __name__ == "__main__":
    main()
