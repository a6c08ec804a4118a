"""What each trick of the training step gives on a CPU: how many times as long a step is without it.

    TRANSFORMER_COURSE_DATA=... python benchmarks/train_tricks.py

Times are processor seconds of one thread, in alternated rounds. Padding is counted on Multi30k;
where that is not at hand, its rows are left out. `gpu.py` measures the tricks that need a GPU.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from train_speed import SIZES, Contender, Ours, Parser, positive, random_batch, spread

from transformer_course import data
from transformer_course.commands import record
from transformer_course.data import TokenBatches, Tokenizer, padding_waste
from transformer_course.errors import DataError
from transformer_course.training import TRAINING_PRESETS, chunked_loss, label_smoothed_loss

TOKENS, WIDTH, VOCABULARY = 4096, 512, 37_000  # of the loss measured alone: base


def alternated(turns: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Processor seconds of each turn in each round, after one that warms up."""
    times: dict[str, list[float]] = {name: [] for name in turns}
    for number in range(rounds + 1):
        for name in list(turns)[:: 1 if number % 2 else -1]:
            start = time.process_time()
            turns[name]()
            times[name].append(time.process_time() - start)
    return {name: passed[1:] for name, passed in times.items()}


def ratio(times: dict[str, list[float]], without: str, with_it: str) -> dict[str, float]:
    """How many times as long it takes, round by round."""
    return spread([a / b for a, b in zip(times[without], times[with_it], strict=True)])


def steps(rounds: int, size_name: str, compiled: bool) -> list[dict[str, Any]]:
    """Tricks inside a step of our model, each beside the step that has them all."""
    size = SIZES[size_name]
    batch = random_batch(size.config.vocab_size, size.pairs, size.length)
    ours = Contender("ours", Ours, size)
    undropped = Contender("no dropout", Ours, size)
    for module in undropped.model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    constants = {"lr": 3e-4, "betas": (0.9, 0.98), "eps": 1e-9}
    optimizers = {
        "fused": ours.optimizer,
        "foreach": torch.optim.Adam(ours.model.parameters(), foreach=True, **constants),
        "a loop": torch.optim.Adam(ours.model.parameters(), foreach=False, **constants),
    }
    usual = "bf16, loss in chunks"

    def step(mode: str = usual, optimizer: str = "fused", who: Contender = ours) -> None:
        who.optimizer = optimizers[optimizer] if who is ours else who.optimizer
        for _ in range(size.steps):
            who.step(batch, mode)

    turns: dict[str, Callable[[], object]] = {
        "usual": step,
        "fp32": lambda: step("fp32, loss in chunks"),
        "plain loss": lambda: step("bf16"),
        "plain loss, fp32": lambda: step("fp32"),
        "foreach": lambda: step(optimizer="foreach"),
        "a loop": lambda: step(optimizer="a loop"),
        "no dropout": lambda: step(who=undropped),
    }
    if compiled:
        other = Contender("compiled", Ours, size)
        other.model.compile()
        turns["compiled"] = lambda: step(who=other)
    times = alternated(turns, rounds)
    rows = [
        ("bf16 autocast, attention in fp32", "fp32", "usual"),
        ("loss in chunks, in bf16", "plain loss", "usual"),
        ("loss in chunks, in fp32", "plain loss, fp32", "fp32"),
        ("fused Adam, beside foreach", "foreach", "usual"),
        ("fused Adam, beside a loop", "a loop", "usual"),
        ("no dropout (not ours)", "usual", "no dropout"),
    ]
    if compiled:
        rows.append(("torch.compile (not ours)", "usual", "compiled"))
    return [
        {"trick": trick, "size": size_name, "without": ratio(times, without, with_it)}
        for trick, without, with_it in rows
    ]


