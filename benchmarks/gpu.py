"""What one GPU reaches: its ceilings, correctness first, then the training step of base and big.

    python benchmarks/gpu.py            # on a GPU, in under nine minutes, one result file
    python benchmarks/gpu.py --smoke    # the same program on a CPU at a toy size, to see it run

Needs nothing but this checkout and what the package imports; Hugging Face Marian takes part where
`transformers` is installed.
"""

import contextlib
import importlib
import itertools
import math
import random
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
import train_speed
from torch import Tensor, nn
from train_speed import Ours, Parser, positive, spread

from transformer_course.commands import record
from transformer_course.data import PAD_ID, Batch, TokenBatches, padding_waste
from transformer_course.model import BASE, BIG, TransformerConfig
from transformer_course.training import chunked_loss, label_smoothed_loss, make_optimizer

PAPER = {"base": {"steps": 100_000, "hours": 12}, "big": {"steps": 300_000, "hours": 84}}
PEERS = {name: train_speed.PEERS[name] for name in ("torch.nn.Transformer", "Hugging Face Marian")}


@dataclass(frozen=True)
class Plan:
    """What is run: large on a GPU, tiny as a smoke test."""

    device: str
    sizes: dict[str, TransformerConfig]
    max_tokens: int
    pairs: int
    num_batches: int = 8
    gemm: int = 8192
    copy_mb: int = 2048
    chunk: int = 4096
    compiler: str = "inductor"


TOY = TransformerConfig(vocab_size=101, d_model=32, num_heads=2, d_ff=64, num_layers=2)
ON_GPU = Plan("cuda", {"base": BASE, "big": BIG}, max_tokens=25_000, pairs=20_000)
SMOKE = Plan(
    "cpu",
    {"base": TOY, "big": replace(TOY, d_model=64)},
    max_tokens=300,
    pairs=200,
    num_batches=2,
    gemm=64,
    copy_mb=1,
    chunk=64,
    compiler="eager",
)


@dataclass(frozen=True)
class Variant:
    """One way to take the same step."""

    name: str
    model: str = "ours"
    bf16: bool = False
    tf32: bool = False
    chunks: bool = False
    compiled: bool = False
    recorded: bool = False  # forward and backward as one CUDA graph for each shape


VARIANTS = [
    Variant("fp32"),
    Variant("tf32", tf32=True),
    Variant("bf16", bf16=True),
    Variant("bf16, loss in chunks", bf16=True, chunks=True),
    Variant("torch.nn.Transformer, bf16", "torch.nn.Transformer", bf16=True),
    Variant("Hugging Face Marian, bf16", "Hugging Face Marian", bf16=True),
    Variant("bf16, loss in chunks, recorded", bf16=True, chunks=True, recorded=True),
    Variant("bf16, loss in chunks, compiled", bf16=True, chunks=True, compiled=True),
    Variant("torch.nn.Transformer, bf16, compiled", "torch.nn.Transformer", True, compiled=True),
    Variant("Hugging Face Marian, bf16, compiled", "Hugging Face Marian", True, compiled=True),
]


def wait(device: str) -> None:
    """Let the device finish what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def seconds(function: Callable[[], object], device: str, repeat: int = 10) -> float:
    """Of one call, the median of several, each timed on the device's own clock."""
    for _ in range(3):
        function()
    marks = [clock(device)]
    for _ in range(repeat):
        function()
        marks.append(clock(device))
    wait(device)
    return statistics.median(between(a, b) for a, b in itertools.pairwise(marks))


def clock(device: str) -> Any:
    """A mark in time that nobody waits for."""
    if device != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def between(a: Any, b: Any) -> float:
    """Seconds from one mark to another."""
    return b - a if isinstance(a, float) else a.elapsed_time(b) / 1000


def ceilings(plan: Plan) -> dict[str, float]:
    """The fastest that this card multiplies in bf16 and copies, on random numbers."""
    n, device = plan.gemm, plan.device
    a, b = (torch.randn(n, n, device=device, dtype=torch.bfloat16) for _ in range(2))
    out = torch.empty_like(a)
    gemm = seconds(lambda: torch.mm(a, b, out=out), device)
    source = torch.randn(plan.copy_mb * 2**18, device=device)
    target = torch.empty_like(source)
    copy = seconds(lambda: target.copy_(source), device)
    return {
        "bf16_tflops": float(f"{2 * n**3 / gemm / 1e12:.4g}"),
        "copy_gb_per_second": round(2 * source.numel() * 4 / copy / 1e9, 1),
    }


