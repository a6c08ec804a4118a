"""How near training and decoding come to what the machine can do at all, on one thread.

    python benchmarks/roof.py                      # with each set of instructions that it can play

Two limits: so many operations a second in a large matrix product, and so many bytes a second in a
product of a matrix that no cache holds with a vector. In each round both are measured next to what
is compared with them, in processor time, so that a busy machine slows all alike.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from decode_engines import OURS, tireless
from decode_speed import LENGTH, SETTINGS, sources, spread
from gpu import flops
from train_speed import SIZES, Contender, Ours, random_batch

from transformer_course.commands import record
from transformer_course.data import Batch
from transformer_course.model import BASE, Transformer, TransformerConfig

# What torch, oneDNN and MKL call the same instructions
PLAYED = {"avx2": ("AVX2", "AVX2"), "avx512": ("AVX512_CORE_AMX", "AVX512")}
SIDE = 1024  # of the matrices whose product gives the peak
MATRIX = 8192, 8192  # of float32, 268 MB, which no cache holds
TRAINED = ("tiny", "small", "base")


def modes() -> dict[str, torch.dtype]:
    """The kinds of numbers that this process multiplies by instructions of their own."""
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    able = torch.cpu.get_capabilities().get("avx512_bf16", False)
    return {"fp32": torch.float32} | ({"bf16": torch.bfloat16} if wide and able else {})


def seconds(run: Callable[[], object], times: int = 1) -> float:
    """Processor time of one run, the mean of some."""
    start = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - start) / times


def product_peak(dtype: torch.dtype) -> float:
    """Operations a second, a multiplication and an addition being two, in a product of matrices."""
    a, b = (torch.randn(SIDE, SIDE).to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    return 2 * SIDE**3 / min(seconds(lambda: torch.mm(a, b, out=out)) for _ in range(4))


def bandwidth(matrix: torch.Tensor) -> float:
    """Bytes a second that are read, the faster of a product with a vector and a sum."""
    vector = torch.randn(matrix.size(1))
    ways = (lambda: torch.mv(matrix, vector)), matrix.sum
    return matrix.nbytes / min(seconds(way) for way in ways for _ in range(2))


def decoding_flops(config: TransformerConfig, src: torch.Tensor, beam: int, length: int) -> float:
    """Of encoding the sources once, and of `beam` rows for each, `length` tokens long."""
    tgt = torch.ones(len(src), steps(beam, length), dtype=torch.long)
    nothing = torch.zeros(len(src), 0, dtype=torch.long)
    none = flops(config, Batch(src=src, tgt_in=nothing, tgt_out=nothing, num_tokens=0)) / 3
    whole = flops(config, Batch(src=src, tgt_in=tgt, tgt_out=tgt, num_tokens=tgt.numel())) / 3
    return none + beam * (whole - none)


def steps(beam: int, length: int) -> int:
    """How often a search asks the decoder: a beam once more, for the end mark."""
    return length + (beam > 1)


def bytes_read(config: TransformerConfig, steps: int) -> int:
    """Weights in float32: the encoder's once, the decoder's and the output's at each step."""
    d, ff = config.d_model, config.d_ff
    encoder = config.num_layers * (4 * d * d + 2 * d * ff + 2 * d * d)
    step = config.num_layers * (6 * d * d + 2 * d * ff) + d * config.vocab_size
    return 4 * (encoder + steps * step)


def compared(
    name: str, work: float, read: float, dtype: torch.dtype, run: Callable[[], float], rounds: int
) -> dict[str, Any]:
    """Shares of both limits, from rounds in which limits and run are measured in turn."""
    matrix, found = torch.ones(MATRIX), []
    run()
    for _ in range(rounds):
        limit, flow, taken = product_peak(dtype), bandwidth(matrix), run()
        found.append((taken, limit, flow, work / taken / limit, read / taken / flow))
    taken, limit, flow, of_product, of_reading = (spread(x) for x in zip(*found, strict=True))
    row = {
        "name": name,
        "cpu_seconds": taken,
        "gflops_a_second": round(work / taken["median"] / 1e9, 2),
        "peak_gflops_a_second": round(limit["median"] / 1e9, 2),
        "read_gb_a_second": round(flow["median"] / 1e9, 2),
        "share_of_product": of_product,
        "share_of_reading": of_reading if read else None,
    }
    print(
        f"{name:24} {of_product['median']:.1%} of the product's peak", file=sys.stderr, flush=True
    )
    return row


def measure(rounds: int) -> dict[str, Any]:
    """All rows with the instructions that this process has."""
    rows = []
    for name in TRAINED:
        size = SIZES[name]
        batch = random_batch(size.config.vocab_size, size.pairs, size.length)
        for mode, dtype in modes().items():
            ours = Contender("ours", Ours, size)

            run = partial(ours.time, batch, f"{mode}, loss in chunks", size.steps)
            work = flops(size.config, batch)
            rows.append(
                compared(f"train {name}, {mode}", work, 0, dtype, lambda run=run: run()[0], rounds)
            )
    model = tireless(Transformer(BASE))
    engine = OURS["ours, fp32"](model)
    for sentences, beam in SETTINGS:
        src = sources(BASE, sentences, LENGTH)

        def decode(src: torch.Tensor = src, beam: int = beam) -> float:
            return seconds(lambda: engine(src, beam, LENGTH))

        name = f"decode {sentences}, {'greedy' if beam == 1 else f'beam {beam}'}"
        work = decoding_flops(BASE, src, beam, LENGTH)
        rows.append(
            compared(
                name, work, bytes_read(BASE, steps(beam, LENGTH)), torch.float32, decode, rounds
            )
        )
    return {
        "capability": torch.backends.cpu.get_cpu_capability(),
        "cpu": record.hardware()["cpu"],
        "load": round(statistics.mean(os.getloadavg()), 1),
        "rows": rows,
    }


def playing(name: str) -> dict[str, str]:
    """The environment in which torch and what lies below it use these instructions."""
    onednn, mkl = PLAYED[name]
    leg = {
        "ATEN_CPU_CAPABILITY": name,
        "ONEDNN_MAX_CPU_ISA": onednn,
        "MKL_ENABLE_INSTRUCTIONS": mkl,
        "OMP_NUM_THREADS": "1",
    }
    return {**os.environ, **leg}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure in a process for each set of instructions, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument("--here", action="store_true", help="print what this process measures")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    if args.here:
        print(json.dumps(measure(args.rounds)))
        return 0
    own = torch.backends.cpu.get_cpu_capability().lower()
    names = list(PLAYED)[: list(PLAYED).index(own) + 1] if own in PLAYED else []
    machines = []
    for env in [playing(name) for name in names] or [dict(os.environ)]:
        command = [sys.executable, __file__, "--here", "--rounds", str(args.rounds)]
        ran = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
        machines.append(json.loads(ran.stdout))
    what = (
        "a step of training and translating random sources, ours, as shares of the operations a "
        "second of a large matrix product and of the bytes a second that can be read; one thread, "
        "processor time, all in alternation; the machine was shared"
    )
    command = f"python benchmarks/roof.py --rounds {args.rounds}"
    print(record.write("roof-cpu", what, [command], machines=machines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
