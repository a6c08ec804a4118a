"""Teach a small Transformer to parse, and score it: one trial is a recipe and a seed (section 6.3).

    python benchmarks/parsing.py both 0     # train, or go on, then parse; writes its result file
    python benchmarks/parsing.py --missing  # the trials of PARSING.md that have no result yet
    python benchmarks/parsing.py --next     # run the first of these

A trial can be killed at any time: it goes on from its last checkpoint in runs/parsing/. What will
count as what stands in PARSING.md, and each result file holds the git blob hash of that text.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer_course.commands import record
from transformer_course.data import (
    EOS_ID,
    PAD_ID,
    TokenBatches,
    Tree,
    TreeTokens,
    load_pairs,
    load_trees,
    pad,
)
from transformer_course.decoding import match, parse, score_trees
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import (
    TrainingConfig,
    checkpoint,
    choose_precision,
    make_optimizer,
    train,
)

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
    steps: int = 6_000
    seeds: int = 3
    captions: int = 0  # parsed by `both` of the same seed, of which the surer half is learned too

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
        precision = choose_precision(torch.device("cpu"), d_model=128)
        return TrainingConfig(
            max_tokens=1500, warmup=800, last_step=self.steps, seed=seed, precision=precision
        )


BOTH = Recipe()
CRAFT = Recipe(data="craft", steps=20_000)
RECIPES = {
    "both": BOTH,
    "paper": replace(BOTH, norm_placement="post", positions="sinusoidal", leaf="tag"),
    "words": replace(BOTH, norm_placement="post", positions="sinusoidal"),
    "pre": replace(BOTH, positions="sinusoidal"),
    "rotary": replace(BOTH, norm_placement="post"),
    "craft-all": CRAFT,
    "long": replace(BOTH, steps=40_000),
    "self": replace(BOTH, captions=6_000),
    "craft-9000": replace(CRAFT, trees=9000, seeds=1),
    "craft-3000": replace(CRAFT, trees=3000, seeds=1),
    "craft-1000": replace(CRAFT, trees=1000, seeds=1),
}


class Trial:
    """A recipe and a seed, in a folder of its own with the newest checkpoint."""

    copies = COPIES

    def __init__(self, name: str, seed: int, runs: Path | None = None):
        self.name, self.seed, self.recipe, self.runs = name, seed, RECIPES[name], runs or RUNS
        self.folder = self.runs / f"{name}-{seed}"
        self.trees = load_trees(self.recipe.data, "train", self.recipe.trees)
        self.tokens = TreeTokens(self.trees, self.recipe.leaf)
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
        trees = self.trees
        if self.recipe.captions:
            trees = trees + self.parsed_captions()
        pairs = [
            pair
            for copy in range(self.copies)
            for pair in self.tokens.pairs(trees, seed=self.seed * self.copies + copy)
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

    def log(self) -> list[dict[str, Any]]:
        """The lines of the log, each step once: what a killed trial did again counts once."""
        path = self.folder / "log.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return list({line["step"]: line for line in map(json.loads, lines)}.values())

    def parsed_captions(self) -> list[Tree]:
        """The trees of image captions that the trial `both` of this seed is surest of."""
        teacher = Trial("both", self.seed, self.runs)
        model = teacher.train()
        texts = [text for text, _ in load_pairs("multi30k:en-de", "train", self.recipe.captions)]
        sentences = [text.replace(",", " ,").replace(".", " .").split() for text in texts]
        found = parse(model, teacher.tokens, sentences, beam=1)
        ranked = sorted(found, key=lambda each: each.score, reverse=True)
        return [each.tree for each in ranked[: len(ranked) // 2] if each.tree is not None]

    def measure(self, model: Transformer, count: int | None = None) -> dict[str, Any]:
        """Parse the test sentences in every way that PARSING.md names."""
        gold = load_trees(self.recipe.data, "test", count)
        sentences = [tree.words() for tree in gold]
        searches: dict[str, dict[str, Any]] = {
            "beam": {},
            "greedy": {"beam": 1},
            "unconstrained": {"beam": 1, "constrained": False},
        }
        ways: dict[str, Any] = {}
        for name, options in searches.items():
            begun = time.process_time()
            trees = [each.tree for each in parse(model, self.tokens, sentences, **options)]
            ways[name] = about(trees, gold) | {"cpu_seconds": round(time.process_time() - begun, 1)}
        if self.recipe.leaf == "tag":
            found = parse(model, self.tokens, others(sentences))
            pairs = zip(found, sentences, strict=True)
            trees = [each.tree and with_words(each.tree, words) for each, words in pairs]
            ways["other_source"] = about(trees, gold)
        else:
            with reading(model, self.tokens, sentences, others(sentences)):
                trees = [each.tree for each in parse(model, self.tokens, sentences)]
            ways["other_source"] = about(trees, gold)
        return ways


@contextmanager
def reading(
    model: Transformer,
    tokens: TreeTokens,
    sentences: Sequence[Sequence[str]],
    instead: Sequence[Sequence[str]],
) -> Iterator[None]:
    """The encoder is given other sentences of the same lengths; the rule hands on the true words.

    What is parsed still, is parsed by the decoder from its own output.
    """
    ids = [[*tokens.encode_words(words), EOS_ID] for words in (*sentences, *instead)]
    told = {tuple(a): b for a, b in zip(ids[: len(sentences)], ids[len(sentences) :], strict=True)}
    encode = model.encode

    def encode_other(src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        rows = [told[tuple(row[row != PAD_ID].tolist())] for row in src]
        return encode(pad(rows).to(src.device), src_mask)

    model.encode = encode_other  # type: ignore[method-assign]
    try:
        yield
    finally:
        del model.encode


def about(found: Sequence[Tree | None], gold: Sequence[Tree]) -> dict[str, Any]:
    """Scores, and for a bootstrap the brackets of each sentence; no word of a treebank."""
    matches = [list(match(*pair)) for pair in zip(found, gold, strict=True)]
    return {**score_trees(found, gold), "matches": matches}


def others(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """For each sentence another one, as nearly as long as there is, cut or repeated to its length.

    Sorted by length, each gets its neighbor.
    """
    ranked = sorted(range(len(sentences)), key=lambda place: len(sentences[place]))
    found: list[list[str]] = [[] for _ in sentences]
    for rank, place in enumerate(ranked):
        other = sentences[
            ranked[rank + 1 if rank % 2 == 0 and rank + 1 < len(ranked) else rank - 1]
        ]
        found[place] = [other[n % len(other)] for n in range(len(sentences[place]))]
    return found


def with_words(tree: Tree, words: Sequence[str]) -> Tree:
    """The same tree over other words."""

    def filled(part: Tree, rest: Iterator[str]) -> Tree:
        if part.is_tag:
            return Tree(part.label, word=next(rest))
        return Tree(part.label, tuple(filled(child, rest) for child in part.children))

    return filled(tree, iter(words))


def blob_hash(path: Path) -> str:
    """What git calls the content of a file."""
    git = ["git", "-C", str(ROOT), "hash-object", str(path)]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def result_name(recipe: str, seed: int) -> str:
    """Of a trial's file in benchmarks/results."""
    return f"parsing/{recipe}-{seed}"


