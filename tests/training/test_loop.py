import itertools
import math
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.data import PAD_ID, TokenBatches
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import (
    TrainingConfig,
    choose_device,
    label_smoothed_loss,
    make_optimizer,
    noam_rate,
    train,
)
from transformer_course.training.schedule import linear_rate

CONFIG = TransformerConfig(
    vocab_size=13, d_model=16, num_heads=2, d_ff=32, num_layers=1, dropout=0.1, max_len=20
)
TRAINING = TrainingConfig(max_tokens=60, warmup=20)


def copying(max_tokens: int = 60) -> TokenBatches:
    """Pairs whose target repeats the source."""
    generator = torch.Generator().manual_seed(5)
    rows = [torch.randint(4, 13, (n % 5 + 2,), generator=generator).tolist() for n in range(200)]
    return TokenBatches([(row, row) for row in rows], max_tokens=max_tokens)


def test_the_rate_climbs_in_a_straight_line_and_falls_as_the_root_of_the_steps():
    climb = [noam_rate(step, 512, 4000) for step in (1, 2, 3, 4000)]
    assert_close(torch.tensor(climb) / climb[0], torch.tensor([1.0, 2.0, 3.0, 4000.0]))
    assert_close(noam_rate(16_000, 512, 4000), noam_rate(4000, 512, 4000) / 2)


def test_the_rate_peaks_at_the_end_of_warm_up_with_the_papers_value():
    rates = [noam_rate(step, 512, 400) for step in range(1, 2000)]
    assert rates.index(max(rates)) + 1 == 400
    assert_close(noam_rate(4000, 512, 4000), 512**-0.5 * 4000**-0.5)
    assert round(noam_rate(4000, 512), 6) == 0.000699


def test_the_straight_line_has_the_same_climb_and_peak_and_ends_at_zero():
    rates = [linear_rate(step, 16, 20, last_step=100) for step in range(1, 121)]
    assert_close(rates[:20], [noam_rate(step, 16, 20) for step in range(1, 21)])
    falls = torch.tensor(rates[19:100]).diff()
    assert_close(falls, torch.full_like(falls, -rates[19] / 80))
    assert rates[99:] == [0.0] * 21


def test_a_last_step_asks_for_the_straight_line():
    config = replace(TRAINING, last_step=40)
    steps = list(itertools.islice(train(Transformer(CONFIG), copying(), config), 40))
    assert [step.rate for step in steps] == [linear_rate(n, 16, 20, 40) for n in range(1, 41)]


def test_a_last_step_before_the_end_of_warm_up_is_refused():
    with pytest.raises(DataError, match="last_step=20: expected more than warmup=20"):
        TrainingConfig(warmup=20, last_step=20)


def test_steps_are_counted_from_one():
    with pytest.raises(ValueError, match="step=0: steps are counted from 1"):
        noam_rate(0, 512)


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


def test_a_model_learns_to_copy():
    model = Transformer(replace(CONFIG, dropout=0.0))
    losses = [step.loss for step in itertools.islice(train(model, copying(), TRAINING), 150)]
    assert math.log(13) * 0.8 < losses[0]
    assert sum(losses[-10:]) / 10 < 0.7 * losses[0]


def test_each_step_uses_the_rate_of_its_number():
    model, optimizer = Transformer(CONFIG), None
    optimizer = make_optimizer(model)
    for step in itertools.islice(train(model, copying(), TRAINING, optimizer), 3):
        assert step.rate == optimizer.param_groups[0]["lr"] == noam_rate(step.number, 16, 20)


def test_the_optimizer_has_the_papers_constants():
    group = make_optimizer(Transformer(CONFIG)).param_groups[0]
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0)


def test_the_decoder_is_given_what_comes_before_the_token_it_must_say():
    """Teacher forcing: with a shift wrong by one, the answer would be among the inputs."""
    batch = copying().batch(0)
    assert_close(batch.tgt_in[:, 1:][batch.tgt_out[:, :-1] > 2], batch.tgt_out[batch.tgt_out > 2])
    assert (batch.tgt_in[:, 0] == 1).all()
    assert ((batch.tgt_out == 2).sum(1) == 1).all()


def test_two_runs_with_one_seed_have_equal_losses_and_other_seeds_other_ones():
    def losses(seed):
        torch.manual_seed(seed)
        return [
            s.loss for s in itertools.islice(train(Transformer(CONFIG), copying(), TRAINING), 5)
        ]

    assert losses(1) == losses(1)
    assert losses(1) != losses(2)


def test_training_goes_on_as_if_it_had_not_stopped():
    def losses(parts):
        torch.manual_seed(1)
        model = Transformer(CONFIG)
        optimizer, found = make_optimizer(model), []
        for part in parts:
            batches = copying().starting_at(len(found))
            steps = train(model, batches, TRAINING, optimizer, first_step=len(found) + 1)
            found += [step.loss for step in itertools.islice(steps, part)]
            torch.rand(3)  # whatever happens in between
        return found

    assert losses([9]) == losses([4, 5])


def test_bfloat16_learns_like_float32():
    def loss(precision):
        torch.manual_seed(1)
        config = replace(TRAINING, precision=precision)
        *_, last = itertools.islice(train(Transformer(CONFIG), copying(), config), 60)
        return last.loss

    assert abs(loss("bf16") - loss("fp32")) < 0.1


def test_a_loss_that_is_not_finite_stops_training_before_it_spoils_the_weights():
    model = Transformer(CONFIG)
    steps = train(model, copying(), TRAINING)
    next(steps)
    with torch.no_grad():
        model.decoder_layers[0].norm3.weight[0] = float("nan")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(FloatingPointError, match="the loss of step 2 is nan.*lower rate_factor"):
        next(steps)
    assert_close(model.state_dict(), before, equal_nan=True)


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(DataError, match="no device tpu on this machine: choose one of .*cpu"):
        choose_device("tpu")
    assert choose_device("cpu") == torch.device("cpu")
