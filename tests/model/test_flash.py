import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from transformer_course.model import attention, causal_mask, padding_mask
from transformer_course.model.flash import tiled_attention

IDS = torch.tensor([[5] * 11, [5] * 4 + [0] * 7])
MASKS = {
    "none": None,
    "causal": causal_mask(11),
    "padding": padding_mask(IDS),
    "both": causal_mask(11) & padding_mask(IDS),
    "first tile hidden": (torch.arange(11) > 6)[None],
    "every second key": (torch.arange(11) % 2 == 0)[None],
}
masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())


def inputs(scale: float = 1.0) -> tuple[torch.Tensor, ...]:
    query, key = torch.randn(2, 2, 3, 11, 6, dtype=torch.float64).unbind()
    return query * scale, key, torch.randn(2, 3, 11, 7, dtype=torch.float64)


@masks
@pytest.mark.parametrize("tile", [1, 3, 4, 11, 64])
def test_tile_by_tile_gives_the_exact_mixture(mask, tile):
    for scale in (1.0, 300.0):  # scores of some hundreds, in any order
        q, k, v = inputs(scale)
        assert_close(tiled_attention(q, k, v, mask, tile=tile), attention(q, k, v, mask)[0])


@masks
def test_its_gradient_is_the_exact_one(mask):
    tensors = [tensor.requires_grad_() for tensor in inputs(3.0)]
    out = torch.randn(2, 3, 11, 7, dtype=torch.float64)
    tiled = torch.autograd.grad(tiled_attention(*tensors, mask, tile=4), tensors, out)
    exact = torch.autograd.grad(attention(*tensors, mask)[0], tensors, out)
    assert_close(tiled, exact)


def test_queries_and_keys_may_differ_in_number():
    q, k, v = inputs()
    expected = attention(q[..., :5, :], k, v, causal_mask(11)[:5])[0]
    assert_close(tiled_attention(q[..., :5, :], k, v, causal_mask(11)[:5], tile=4), expected)
    assert_close(tiled_attention(q[0, 0], k[0, 0], v[0, 0], tile=4), attention(q, k, v)[0][0, 0])


def test_scores_too_large_for_exp_do_not_overflow():
    q, k, v = (tensor.float() for tensor in inputs(1e4))
    assert tiled_attention(q, k, v, tile=4).isfinite().all()


def test_a_row_with_every_key_masked_is_nan_as_in_attention():
    q, k, v = inputs()
    mask = causal_mask(11)
    mask[2] = False
    mixed = tiled_attention(q, k, v, mask, tile=4)
    assert mixed[..., 2, :].isnan().all()
    assert_close(mixed, attention(q, k, v, mask)[0], equal_nan=True)


class LargestTensor(TorchDispatchMode):
    """Watches every operation, and keeps the number of elements of its largest result."""

    def __init__(self):
        super().__init__()
        self.numel = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.dtype != torch.bool:
            self.numel = max(self.numel, result.numel())
        return result


def test_the_matrix_of_scores_never_exists():
    q, k, v = torch.randn(3, 256, 8).unbind()
    with LargestTensor() as tiled:
        tiled_attention(q, k, v, tile=16)
    with LargestTensor() as exact:
        attention(q, k, v)
    assert exact.numel == 256 * 256
    assert tiled.numel == 256 * 8  # the inputs and the output are the largest


def test_no_query_has_no_mixture():
    q, k, v = inputs()
    mixed = tiled_attention(q[..., :0, :], k, v, causal_mask(11)[:0], tile=4)
    assert mixed.shape == attention(q[..., :0, :], k, v)[0].shape == (2, 3, 0, 7)
