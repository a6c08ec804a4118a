import pytest
import torch
from torch.nn.functional import linear
from torch.testing import assert_close

from transformer_course.data import PAD_ID
from transformer_course.training import chunked_loss, label_smoothed_loss


def test_label_smoothing_is_cross_entropy_against_a_softened_distribution():
    logits, tgt = torch.randn(2, 3, 13), torch.tensor([[4, 5, 6], [7, 8, PAD_ID]])
    soft = torch.full((2, 3, 13), 0.1 / 13)
    soft.scatter_add_(-1, tgt[..., None], torch.full((2, 3, 1), 0.9))
    by_hand = -(soft * logits.log_softmax(-1)).sum(-1)[tgt != PAD_ID].mean()
    assert_close(label_smoothed_loss(logits, tgt, 0.1), by_hand)


def test_padding_has_no_part_in_the_loss():
    logits, tgt = torch.randn(1, 3, 13), torch.tensor([[4, 5, PAD_ID]])
    other = logits.clone()
    other[0, 2] = torch.randn(13)
    assert_close(label_smoothed_loss(logits, tgt), label_smoothed_loss(other, tgt))
    assert_close(label_smoothed_loss(logits, tgt), label_smoothed_loss(logits[:, :2], tgt[:, :2]))


def test_smoothing_makes_certainty_cost_something():
    certain = torch.zeros(1, 1, 13)
    certain[0, 0, 4] = 50.0
    tgt = torch.tensor([[4]])
    assert label_smoothed_loss(certain, tgt, 0.0) < 1e-6
    assert label_smoothed_loss(certain, tgt, 0.1) > 1


def example(dtype=torch.float64):
    states = torch.randn(3, 7, 5, dtype=dtype, requires_grad=True)
    weight = torch.randn(13, 5, dtype=dtype, requires_grad=True)
    tgt_out = torch.randint(3, 13, (3, 7))
    tgt_out[0, 4:] = tgt_out[2, 6:] = PAD_ID
    return states, weight, tgt_out


def plain(states, weight, tgt_out, *options):
    return label_smoothed_loss(linear(states, weight), tgt_out, *options)


@pytest.mark.parametrize("chunk", [1, 4, 17, 512])
@pytest.mark.parametrize("options", [(0.1,), (0.0,), (0.3, 29)])
def test_the_loss_in_chunks_is_the_loss_and_has_its_gradients(chunk, options):
    states, weight, tgt_out = example()
    expected, found = (
        plain(states, weight, tgt_out, *options),
        chunked_loss(states, weight, tgt_out, *options, chunk=chunk),
    )
    assert_close(found, expected)
    by = [torch.autograd.grad(3 * loss, [states, weight]) for loss in (found, expected)]
    assert_close(*by)


def test_its_gradients_are_those_of_finite_differences():
    states, weight, tgt_out = example()
    assert torch.autograd.gradcheck(
        lambda x, w: chunked_loss(x, w, tgt_out, chunk=4), (states, weight)
    )


def test_padding_has_no_part_in_it():
    states, weight, tgt_out = example()
    by_states = torch.autograd.grad(chunked_loss(states, weight, tgt_out), states)[0]
    assert_close(by_states[tgt_out == PAD_ID], torch.zeros(4, 5, dtype=torch.float64))
    assert by_states[tgt_out != PAD_ID].abs().amin() > 0


def test_a_batch_of_padding_alone_adds_nothing_to_a_larger_one():
    states, weight, tgt_out = example()
    loss = chunked_loss(states, weight, torch.full_like(tgt_out, PAD_ID), num_tokens=29)
    assert_close(loss, loss.new_zeros(()))
    loss.backward()
    assert_close(weight.grad, torch.zeros_like(weight))


def test_under_autocast_it_is_as_near_as_the_plain_loss():
    states, weight, tgt_out = example(torch.float32)
    exact = plain(states.double(), weight.double(), tgt_out)
    with torch.autocast("cpu", torch.bfloat16):
        losses = chunked_loss(states, weight, tgt_out), plain(states, weight, tgt_out)
    for loss in losses:
        assert loss.dtype == torch.float32
        assert_close(loss.double(), exact, rtol=0.01, atol=0.0)
        grads = torch.autograd.grad(loss, [states, weight])
        expected = torch.autograd.grad(exact, [states, weight], retain_graph=True)
        for found, wanted in zip(grads, expected, strict=True):
            assert (found - wanted).norm() < 0.02 * wanted.norm()


def test_a_model_of_16_bits_without_autocast_has_it_too():
    states, weight, tgt_out = example(torch.bfloat16)
    exact = plain(states.double(), weight.double(), tgt_out)
    loss = chunked_loss(states, weight, tgt_out)
    assert_close(loss.double(), exact, rtol=0.01, atol=0.0)
    for found in torch.autograd.grad(loss, [states, weight]):
        assert found.dtype == torch.bfloat16


def test_it_never_holds_the_logits_of_more_tokens_than_a_chunk():
    """Of 64 tokens and 997 words, no tensor of more than 8 x 997 numbers is made."""
    sizes = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            sizes.append(out.numel() if isinstance(out, torch.Tensor) else 0)
            return out

    states = torch.randn(4, 16, 5, requires_grad=True)
    weight = torch.randn(997, 5, requires_grad=True)
    with Watch():
        chunked_loss(states, weight, torch.randint(3, 997, (4, 16)), chunk=8).backward()
    assert max(sizes) == 8 * 997


def test_half_precision_does_not_overflow():
    logits, tgt = torch.randn(64, 64, 37), torch.randint(3, 37, (64, 64))
    for dtype in (torch.float16, torch.bfloat16):
        loss = label_smoothed_loss(logits.mul(9).to(dtype), tgt)
        assert_close(loss, label_smoothed_loss(logits * 9, tgt), rtol=0.01, atol=0.0)


def test_padding_alone_costs_nothing():
    states, weight, tgt_out = example()
    nothing = torch.full_like(tgt_out, PAD_ID)
    for loss in (plain(states, weight, nothing), chunked_loss(states, weight, nothing)):
        assert_close(loss, loss.new_zeros(()))


def test_a_gradient_of_its_gradient_is_refused_not_left_out():
    loss = chunked_loss(*example())
    with pytest.raises(RuntimeError, match="no second derivative: use label_smoothed_loss"):
        loss.backward(create_graph=True)
