"""How fast a training step is, beside the libraries one would take instead.

    python benchmarks/train_speed.py                 # ours alone
    python benchmarks/train_speed.py --peers         # and the others, from a venv of their own

Everyone does the same work: the same batch with the same padding, the same sizes, dropout in the
same places, the same label-smoothed loss, the same fused Adam. All take turns in one process,
A B C ... C B A, and a ratio is taken within a round, so that a busy machine slows all alike.
"""

import argparse
import contextlib
import importlib
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from transformer_course.commands import record
from transformer_course.data import PAD_ID, Batch, make_batch
from transformer_course.model import BASE, BIG, SMALL, TINY, Transformer, TransformerConfig
from transformer_course.training import chunked_loss, label_smoothed_loss, make_optimizer

HERE = Path(__file__).parent
PEERS_PYTHON = HERE / "peers" / ".venv" / "bin" / "python"
PEERS = {
    "torch.nn.Transformer": "peers.torch_nn",
    "Joey NMT": "peers.joey",
    "Hugging Face Marian": "peers.marian",
    "x-transformers": "peers.xtransformers",
}
VERSIONS = {"Joey NMT": "joeynmt", "Hugging Face Marian": "transformers"}
PEER_MODES = ("fp32", "fp32, attention written out", "bf16", "bf16, attention written out")
OUR_MODES = ("fp32", "fp32, loss in chunks", "bf16", "bf16, loss in chunks")


@dataclass(frozen=True)
class Size:
    """A model and the batch it is fed: `pairs` sentences of up to `length` tokens a side."""

    config: TransformerConfig
    pairs: int
    length: int
    steps: int  # in a row, at every turn
    apart: bool = False  # one peer at a time beside ours, where five do not fit into memory


SIZES = {
    "tiny": Size(TINY, pairs=46, length=11, steps=20),
    "small": Size(SMALL, pairs=62, length=16, steps=3),
    "base": Size(BASE, pairs=16, length=32, steps=1),
    "big": Size(BIG, pairs=12, length=32, steps=1, apart=True),
}
PROBE = TransformerConfig(vocab_size=101, d_model=64, num_heads=2, d_ff=128, num_layers=2)


def random_batch(vocab_size: int, pairs: int, length: int, seed: int = 0) -> Batch:
    """Pairs whose lengths run from three quarters of `length` to all of it: 10 % padding."""
    rng = random.Random(seed)

    def sentence(longest: int) -> list[int]:
        kept = rng.randint(3 * longest // 4, longest)
        return [rng.randrange(4, vocab_size) for _ in range(kept)]

    rows = [(sentence(length - 1), sentence(length - 1)) for _ in range(pairs)]
    rows[0] = tuple([rng.randrange(4, vocab_size) for _ in range(length - 1)] for _ in range(2))
    return make_batch(rows)


def precision(mode: str) -> contextlib.AbstractContextManager:
    """What to run the forward pass in: autocast or not, fused attention or torch's plain one."""
    stack = contextlib.ExitStack()
    if mode.startswith("bf16"):
        stack.enter_context(torch.autocast("cpu", torch.bfloat16))
    if mode.endswith("written out"):
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))
    return stack


class Ours(Transformer):
    """The package's model; for the loss in chunks it stops at the decoder's states."""

    in_chunks = False

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return x if self.in_chunks else super().logits(x)


class Contender:
    """A model with its optimizer, and the modes it can run in."""

    def __init__(self, name: str, build: Callable[[TransformerConfig], nn.Module], size: Size):
        self.name = name
        self.modes = OUR_MODES if build is Ours else PEER_MODES
        torch.manual_seed(0)
        self.model = build(size.config).train()
        trained = (p for p in self.model.parameters() if p.requires_grad)
        self.parameters = sum(p.numel() for p in trained)
        self.optimizer = make_optimizer(self.model)
        for group in self.optimizer.param_groups:
            group["lr"] = 3e-4
        self.losses: list[float] = []

    def step(self, batch: Batch, mode: str) -> torch.Tensor:
        """Forward, loss, backward, update."""
        self.optimizer.zero_grad(set_to_none=True)
        in_chunks = mode.endswith("loss in chunks")
        if isinstance(self.model, Ours):
            self.model.in_chunks = in_chunks
        with precision(mode):
            out = self.model(batch.src, batch.tgt_in)
            if in_chunks:
                loss = chunked_loss(out, self.model.embedding.weight, batch.tgt_out)
        if not in_chunks:
            loss = label_smoothed_loss(out, batch.tgt_out)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def time(self, batch: Batch, mode: str, steps: int) -> tuple[float, float]:
        """Processor seconds and seconds of the clock that one step takes."""
        cpu, wall = time.process_time(), time.perf_counter()
        losses = [self.step(batch, mode) for _ in range(steps)]
        passed = time.process_time() - cpu, time.perf_counter() - wall
        self.losses += [loss.item() for loss in losses]
        return passed[0] / steps, passed[1] / steps


