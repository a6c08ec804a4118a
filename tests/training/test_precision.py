import pytest
import torch
from torch.testing import assert_close

from transformer_course.model import TransformerConfig
from transformer_course.training import TrainingConfig, measure_precision
from transformer_course.training import precision as module

CONFIG = TransformerConfig(vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2)
TRAINING = TrainingConfig(max_tokens=70)


class Steps:
    """Steps that take as long as they are told, by a clock of their own."""

    def __init__(self, monkeypatch, **seconds):
        self.now, self.taken, self.seconds = 0.0, [], seconds
        monkeypatch.setattr(module, "forward_and_back", self.take)

    def take(self, part, batch, precision):
        self.taken.append(precision)
        warm_up = 9.0 if self.taken.count(precision) == 1 else 0.0
        self.now += self.seconds[precision] + warm_up

    def clock(self):
        return self.now


@pytest.mark.parametrize(("bf16", "expected"), [(0.5, "bf16"), (0.97, "fp32"), (1.4, "fp32")])
def test_what_is_clearly_faster_here_is_chosen_and_said(monkeypatch, bf16, expected):
    steps = Steps(monkeypatch, fp32=1.0, bf16=bf16)
    chosen, said = measure_precision(CONFIG, TRAINING, clock=steps.clock)
    assert chosen == expected
    assert said == (
        f"precision {expected}: measured here, bf16 takes {bf16:.2f} times as long as fp32"
    )


def test_both_take_turns_and_the_trial_ends_when_its_time_is_over(monkeypatch):
    turns = ["fp32", "bf16", "bf16", "fp32"] * module.ROUNDS
    slow = Steps(monkeypatch, fp32=1.0, bf16=1.0)
    measure_precision(CONFIG, TRAINING, seconds=0.5, clock=slow.clock)
    assert slow.taken == turns[: 2 * (1 + module.FEWEST)]
    fast = Steps(monkeypatch, fp32=0.001, bf16=0.001)
    measure_precision(CONFIG, TRAINING, seconds=60, clock=fast.clock)
    assert fast.taken == turns[: 2 * (1 + module.ROUNDS)]


@pytest.mark.parametrize("odd", [0.1, 30.0])
@pytest.mark.parametrize(("bf16", "expected"), [(0.6, "bf16"), (1.3, "fp32")])
def test_a_round_unlike_the_others_does_not_choose(monkeypatch, odd, bf16, expected):
    """Neither one that was lucky nor one that another program took the time of."""
    steps = Steps(monkeypatch, fp32=1.0, bf16=bf16)
    even = steps.take

    def take(part, batch, precision):
        even(part, batch, precision)
        if precision == "bf16" and steps.taken.count("bf16") == 3:
            steps.now += (odd - 1) * bf16

    monkeypatch.setattr(module, "forward_and_back", take)
    assert measure_precision(CONFIG, TRAINING, clock=steps.clock)[0] == expected


def test_a_trial_is_a_real_step_and_moves_no_random_number():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    chosen, _ = measure_precision(CONFIG, TRAINING, seconds=0)
    assert chosen in ("fp32", "bf16")
    assert_close(torch.get_rng_state(), before, rtol=0, atol=0)


def test_a_trial_has_no_more_tokens_than_a_batch():
    model = module.Transformer(CONFIG)
    batch = module.trial_batch(model, 70)
    assert batch.src.numel() <= 70
    assert module.trial_batch(model, 5).src.numel() > 0