def loss_alone(in_chunks: bool) -> None:
    """Print processor seconds and megabytes of the loss of base; for a process of its own."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    states = torch.randn(TOKENS // 32, 32, WIDTH, requires_grad=True)
    weight = nn.Parameter(torch.randn(VOCABULARY, WIDTH) * WIDTH**-0.5)
    tgt_out = torch.randint(4, VOCABULARY, states.shape[:2])
    before = megabytes("VmRSS")
    passed = []
    for _ in range(2):
        states.grad = weight.grad = None
        start = time.process_time()
        if in_chunks:
            chunked_loss(states, weight, tgt_out).backward()
        else:
            label_smoothed_loss(nn.functional.linear(states, weight), tgt_out).backward()
        passed.append(time.process_time() - start)
    print(statistics.median(passed), megabytes("VmHWM") - before)


def megabytes(field: str) -> float:
    """What Linux says of this process: VmRSS is its memory now, VmHWM the most it ever was."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def loss_of_base() -> dict[str, Any]:
    """Time and memory of the loss alone, each way in a process of its own, fp32."""
    found = {}
    for way in ("plain", "chunks"):
        command = [sys.executable, __file__, "--loss-alone", way]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found[way] = [float(number) for number in out.split()]
    return {
        "trick": f"loss in chunks, {TOKENS} tokens of width {WIDTH}, vocabulary {VOCABULARY}, fp32",
        "without": spread([found["plain"][0] / found["chunks"][0]]),
        "memory_without": round(found["plain"][1] / found["chunks"][1], 2),
        "megabytes": {way: round(values[1]) for way, values in found.items()},
    }


def padding() -> list[dict[str, Any]]:
    """What batches by length save, counted in positions of Multi30k's training set."""
    training = TRAINING_PRESETS["small"]
    pairs = data.load_pairs("multi30k:en-de", "train")
    source, target = zip(*pairs, strict=True)
    tokenizer = Tokenizer.train(source + target, vocab_size=6000)
    both = tokenizer.encode_batch(source), tokenizer.encode_batch(target)
    encoded = list(zip(*both, strict=True))
    by_length = TokenBatches(encoded, max_tokens=training.max_tokens)
    number = by_length.batches_per_epoch
    waste = padding_waste(by_length.batch(n) for n in range(number))
    random.Random(0).shuffle(encoded)
    each = len(encoded) // number
    parts = [encoded[i : i + each] for i in range(0, len(encoded), each)]
    shuffled = (TokenBatches(part, max_tokens=10**9).batch(0) for part in parts)
    random_waste = padding_waste(shuffled)
    return [
        {
            "trick": "batches by length, counted in padded positions",
            "without": spread([(1 - waste) / (1 - random_waste)]),
            "padding": round(waste, 4),
            "padding_of_random_batches": round(random_waste, 4),
        },
        {"trick": "packed tokens, not built: at most", "without": spread([1 / (1 - waste)])},
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write the result file."""
    parser = Parser(prog="train_tricks.py", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small", help="default: small")
    parser.add_argument("--rounds", type=positive, default=5, help="default: 5")
    parser.add_argument("--compile", action="store_true", help="try torch.compile: a minute more")
    parser.add_argument("--out", type=Path, help="default: results/train-tricks-cpu.json")
    parser.add_argument("--loss-alone", choices=["plain", "chunks"], help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.loss_alone:
        loss_alone(args.loss_alone == "chunks")
        return 0
    torch.set_num_threads(1)
    tricks = [*steps(args.rounds, args.size, args.compile), loss_of_base()]
    try:
        tricks += padding()
    except DataError as error:
        print(f"padding is left out: {error}", file=sys.stderr)
    for trick in tricks:
        print(f"{trick['without']['median']:.3f} times as long without: {trick['trick']}")
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "train-tricks-cpu",
        "how many times as long a training step is without each trick; the machine was shared",
        [" ".join(["python benchmarks/train_tricks.py", *(argv or sys.argv[1:])])],
        seed=0,
        rounds=args.rounds,
        tricks=tricks,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