def pairs_like_wmt(number: int, vocab_size: int, longest: int, seed: int = 0) -> list:
    """Made-up pairs whose lengths spread as those of news do: 27 tokens, a long tail."""
    rng = random.Random(seed)

    def length(middle: float, spread: float) -> int:
        return max(1, min(longest - 2, round(middle * math.exp(rng.gauss(0, spread)))))

    found = []
    for _ in range(number):
        src = length(24, 0.55)
        sizes = src, length(1.05 * src, 0.18)
        found.append(tuple(rng.choices(range(4, vocab_size), k=size) for size in sizes))
    return found


def flops(config: TransformerConfig, batch: Batch) -> float:
    """Of a forward and a backward pass: matrix products on real tokens alone, padding is free."""
    src, tgt = ((ids != PAD_ID).sum(1).double() for ids in (batch.src, batch.tgt_out))
    d, ff = config.d_model, config.d_ff
    num_src, num_tgt = src.sum().item(), tgt.sum().item()
    encoder = num_src * (4 * d * d + 2 * d * ff) + 2 * d * (src * src).sum().item()
    decoder = num_tgt * (6 * d * d + 2 * d * ff) + num_src * 2 * d * d
    decoder += 2 * d * ((tgt * tgt).sum() / 2 + (tgt * src).sum()).item()
    output = num_tgt * d * config.vocab_size
    return 6 * (config.num_layers * (encoder + decoder) + output)


@contextlib.contextmanager
def precision(variant: Variant, device: str) -> Iterator[None]:
    """fp32 to the last bit, TensorFloat-32, or bf16 autocast."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if variant.tf32 else "highest")
    try:
        with torch.autocast(device, torch.bfloat16, enabled=variant.bf16):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


class Runner:
    """A model, in one variant, with an optimizer that all variants of that model share."""

    def __init__(self, variant: Variant, model: nn.Module, optimizer: Any, plan: Plan):
        self.variant, self.model, self.optimizer, self.plan = variant, model, optimizer, plan
        self.forward: Any = model
        # All recordings on one stream, or each keeps memory that no other may use.
        self.stream = torch.cuda.Stream() if plan.device == "cuda" else None
        self.pool = torch.cuda.graph_pool_handle() if plan.device == "cuda" else None
        self.recordings: dict[Any, tuple[Any, list[Tensor], Tensor, list[Tensor | None]]] = {}
        if variant.compiled:
            self.forward = torch.compile(model, dynamic=True, backend=plan.compiler)

    def loss(self, batch: Batch) -> Tensor:
        """Forward pass and loss."""
        if isinstance(self.model, Ours):
            self.model.in_chunks = self.variant.chunks
        with precision(self.variant, self.plan.device):
            out = self.forward(batch.src, batch.tgt_in)
            if self.variant.chunks:
                weight = self.model.embedding.weight
                rest = 0.1, batch.num_tokens, self.plan.chunk
                return chunked_loss(out, weight, batch.tgt_out, *rest)
        return label_smoothed_loss(out, batch.tgt_out, 0.1, batch.num_tokens)

    def backward(self, batch: Batch) -> Tensor:
        """Loss and gradients, at the variant's precision both ways."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(batch)
        with precision(replace(self.variant, bf16=False), self.plan.device):
            loss.backward()
        return loss.detach()

    def replay(self, batch: Batch) -> Tensor:
        """The same, from the recording for batches of this shape and number of tokens."""
        rows = [batch.src, batch.tgt_in, batch.tgt_out]
        shape = *(ids.shape for ids in rows), batch.num_tokens
        if shape not in self.recordings:
            self.recordings[shape] = self.record(batch)
        graph, inputs, loss, gradients = self.recordings[shape]
        for there, new in zip(inputs, rows, strict=True):
            there.copy_(new)
        graph.replay()
        for parameter, gradient in zip(self.model.parameters(), gradients, strict=True):
            parameter.grad = gradient
        return loss

    def record(self, batch: Batch) -> tuple[Any, list[Tensor], Tensor, list[Tensor | None]]:
        """Graph, inputs, loss and gradients of a forward and a backward pass."""
        inputs = [ids.clone() for ids in (batch.src, batch.tgt_in, batch.tgt_out)]
        copy = Batch(*inputs, batch.num_tokens)
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            self.backward(copy)  # what is made once, is made before
        torch.cuda.current_stream().wait_stream(self.stream)
        self.optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool, stream=self.stream):
            loss = self.backward(copy)
        gradients = [parameter.grad for parameter in self.model.parameters()]
        self.optimizer.zero_grad(set_to_none=True)
        return graph, inputs, loss, gradients

    def step(self, batch: Batch) -> Tensor:
        """One update; nothing in it waits for the device."""
        recorded = self.variant.recorded and self.plan.device == "cuda"
        loss = (self.replay if recorded else self.backward)(batch)
        self.optimizer.step()
        return loss


