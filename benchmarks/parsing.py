"""Teach a small Transformer to parse, and score it: one trial is a recipe and a seed (section 6.3).

    python benchmarks/parsing.py both 0          # train, or go on, then parse the test sentences
    python benchmarks/parsing.py --missing       # the trials of PARSING.md that have no result yet

A trial can be killed at any time: it goes on from its last checkpoint in runs/parsing/. What will
count as what stands in PARSING.md, and each result file holds the git blob hash of that text.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from transformer_course.data import TokenBatches
from transformer_course.data.tree_tokens import TreeTokens
from transformer_course.data.treebanks import load_trees
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import TrainingConfig, checkpoint, make_optimizer, train

ROOT = Path(__file__).parents[1]
CRITERIA = ROOT / "benchmarks" / "PARSING.md"
RUNS = ROOT / "runs" / "parsing"
COPIES = 20  # of the training trees, each with other words hidden
SAVE_EVERY = 500  # steps


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A row of PARSING.md."""

    data: str = "treebank"
    trees: int | None = None  # how many are learned from; None is all
    leaf: str = "word"
    norm_placement: str = "pre"
    positions: str = "rotary"
    steps: int = 10_000
    seeds: int = 3

    def model(self, vocab_size: int) -> TransformerConfig:
        """A model of the size that all recipes have."""
        return TransformerConfig(
            vocab_size=vocab_size,
            d_model=128,
            num_heads=4,
            d_ff=512,
            num_layers=2,
            dropout=0.2,
            max_len=600,
            norm_placement=self.norm_placement,
            positions=self.positions,
        )

    def training(self, seed: int) -> TrainingConfig:
        """How it is taught."""
        return TrainingConfig(
            max_tokens=1500, warmup=800, last_step=self.steps, seed=seed, precision="bf16"
        )


BOTH = Recipe()
CRAFT = Recipe(data="craft", steps=30_000)
RECIPES = {
    "both": BOTH,
    "paper": replace(BOTH, norm_placement="post", positions="sinusoidal", leaf="tag"),
    "words": replace(BOTH, norm_placement="post", positions="sinusoidal"),
    "pre": replace(BOTH, positions="sinusoidal"),
    "rotary": replace(BOTH, norm_placement="post"),
    "craft-all": CRAFT,
    "long": replace(BOTH, steps=60_000),
    "craft-9000": replace(CRAFT, trees=9000, seeds=1),
    "craft-3000": replace(CRAFT, trees=3000, seeds=1),
    "craft-1000": replace(CRAFT, trees=1000, seeds=1),
}


class Trial:
    """A recipe and a seed, in a folder of its own with the newest checkpoint."""

    def __init__(self, name: str, seed: int, folder: Path = RUNS):
        self.name, self.seed, self.recipe = name, seed, RECIPES[name]
        self.folder = folder / f"{name}-{seed}"
        trees = load_trees(self.recipe.data, "train", self.recipe.trees)
        self.trees = trees
        self.tokens = TreeTokens(trees, self.recipe.leaf)
        self.config = self.recipe.model(len(self.tokens))

    def checkpoints(self) -> list[Path]:
        """The whole ones, oldest first."""
        return sorted(self.folder.glob("step-*"))

    def train(self) -> Transformer:
        """Take the steps that are left, and give the model of the last one."""
        torch.manual_seed(self.seed)
        model, done = Transformer(self.config), 0
        optimizer = make_optimizer(model)
        checkpoint.clear_leftovers(self.folder)
        for found in self.checkpoints()[-1:]:
            done = int(found.name.removeprefix("step-"))
            model.load_state_dict(checkpoint.load(found).state_dict())
            checkpoint.restore_training(found, model, optimizer)
        if done < self.recipe.steps:
            self.take_steps(model, optimizer, done)
        return model.eval()

    def take_steps(self, model: Transformer, optimizer: torch.optim.Optimizer, done: int) -> None:
        """Train, with a line in the log and a checkpoint now and then."""
        config = self.recipe.training(self.seed)
        pairs = [
            pair
            for copy in range(COPIES)
            for pair in self.tokens.pairs(self.trees, seed=self.seed * COPIES + copy)
        ]
        batches = TokenBatches(pairs, max_tokens=1500, seed=self.seed, max_len=300)
        begun, losses = time.process_time(), []
        steps = train(model, batches.starting_at(done), config, optimizer, done + 1)
        for step in steps:
            losses.append(step.loss)
            if step.number % SAVE_EVERY == 0:
                self.note(step.number, sum(losses) / len(losses), time.process_time() - begun)
                begun, losses = time.process_time(), []
                checkpoint.save(self.folder / f"step-{step.number:06d}", model, optimizer)
                for old in self.checkpoints()[:-1]:
                    checkpoint.remove(old)
            if step.number == self.recipe.steps:
                return

    def note(self, step: int, loss: float, seconds: float) -> None:
        """A line of the log: the mean loss of the steps since the last one, and their time."""
        line = {"step": step, "loss": round(loss, 4), "cpu_seconds": round(seconds, 1)}
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log.jsonl").open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        print(f"{self.name} {self.seed}: {line}", flush=True)


def blob_hash(path: Path) -> str:
    """What git calls the content of a file."""
    git = ["git", "-C", str(ROOT), "hash-object", str(path)]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def main(argv: list[str] | None = None) -> int:
    """Run one trial."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("seed", type=int)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    trial = Trial(args.recipe, args.seed)
    trial.train()
    print(asdict(trial.recipe), blob_hash(CRITERIA))
    return 0


if __name__ == "__main__":
    sys.exit(main())
