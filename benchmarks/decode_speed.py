"""How fast a model of the paper's base size decodes on a CPU, beside what one would take instead.

    python benchmarks/decode_speed.py                 # ours alone
    python benchmarks/decode_speed.py --peers         # and the others, from a venv of their own

Every engine has the same weights, reads the same sources and writes the same number of tokens; its
output is compared with ours token by token. All take turns in one process, A B C ... C B A, and a
ratio is taken within a round, so that a busy machine slows all alike.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from decode_engines import CHOSEN, OURS, PEERS, Engine, tireless
from train_speed import PEERS_PYTHON, Parser, positive

from transformer_course.commands import record
from transformer_course.data import EOS_ID
from transformer_course.errors import DataError
from transformer_course.model import BASE, Transformer, TransformerConfig

HERE = Path(__file__).parent
SETTINGS = [(1, 1), (1, 4), (32, 1), (32, 4)]  # sentences, beam
SLOW = 5  # an engine that took so many seconds to warm up takes part in the first round only
LENGTH = 24  # tokens of every source, end mark included, and of every output
SMOKE = TransformerConfig(vocab_size=101, d_model=32, num_heads=2, d_ff=64, num_layers=2)
LIMITS = (  # what makes a library play an older processor
    "ATEN_CPU_CAPABILITY",
    "ONEDNN_MAX_CPU_ISA",
    "MKL_ENABLE_INSTRUCTIONS",
    "FBGEMM_ENABLE_INSTRUCTIONS",
    "CT2_FORCE_CPU_ISA",
)
PACKAGES = {
    "Joey NMT": "joeynmt",
    "Hugging Face Marian": "transformers",
    "CTranslate2, fp32": "ctranslate2",
    "onnxruntime, fp32": "onnxruntime",
}


def sources(config: TransformerConfig, sentences: int, length: int) -> torch.Tensor:
    """Random tokens and an end mark."""
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(4, config.vocab_size, (sentences, length), generator=generator)
    src[:, -1] = EOS_ID
    return src


def agreement(found: list[list[int]], ours: list[list[int]]) -> dict[str, float]:
    """How many outputs are the same, and which share of all tokens comes before they part."""
    equal = sum(a == b for a, b in zip(found, ours, strict=True))
    shared = 0
    for a, b in zip(found, ours, strict=True):
        pairs = [x == y for x, y in zip(a, b, strict=True)] + [False]
        shared += pairs.index(False)
    return {"same_outputs": equal, "same_until": round(shared / sum(map(len, ours)), 3)}


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    found = statistics.median(values), min(values), max(values)
    return {name: round(x, 4) for name, x in zip(("median", "low", "high"), found, strict=True)}


def measure(
    engines: dict[str, Engine],
    config: TransformerConfig,
    sentences: int,
    beam: int,
    length: int,
    rounds: int,
    clock: int,
) -> dict[str, Any]:
    """All engines in one setting, in alternated rounds after one that warms them up."""
    src = sources(config, sentences, length)
    outputs, warm_up = {}, {}
    for name, engine in engines.items():
        start = time.process_time()
        outputs[name] = engine(src, beam, length)
        warm_up[name] = time.process_time() - start
    for name, found in outputs.items():
        wrong = [len(ids) for ids in found if len(ids) != length]
        if wrong:
            raise RuntimeError(f"{name} wrote {wrong[0]} tokens, not {length}: not the same work")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
    for number in range(rounds):
        turns = [name for name in engines if number == 0 or warm_up[name] < SLOW]
        for name in turns if number % 2 == 0 else turns[::-1]:
            cpu, wall = time.process_time(), time.perf_counter()
            engines[name](src, beam, length)
            times[name].append((time.process_time() - cpu, time.perf_counter() - wall))
    first = next(iter(engines))
    rows = []
    for name, taken in times.items():
        ratios = {}
        for base in (first, "CTranslate2, fp32", "CTranslate2, int8"):
            if base in times:
                pairs = zip(taken, times[base], strict=False)
                ratios[base] = spread([a[clock] / b[clock] for a, b in pairs])
        seconds = statistics.median(t[clock] for t in taken)
        rows.append(
            {
                "name": name,
                "rounds": len(taken),
                "times": ratios,
                "cpu_seconds": spread([t[0] for t in taken]),
                "wall_seconds": spread([t[1] for t in taken]),
                "tokens_per_second": round(sentences * length / seconds, 1),
                **agreement(outputs[name], outputs[first]),
            }
        )
        print(
            f"{sentences:3} sentences, beam {beam}: {name:36} {seconds * 1e3:8.1f} ms, "
            f"{rows[-1]['tokens_per_second']:7.1f} tokens/s, {ratios[first]['median']:5.2f} times "
            f"{first}, {rows[-1]['same_outputs']}/{sentences} outputs the same",
            flush=True,
        )
    return {"sentences": sentences, "beam": beam, "length": length, "rows": rows}


def build_engines(
    model: Transformer, with_peers: bool, asked: Sequence[str] = (*OURS, *PEERS)
) -> tuple[dict[str, Engine], dict[str, str]]:
    """Ours, and those peers that are installed; say which are left out, and why."""
    engines = {name: make(model) for name, make in OURS.items() if name in asked}
    skipped = {}
    for name, make in PEERS.items() if with_peers else ():
        if name not in asked:
            continue
        try:
            engines[name] = make(model)
        except (ImportError, DataError) as error:
            skipped[name] = str(error)
            print(f"{name} is left out: {error}", file=sys.stderr)
    return engines, skipped


def build_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = Parser(prog="decode_speed.py", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("--peers", action="store_true", help="measure the others, too")
    parser.add_argument(
        "--engines",
        nargs="+",
        choices=[*OURS, *PEERS],
        default=[*OURS, *PEERS],
        metavar="NAME",
        help="the first of them is compared with; default: all",
    )
    parser.add_argument("--rounds", type=positive, default=5, help="default: 5")
    parser.add_argument("--threads", type=positive, default=1, help="default: 1")
    parser.add_argument("--out", type=Path, help="default: results/decode-speed-CAPABILITY.json")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that all runs")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write the result file."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = build_parser().parse_args(arguments)
    if args.out and not args.out.parent.is_dir():
        build_parser().error(f"--out {args.out}: there is no folder {args.out.parent}")
    if args.peers and Path(sys.prefix) != PEERS_PYTHON.parent.parent:
        if not PEERS_PYTHON.exists():
            build_parser().error(
                f"no {PEERS_PYTHON}: the others need a venv of their own, see "
                f"{HERE / 'peers' / 'requirements.txt'}"
            )
        paths = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        command = [str(PEERS_PYTHON), __file__, *arguments]
        return subprocess.run(command, env=paths, check=False).returncode
    torch.set_num_threads(args.threads)
    config, length = (SMOKE, 7) if args.smoke else (BASE, LENGTH)
    torch.manual_seed(0)
    model = tireless(Transformer(config))
    engines, skipped = build_engines(model, args.peers, args.engines)
    clock = 0 if args.threads == 1 else 1  # threads that wait burn processor time
    settings = [
        measure(engines, config, sentences, beam, length, args.rounds, clock)
        for sentences, beam in SETTINGS
    ]
    capability = torch.backends.cpu.get_cpu_capability()
    own = f"decode-speed-{capability.lower()}"
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else own,
        "seconds to translate random sources by random weights copied into every engine, and how "
        "many times as long it takes as the first and as CTranslate2, in alternated rounds; the "
        "machine was shared",
        [f"python benchmarks/decode_speed.py {' '.join(arguments)}".strip()],
        clock="processor time" if clock == 0 else "wall clock",
        config=asdict(config),
        versions={name: metadata.version(PACKAGES[name]) for name in engines if name in PACKAGES},
        skipped=skipped,
        capability=capability,
        limits={name: os.environ[name] for name in LIMITS if name in os.environ},
        chosen=CHOSEN,
        settings=settings,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
