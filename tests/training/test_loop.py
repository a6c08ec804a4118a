import itertools
import math
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.data import TokenBatches
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import (
    TrainingConfig,
    choose_device,
    make_optimizer,
    noam_rate,
    train,
)
from transformer_course.training.loop import seed_step
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


def test_a_last_step_asks_for_the_straight_line():
    config = replace(TRAINING, last_step=40)
    steps = list(itertools.islice(train(Transformer(CONFIG), copying(), config), 40))
    assert [step.rate for step in steps] == [linear_rate(n, 16, 20, 40) for n in range(1, 41)]


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


@pytest.mark.parametrize("name", [None, "cuda", "cuda:0"])
def test_on_a_gpu_attention_is_not_planned_anew_for_each_shape(name, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    torch.backends.cuda.enable_cudnn_sdp(True)
    choose_device("cpu")
    assert torch.backends.cuda.cudnn_sdp_enabled()
    try:
        assert choose_device(name).type == "cuda"
        assert not torch.backends.cuda.cudnn_sdp_enabled()
    finally:
        torch.backends.cuda.enable_cudnn_sdp(True)


def test_dropout_differs_between_steps_and_between_processes():
    drawn = set()
    for number, rank in itertools.product((1, 2), (0, 1)):
        seed_step(0, number, rank, torch.device("cpu"))
        drawn.add(torch.rand(()).item())
    assert len(drawn) == 4


def test_a_look_at_the_model_between_steps_does_not_end_its_dropout():
    def losses(look):
        torch.manual_seed(1)
        model, found = Transformer(replace(CONFIG, dropout=0.5)), []
        for step in itertools.islice(train(model, copying(), TRAINING), 4):
            found.append(step.loss)
            if look:
                model.eval()
        return found

    assert losses(look=True) == losses(look=False)


def test_a_part_that_is_frozen_between_steps_stays_so():
    model = Transformer(CONFIG)
    steps = train(model, copying(), TRAINING)
    next(steps)
    model.encoder_layers[0].eval()
    next(steps)
    assert not model.encoder_layers[0].training
    assert model.training


@pytest.mark.parametrize("device", ["cpu:x", "cpu:", "cpu:7"])
def test_a_device_whose_number_is_none_is_refused(device):
    with pytest.raises(DataError, match=f"no device {device} on this machine: choose one of"):
        choose_device(device)
