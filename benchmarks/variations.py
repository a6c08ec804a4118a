"""The rows of the paper's Table 3, and what later papers changed, as trials of one queue.

CRITERIA.md says what was decided before they ran; trials.py runs them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from transformer_course import data, decoding
from transformer_course.data import PAD_ID, TokenBatches, Tokenizer
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import (
    Run,
    RunConfig,
    RunTraining,
    TrainingConfig,
    checkpoint,
    choose_precision,
)

BASE = {"d_model": 128, "num_heads": 8, "d_ff": 512, "num_layers": 3, "dropout": 0.1}
MODERN = {"norm_placement": "pre", "norm": "rms", "positions": "rotary"}
MAX_LEN = 256
CPU = torch.device("cpu")
GATED = {"d_ff": 341}  # two thirds of 512: three matrices in place of two

# The paper's rows in its order, and what each changes in base: the widths are a quarter of the
# paper's, the layers half as many.
TABLE3: dict[str, dict[str, Any]] = {
    "base": {},
    "A heads 1": {"num_heads": 1},
    "A heads 4": {"num_heads": 4},
    "A heads 16": {"num_heads": 16},
    "A heads 32": {"num_heads": 32},
    "B d_k 4": {"head_dim": 4},
    "B d_k 8": {"head_dim": 8},
    "C layers 1": {"num_layers": 1},
    "C layers 2": {"num_layers": 2},
    "C layers 4": {"num_layers": 4},
    "C d_model 64": {"d_model": 64},
    "C d_model 256": {"d_model": 256},
    "C d_ff 256": {"d_ff": 256},
    "C d_ff 1024": {"d_ff": 1024},
    "D dropout 0.0": {"dropout": 0.0},
    "D dropout 0.2": {"dropout": 0.2},
    "D smoothing 0.0": {"label_smoothing": 0.0},
    "D smoothing 0.2": {"label_smoothing": 0.2},
    "E learned positions": {"positions": "learned"},
    "big": {"d_model": 256, "d_ff": 1024, "num_heads": 16, "dropout": 0.3},
}
LATER: dict[str, dict[str, Any]] = {
    "pre-norm": {"norm_placement": "pre"},
    "RMSNorm": {"norm": "rms"},
    "rotary": {"positions": "rotary"},
    "ALiBi": {"positions": "alibi"},
    "no positions": {"positions": "none"},
    "two key heads": {"num_kv_heads": 2},
    "one key head": {"num_kv_heads": 1},
    "GELU": {"activation": "gelu"},
    "SwiGLU": {"activation": "swiglu", **GATED},
    "GeGLU": {"activation": "geglu", **GATED},
    "all of today": {**MODERN, "activation": "swiglu", **GATED},
}
# The paper's own sizes, to see what a quarter of the width and half of the depth cost.
PAPER_WIDTH: dict[str, dict[str, Any]] = {
    "paper's base": {"d_model": 512, "d_ff": 2048, "num_layers": 6},
    "paper's big": {
        "d_model": 1024,
        "d_ff": 4096,
        "num_layers": 6,
        "num_heads": 16,
        "dropout": 0.3,
    },
}


@dataclass(frozen=True, kw_only=True)
class Task:
    """What all rows learn, for how long, and on what they are measured."""

    data: str
    valid: str
    test: str
    steps: int
    vocab_size: int = 4000
    max_tokens: int = 1024
    warmup: int = 1000
    rate_factor: float = 0.8


TASKS = {
    "multi30k": Task(data="multi30k:en-de", valid="valid", test="test_2016_flickr", steps=5000),
    "paper-width": Task(
        data="multi30k:en-de",
        valid="valid",
        test="test_2016_flickr",
        steps=4000,
        max_tokens=2048,
        warmup=2000,
        rate_factor=0.7071,  # the paper's highest rate, 7.0e-4
    ),
    "phrasebook": Task(
        data="phrasebook:en-de", valid="valid", test="test", steps=1500, warmup=500, vocab_size=3500
    ),
}


@dataclass(frozen=True)
class Trial:
    """One row with one seed on one task."""

    task: str
    row: str
    seed: int

    @property
    def name(self) -> str:
        """Where its result lies, under benchmarks/results/variations."""
        row = self.row.replace(" ", "-").replace("'", "")
        return f"{self.task}/{row}.{self.seed}"

    def config(self, vocab_size: int, device: torch.device = CPU) -> RunConfig:
        """All that the run is asked to be."""
        task = TASKS[self.task]
        changes = {**BASE, **{**TABLE3, **LATER, **PAPER_WIDTH}[self.row]}
        smoothing = changes.pop("label_smoothing", 0.1)
        return RunConfig(
            data=task.data,
            model=TransformerConfig(vocab_size=vocab_size, max_len=MAX_LEN, **changes),
            training=TrainingConfig(
                max_tokens=task.max_tokens,
                warmup=task.warmup,
                rate_factor=task.rate_factor,
                label_smoothing=smoothing,
                seed=self.seed,
                precision=choose_precision(device, BASE["d_model"]),
                last_step=task.steps,
            ),
            keep=1,
        )

    def run(self, folder: Path) -> Iterator[str]:
        """Train in a folder, or go on with what is there; yield a line now and then."""
        tokenizer = vocabulary(self.task)
        if not folder.exists():
            Run.create(folder, self.config(len(tokenizer)), tokenizer)
        run = Run.open(folder)
        run.check_same(self.config(len(tokenizer)))
        training = RunTraining(run, torch.device("cpu"))
        while training.step < TASKS[self.task].steps:
            step = next(training)
            if step.number % run.config.save_every == 0:
                found = perplexity(training.model, self.task)
                training.model.train()
                line = {"step": step.number, "seconds": round(training.seconds, 3), **found}
                run.append("valid.jsonl", line)
                yield f"step {step.number}: perplexity {found['perplexity']:.2f}"
        training.save()

    def result(self, folder: Path) -> dict[str, Any]:
        """What the last checkpoint is worth, and how it came about."""
        task, run = TASKS[self.task], Run.open(folder)
        model = checkpoint.load(run.weights("last"))
        sources, references = zip(*data.load_pairs(task.data, task.test), strict=True)
        outputs = decoding.translate(model, run.tokenizer, sources)
        log = run.records("log.jsonl")
        losses = [line["loss"] for line in log]
        lengths = [sum(map(len, map(str.split, texts))) for texts in (outputs, references)]
        return {
            "model": asdict(run.config.model),
            "training": asdict(run.config.training),
            "vocabulary": run.config.vocabulary,
            "parameters": model.num_parameters(),
            "seconds": log[-1]["seconds"],
            "tokens": sum(line["tokens"] for line in log),
            "first_losses": losses[:200],
            "losses": [sum(losses[at : at + 100]) / 100 for at in range(0, len(losses), 100)],
            "valid": run.records("valid.jsonl"),
            "test": {**decoding.score(outputs, references), "length": lengths[0] / lengths[1]},
        }


@cache
def vocabulary(task: str) -> Tokenizer:
    """The pieces of both languages, the same in every run of a task."""
    pairs = data.load_pairs(TASKS[task].data, "train")
    texts = (text for pair in pairs for text in pair)
    return Tokenizer.train(texts, vocab_size=TASKS[task].vocab_size)


@torch.no_grad()
def perplexity(model: Transformer, task: str) -> Mapping[str, float]:
    """Per piece of the development set, the end counted, without smoothing or dropout."""
    model.eval()
    pairs = data.load_pairs(TASKS[task].data, TASKS[task].valid)
    batches = TokenBatches(vocabulary(task).encode_pairs(pairs), max_tokens=3000)
    total, tokens = 0.0, 0
    for number in range(batches.batches_per_epoch):
        batch = batches.batch(number).to(model.embedding.weight.device)
        logits = model(batch.src, batch.tgt_in).flatten(0, 1)
        wanted = batch.tgt_out.flatten()
        total += F.cross_entropy(logits, wanted, ignore_index=PAD_ID, reduction="sum").item()
        tokens += batch.num_tokens
    return {"loss": total / tokens, "perplexity": math.exp(total / tokens), "tokens": tokens}


def trials() -> list[Trial]:
    """All of them, those that tell most first."""
    rows = [row for row in TABLE3 if row != "base"]
    wanted = [Trial("multi30k", row, 0) for row in TABLE3]
    wanted += [Trial("multi30k", "base", seed) for seed in (1, 2)]
    wanted += [Trial("multi30k", row, 0) for row in LATER]
    wanted += [Trial("multi30k", row, 1) for row in rows if row != "big"]
    wanted += [Trial("multi30k", row, seed) for seed in range(1, 5) for row in LATER]
    wanted += [Trial("multi30k", "base", seed) for seed in (3, 4)]
    wanted += [Trial("multi30k", "big", 1)]
    wanted += [Trial("phrasebook", "base", seed) for seed in range(5)]
    wanted += [Trial("phrasebook", row, seed) for seed in range(3) for row in rows]
    wanted += [Trial("multi30k", row, 2) for row in rows]
    wanted += [Trial("multi30k", "base", seed) for seed in range(5, 8)]
    wanted += [Trial("paper-width", "paper's base", seed) for seed in range(3)]
    wanted += [Trial("paper-width", "paper's big", 0)]
    return wanted