def prepare(name: str, config: TransformerConfig, device: str) -> tuple[nn.Module, Any]:
    """A model on the device and its optimizer.

    Raises:
        ImportError: if it comes from a package that is not here.
    """
    build = Ours if name == "ours" else importlib.import_module(PEERS[name]).Peer
    torch.manual_seed(0)
    model = build(config).to(device).train()
    optimizer = make_optimizer(model)
    for group in optimizer.param_groups:
        group["lr"] = 1e-4
    return model, optimizer


def relative(found: Tensor, exact: Tensor, least: float = 0.0) -> float:
    """How far off, as a share of the exact value's norm, or of `least` where that is next to 0."""
    return ((found.double().cpu() - exact).norm() / exact.norm().clamp_min(least)).item()


def check(plan: Plan, only: str = "") -> list[dict[str, Any]]:
    """Forward, loss and every gradient of our variants against float64 on the CPU.

    Raises:
        RuntimeError: if one is not a number, or further off than its precision explains.
    """
    shape = replace(plan.sizes["base"], num_layers=2, vocab_size=1009, dropout=0.0)
    batch = TokenBatches(pairs_like_wmt(60, 1009, 60), max_tokens=600).batch(0)
    exact = Ours(shape)
    exact.load_state_dict(prepare("ours", shape, "cpu")[0].state_dict())
    exact.double()
    expected_logits = exact(batch.src, batch.tgt_in)
    expected = label_smoothed_loss(expected_logits, batch.tgt_out)
    expected.backward()
    gradients = {name: p.grad for name, p in exact.named_parameters()}
    # A shift of all keys changes no attention: the exact gradient of their bias is 0.
    least = 0.01 * statistics.mean(gradient.norm().item() for gradient in gradients.values())
    real = batch.tgt_out != PAD_ID
    rows = []
    for variant in VARIANTS:
        if variant.model != "ours" or not re.search(only, variant.name):
            continue
        runner = Runner(variant, *prepare("ours", shape, plan.device), plan)
        runner.model.in_chunks = False
        there = batch.to(plan.device)
        with precision(variant, plan.device), torch.no_grad():
            logits = runner.model(there.src, there.tgt_in)
        again = variant.recorded and plan.device == "cuda"
        loss = (runner.replay if again else runner.backward)(there)
        weights = runner.model.named_parameters()
        off = {name: relative(p.grad, gradients[name], least) for name, p in weights}
        worst = max(off, key=off.__getitem__)
        row = {
            "variant": variant.name,
            "logits": relative(logits.cpu()[real], expected_logits.detach()[real]),
            "loss": relative(loss, expected.detach()),
            "worst_gradient": off[worst],
            "worst_gradient_of": worst,
        }
        bounds = (0.03, 0.15) if variant.bf16 else (0.005, 0.02) if variant.tf32 else (1e-4, 1e-3)
        far = max(row["logits"], row["loss"]) > bounds[0] or off[worst] > bounds[1]
        if far or not all(map(math.isfinite, off.values())):
            raise RuntimeError(f"{variant.name} is not what float64 computes: {row}")
        rows.append(row)
        print(f"right   {variant.name}: worst gradient {off[worst]:.1e} off ({worst})", flush=True)
    return rows


