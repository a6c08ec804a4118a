"""Drawing tokens: by temperature, from the likeliest few, from the nucleus, and by a seed."""

import itertools

import pytest
import torch
from decoding.test_search import CONFIG, SRC, decisive, one_shot_scores
from torch.testing import assert_close

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding import greedy, sample, shares
from transformer_course.decoding.sampling import Sampler, draw
from transformer_course.errors import DataError
from transformer_course.model import Transformer

WEIGHTS = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.25, 0.25, 0.5, 0.0]])


def undecided() -> Transformer:
    """A model that leaves something to draw, and often goes on."""
    model = decisive()
    with torch.no_grad():
        model.embedding.weight *= 0.3
    return model


def test_a_temperature_divides_the_logits():
    logits = torch.randn(3, 7)
    assert_close(shares(logits), logits.softmax(-1), rtol=0, atol=0)
    assert_close(
        shares(logits, 0.5), logits.softmax(-1) ** 2 / (logits.softmax(-1) ** 2).sum(-1, True)
    )


@pytest.mark.parametrize("top_k", [1, 2, 5, 7, 100])
def test_top_k_keeps_the_k_likeliest_in_their_proportions(top_k):
    logits = torch.randn(3, 7)
    for row, found in zip(logits.softmax(-1), shares(logits, top_k=top_k), strict=True):
        kept = sorted(row.tolist(), reverse=True)[:top_k]
        expected = [share / sum(kept) if share in kept else 0.0 for share in row.tolist()]
        assert_close(found, torch.tensor(expected))


def test_of_equally_likely_tokens_top_k_keeps_exactly_k():
    assert (shares(torch.zeros(1, 7), top_k=3) > 0).sum() == 3


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        (0.05, [1]),
        (0.39, [1]),
        (0.41, [1, 3]),
        (0.69, [1, 3]),
        (0.71, [1, 2, 3]),
        (1.0, [0, 1, 2, 3]),
    ],
)
def test_the_nucleus_is_the_fewest_tokens_that_reach_top_p(top_p, kept):
    found = shares(WEIGHTS[:1].log(), top_p=top_p)
    assert found[0].nonzero().flatten().tolist() == kept
    assert_close(found[0, kept], WEIGHTS[0, kept] / WEIGHTS[0, kept].sum())


def test_the_nucleus_is_taken_of_what_top_k_leaves():
    """Of 0.4 and 0.3, rescaled to 4/7 and 3/7, the first reaches a half; of all it does not."""
    assert (shares(WEIGHTS[:1].log(), top_k=2, top_p=0.5) > 0).tolist() == [
        [False, True, False, False]
    ]
    assert (shares(WEIGHTS[:1].log(), top_p=0.5) > 0).sum() == 2


def test_numbers_spread_evenly_draw_each_token_as_often_as_its_weight_says():
    numbers = (torch.arange(1000) + 0.5) / 1000
    for weights in WEIGHTS:
        drawn = draw(weights.expand(1000, -1), numbers).bincount(minlength=4) / 1000
        assert_close(drawn, weights, rtol=0, atol=0.0011)


def test_a_token_of_weight_zero_is_never_drawn():
    weights = torch.tensor([[0.0, 0.0, 1.0, 0.0, 2.0, 0.0]]).expand(3, -1)
    edges = torch.tensor([0.0, 0.5, 1 - 2**-24])
    assert set(draw(weights, edges).tolist()) <= {2, 4}
    first = draw(torch.tensor([[0.0, 0.0, 0.5, 0.5]]), torch.tensor([0.99999999]))
    assert first.tolist() == [2]  # in 32 bits that number is 1
    written = sample(undecided(), SRC, temperature=9.0)
    assert {PAD_ID, BOS_ID}.isdisjoint(itertools.chain(*written))


def test_sources_draw_apart_and_as_often_as_the_model_says():
    src, logits = torch.arange(4, 4004)[:, None], torch.randn(1, 7)
    pick = Sampler(src, temperature=0.7, top_k=None, top_p=1.0, seed=3)
    for _ in range(2):
        drawn = pick(logits.expand(4000, -1), list(range(4000))).bincount(minlength=7) / 4000
        assert_close(drawn, (logits[0] / 0.7).softmax(-1), rtol=0, atol=0.03)


def test_later_tokens_are_drawn_after_those_before_them():
    """With a choice of two, each token is one of the two that the plain forward pass prefers."""
    model = undecided()
    others = 0
    for row, output in enumerate(sample(model, SRC, top_k=2, seed=5)):
        for length, token in enumerate([*output, EOS_ID][:50]):
            best = one_shot_scores(model, SRC, output[:length])[row].topk(2).indices.tolist()
            assert token in best
            others += token == best[1]
    assert others > 0


def test_a_source_is_sampled_alike_alone_and_in_any_batch():
    model = undecided()
    together = sample(model, SRC, seed=3)
    assert [sample(model, row[row != PAD_ID][None], seed=3)[0] for row in SRC] == together
    assert sample(model, SRC.flip(0), seed=3) == together[::-1]


def test_a_seed_repeats_itself_another_draws_anew_and_the_global_state_is_left_alone():
    model = undecided()
    before = torch.get_rng_state()
    found = [sample(model, SRC, seed=seed) for seed in (1, 2, 1)]
    assert found[0] == found[2] != found[1]
    assert torch.equal(torch.get_rng_state(), before)


def test_what_leaves_one_token_is_greedy():
    model = decisive()
    for one_left in ({"temperature": 1e-4}, {"top_k": 1}, {"top_p": 1e-6}):
        assert sample(model, SRC, **one_left) == greedy(model, SRC)


def test_samples_end_where_other_searches_do():
    model = undecided()
    with torch.no_grad():
        model.embedding.weight[EOS_ID] = -9 * model.embedding.weight[3]
    lengths = [len(output) for output in sample(model, SRC, max_extra=3, temperature=9.0)]
    assert all(length <= limit for length, limit in zip(lengths, [10, 7, 5], strict=True))
    assert len(sample(model, SRC, max_extra=500)[0]) < CONFIG.max_len


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature=0.0: expected a number from 1e-06 to 1e.06; to take"),
        ({"temperature": -1.0}, "temperature=-1.0: expected a number from 1e-06"),
        ({"temperature": float("nan")}, "temperature=nan: expected a number from 1e-06"),
        ({"temperature": float("inf")}, "temperature=inf: expected a number from 1e-06"),
        ({"temperature": 1e-39}, "temperature=1e-39: expected a number from 1e-06"),
        ({"top_k": 0}, "top_k=0: expected a whole number from 1 on, or None for all"),
        ({"top_p": 0.0}, r"top_p=0\.0: expected a share above 0, at most 1 for all"),
        ({"top_p": 1.01}, r"top_p=1\.01: expected a share above 0"),
        ({"top_p": float("nan")}, "top_p=nan: expected a share above 0"),
    ],
)
def test_what_leaves_nothing_to_draw_from_is_refused(options, message):
    with pytest.raises(DataError, match=message):
        sample(decisive(), SRC, **options)


@pytest.mark.parametrize("temperature", [1e-6, 1e6])
def test_at_the_coldest_and_the_hottest_the_shares_are_numbers(temperature):
    logits = torch.tensor([[-90.0, 3e4, 3e4 - 9, float("-inf")]])
    found = shares(logits, temperature)
    assert_close(found.sum(-1), torch.ones(1))
    assert found[0, 3] == 0 < found[0, 1]
