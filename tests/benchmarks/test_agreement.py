"""The second half of the everyday translator's training: two thinned passes that shall agree."""

import json

import agreement
import torch
from carried import training
from torch.nn import functional as F

from transformer_course.data import Tokenizer, load_pairs
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import Run, RunConfig, TrainingConfig, checkpoint


def wanted(states, weight, targets, smoothing, weight_of_agreement):
    """The same by autograd: the mean of both losses, and half the sum of both divergences."""
    first, second = (half @ weight.T for half in states.chunk(2))
    losses = [F.cross_entropy(half, targets, label_smoothing=smoothing) for half in (first, second)]
    logs = [half.log_softmax(-1) for half in (first, second)]
    one, other = (
        F.kl_div(logs[i], logs[1 - i], reduction="batchmean", log_target=True) for i in (0, 1)
    )
    loss, divergence = sum(losses) / 2, (one + other) / 2
    return loss, divergence, loss + weight_of_agreement / 2 * divergence


def test_the_loss_and_its_gradients_are_those_of_autograd(monkeypatch):
    monkeypatch.setattr(agreement, "CHUNK", 3)  # 7 tokens, the last chunk smaller
    torch.manual_seed(0)
    states = torch.randn(14, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(11, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 11, (7,))
    loss, divergence, total = wanted(states, weight, targets, 0.1, 3.0)
    total.backward()
    found = agreement.agreeing_loss(states.detach(), weight.detach(), targets, 0.1, 3.0)
    assert abs(found[0] - loss.item()) < 1e-12
    assert abs(found[1] - divergence.item()) < 1e-12
    torch.testing.assert_close(found[2], states.grad, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(found[3], weight.grad, rtol=1e-10, atol=1e-12)


def test_it_begins_with_a_run_and_goes_on_where_it_stopped(tmp_path, few_toys):
    texts = [text for pair in load_pairs("toy:copy", "train") for text in pair]
    tokenizer = Tokenizer.train(texts, vocab_size=60)
    model = TransformerConfig(
        vocab_size=len(tokenizer), d_model=16, num_heads=2, d_ff=32, num_layers=1
    )
    config = RunConfig(data="toy:copy", model=model, training=TrainingConfig(max_tokens=64))
    begun = Run.create(tmp_path / "begun", config, tokenizer)
    checkpoint.save(begun.folder / "step-000005", Transformer(model))
    out = tmp_path / "out"
    for steps in ("2", "4"):
        assert agreement.main([str(begun.folder), str(out), "--steps", steps]) == 0
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 2, 3, 4]
    assert all(line["divergence"] > 0 for line in lines)
    made = training(Run.open(out))
    assert (made["steps"], made["agreement"]["steps"]) == (4, 4)
    assert made["agreement"]["before"]["model"]["d_model"] == 16
