"""How far each way to tell positions carries beyond the length it was trained at (section 3.5).

A small language model (a decoder without a source) learns the phrasebook's German, sentence after
sentence, in windows of 64 tokens. Then it reads windows four times as long, and its loss is taken
by position. Positions beyond 64 were never seen in training.

Example: python benchmarks/positions.py --steps 1000 --seeds 3
"""

from __future__ import annotations

import argparse
import statistics
import sys

import torch
import torch.nn.functional as F

from transformer_course.commands import record
from transformer_course.data import EOS_ID, Tokenizer
from transformer_course.data.phrasebook import generate
from transformer_course.model import CHOICES, DecoderOnly, TransformerConfig

TRAINED, LONGEST, BATCH = 64, 256, 16
BANDS = ((32, 64), (64, 96), (96, 128), (128, 192), (192, 256))


def stream(split: str, sentences: int, tokenizer: Tokenizer) -> torch.Tensor:
    """The German sentences of a split as one row of tokens, each with its end."""
    ids = [[*tokenizer.encode(each.german), EOS_ID] for each in generate(split, sentences)]
    return torch.tensor([token for sentence in ids for token in sentence])


def windows(tokens: torch.Tensor, length: int, count: int, seed: int) -> torch.Tensor:
    """Windows of a length, and the token after each, from random places."""
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(tokens) - length - 1, (count, 1), generator=generator)
    return tokens[starts + torch.arange(length + 1)]


def losses(model: DecoderOnly, rows: torch.Tensor) -> torch.Tensor:
    """The loss at each place of each window, in nats."""
    logits = model(rows[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none")


def measure(
    scheme: str, seed: int, steps: int, text: dict[str, torch.Tensor], size: int
) -> list[float]:
    """Train one model, and give its loss in each band of positions."""
    torch.manual_seed(seed)
    config = TransformerConfig(
        vocab_size=size,
        d_model=64,
        num_heads=4,
        d_ff=256,
        num_layers=2,
        dropout=0.0,
        max_len=LONGEST,
        norm_placement="pre",
        positions=scheme,
    )
    model = DecoderOnly(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    for step in range(steps):
        loss = losses(model, windows(text["train"], TRAINED, BATCH, seed * steps + step)).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()
    with torch.no_grad():
        by_place = losses(model, windows(text["test"], LONGEST, 100, 0)).mean(dim=0)
    return [by_place[first:last].mean().item() for first, last in BANDS]


def main() -> int:
    """Train every scheme with every seed, and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    tokenizer = Tokenizer.train((p.german for p in generate("train", 5000)), vocab_size=500)
    text = {
        "train": stream("train", 20_000, tokenizer),
        "test": stream("test", 4000, tokenizer),
    }
    rows = {}
    for scheme in CHOICES["positions"]:
        runs = [
            measure(scheme, seed, arguments.steps, text, len(tokenizer))
            for seed in range(arguments.seeds)
        ]
        rows[scheme] = {
            "loss": [round(statistics.mean(band), 3) for band in zip(*runs, strict=True)],
            "lowest": [round(min(band), 3) for band in zip(*runs, strict=True)],
            "highest": [round(max(band), 3) for band in zip(*runs, strict=True)],
        }
        print(f"{scheme:11} {rows[scheme]['loss']}", flush=True)
    path = record.write(
        "positions",
        "loss of a small language model by position, trained on windows of 64 tokens (nats)",
        [f"python benchmarks/positions.py --steps {arguments.steps} --seeds {arguments.seeds}"],
        trained_length=TRAINED,
        bands=BANDS,
        seeds=arguments.seeds,
        schemes=rows,
    )
    print(path.relative_to(record.ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
