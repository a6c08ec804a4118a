"""Teaching the model, one step after another (section 5)."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_course.data import Batch
from transformer_course.model import Transformer
from transformer_course.training import distributed
from transformer_course.training.loss import chunked_loss
from transformer_course.training.schedule import TrainingConfig, learning_rate


@dataclass(frozen=True)
class Step:
    """What one update did; `loss` is the mean over the target tokens, padding not counted."""

    number: int
    loss: float  # nats a token
    rate: float
    num_tokens: int


def make_optimizer(model: nn.Module) -> torch.optim.Adam:
    """Adam with the paper's constants (section 5.3); the rate is set anew at every step."""
    return torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


class PartLoss(nn.Module):
    """The label-smoothed loss of a part of a batch, as one module that processes can share."""

    def __init__(self, model: Transformer, smoothing: float, compile: bool = False):
        super().__init__()
        self.model, self.smoothing = model, smoothing
        self.states = torch.compile(model.states) if compile else model.states

    def forward(
        self,
        src: Int[Tensor, "batch src_len"],
        tgt_in: Int[Tensor, "batch tgt_len"],
        tgt_out: Int[Tensor, "batch tgt_len"],
        num_tokens: int,
    ) -> Float[Tensor, ""]:
        """This part's share of the loss of a batch with `num_tokens` tokens to predict."""
        states = self.states(src, tgt_in)
        weight = self.model.embedding.weight
        return chunked_loss(states, weight, tgt_out, self.smoothing, num_tokens)


def train(
    model: Transformer,
    batches: Iterable[Batch],
    config: TrainingConfig,
    optimizer: torch.optim.Optimizer | None = None,
    first_step: int = 1,
    accumulate: int = 1,
    compile: bool = False,
) -> Iterator[Step]:
    """Update the model once for each batch, and yield what happened; stop whenever you like.

    Going on later needs the same optimizer, the next batches and the next `first_step`. Under
    `torchrun` each process works on its part of every batch; `accumulate` cuts that part once
    more, into passes that need less memory. Without dropout neither changes the losses, but for
    rounding; which numbers dropout drops depends on both.

    Raises:
        FloatingPointError: if the loss is no longer finite; that step changes no weight.
    """
    optimizer = optimizer or make_optimizer(model)
    device = model.embedding.weight.device
    rank, world = distributed.rank(), distributed.world_size()
    parallel = distributed.parallel(PartLoss(model, config.label_smoothing, compile))
    for number, batch in enumerate(batches, start=first_step):
        if not model.training:  # who looks at the model between two steps may leave it so
            model.train()
        seed_step(config.seed, number, rank, device)
        rate = learning_rate(number, model.config.d_model, config)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=device)
        for place in range(rank, world * accumulate, world):
            part = batch.part(place, world * accumulate).to(device)
            with torch.autocast(device.type, torch.bfloat16, enabled=config.precision == "bf16"):
                share = parallel(part.src, part.tgt_in, part.tgt_out, batch.num_tokens)
            more_follow = place + world < world * accumulate
            with distributed.without_exchange(parallel, more_follow):
                (share * world).backward()  # gradients become the mean over the processes
            loss = loss + share.detach()
        mean = distributed.total(loss).item()
        if not math.isfinite(mean):
            raise FloatingPointError(
                f"the loss of step {number} is {mean}, not a finite number: "
                f"lower rate_factor={config.rate_factor} or raise warmup={config.warmup}"
            )
        optimizer.step()
        yield Step(number, mean, rate, batch.num_tokens)


def seed_step(seed: int, number: int, rank: int, device: torch.device) -> None:
    """Make the dropout of a step depend on nothing that came before it."""
    state = int(np.random.SeedSequence([seed, number, rank]).generate_state(1)[0])
    if device.type == "cpu":  # torch.manual_seed asks every kind of device, in 0.2 ms
        torch.default_generator.manual_seed(state)
    else:
        torch.manual_seed(state)