def check(name: str, build: Callable[[TransformerConfig], nn.Module]) -> None:
    """Make sure that a peer does the work: the same model, masked as ours, able to learn.

    Raises:
        RuntimeError: if not.
    """

    def expect(holds: bool, what: str) -> None:
        if not holds:
            raise RuntimeError(f"{name} does not do the same work: {what}")

    size = Size(PROBE, pairs=5, length=9, steps=1)
    torch.manual_seed(0)
    here, ours = Contender(name, build, size), Contender("ours", Ours, size)
    share = here.parameters / ours.parameters
    expect(0.95 < share < 1.05, f"it has {share:.2f} times our parameters")
    batch = random_batch(PROBE.vocab_size, size.pairs, size.length)
    here.model.eval()
    plain = here.model(batch.src, batch.tgt_in)
    expect(plain.shape == (*batch.tgt_in.shape, PROBE.vocab_size), f"its logits: {plain.shape}")
    later = batch.tgt_in.clone()
    later[:, 5:] = 7
    moved = (here.model(batch.src, later) - plain).abs().amax(-1)
    expect(moved[:, :5].max().item() < 1e-4, "it sees the future")
    expect(moved[:, 5:].max().item() > 1e-3, "it does not read the target")
    wider = nn.functional.pad(batch.src, (0, 3), value=PAD_ID)
    real = batch.tgt_out != PAD_ID
    moved = (here.model(wider, batch.tgt_in) - plain).abs().amax(-1)[real]
    expect(moved.max().item() < 1e-4, "it sees padding")
    moved = (here.model(batch.src.flip(0), batch.tgt_in) - plain).abs().amax(-1)[real]
    expect(moved.max().item() > 1e-3, "it does not read the source")
    here.model.train()
    expect(not torch.equal(here.model(batch.src, batch.tgt_in), plain), "it has no dropout")
    losses = [here.step(batch, "fp32").item() for _ in range(4)]
    near = math.log(PROBE.vocab_size)
    expect(0.8 < losses[0] / near < 1.3, f"its first loss is {losses[0]:.2f}, ln V is {near:.2f}")
    expect(losses[3] < losses[0], f"its loss does not fall: {losses}")
    without = [n for n, p in here.model.named_parameters() if p.requires_grad and p.grad is None]
    expect(not without, f"no gradient for {without}")


def try_modes(contender: Contender, batch: Batch, steps: int) -> dict[str, float]:
    """Seconds a step in every mode, after a first step that warms it up."""
    contender.time(batch, "fp32", 1)
    return {mode: contender.time(batch, mode, steps)[0] for mode in contender.modes}


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    return {
        "median": round(statistics.median(values), 4),
        "low": round(min(values), 4),
        "high": round(max(values), 4),
    }


def alternate(
    contenders: Sequence[Contender],
    batch: Batch,
    size: Size,
    rounds: int,
    clock: int,
    tried: dict[str, dict[str, float]],
) -> list[dict[str, Any]]:
    """Let all take turns, and compare each with ours, the first of them, in three ways.

    "same loss" is fp32 with torch's cross-entropy for all; "fp32" lets ours use its own loss in
    chunks; "best" is everyone in the mode that was fastest for it. `tried` may come from a smaller
    size; where it is empty, every mode is tried first.
    """
    for each in contenders:
        if each.name not in tried:
            tried[each.name] = try_modes(each, batch, size.steps)
        else:
            each.time(batch, "fp32", 1)
    best = {
        each.name: min(tried[each.name], key=tried[each.name].__getitem__) for each in contenders
    }
    ours = contenders[0]
    kinds = {
        each.name: {"same loss": "fp32", "fp32": "fp32", "best": best[each.name]}
        for each in contenders
    }
    kinds[ours.name]["fp32"] = ours.modes[1]
    turns = [
        (each, mode) for each in contenders for mode in dict.fromkeys(kinds[each.name].values())
    ]
    times: dict[tuple[str, str], list] = {(each.name, mode): [] for each, mode in turns}
    for number in range(rounds):
        for each, mode in turns if number % 2 == 0 else turns[::-1]:
            times[each.name, mode].append(each.time(batch, mode, size.steps))
    rows = []
    for kind in ("same loss", "fp32", "best"):
        base = times[ours.name, kinds[ours.name][kind]]
        for each in contenders:
            mode = kinds[each.name][kind]
            own = times[each.name, mode]
            seconds = [passed[clock] for passed in own]
            ratios = [a / b[clock] for a, b in zip(seconds, base, strict=True)]
            rows.append(
                {
                    "name": each.name,
                    "kind": kind,
                    "mode": mode,
                    "times_ours": spread(ratios),
                    "cpu_seconds": spread([passed[0] for passed in own]),
                    "wall_seconds": spread([passed[1] for passed in own]),
                    "tokens_per_second": round(batch.num_tokens / statistics.median(seconds), 1),
                }
            )
    return rows


