"""What the ablations take away is gone, and the rest is untouched."""

from dataclasses import replace

import ablations
import pytest
import torch
from torch.testing import assert_close

from transformer_course import data
from transformer_course.model import TINY, Transformer
from transformer_course.training import checkpoint


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Transformer(replace(TINY, vocab_size=31)).eval()


def test_a_head_that_is_gone_adds_nothing_and_the_others_stay(model):
    name = "encoder_layers.1.self_attn"
    attend = model.get_submodule(name)
    pruned = ablations.without_heads(model, [(name, 1)]).get_submodule(name)
    x = torch.randn(2, 5, 64)
    mixed = attend.merge_heads(attend.mix(*attend.project(x, x, x)))
    gated = mixed * (torch.arange(64) < 32)
    assert_close(pruned(x, x, x), attend.out_proj(gated))
    assert not attend(x, x, x).equal(pruned(x, x, x))


def test_without_its_heads_an_attention_adds_its_bias_only(model):
    every = [(n, head) for n, part in ablations.attentions(model).items() for head in range(2)]
    pruned = ablations.without_heads(model, every)
    attend, x = pruned.decoder_layers[1].cross_attn, torch.randn(2, 5, 64)
    assert_close(attend(x, x, x), attend.out_proj.bias.expand(2, 5, 64))


def test_without_a_sublayer_only_the_residual_path_is_left(model):
    names = ["encoder_layers.0.self_attn", "encoder_layers.0.feed_forward"]
    layer = ablations.without_sublayers(model, names).encoder_layers[0]
    x = torch.randn(2, 5, 64)
    assert_close(layer(x), layer.norm2(layer.norm1(x)))


@pytest.mark.parametrize("what", ["heads", "sublayers"])
def test_a_trial_of_the_carried_model_runs_and_keeps_nothing(monkeypatch, capsys, what):
    pairs = [("A dog runs.", "Ein Hund rennt."), ("Two men sit.", "Zwei Männer sitzen.")]
    monkeypatch.setattr(data, "load_pairs", lambda *args: pairs)
    monkeypatch.setattr(ablations, "EVERY", 48)
    tiny = Transformer(replace(TINY, vocab_size=6000, num_layers=1))
    monkeypatch.setattr(checkpoint, "load", lambda path: tiny)
    monkeypatch.setattr(ablations.record, "write", None)
    assert ablations.main([what, "--count", "2"]) == 0
    assert ("one_kept" if what == "heads" else "groups") in capsys.readouterr().out


def test_a_heads_order_is_chosen_on_the_validation_set(monkeypatch, model):
    monkeypatch.setattr(ablations, "batches_of", lambda run, split, count: split)
    monkeypatch.setattr(data, "load_pairs", lambda *args: [("a", "b")])
    monkeypatch.setattr(ablations.decoding, "translate", lambda *args, **kwargs: ["b"])

    def loss(pruned, split):
        slices = [a.out_proj.weight[:, :32] for a in ablations.attentions(pruned).values()]
        gone = sum(not part.any() for part in slices)
        return gone if split == ablations.CHOICE else -gone

    monkeypatch.setattr(ablations, "loss", loss)
    run = type("Run", (), {"tokenizer": None})()
    found = ablations.prune_heads(run, model, None, orders=1)
    assert [head for _, head in found["order"]] == [1] * 6 + [0] * 6
    assert [each["head"] for each in found["one_kept"]] == [0] * 6
    assert [each["loss"] for each in found["pruning"]] == [0] * 7 + [-n for n in range(1, 7)]
