"""The queue's steps for a GPU are the queue's own, whatever the batches are padded to."""

import json
from dataclasses import replace

import gpu_trials
import pytest
import recorded
import torch
import trials
import variations

from transformer_course.model import Transformer
from transformer_course.training import Run, RunTraining

CPU = torch.device("cpu")
TRIAL = variations.Trial("toy", "D dropout 0.0", 3)


@pytest.fixture
def queue(toy_queue, tmp_path, monkeypatch):
    """Few steps at a low rate, where rounding does not grow into another training."""
    toy = replace(variations.TASKS["toy"], steps=60, rate_factor=0.1)
    monkeypatch.setattr(variations, "TASKS", {"toy": toy})
    monkeypatch.setattr(variations, "trials", lambda: [TRIAL])
    caches = gpu_trials.encoded, gpu_trials.table, gpu_trials.plan_steps
    for each in caches:
        each.cache_clear()
    yield tmp_path
    for each in caches:
        each.cache_clear()


def test_its_losses_are_those_of_the_queue(queue):
    found = gpu_trials.Recording(TRIAL, queue / "a", CPU)
    lines = [line for line in found.steps() if line]
    tokenizer = variations.vocabulary("toy")
    config = TRIAL.config(len(tokenizer))
    training = RunTraining(Run.create(queue / "b", config, tokenizer), CPU)
    expected = [next(training) for _ in found.plan.tokens]
    assert config.training.precision == "fp32"
    wanted = torch.tensor([step.loss for step in expected])
    torch.testing.assert_close(found.losses, wanted, atol=1e-4, rtol=0)
    assert wanted[-1] < wanted[0] - 0.1  # it learned: equal at every step is no accident
    assert found.plan.tokens == [step.num_tokens for step in expected]
    assert len(set(found.plan.widths)) > 1
    assert lines[-1].startswith("step 60: perplexity")
    names = dict(training.model.named_parameters())
    for name, weight in found.model.named_parameters():
        if "key_proj.bias" in name:  # a shift of all keys changes nothing: its gradient is noise
            continue
        torch.testing.assert_close(weight, names[name], atol=1e-3, rtol=0)


def test_dropout_stays_on_after_a_look_at_the_perplexity(queue):
    found = gpu_trials.Recording(TRIAL, queue / "a", CPU)
    found.next_step()
    found.look()
    assert found.model.training


def test_a_loss_that_is_not_finite_ends_the_run_and_names_the_step(queue):
    found = gpu_trials.Recording(TRIAL, queue / "a", CPU)
    found.next_step()
    found.losses[0] = float("nan")
    with pytest.raises(FloatingPointError, match="the loss of step 1 is nan"):
        found.look()


def test_batches_are_filled_up_with_rows_that_predict_nothing(queue):
    src, tgt_in, tgt_out = gpu_trials.table("toy", CPU)
    assert src.shape == tgt_in.shape == tgt_out.shape
    assert src.size(1) % recorded.WIDTH == 0
    assert (tgt_out[-1] == 0).all()
    assert (src[-1] != 0).sum() == 1  # attention has one key, so no row is without an answer
    assert len(src) == len(gpu_trials.encoded("toy")) + 1


def test_the_queue_writes_a_result_and_leaves_what_is_there(queue, monkeypatch):
    class Now:
        """A pool that works at once, in this process."""

        def __init__(self, *args, **named): ...

        def __enter__(self):
            return self

        def __exit__(self, *args): ...

        def submit(self, function, *args):
            done = gpu_trials.Future()
            done.set_result(function(*args))
            return done

    monkeypatch.setattr(gpu_trials, "ProcessPoolExecutor", Now)
    assert gpu_trials.main(["--device", "cpu"]) == 0
    path = trials.path_of(TRIAL)
    found = json.loads(path.read_text())
    assert (found["row"], found["seed"], found["criteria"]) == (TRIAL.row, 3, "0123456789ab")
    assert "gpu_trials.py" in found["command"]
    assert "seconds" not in found  # it had the card to share
    assert len(found["first_losses"]) == 60
    before = path.read_bytes()
    assert gpu_trials.main(["--device", "cpu"]) == 0
    assert path.read_bytes() == before


def test_a_name_that_no_run_has_gets_one_line(queue, capsys):
    assert gpu_trials.main(["--only", "nothing"]) == 2
    assert capsys.readouterr().err == "--only nothing: no run has that in its name\n"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so_in_one_line(queue, capsys):
    assert gpu_trials.main([]) == 2
    assert capsys.readouterr().err.startswith("no device cuda on this machine: choose one of ")


def test_a_run_that_fails_is_a_result(queue, monkeypatch):
    forward = Transformer.states
    monkeypatch.setattr(Transformer, "states", lambda *args: forward(*args) * float("nan"))
    assert gpu_trials.main(["--device", "cpu"]) == 0
    assert "not a finite number" in json.loads(trials.path_of(TRIAL).read_text())["failed"]
    assert not (trials.RUNS / TRIAL.name).exists()


def test_no_pair_that_fits_the_model_is_too_long_for_a_batch():
    assert all(task.max_tokens >= variations.MAX_LEN for task in variations.TASKS.values())
