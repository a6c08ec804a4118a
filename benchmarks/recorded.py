"""Training from a table of pairs; on a GPU each step is the replay of a recording.

A step of a small model is a thousand kernels of a few microseconds each: Python cannot start them
as fast as the card ends them. So the step is recorded once for each width of batch, as a CUDA
graph, and replayed. Several trainings can take turns on one card, each on a stream of its own.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from transformer_course.data import EOS_ID, PAD_ID, TokenBatches
from transformer_course.data.batching import make_batch
from transformer_course.model import Transformer
from transformer_course.training.loop import make_optimizer

WIDTH = 8  # batches are padded to a multiple of this
Pairs = Sequence[tuple[list[int], list[int]]]


def round_up(length: int) -> int:
    """To the next multiple of WIDTH."""
    return -(-length // WIDTH) * WIDTH


def table(pairs: Pairs, device: torch.device) -> tuple[Tensor, ...]:
    """What encoder and decoder read and what they should say, a row for each pair.

    One row more predicts nothing: it fills batches up.
    """
    whole = make_batch(pairs)
    filler = torch.tensor([[EOS_ID]])
    columns = round_up(max(whole.src.size(1), whole.tgt_in.size(1)))
    wide = [
        torch.cat([pad(ids, (0, columns - ids.size(1)), value=PAD_ID) for ids in side])
        for side in (
            (whole.src, filler),
            (whole.tgt_in, filler),
            (whole.tgt_out, torch.full_like(filler, PAD_ID)),
        )
    ]
    return tuple(ids.to(device) for ids in wide)


@dataclass(frozen=True)
class Plan:
    """For each step the rows of its pairs, its width and how many tokens it predicts."""

    rows: Tensor  # (steps, the most rows), int64; filled up with the row that predicts nothing
    widths: list[int]
    tokens: list[int]
    sizes: dict[int, int]  # for each width, the widest first, how many rows a batch has at most


def plan_steps(pairs: Pairs, steps: int, max_tokens: int, seed: int) -> Plan:
    """The batches of `TokenBatches`, as rows of the table of these pairs."""
    batches = TokenBatches(pairs, max_tokens=max_tokens, seed=seed, max_len=max_tokens)
    rows = [torch.from_numpy(batches.indices(number)) for number in range(steps)]
    lengths = torch.from_numpy(batches.pairs.lengths) + 1
    widths = [round_up(int(lengths[each].max())) for each in rows]
    tokens = [int(lengths[each, 1].sum()) for each in rows]
    sizes = {width: 0 for width in sorted(set(widths), reverse=True)}
    for width, each in zip(widths, rows, strict=True):
        sizes[width] = max(sizes[width], len(each))
    filled = torch.full((steps, max(sizes.values())), len(pairs))
    for number, each in enumerate(rows):
        filled[number, : len(each)] = each
    return Plan(filled, widths, tokens, sizes)


class Recorded:
    """The training of one model, a step at a time, on a stream of its own.

    `loss` gets rows of the table and a width, and returns the sum over the tokens to predict.
    """

    def __init__(
        self,
        model: Transformer,
        loss: Callable[[Tensor, int], Tensor],
        plan: Plan,
        *,
        seed: int,
        precision: str,
    ):
        self.model, self.loss, self.plan = model.train(), loss, plan
        self.seed, self.half = seed, precision == "bf16"
        self.device = device = model.embedding.weight.device
        self.on_gpu = device.type == "cuda"
        self.optimizer = make_optimizer(model)
        self.rate, self.share = torch.zeros((), device=device), torch.ones((), device=device)
        for group in self.optimizer.param_groups:
            group["lr"], group["capturable"] = self.rate, self.on_gpu
        self.rows = plan.rows.to(device)
        self.losses = torch.full((len(plan.rows),), math.nan, device=device)
        self.last = torch.zeros((), device=device)
        self.filled = {width: self.rows[0, :size].clone() for width, size in plan.sizes.items()}
        self.step = 0
        self.graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self.stream = torch.cuda.Stream(device) if self.on_gpu else None
        if self.stream:
            self.stream.wait_stream(torch.cuda.current_stream(device))
            with torch.cuda.stream(self.stream):
                self.record_all()

    def record_all(self) -> None:
        """Record the step for every width, with random numbers of this training's own."""
        default = torch.cuda.default_generators[self.device.index or 0]
        before, own = default.graphsafe_get_state(), default.clone_state()
        own.manual_seed(self.seed)
        default.graphsafe_set_state(own)
        for width in self.plan.sizes:  # at a rate of 0: whatever is made once is made now
            self.update(width)
        for state in self.optimizer.state.values():
            for value in state.values():
                value.zero_()
        self.stream.synchronize()
        pool = torch.cuda.graph_pool_handle()
        for width in self.plan.sizes:
            self.optimizer.zero_grad(set_to_none=True)
            graph = self.graphs[width] = torch.cuda.CUDAGraph()
            graph.capture_begin(pool=pool, capture_error_mode="thread_local")
            self.update(width)
            graph.capture_end()
        self.optimizer.zero_grad(set_to_none=True)
        default.graphsafe_set_state(before)

    def update(self, width: int) -> None:
        """One step on the pairs whose rows stand in `filled`."""
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            loss = self.loss(self.filled[width], width) * self.share
        loss.backward()
        self.optimizer.step()
        self.last.copy_(loss.detach())

    def take(self, rate: float) -> None:
        """Start the next step; nothing here waits for it."""
        width = self.plan.widths[self.step]
        with torch.cuda.stream(self.stream):
            self.filled[width].copy_(self.rows[self.step, : self.plan.sizes[width]])
            self.rate.fill_(rate)
            self.share.fill_(1 / self.plan.tokens[self.step])
            if self.on_gpu:
                self.graphs[width].replay()
            else:
                self.update(width)
            self.losses[self.step].copy_(self.last)
        self.step += 1
        if self.step % 64 == 0:  # or thousands of steps wait on the card
            self.wait()

    def wait(self) -> None:
        """Until the last step that was started is done."""
        if self.stream:
            self.stream.synchronize()