def missing() -> list[tuple[str, int]]:
    """The trials without a result file, in the order of their worth: first seeds first."""
    seeds = range(max(recipe.seeds for recipe in RECIPES.values()))
    asked = [(name, n) for n in seeds for name, recipe in RECIPES.items() if n < recipe.seeds]
    return [
        trial for trial in asked if not (record.RESULTS / f"{result_name(*trial)}.json").exists()
    ]


def run(name: str, seed: int) -> Path:
    """Train what is left to train, parse, and write the result file."""
    trial = Trial(name, seed)
    model = trial.train()
    log = trial.log()
    return record.write(
        result_name(name, seed),
        "F1 of a small Transformer that parses the test sentences",
        [f"python benchmarks/parsing.py {name} {seed}"],
        recipe=asdict(trial.recipe),
        seed=seed,
        criteria=blob_hash(CRITERIA),
        model=asdict(trial.config),
        training=asdict(trial.recipe.training(seed)),
        parameters=model.num_parameters(),
        trees=len(trial.trees),
        cpu_minutes=round(sum(line["cpu_seconds"] for line in log) / 60, 1),
        log=log,
        test=trial.measure(model),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run a trial, or say which ones are missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("recipe", nargs="?", choices=RECIPES)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--missing", action="store_true", help="list trials without a result")
    parser.add_argument("--next", action="store_true", help="run the first of these")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    left = missing()
    if args.missing:
        print("\n".join(f"{name} {seed}" for name, seed in left) or "no trial is missing")
        return 0
    if args.next and not left:
        print("no trial is missing")
        return 0
    if args.recipe is None and not args.next:
        parser.error("expected a recipe and a seed, or --missing, or --next")
    name, seed = left[0] if args.next else (args.recipe, args.seed)
    print(run(name, seed).relative_to(record.ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
