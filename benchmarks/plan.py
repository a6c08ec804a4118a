"""Arithmetic of a full-size training: prints the tables of SCALING.md. Nothing here is measured.

python benchmarks/plan.py
"""

from dataclasses import dataclass

import torch

from transformer_course.commands.record import no_options
from transformer_course.model import BASE, BIG, Transformer, TransformerConfig

TOKENS = 25_000  # of each side in a batch (section 5.1)
LENGTH = 27  # mean tokens of a WMT 2014 sentence: 4.5 million pairs make about 5,000 batches
PAIRS = 4_500_000
PEAK = 989e12  # bf16 multiply-adds of an H200, dense, twice the number (its data sheet)
SHARE = {"base": 0.40, "big": 0.50}  # of that peak: an assumption, to be replaced by a measurement
LINKS = {"NVLink": 450e9, "PCIe 5": 50e9, "100 Gbit Ethernet": 12.5e9}  # bytes/s, one direction
PAPER = {"base": (100_000, 12.0), "big": (300_000, 84.0)}  # steps, hours on 8 P100 (section 5.2)


@dataclass
class Plan:
    """What one step of a model costs."""

    config: TransformerConfig
    share: float

    def flops(self) -> float:
        """Of one step: two for each multiply-add, three times for forward and backward."""
        d, f, n = self.config.d_model, self.config.d_ff, self.config.num_layers
        source = n * (4 * d * d + 2 * d * f + 2 * d * d)  # encoder layer; keys, values of memory
        target = n * (4 * d * d + 2 * d * d + 2 * d * f) + d * self.config.vocab_size
        scores = n * 3 * 2 * LENGTH * d  # three attentions: scores, and the mixing of values
        return 3 * 2 * TOKENS * (source + target + scores)

    def parameters(self) -> int:
        with torch.device("meta"):  # sizes without numbers
            return Transformer(self.config).num_parameters()

    def compute(self, devices: int) -> float:
        """Seconds of a step on each device, with the batch split evenly."""
        return self.flops() / (PEAK * self.share) / devices

    def exchange(self, devices: int, link: str) -> float:
        """Seconds of a ring all-reduce of float32 gradients (Patarasuk and Yuan 2009)."""
        return 2 * (devices - 1) / devices * 4 * self.parameters() / LINKS[link]

    def state_gb(self) -> float:
        """Weights, gradients and Adam's two moments in float32."""
        return 16 * self.parameters() / 1e9

    def logits_gb(self) -> float:
        """The scores of one batch over the whole vocabulary, once, in float32."""
        return 4 * TOKENS * self.config.vocab_size / 1e9


def table(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tables() -> str:
    """Both tables as Markdown."""
    plans = {name: Plan(config, SHARE[name]) for name, config in (("base", BASE), ("big", BIG))}
    costs = [["model", "parameters", "TFLOP a step", "state", "logits of a batch"]]
    times = [["model", "H200s", "compute a step", *LINKS, "hours", "the paper, 8 P100"]]
    for name, plan in plans.items():
        million = f"{plan.parameters() / 1e6:.1f}M"
        tera = f"{plan.flops() / 1e12:.1f}"
        costs.append(
            [name, million, tera, f"{plan.state_gb():.1f} GB", f"{plan.logits_gb():.1f} GB"]
        )
        steps, paper = PAPER[name]
        for devices in (1, 8):
            sent = ["-" for _ in LINKS]
            if devices > 1:
                sent = [f"{1000 * plan.exchange(devices, link):.1f} ms" for link in LINKS]
            hours = steps * plan.compute(devices) / 3600
            compute = f"{1000 * plan.compute(devices):.1f} ms"
            row = [name, str(devices), compute, *sent, f"{hours:.2f}", f"{paper:.0f} h"]
            times.append(row)
    return f"{table(costs)}\n\n{table(times)}\n"


if __name__ == "__main__":
    no_options(__doc__)
    print(tables())
