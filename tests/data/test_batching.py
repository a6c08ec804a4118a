"""Token batches: every pair once an epoch, within the budget, the same for the same seed."""

import itertools
import os
import random

import pytest
from torch.testing import assert_close

from transformer_course import data
from transformer_course.data import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    TokenBatches,
    Tokenizer,
    make_batch,
    pad,
    padding_waste,
)
from transformer_course.data.batching import EncodedPairs, by_length
from transformer_course.errors import DataError


def random_pairs(count: int, longest: int = 31) -> list[tuple[list[int], list[int]]]:
    rng = random.Random(7)
    lengths = [rng.randint(1, longest) for _ in range(count)]
    side = lambda length: [rng.randint(4, 50) for _ in range(max(1, length))]  # noqa: E731
    return [(side(length), side(length + rng.randint(-5, 5))) for length in lengths]


PAIRS = random_pairs(997)


def test_the_decoder_reads_bos_and_says_the_next_token():
    batch = make_batch([([5, 6, 7], [8, 9]), ([5], [8, 9, 10])])
    assert batch.src.tolist() == [[5, 6, 7, EOS_ID], [5, EOS_ID, PAD_ID, PAD_ID]]
    assert batch.tgt_in.tolist() == [[BOS_ID, 8, 9, PAD_ID], [BOS_ID, 8, 9, 10]]
    assert batch.tgt_out.tolist() == [[8, 9, EOS_ID, PAD_ID], [8, 9, 10, EOS_ID]]
    assert batch.num_tokens == 3 + 4


def test_padding_stands_at_the_end():
    assert pad([[5], [], [6, 7]]).tolist() == [[5, PAD_ID], [PAD_ID, PAD_ID], [6, 7]]


def test_pairs_come_back_as_they_went_in_at_four_bytes_a_token():
    pairs = EncodedPairs(PAIRS)
    assert [pairs[place] for place in range(len(pairs))] == list(pairs) == PAIRS
    for place in (-1, len(PAIRS)):
        with pytest.raises(IndexError, match=f"from 0 to {len(PAIRS) - 1}, got {place}"):
            pairs[place]
    assert pairs.lengths.tolist() == [[len(src), len(tgt)] for src, tgt in PAIRS]
    assert pairs._ids.nbytes == 4 * pairs.lengths.sum()
    assert len(EncodedPairs([])) == 0


@pytest.mark.parametrize("epoch", [0, 3])
def test_an_epoch_holds_every_pair_once(epoch):
    batches = TokenBatches(PAIRS, max_tokens=211)
    first = epoch * batches.batches_per_epoch
    seen = [i for n in range(batches.batches_per_epoch) for i in batches.indices(first + n)]
    assert sorted(seen) == list(range(len(PAIRS)))


def test_no_batch_is_over_the_budget_on_either_side():
    batches = TokenBatches(PAIRS, max_tokens=211)
    for batch in epoch_of(batches):
        assert batch.src.numel() <= 211
        assert batch.tgt_in.numel() <= 211


def test_the_budget_is_used():
    batches = TokenBatches(PAIRS, max_tokens=211)
    real = [max(batch.src.numel(), batch.tgt_in.numel()) for batch in epoch_of(batches)]
    assert sum(real) / len(real) > 0.8 * 211


def test_the_tokens_to_predict_are_those_that_are_no_padding():
    for batch in epoch_of(TokenBatches(PAIRS, max_tokens=211)):
        assert batch.num_tokens == (batch.tgt_out != PAD_ID).sum()


def test_the_same_seed_gives_the_same_batches_and_another_gives_others():
    batches, again = (TokenBatches(PAIRS, max_tokens=211, seed=5) for _ in range(2))
    other = TokenBatches(PAIRS, max_tokens=211, seed=6)
    assert_close(batches.batch(17).src, again.batch(17).src)
    orders = [[b.indices(n).tolist() for n in range(20)] for b in (batches, again, other)]
    assert orders[0] == orders[1] != orders[2]


