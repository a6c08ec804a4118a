"""Go on training a run until two passes that dropout thins differently agree (R-Drop).

    python benchmarks/agreement.py runs/mixture runs/agreed --steps 8000 --seed 1

Each batch goes through the model twice. Beside the loss of section 5.4, the mean of both passes,
the two distributions of each token are drawn together by their symmetric Kullback-Leibler
divergence (Liang et al. 2021, "R-Drop: Regularized Dropout for Neural Networks"). The rate climbs
to its peak and falls in a straight line. Begins with the weights of the first run, or goes on with
the second.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from carried import training as training_of
from jaxtyping import Float, Int
from torch import Tensor

from transformer_course.data import PAD_ID, Batch, TokenBatches, load_pairs
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint
from transformer_course.training.loop import make_optimizer, seed_step
from transformer_course.training.runs import step_of

CHUNK = 128  # tokens whose logits stay in the cache
WARMUP, LEAST = 300, 0.02  # steps of the climb; the last rate, of the peak


def agreeing_loss(
    states: Float[Tensor, "twice d_model"],
    weight: Float[Tensor, "vocab_size d_model"],
    targets: Int[Tensor, " tokens"],
    smoothing: float,
    agreement: float,
) -> tuple[float, float, Tensor, Tensor]:
    """Loss and divergence in nats a token, and the gradients by the states and by the matrix.

    The states of the first pass stand before those of the second. What is differentiated is the
    loss plus agreement / 2 times the divergence, (KL(a, b) + KL(b, a)) / 2.
    """
    count, size = len(targets), len(weight)
    by_states, by_weight = torch.empty_like(states), torch.zeros_like(weight)
    dtype = torch.bfloat16 if states.dtype == torch.bfloat16 else weight.dtype
    matrix, loss, divergence = weight.to(dtype), 0.0, 0.0
    for first in range(0, count, CHUNK):
        true = targets[first : first + CHUNK, None]
        rows = [slice(at + first, at + first + len(true)) for at in (0, count)]
        logits = [(states[row].to(dtype) @ matrix.T).to(weight.dtype) for row in rows]
        logs = [each - each.logsumexp(1, keepdim=True) for each in logits]
        a, b = (each.exp() for each in logs)
        apart, differ = logs[0] - logs[1], a - b
        ab, ba = (a * apart).sum(1, keepdim=True), -(b * apart).sum(1, keepdim=True)
        divergence += (ab + ba).sum().item() / 2
        drawn = ((apart - ab) * a + differ, (-apart - ba) * b - differ)
        for row, log, p, pull in zip(rows, logs, (a, b), drawn, strict=True):
            loss -= (1 - smoothing) * log.gather(1, true).sum().item()
            loss -= smoothing / size * log.sum().item()
            by_logits = (p - smoothing / size) / (2 * count) + pull * agreement / (4 * count)
            by_logits.scatter_add_(1, true, p.new_full(true.shape, (smoothing - 1) / (2 * count)))
            by_logits = by_logits.to(dtype)
            by_states[row] = (by_logits @ matrix).to(states.dtype)
            by_weight += (by_logits.T @ states[row].to(dtype)).to(weight.dtype)
    return loss / (2 * count), divergence / count, by_states, by_weight


def step(
    model: Transformer, batch: Batch, smoothing: float, agreement: float, precision: str
) -> tuple[float, float]:
    """Put the gradients of a batch into the model; its loss and divergence."""
    src, tgt_in, tgt_out = (torch.cat([x, x]) for x in (batch.src, batch.tgt_in, batch.tgt_out))
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        states = model.states(src, tgt_in)[tgt_out != PAD_ID]
    targets = batch.tgt_out[batch.tgt_out != PAD_ID]
    weight = model.embedding.weight
    held = states.detach().to(torch.bfloat16 if precision == "bf16" else states.dtype)
    *figures, by_states, by_weight = agreeing_loss(
        held, weight.detach(), targets, smoothing, agreement
    )
    weight.grad = by_weight
    states.backward(by_states.to(states.dtype))
    return figures[0], figures[1]


def train(begun: Run, folder: Path, args: argparse.Namespace) -> None:
    """Take the steps that are missing; log and checkpoints are those of any run."""
    run = Run.open(folder) if folder.exists() else Run.create(folder, begun.config, begun.tokenizer)
    asked = {name: getattr(args, name) for name in ("agreement", "peak", "steps", "seed")}
    (folder / "agreement.json").write_text(json.dumps(asked | {"before": training_of(begun)}))
    found = run.checkpoints()
    model = checkpoint.load(found[-1] if found else begun.weights()).train()
    optimizer = make_optimizer(model)
    done = step_of(found[-1]) if found else 0
    if found:
        checkpoint.restore_training(found[-1], model, optimizer)
    training = run.config.training
    batches = TokenBatches(
        run.tokenizer.encode_pairs(load_pairs(run.config.data, "train")),
        max_tokens=training.max_tokens,
        seed=args.seed,
        max_len=run.config.model.max_len,
    )
    start, lines = time.perf_counter(), []
    for number, batch in enumerate(batches.starting_at(done), start=done + 1):
        if number > args.steps:
            break
        falls = max(LEAST, 1 - number / args.steps)
        optimizer.param_groups[0]["lr"] = rate = args.peak * min(1, number / WARMUP) * falls
        optimizer.zero_grad(set_to_none=True)
        seed_step(args.seed, number, 0, torch.device("cpu"))
        figures = step(model, batch, training.label_smoothing, args.agreement, training.precision)
        optimizer.step()
        seconds = round(time.perf_counter() - start, 1)
        lines.append(dict(zip(("loss", "divergence"), figures, strict=True)))
        lines[-1] |= {"step": number, "rate": rate, "tokens": batch.num_tokens, "seconds": seconds}
        if number % 1000 == 0 or number == args.steps:
            run.append("log.jsonl", *lines)
            checkpoint.save(folder / f"step-{number:06d}", model, optimizer)
            mean = sum(line["loss"] for line in lines) / len(lines)
            print(f"step {number}: loss {mean:.3f}, {seconds / 60:.0f} minutes", flush=True)
            lines = []


def main(argv: Sequence[str] | None = None) -> int:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="the run to begin with")
    parser.add_argument("out", type=Path, help="the run to make, or to go on with")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--agreement", type=float, default=3.0, help="weight of the divergence")
    parser.add_argument("--peak", type=float, default=8e-4, help="the largest learning rate")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    train(Run.open(args.run), args.out, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
