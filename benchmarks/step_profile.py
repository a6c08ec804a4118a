"""Where a step of decoding goes, operation by operation: the readable path, and the fast ones.

    python benchmarks/step_profile.py

The base model writes 24 tokens from 24 on one thread. torch's profiler gives each operation's own
time by the clock; what is left of the whole is Python and the calls between them. Shares are of
one run, the median of some rounds, since a busy machine stretches all of a run alike.
"""

import argparse
import os
import statistics
import time
from collections import Counter
from typing import Any

import torch
from decode_engines import OURS, ours, tireless
from decode_speed import LENGTH, LIMITS, sources
from roof import steps
from torch.profiler import ProfilerActivity, profile

from transformer_course.commands import record
from transformer_course.model import BASE, Transformer

SETTINGS = ((1, 1), (32, 4))  # sentences, beam
ENGINES = ("readable", "ours, fp32", "ours, int8")
BETWEEN = "between the operations"
KINDS = {  # by the names of operations that belong to it; the first that fits
    "products with weights": ("addmm", "::mm", "_linear_pointwise", "linear_with_input", "int_mm"),
    "products in attention": ("bmm", "scaled_dot_product", "::matmul"),
    "softmax and norms": ("softmax", "layer_norm"),
    "units and biases of int8": ("::abs", "::amax", "::clamp_min", "::div", "addcmul"),
    "copies": ("copy", "::cat", "index", "empty", "clone", "fill", "resize", "::gather"),
}


def kind(operation: str) -> str:
    """Which of `KINDS` an operation of torch belongs to."""
    fits = (name for name, parts in KINDS.items() if any(part in operation for part in parts))
    return next(fits, "other operations")


def one_round(run: Any, count: int) -> tuple[Counter[str], float]:
    """Shares of the time, by kind, and operations a step."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        start = time.perf_counter()
        run()
        whole = (time.perf_counter() - start) * 1e6  # microseconds, as the profiler's
    shares: Counter[str] = Counter()
    found = profiler.key_averages()
    for each in found:
        shares[kind(each.key)] += each.self_cpu_time_total / whole
    shares[BETWEEN] = max(0.0, 1 - sum(shares.values()))
    return shares, sum(each.count for each in found) / count


def measure(model: Transformer, sentences: int, beam: int, rounds: int) -> list[dict[str, Any]]:
    """All engines in one setting: processor time a step without the profiler, then shares."""
    src, rows = sources(model.config, sentences, LENGTH), []
    count = steps(beam, LENGTH)
    for name in ENGINES:
        engine = ours(model) if name == "readable" else OURS[name](model)
        engine(src, beam, LENGTH)
        taken, found = [], []
        for _ in range(rounds):
            start = time.process_time()
            engine(src, beam, LENGTH)
            taken.append((time.process_time() - start) / count * 1e3)
            found.append(one_round(lambda run=engine: run(src, beam, LENGTH), count))
        shares = {
            each: round(statistics.median(shares[each] for shares, _ in found), 3)
            for each in (*KINDS, "other operations", BETWEEN)
        }
        row = {
            "name": name,
            "cpu_milliseconds_a_step": round(statistics.median(taken), 2),
            "operations_a_step": round(found[0][1]),
            "shares": shares,
        }
        print(sentences, beam, row, flush=True)
        rows.append(row)
    return rows


def main() -> None:
    """One result file a kind of instructions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = tireless(Transformer(BASE))
    capability = torch.backends.cpu.get_cpu_capability()
    settings = [
        {"sentences": n, "beam": beam, "rows": measure(model, n, beam, args.rounds)}
        for n, beam in SETTINGS
    ]
    path = record.write(
        f"step-profile-{capability.lower()}",
        "where a step of decoding with the base model goes; encoding the sources is counted in; "
        "the machine was shared",
        [f"python benchmarks/step_profile.py --rounds {args.rounds}"],
        capability=capability,
        limits={name: os.environ[name] for name in LIMITS if name in os.environ},
        settings=settings,
    )
    print(path)


if __name__ == "__main__":
    main()
