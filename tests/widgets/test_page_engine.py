"""The engine that learns in the page: its losses and gradients are the package's."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest
import torch
from not_run import NEEDS_NODE
from torch.testing import assert_close

from transformer_course.data import TokenBatches, load_pairs
from transformer_course.model import Transformer, TransformerConfig, padding_mask
from transformer_course.training import TrainingConfig, label_smoothed_loss, train
from transformer_course.widgets.sources import HERE, module

SCRIPT = Path(__file__).parents[1] / "js" / "learn.js"
SIZES = {"vocab_size": 11, "d_model": 12, "num_heads": 2, "d_ff": 20, "num_layers": 2}
SIZES |= {"max_len": 16, "dropout": 0.0}
SMOOTH = {"warmup": 10, "rate_factor": 1.0, "label_smoothing": 0.1, "last_step": 0}
KINDS = {
    "the paper's": {},
    "one head": {"num_heads": 1},
    "three heads": {"num_heads": 3},
    "one layer": {"num_layers": 1},
    "no positions": {"positions": "none"},
    "learned positions": {"positions": "learned"},
    "rotary positions": {"positions": "rotary"},
    "norm before": {"norm_placement": "pre"},
    "norm before and rotary": {"norm_placement": "pre", "positions": "rotary"},
}
PAIRS = [([4, 5, 6, 7, 8], [8, 7, 6]), ([9, 4], [4, 9, 10, 5]), ([10, 10, 4], [5])]


def rows(batch):
    """A batch as the engine takes it."""
    names = {"src": batch.src, "tgtIn": batch.tgt_in, "tgtOut": batch.tgt_out}
    return {name: ids.tolist() for name, ids in names.items()}


def learn(model, batches, teaching, exact=False, simd=True, causal=True):
    """What the engine makes of the same weights and batches."""
    config = {name: getattr(model.config, name) for name in SIZES}
    for name in ("positions", "norm_placement"):
        config[name] = getattr(model.config, name)
    weights = {name: p.detach().flatten().tolist() for name, p in model.named_parameters()}
    asked = {"config": {**config, "causal": causal}, "teaching": teaching, "weights": weights}
    asked |= {"batches": [rows(batch) for batch in batches], "exact": exact, "simd": simd}
    run = subprocess.run(
        ["node", str(SCRIPT)], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def make_model(changes, dtype=torch.float32):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        torch.manual_seed(3)
        model = Transformer(TransformerConfig(**{**SIZES, **changes}))
        with torch.no_grad():  # gains of 1 and biases of 0 would hide what they do
            for parameter in model.parameters():
                parameter += 0.2 * torch.randn_like(parameter)
    finally:
        torch.set_default_dtype(before)
    return model


def batch_of(pairs):
    return TokenBatches(pairs, max_tokens=100).batch(0)


def close(found, model, tolerance):
    """Every gradient, by its largest number: each parameter's, one after the other.

    That of a key's bias is zero, and what is there is rounding, on the scale of the key's weights.
    """
    names = [name for name, _ in model.named_parameters()]
    assert sorted(found["gradients"]) == sorted(names)
    for name, parameter in model.named_parameters():
        gradient = torch.tensor(found["gradients"][name], dtype=torch.float64)
        wanted = parameter.grad.double().flatten()
        largest = max(p.grad.abs().max().item() for p in model.parameters())
        scale = max(wanted.abs().max().item(), 1e-3 * largest)
        if name.endswith("key_proj.bias"):
            weights = model.get_parameter(name.removesuffix("bias") + "weight")
            scale = weights.grad.abs().max().item()
        assert_close(gradient, wanted, rtol=0, atol=tolerance * scale, msg=name)


@NEEDS_NODE
@pytest.mark.parametrize("kind", KINDS)
def test_loss_and_gradients_are_the_packages(kind):
    batch = batch_of(PAIRS)
    for dtype, how, tolerance in (
        (torch.float32, {}, 1e-4),
        (torch.float32, {"simd": False}, 1e-4),
        (torch.float64, {"exact": True}, 1e-9),
    ):
        model = make_model(KINDS[kind], dtype)
        loss = label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out)
        loss.backward()
        found = learn(model, [batch], SMOOTH, **how)
        assert found["compiled"] is (how == {})
        assert_close(found["losses"][0], loss.item(), rtol=tolerance, atol=0)
        close(found, model, tolerance)


@NEEDS_NODE
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_label_smoothing_is_the_packages(smoothing):
    batch, model = batch_of(PAIRS), make_model({}, torch.float64)
    loss = label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out, smoothing)
    loss.backward()
    found = learn(model, [batch], {**SMOOTH, "label_smoothing": smoothing}, exact=True)
    assert_close(found["losses"][0], loss.item(), rtol=1e-9, atol=0)
    close(found, model, 1e-9)


@NEEDS_NODE
def test_without_its_mask_the_decoder_sees_the_answers():
    batch, model = batch_of(PAIRS), make_model({}, torch.float64)
    src_mask = padding_mask(batch.src)
    memory, x = model.encode(batch.src, src_mask), model.embed(batch.tgt_in)
    for layer in model.decoder_layers:
        x = layer(x, memory, padding_mask(batch.tgt_in), src_mask)
    loss = label_smoothed_loss(model.logits(x), batch.tgt_out)
    loss.backward()
    found = learn(model, [batch], SMOOTH, exact=True, causal=False)
    assert_close(found["losses"][0], loss.item(), rtol=1e-9, atol=0)
    close(found, model, 1e-9)
    assert abs(learn(model, [batch], SMOOTH, exact=True)["losses"][0] - loss.item()) > 1e-3


@NEEDS_NODE
@pytest.mark.parametrize("last_step", [0, 40])
def test_the_first_losses_of_a_run_are_the_packages(last_step):
    torch.manual_seed(0)
    pairs = [
        ([ord(x) - 93 for x in src.split()], [ord(x) - 93 for x in tgt.split()])
        for src, tgt in load_pairs("toy:reverse", "train", 400)
    ]
    batches = [TokenBatches(pairs, max_tokens=256).batch(n) for n in range(20)]
    sizes = {"vocab_size": 24, "d_model": 32, "num_heads": 2, "d_ff": 64, "num_layers": 1}
    model = Transformer(TransformerConfig(**{**SIZES, **sizes}))
    teaching = {**SMOOTH, "last_step": last_step}
    found = learn(model, batches, teaching)
    steps = list(train(model, batches, TrainingConfig(**teaching)))
    assert_close(found["losses"], [step.loss for step in steps], rtol=0, atol=1e-3)
    assert steps[-1].loss < steps[0].loss - 0.5
    for name, parameter in model.named_parameters():
        if "key_proj.bias" in name:  # no gradient but rounding, which Adam makes into steps
            continue
        wanted = parameter.detach().flatten().tolist()
        assert_close(found["weights"][name], wanted, rtol=0, atol=2e-3, msg=name)


def test_the_kernel_takes_less_than_three_kilobytes():
    text = (HERE / "engine" / "kernel_bytes.js").read_text(encoding="utf-8")
    assert len(bytes.fromhex(text.split('"')[1])) < 3000


def test_the_engine_is_small():
    text = module("engine/training.js")
    assert "import" not in text
    assert len(gzip.compress(text.encode())) < 10_000


def test_engine_kernel_and_all_that_shows_them_take_less_than_50_kilobytes():
    for widget in ("laboratory.js", "translator.js"):
        assert len(gzip.compress(module(widget).encode())) < 50_000