def measure(
    name: str, plan: Plan, rounds: int, ceiling: dict[str, float], deadline: float, only: str = ""
) -> dict[str, Any]:
    """All variants of one size, in turns; those that would not be ready in time are left out."""
    config, device = plan.sizes[name], plan.device
    pairs = pairs_like_wmt(plan.pairs, config.vocab_size, config.max_len)
    source = TokenBatches(pairs, max_tokens=plan.max_tokens)
    batches = [source.batch(n).to(device) for n in range(plan.num_batches)]
    made: dict[str, Any] = {}
    runners, skipped, memory, ready = [], {}, {}, {}
    for variant in (each for each in VARIANTS if re.search(only, each.name)):
        if time.monotonic() > deadline - (60 if variant.compiled and device == "cuda" else 15):
            skipped[variant.name] = "no time left"
            continue
        start = time.monotonic()
        try:
            if variant.model not in made:
                made[variant.model] = prepare(variant.model, config, device)
            runner = Runner(variant, *made[variant.model], plan)
            first = [runner.step(batch) for batch in batches[:2]]
            if device == "cuda":
                torch.cuda.reset_peak_memory_stats()
            losses = [loss.item() for loss in first + [runner.step(batch) for batch in batches]]
        except (ImportError, RuntimeError) as error:
            skipped[variant.name] = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
            continue
        if not all(map(math.isfinite, losses)):
            raise RuntimeError(f"{name}, {variant.name}: a loss is no number: {losses}")
        if device == "cuda":
            memory[variant.name] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
        ready[variant.name] = round(time.monotonic() - start, 1)
        runners.append(runner)
    times: dict[str, list[float]] = {runner.variant.name: [] for runner in runners}
    for number in range(rounds):
        for runner in runners if number % 2 == 0 else runners[::-1]:
            marks = [clock(device)]
            for batch in batches:
                runner.step(batch)
                marks.append(clock(device))
            wait(device)
            turn = [between(a, b) for a, b in itertools.pairwise(marks)]
            times[runner.variant.name].append(statistics.mean(turn))
    tokens = statistics.mean(batch.num_tokens for batch in batches)
    work = statistics.mean(flops(config, batch) for batch in batches)
    rows = []
    for runner in runners:
        label = runner.variant.name
        ratios = [a / b for a, b in zip(times[label], times["bf16"], strict=True)]
        step = statistics.median(times[label])
        rows.append(
            {
                "variant": label,
                "milliseconds": spread([1000 * t for t in times[label]]),
                "times_ours_bf16": spread(ratios),
                "target_tokens_per_second": round(tokens / step),
                "share_of_bf16_peak": round(work / step / 1e12 / ceiling["bf16_tflops"], 4),
                "peak_memory_gb": memory.get(label),
                "seconds_until_ready": ready[label],
                "hours_for_the_papers_steps": round(PAPER[name]["steps"] * step / 3600, 2),
            }
        )
        print(
            f"{name:5} {label:38} {1000 * step:8.2f} ms, {rows[-1]['share_of_bf16_peak']:.1%} of "
            f"the bf16 peak, {rows[-1]['hours_for_the_papers_steps']} h for the paper's steps",
            flush=True,
        )
    ours = [each for each in runners if each.variant.model == "ours" and not each.variant.recorded]
    return {
        "size": name,
        "config": asdict(config),
        "paper": PAPER[name],
        "parameters": sum(p.numel() for p in made["ours"][0].parameters()),
        "target_tokens": round(tokens),
        "padding_waste": round(padding_waste(batches), 4),
        "tflop_a_step": round(work / 1e12, 4),
        "rounds": rounds,
        "rows": rows,
        "skipped": skipped,
        "tricks": tricks(ours, batches, source, plan),
        "waits_in_a_step": {runner.variant.name: waits(runner, batches[0]) for runner in ours},
    }


def waits(runner: Runner, batch: Batch) -> bool | None:
    """Whether a step makes the processor wait for the device; torch tells, on CUDA alone."""
    if runner.plan.device != "cuda":
        return None
    torch.cuda.set_sync_debug_mode("error")
    try:
        runner.step(batch)
    except RuntimeError:
        return True
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return False