def test_every_epoch_has_its_own_order_and_its_own_batches():
    batches = TokenBatches(PAIRS, max_tokens=211)
    epochs = [
        [tuple(sorted(batches.indices(n + shift))) for n in range(batches.batches_per_epoch)]
        for shift in (0, batches.batches_per_epoch)
    ]
    assert epochs[0] != epochs[1]
    assert len(set(epochs[0]) & set(epochs[1])) < len(epochs[0]) / 2


def test_long_and_short_batches_alternate_without_order():
    batches = TokenBatches(PAIRS, max_tokens=211)
    widths = [batch.tgt_out.size(1) for batch in epoch_of(batches)]
    shorter_next = sum(b < a for a, b in itertools.pairwise(widths))
    assert shorter_next > len(widths) / 4


def test_a_run_resumes_at_any_batch_without_replaying():
    batches = TokenBatches(PAIRS, max_tokens=211)
    start = 2 * batches.batches_per_epoch - 2
    played = iter(batches)
    for _ in range(start):
        next(played)
    resumed = TokenBatches(PAIRS, max_tokens=211).starting_at(start)
    for _ in range(5):  # across the end of an epoch
        assert_close(next(played).tgt_in, next(resumed).tgt_in)


def test_grouping_by_length_leaves_little_padding():
    grouped = TokenBatches(PAIRS, max_tokens=211)
    unsorted = [make_batch(PAIRS[i : i + 10]) for i in range(0, len(PAIRS), 10)]
    assert padding_waste(epoch_of(grouped)) < 0.1 < 0.3 < padding_waste(unsorted)


def test_padding_waste_counts_both_sides():
    assert padding_waste([make_batch([([5], [5, 6]), ([5, 6, 7], [5])])]) == pytest.approx(3 / 14)


def test_pairs_over_max_len_are_dropped_and_counted():
    batches = TokenBatches(PAIRS, max_tokens=211, max_len=23)
    too_long = [i for i, (src, tgt) in enumerate(PAIRS) if max(len(src), len(tgt)) + 1 > 23]
    seen = {i for n in range(batches.batches_per_epoch) for i in batches.indices(n).tolist()}
    assert batches.num_dropped == len(too_long) > 0
    assert seen == set(range(len(PAIRS))) - set(too_long)


def test_a_pair_over_the_budget_says_what_to_do():
    with pytest.raises(DataError, match=r"has 4 tokens, more than max_tokens=3: raise max_tokens"):
        TokenBatches([([5, 6, 7], [5])], max_tokens=3)


@pytest.mark.parametrize(("pairs", "told"), [([], "got 0, 0 too"), ([([5] * 9, [5])], "got 1, 1")])
def test_nothing_left_to_train_on_says_so(pairs, told):
    with pytest.raises(DataError, match=f"no pairs to train on: {told}"):
        TokenBatches(pairs, max_tokens=100, max_len=5)


@pytest.mark.skipif(
    not os.environ.get("TRANSFORMER_COURSE_DATA"),
    reason="TRANSFORMER_COURSE_DATA names no folder with the Multi30k files",
)
@pytest.mark.slow
def test_multi30k_batches_hold_less_than_five_percent_padding():
    pairs = data.load_pairs("multi30k:en-de", "train")
    tok = Tokenizer.train((text for pair in pairs for text in pair), vocab_size=6_000)
    sources, targets = (tok.encode_batch(side) for side in zip(*pairs, strict=True))
    for max_tokens in (512, 4096):
        batches = TokenBatches(list(zip(sources, targets, strict=True)), max_tokens=max_tokens)
        assert padding_waste(epoch_of(batches)) < 0.05


def epoch_of(batches: TokenBatches):
    return [batches.batch(n) for n in range(batches.batches_per_epoch)]


@pytest.mark.parametrize("max_tokens", [1, 6, 12, 1000])
def test_equally_long_rows_stand_together_longest_first(max_tokens):
    rows = [[5] * length for length in (3, 1, 7, 2, 3, 0, 1)]
    groups = list(by_length(rows, max_tokens))
    assert sorted(place for group in groups for place in group) == list(range(len(rows)))
    longest = [max(len(rows[place]) for place in group) for group in groups]
    assert longest == sorted(longest, reverse=True)
    for group, width in zip(groups, longest, strict=True):
        assert len(group) == 1 or len(group) * width <= max_tokens
