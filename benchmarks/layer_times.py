"""How long one layer of each kind in Table 1 takes, by length and by width (section 4).

Self-attention with its projections, the same restricted to a window, a plain recurrent layer, a
GRU, and a convolution twice: as a matrix product, which runs in the library that the others use,
and as `nn.Conv1d`, which may run in another one. All have one width. They take turns, A B C ...
C B A, and a ratio is taken within a round, so that a busy machine slows all alike.

Example: python benchmarks/layer_times.py --rounds 5
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_course.commands import record
from transformer_course.model import MultiHeadAttention

WIDTH, LENGTH, KERNEL, WINDOW, HEAD = 512, 256, 3, 64, 64
BY_LENGTH = [(1, n, WIDTH) for n in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)]
BY_WIDTH = [(1, LENGTH, d) for d in (64, 128, 256, 512, 1024)]
IN_BATCHES = [(16, n, WIDTH) for n in (16, 64, 256, 1024)]
WORTH = 0.01  # seconds that one measurement lasts at least: short calls are repeated


class Restricted(MultiHeadAttention):
    """Each position attends to itself and the WINDOW - 1 before it, block by block."""

    def mix(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        """Blocks of queries against their own block of keys and the one before it."""
        length = q.size(2)
        if length <= WINDOW:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        q, k, v = (F.pad(x, (0, 0, 0, -length % WINDOW)) for x in (q, k, v))
        blocks = q.unflatten(2, (-1, WINDOW))
        near = [
            F.pad(x, (0, 0, WINDOW, 0)).unfold(2, 2 * WINDOW, WINDOW).transpose(-2, -1)
            for x in (k, v)
        ]
        back = torch.arange(WINDOW)[:, None] + WINDOW - torch.arange(2 * WINDOW)
        band = ((back >= 0) & (back < WINDOW)).repeat(blocks.size(2), 1, 1)
        band[0, :, :WINDOW] = False  # before the first position
        mixed = F.scaled_dot_product_attention(blocks, *near, attn_mask=band)
        return mixed.flatten(2, 3)[:, :, :length]


class MatrixConvolution(nn.Module):
    """A convolution as one product: each position's neighbors side by side, times a matrix."""

    def __init__(self, d: int):
        super().__init__()
        self.proj = nn.Linear(KERNEL * d, d)

    def forward(self, x: Tensor) -> Tensor:
        """From (batch, length, d) to the same, zeros beyond both ends."""
        near = F.pad(x, (0, 0, KERNEL // 2, KERNEL // 2)).unfold(1, KERNEL, 1)
        return self.proj(near.transpose(-2, -1).flatten(2))


def layers(d: int) -> dict[str, Callable[[Tensor], Tensor]]:
    """One layer of each kind, from (batch, length, d) to the same."""
    attend, near = MultiHeadAttention(d, d // HEAD), Restricted(d, d // HEAD)
    plain, gated = nn.RNN(d, d, batch_first=True), nn.GRU(d, d, batch_first=True)
    product, convolve = MatrixConvolution(d), nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2)
    return {
        "attention": lambda x: attend(x, x, x),
        "restricted": lambda x: near(x, x, x),
        "recurrent": lambda x: plain(x)[0],
        "gru": lambda x: gated(x)[0],
        "convolution": product,
        "conv1d": lambda x: convolve(x.transpose(1, 2)).transpose(1, 2),
    }


def clock(call: Callable[[], object], repeats: int) -> float:
    """Processor seconds of one call, the mean over some repeats."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def measure(batch: int, n: int, d: int, rounds: int) -> dict[str, object]:
    """All layers at one size, in alternated rounds after one that warms them up."""
    x = torch.randn(batch, n, d)
    calls = {name: lambda layer=layer: layer(x) for name, layer in layers(d).items()}
    first = {name: clock(call, 1) for name, call in calls.items()}
    repeats = {name: max(1, round(WORTH / clock(call, 1))) for name, call in calls.items()}
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name in list(calls) if number % 2 == 0 else reversed(calls):
            taken[name].append(clock(calls[name], repeats[name]))
    rows = {}
    for name, seconds in taken.items():
        ratios = [a / b for a, b in zip(seconds, taken["attention"], strict=True)]
        rows[name] = {
            "microseconds": round(1e6 * min(seconds), 1),
            "first_call": round(1e6 * first[name], 1),
            "times_attention": round(statistics.median(ratios), 3),
            "lowest": round(min(ratios), 3),
            "highest": round(max(ratios), 3),
        }
    shown = ", ".join(f"{name} {row['microseconds']:,.0f}" for name, row in rows.items())
    print(f"batch {batch}, n {n}, d {d}: {shown} µs", flush=True)
    return {"batch": batch, "n": n, "d": d, "layers": rows}


def main() -> int:
    """Measure every size, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--smoke", action="store_true", help="one small size, and no result file")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)

    with torch.inference_mode():
        if arguments.smoke:
            measure(1, 2 * WINDOW, HEAD, arguments.rounds)
            return 0
        tables = {
            name: [measure(*size, arguments.rounds) for size in sizes]
            for name, sizes in (
                ("by_length", BY_LENGTH),
                ("by_width", BY_WIDTH),
                ("in_batches", IN_BATCHES),
            )
        }
    path = record.write(
        "layer-times",
        "microseconds of one layer forward on one core (the least of several rounds), and how many "
        "times as long as self-attention it takes within a round (median, lowest, highest); "
        "processor time; the machine was shared",
        [f"python benchmarks/layer_times.py --rounds {arguments.rounds}"],
        rounds=arguments.rounds,
        kernel=KERNEL,
        window=WINDOW,
        **tables,
    )
    print(path.relative_to(record.ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