def tricks(
    runners: Sequence[Runner], batches: Sequence[Batch], source: TokenBatches, plan: Plan
) -> list[dict[str, Any]]:
    """What else was tried: how many times as long a step takes without it."""
    device = plan.device
    fastest = next(runner for runner in runners if runner.variant.chunks)

    def turn(after: Callable[[Tensor], object], optimizer: Any = None) -> float:
        kept = fastest.optimizer
        fastest.optimizer = optimizer or kept
        marks = [clock(device)]
        for batch in [*batches, *batches]:
            after(fastest.step(batch))
            marks.append(clock(device))
        wait(device)
        fastest.optimizer = kept
        return statistics.mean(between(a, b) for a, b in itertools.pairwise(marks[2:]))

    usual = turn(lambda loss: None)
    parameters = list(fastest.model.parameters())
    adam = {"betas": (0.9, 0.98), "eps": 1e-9, "lr": 1e-4}
    foreach = torch.optim.Adam(parameters, foreach=True, **adam)
    rng = random.Random(0)
    mixed = rng.sample(range(len(source.pairs)), min(len(source.pairs), 64 * len(batches)))
    shuffled = [
        TokenBatches([source.pairs[i] for i in mixed[n::4]], max_tokens=10**9).batch(0)
        for n in range(4)
    ]
    waste, random_waste = padding_waste(batches), padding_waste(shuffled)
    return [
        {"trick": "no look at the loss after each step", "without": turn(Tensor.item) / usual},
        {
            "trick": "fused Adam, beside foreach",
            "without": turn(lambda loss: None, foreach) / usual,
        },
        {
            "trick": "batches by length, counted in padded positions",
            "without": (1 - waste) / (1 - random_waste),
            "padding": waste,
            "padding_of_random_batches": random_waste,
        },
        {"trick": "packed tokens, not built: at most", "without": 1 / (1 - waste)},
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Everything, one result file."""
    start = time.monotonic()
    parser = Parser(prog="gpu.py", description="Measure the training step on one GPU.")
    parser.add_argument("--smoke", action="store_true", help="on the CPU, at a toy size")
    parser.add_argument(
        "--only", default="", help="the variants whose name this regular expression finds"
    )
    parser.add_argument("--rounds", type=positive, default=4, help="default: 4")
    parser.add_argument("--seconds", type=positive, default=480, help="default: 480")
    parser.add_argument("--out", type=Path, help="default: results/gpu.json")
    args = parser.parse_args(argv)
    if not args.smoke and not torch.cuda.is_available():
        parser.error("no GPU here; --smoke runs the same program on the CPU at a toy size")
    if args.smoke and not args.out:
        parser.error("--smoke needs --out FILE: its numbers are no result")
    if shutil.which("git") is None:
        record.commit = lambda: "unknown"
    if not hasattr(torch.cpu, "get_capabilities"):  # an older torch
        torch.cpu.get_capabilities = dict
    plan = SMOKE if args.smoke else ON_GPU
    torch.manual_seed(0)
    found: dict[str, Any] = {"smoke": args.smoke, "seed": 0, "ceilings": ceilings(plan)}
    print(found["ceilings"], flush=True)
    failed = None
    try:
        found["checked_against_float64"] = check(plan, args.only)
        found["sizes"] = []
        for share, name in ((0.5, "base"), (1.0, "big")):
            deadline = start + share * args.seconds
            limits = found["ceilings"], deadline, args.only
            size = measure(name, plan, args.rounds, *limits)
            found["sizes"].append(size)
            if plan.device == "cuda":
                torch.cuda.empty_cache()
    except RuntimeError as error:
        failed = found["failed"] = str(error)
    found["seconds"] = round(time.monotonic() - start, 1)
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "gpu",
        "training step of base and big on one GPU, forward to Adam, in alternated rounds",
        [" ".join(["python benchmarks/gpu.py", *(sys.argv[1:] if argv is None else argv)])],
        **found,
    )
    print(path)
    if failed:
        print(f"gpu.py: error: {failed}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
