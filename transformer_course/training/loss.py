"""The label-smoothed loss of section 5.4: from logits, and in little memory from states."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_course.data import PAD_ID


def label_smoothed_loss(
    logits: Float[Tensor, "batch tgt_len vocab_size"],
    tgt_out: Int[Tensor, "batch tgt_len"],
    smoothing: float = 0.1,
    num_tokens: int | None = None,
) -> Float[Tensor, ""]:
    """Cross-entropy against a target that keeps `smoothing` for all tokens alike (section 5.4).

    As Szegedy et al. 2016: the true token gets 1 - smoothing + smoothing / vocab_size. The mean is
    over the tokens that are no padding, or over `num_tokens` for a part of a larger batch.
    """
    logits, tgt_out = logits.flatten(0, 1), tgt_out.flatten()
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))  # 16 bits overflow
    total = nn.functional.cross_entropy(
        logits, tgt_out, ignore_index=PAD_ID, label_smoothing=smoothing, reduction="sum"
    )
    return total / (num_tokens or (tgt_out != PAD_ID).sum().clamp(min=1))


class _ChunkedLoss(torch.autograd.Function):
    """The loss and both its gradients, computed together while the logits of a chunk are at hand.

    The gradient of cross-entropy by the logits is softmax - target, and the target holds
    smoothing / V for every token, 1 - smoothing more for the true one.
    """

    @staticmethod
    def forward(ctx, states, weight, tgt_out, share, smoothing, chunk):  # type: ignore[override]
        device, dtype = states.device.type, weight.dtype
        if torch.is_autocast_enabled(device):
            dtype = torch.get_autocast_dtype(device)
        x, matrix, even = states.to(dtype), weight.to(dtype), smoothing / len(weight)
        weighted = share[:, None] * states
        by_x, by_weight = torch.empty_like(weighted), torch.zeros_like(weight)
        loss = share.new_zeros(())
        # Every chunk writes into the same two tables: fresh memory costs more than the sums in it.
        size = min(chunk, len(x)), len(weight)
        products, scores = x.new_empty(size), share.new_empty(size)
        with torch.autocast(device, enabled=False):
            for first in range(0, len(x), chunk):
                rows = slice(first, first + chunk)
                true, part = tgt_out[rows, None], share[rows, None]
                product = torch.mm(x[rows], matrix.T, out=products[: len(true)])
                logits = scores[: len(true)].copy_(product)
                top, wanted = logits.amax(1, keepdim=True), logits.gather(1, true)
                p = torch.softmax(logits, -1, out=logits if device == "cpu" else None)
                log_sum = top - p.amax(1, keepdim=True).log()  # of the exponentials, by row
                loss += (part * (log_sum - (1 - smoothing) * wanted)).sum()
                p.sub_(even).scatter_add_(1, true, torch.full_like(part, smoothing - 1))
                too_much = product.copy_(p)
                by_x[rows] = part * (too_much @ matrix)
                by_weight += too_much.T @ weighted[rows].to(dtype)
        # The target holds `even` for every token: the sum of its logits needs no table.
        loss -= even * (weighted.sum(0) * weight.sum(0)).sum()
        ctx.save_for_backward(by_x.to(states.dtype), by_weight)
        return loss

    @staticmethod
    def backward(ctx, by_loss):  # type: ignore[override]
        if torch.is_grad_enabled():  # by create_graph=True: these are numbers, without a graph
            raise RuntimeError("chunked_loss has no second derivative: use label_smoothed_loss")
        by_states, by_weight = ctx.saved_tensors
        return by_states * by_loss, by_weight * by_loss, None, None, None, None


def chunked_loss(
    states: Float[Tensor, "batch tgt_len d_model"],
    weight: Float[Tensor, "vocab_size d_model"],
    tgt_out: Int[Tensor, "batch tgt_len"],
    smoothing: float = 0.1,
    num_tokens: int | None = None,
    chunk: int | None = None,
) -> Float[Tensor, ""]:
    """`label_smoothed_loss(states @ weight.T, ...)`, holding the logits of a chunk of tokens only.

    Both gradients come out of the forward pass, so call it only where they are wanted. The default
    chunk is small on a CPU, for its cache, but not so small that adding up the matrix's gradient
    chunk by chunk costs more than the products; elsewhere it keeps the device busy.
    """
    chunk = chunk or (min(4 * weight.size(1), 1024) if states.device.type == "cpu" else 4096)
    real = tgt_out != PAD_ID
    share = real.to(torch.promote_types(states.dtype, torch.float32))
    share = share / (num_tokens or real.sum().clamp(min=1))
    if states.device.type == "cpu":  # elsewhere, to count what is left would wait for the device
        states, tgt_out, share = states[real], tgt_out[real], share[real]
    rows = states.flatten(0, -2), weight, tgt_out.flatten(), share.flatten()
    return _ChunkedLoss.apply(*rows, smoothing, chunk)