def measure(
    name: str,
    builders: dict[str, Callable[[TransformerConfig], nn.Module]],
    rounds: int,
    clock: int,
    tried: dict[str, dict[str, float]],
) -> dict[str, Any]:
    """All contenders at one size."""
    size = SIZES[name]
    batch = random_batch(size.config.vocab_size, size.pairs, size.length)
    groups = [list(builders)]
    if size.apart:
        groups = [["ours", peer] for peer in builders if peer != "ours"] or groups
        rounds = min(rounds, 2)
    else:
        tried.clear()
    rows: list[dict[str, Any]] = []
    models: dict[str, dict[str, Any]] = {}
    for group in groups:
        contenders = [Contender(each, builders[each], size) for each in group]
        found = alternate(contenders, batch, size, rounds, clock, tried)
        rows += [row for row in found if row["name"] != "ours" or group is groups[0]]
        for each in contenders:
            first, last = each.losses[0], each.losses[-1]
            if last >= first:
                raise RuntimeError(f"{each.name} does not learn: from {first:.3f} to {last:.3f}")
            models[each.name] = {
                "parameters": each.parameters,
                "first_loss": round(first, 3),
                "last_loss": round(last, 3),
                "tried": {mode: round(passed, 4) for mode, passed in tried[each.name].items()},
            }
        del contenders
        for row in found:
            ratio = row["times_ours"]
            print(
                f"{name:6} {row['kind']:9} {row['name']:21} {row['cpu_seconds']['median']:8.4f} "
                f"CPU-s a step, {ratio['median']:.2f} times ours "
                f"[{ratio['low']:.2f}, {ratio['high']:.2f}], {row['mode']}",
                flush=True,
            )
    return {
        "size": name,
        "config": asdict(size.config),
        "pairs": size.pairs,
        "source_shape": list(batch.src.shape),
        "target_shape": list(batch.tgt_in.shape),
        "target_tokens": batch.num_tokens,
        "rounds": rounds,
        "steps_a_turn": size.steps,
        "one_peer_at_a_time": size.apart,
        "models": models,
        "rows": rows,
    }


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with an argument."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def positive(text: str) -> int:
    """Read a whole number that is at least 1."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 up, got {text!r}")
    return number


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="train_speed.py", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("--peers", action="store_true", help="measure the others, too")
    parser.add_argument(
        "--sizes",
        nargs="+",
        choices=SIZES,
        default=list(SIZES),
        metavar="SIZE",
        help=f"of {', '.join(SIZES)}; default: all",
    )
    parser.add_argument("--rounds", type=positive, default=5, help="default: 5; big gets 2")
    parser.add_argument("--threads", type=positive, default=1, help="default: 1")
    parser.add_argument("--out", type=Path, help="default: results/train-speed-CAPABILITY.json")
    return parser


def peers_here() -> tuple[dict[str, Callable[[TransformerConfig], nn.Module]], dict[str, str]]:
    """Import the peers that are installed and check each; say which are left out, and why."""
    found, skipped = {}, {}
    for name, module in PEERS.items():
        try:
            found[name] = importlib.import_module(module).Peer
            check(name, found[name])
        except (ImportError, AttributeError, TypeError, RuntimeError) as error:
            found.pop(name, None)
            skipped[name] = str(error)
            print(f"{name} is left out: {error}", file=sys.stderr)
    return found, skipped


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
    builders: dict[str, Any] = {"ours": Ours}
    check("ours", Ours)
    skipped: dict[str, str] = {}
    if args.peers:
        found, skipped = peers_here()
        builders |= found
    own = f"train-speed-{torch.backends.cpu.get_cpu_capability().lower()}"
    clock = 0 if args.threads == 1 else 1  # threads that wait burn processor time
    tried: dict[str, dict[str, float]] = {}
    sizes: list[dict[str, Any]] = []
    for name in args.sizes:  # the file is there after the first, and grows
        sizes.append(measure(name, builders, args.rounds, clock, tried))
        path = record.write(
            str(args.out.with_suffix("").resolve()) if args.out else own,
            "seconds of a training step (forward, label-smoothed loss, backward, fused Adam) and "
            "how many times as long as ours it takes, in alternated rounds; the machine was shared",
            [f"python benchmarks/train_speed.py {' '.join(arguments)}".strip()],
            seed=0,
            clock="processor time" if clock == 0 else "wall clock",
            versions={peer: version(peer) for peer in builders if peer != "ours"},
            skipped=skipped,
            sizes=sizes,
        )
    print(path)
    return 0


def version(name: str) -> str:
    """Of the package that a peer comes from."""
    return metadata.version({**VERSIONS, "torch.nn.Transformer": "torch"}.get(name, name))


if __name__ == "__main__":
    sys.exit(main())
