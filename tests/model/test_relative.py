import numpy as np
import pytest
import torch
from torch.testing import assert_close

from transformer_course.model import MultiHeadAttention, RotaryAttention, causal_mask, sinusoidal
from transformer_course.model.relative import AlibiAttention, alibi_slopes, rotate


def by_complex_numbers(x: np.ndarray) -> np.ndarray:
    """Su et al. 2021, equations 12 to 15: each pair is a complex number, times exp(i m theta)."""
    length, width = x.shape[-2:]
    turned = np.empty_like(x)
    for m in range(length):
        for pair in range(width // 2):
            theta = 10_000 ** (-2 * pair / width)
            z = (x[..., m, 2 * pair] + 1j * x[..., m, 2 * pair + 1]) * np.exp(1j * m * theta)
            turned[..., m, 2 * pair], turned[..., m, 2 * pair + 1] = z.real, z.imag
    return turned


def alibi_by_loops(scores: np.ndarray) -> np.ndarray:
    """Press et al. 2022, section 3: head h adds -(i - j) * 2^(-8 h / n), h counted from 1."""
    num_heads, length, _ = scores.shape
    biased = scores.copy()
    for head in range(num_heads):
        for i in range(length):
            for j in range(i + 1):
                biased[head, i, j] -= (i - j) * 2 ** (-8 * (head + 1) / num_heads)
    return biased


def scores_of(attend: MultiHeadAttention, x: torch.Tensor) -> torch.Tensor:
    """Scores up to a constant in each row, which softmax cannot see."""
    logs = attend.weights(x, x, x, causal_mask(x.size(1))).log()
    return logs - logs.diagonal(dim1=-2, dim2=-1)[..., None]


def plain_twin(attend: MultiHeadAttention) -> MultiHeadAttention:
    twin = MultiHeadAttention(12, num_heads=3).double()
    twin.load_state_dict(attend.state_dict())
    return twin


def test_turning_is_a_multiplication_of_complex_numbers():
    x = torch.randn(2, 3, 11, 14, dtype=torch.float64)
    turned = rotate(x, sinusoidal(11, 14).double())
    assert_close(turned.numpy(), by_complex_numbers(x.numpy()), rtol=0, atol=1e-5)
    assert_close(turned.norm(dim=-1), x.norm(dim=-1), rtol=0, atol=1e-5)


def test_rotary_attention_is_plain_attention_between_turned_queries_and_keys():
    attend, x = RotaryAttention(12, 3, max_len=7).double(), torch.randn(2, 7, 12).double()
    twin = plain_twin(attend)
    q, k, v = (each.detach().numpy() for each in twin.project(x, x, x))
    scores = by_complex_numbers(q) @ np.swapaxes(by_complex_numbers(k), -2, -1) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    mixed = torch.from_numpy(weights @ v)
    assert_close(attend(x, x, x), twin.out_proj(twin.merge_heads(mixed)), rtol=0, atol=1e-5)
    assert_close(attend.weights(x, x, x).detach().numpy(), weights, rtol=0, atol=1e-5)


@pytest.mark.parametrize("attend", [RotaryAttention(12, 3, max_len=29), AlibiAttention(12, 3)])
def test_only_the_distance_of_two_tokens_counts(attend):
    """The same words further along are mixed the same; in another order they are not."""
    x = torch.randn(2, 5, 12)
    q, k, v = attend.project(x, x, x)
    later = attend.project(x, x, x, start=24)
    assert_close(attend.mix(*later), attend.mix(q, k, v), rtol=1e-4, atol=1e-5)
    order = torch.tensor([3, 0, 4, 1, 2])
    moved = x[:, order]
    assert (attend(moved, moved, moved) - attend(x, x, x)[:, order]).abs().max() > 1e-3


def test_rotary_scores_of_one_word_repeated_depend_on_the_distance_alone():
    attend, x = RotaryAttention(12, 3), torch.randn(1, 1, 12).expand(2, 6, 12)
    scores = attend.weights(x, x, x).log()
    scores = scores - scores[..., :1]
    step = scores[..., 1:, :][..., 1:] - scores[..., 1:, :][..., 1:2]
    before = scores[..., :-1, :][..., :-1] - scores[..., :-1, :][..., :1]
    assert_close(step, before, rtol=0, atol=1e-5)


def test_values_are_not_turned():
    attend, x = RotaryAttention(12, 3), torch.randn(2, 5, 12)
    only_itself = torch.eye(5, dtype=torch.bool)
    assert_close(attend(x, x, x, only_itself), attend.out_proj(attend.value_proj(x)))


def test_alibi_adds_what_its_paper_says():
    attend, x = AlibiAttention(12, 3).double(), torch.randn(2, 7, 12).double()
    q, k, _ = (each.detach().numpy() for each in plain_twin(attend).project(x, x, x))
    scores = np.stack([alibi_by_loops(each) for each in q @ np.swapaxes(k, -2, -1) / 2])
    scores -= scores.diagonal(axis1=-2, axis2=-1)[..., None]
    past = np.tri(7, dtype=bool)
    found = scores_of(attend, x).detach().numpy()
    assert_close(found[..., past], scores[..., past], rtol=0, atol=1e-5)


def test_the_slopes_of_eight_heads_are_the_powers_of_one_half():
    assert alibi_slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert_close(alibi_slopes(16)[:2], torch.tensor([2**-0.5, 0.5]))


def test_a_cached_query_stands_at_the_end_of_its_keys():
    attend = AlibiAttention(12, 3)
    assert_close(attend.bias(2, 7), attend.bias(7, 7)[:, 5:])


def test_an_encoder_with_alibi_tells_a_sentence_from_its_mirror_image():
    attend, x = AlibiAttention(12, 3), torch.randn(2, 5, 12)
    mirrored = x.flip(1)
    assert (attend(mirrored, mirrored, mirrored).flip(1) - attend(x, x, x)).abs().max() > 1e-3


def test_later_keys_count_as_twice_as_far():
    bias = AlibiAttention(16, 8).bias(4, 4)[0]
    assert bias[1].tolist() == [-0.5, 0, -1, -2]


def test_an_odd_head_cannot_be_turned():
    with pytest.raises(ValueError, match="head_dim=3 is odd: sines and cosines come in pairs"):
        RotaryAttention(12, num_heads=4)
    with pytest.raises(ValueError, match="head_dim=5 is odd"):
        RotaryAttention(12, num_heads=4, head_dim=5)


def test_rotary_positions_beyond_max_len_are_refused():
    attend, x = RotaryAttention(12, 3, max_len=7), torch.randn(2, 8, 12)
    with pytest.raises(ValueError, match="a sequence of 8 tokens is longer than max_len=7"):
        attend(x, x, x)


@pytest.mark.parametrize("kind", [RotaryAttention, AlibiAttention])
def test_half_precision_stays_half_precision(kind):
    attend, x = kind(12, 3), torch.randn(2, 5, 12)
    exact = attend(x, x, x)
    with torch.autocast("cpu", torch.bfloat16):
        half = attend(x, x, x, causal_mask(5) | True)
    assert half.dtype == torch.bfloat16
    assert_close(half.float(), exact, rtol=0, atol=3e-2)
