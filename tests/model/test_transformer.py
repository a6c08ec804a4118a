from dataclasses import replace

import numpy as np
import pytest
import torch
from model.test_layers import copy_layer, shake
from torch import nn
from torch.testing import assert_close

from transformer_course.model import (
    BASE,
    PRESETS,
    Transformer,
    TransformerConfig,
    causal_mask,
    numpy_reference,
    sinusoidal,
)

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, dropout=0.0, max_len=17
)
SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0]])
TGT = torch.tensor([[1, 10, 11, 12, 13], [1, 17, 18, 0, 0]])


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_the_model_agrees_with_torch_to_the_last_digits():
    """nn.Transformer adds a final LayerNorm to both stacks that the paper does not have."""
    mine = shake(Transformer(CONFIG))
    theirs = nn.Transformer(12, 3, 2, 2, 20, dropout=0.0, batch_first=True, dtype=torch.float64)
    theirs.encoder.norm = theirs.decoder.norm = None
    pairs = zip(mine.encoder_layers, theirs.encoder.layers, strict=True)
    for ours, other in [*pairs, *zip(mine.decoder_layers, theirs.decoder.layers, strict=True)]:
        copy_layer(ours, other)
    embed = lambda ids: mine.embedding.weight[ids] * 12**0.5 + sinusoidal(17, 12)[: ids.size(1)]  # noqa: E731
    hidden = theirs(
        embed(SRC),
        embed(TGT),
        tgt_mask=~causal_mask(5),
        src_key_padding_mask=SRC == 0,
        tgt_key_padding_mask=TGT == 0,
        memory_key_padding_mask=SRC == 0,
    )
    assert_close(mine(SRC, TGT), hidden @ mine.embedding.weight.T, rtol=0, atol=1e-5)


@pytest.mark.parametrize("sizes", [{}, {"head_dim": 2}, {"value_dim": 7}])
def test_the_model_agrees_with_the_numpy_reference(sizes):
    model = shake(Transformer(replace(CONFIG, **sizes)))
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    logits = numpy_reference.forward(weights, SRC.numpy(), TGT.numpy(), num_heads=3, num_layers=2)
    # float32 sinusoids in the model, float64 in the reference: compare with the same table
    model.positions.table = torch.from_numpy(numpy_reference.sinusoidal(17, 12))
    np.testing.assert_allclose(model(SRC, TGT).detach(), logits, rtol=0, atol=1e-10)


@pytest.mark.parametrize("training", [False, True])
def test_no_logit_depends_on_a_later_token(training):
    model = Transformer(replace(CONFIG, dropout=0.3)).train(training)

    def run(tgt):
        torch.manual_seed(3)
        return model(SRC, tgt)

    changed = TGT.clone()
    changed[0, 3:] = torch.tensor([20, 21])
    assert_close(run(TGT)[0, :3], run(changed)[0, :3])
    assert (run(TGT)[0, 3:] - run(changed)[0, 3:]).abs().max() > 1e-3


def test_padding_a_batch_changes_nothing():
    model = Transformer(CONFIG).eval()
    alone = model(SRC[1:, :4], TGT[1:, :3])
    assert_close(model(SRC, TGT)[1, :3], alone[0])
    longer = torch.nn.functional.pad(SRC, (0, 4)), torch.nn.functional.pad(TGT, (0, 3))
    assert_close(model(*longer)[:, :5], model(SRC, TGT))


def test_every_source_word_can_change_the_output():
    model = Transformer(CONFIG).eval()
    for position in range(4):
        changed = SRC.clone()
        changed[1, position] = 20
        assert (model(changed, TGT) - model(SRC, TGT))[1, 0].abs().max() > 1e-4, position


def test_the_order_of_the_source_matters():
    model = Transformer(CONFIG).eval()
    assert (model(SRC[:1].flip(1), TGT[:1]) - model(SRC[:1], TGT[:1])).abs().max() > 1e-3


def test_all_three_uses_of_the_embedding_are_one_tensor():
    model = Transformer(CONFIG)
    shared = [name for name, _ in model.named_parameters() if 23 in _.shape]
    assert shared == ["embedding.weight"]
    assert_close(model.logits(torch.eye(12)), model.embedding.weight.T)


def test_embeddings_are_scaled_before_positions_are_added():
    model = Transformer(CONFIG).eval()
    ids = torch.tensor([[7, 7]])
    expected = model.embedding.weight[7] * 12**0.5 + sinusoidal(2, 12)
    assert_close(model.embed(ids)[0], expected)
    assert 0.5 < (Transformer(BASE_LIKE).embedding.weight * BASE_LIKE.d_model**0.5).std() < 1.5


BASE_LIKE = replace(CONFIG, vocab_size=211, d_model=48)


def test_every_parameter_gets_a_gradient_and_every_output_is_finite():
    model = Transformer(CONFIG)
    logits = model(SRC, TGT)
    assert logits.isfinite().all()
    nn.functional.cross_entropy(logits.flatten(0, 1), torch.arange(10)).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert name.endswith("key_proj.bias") or parameter.grad.abs().max() > 0, name


def test_the_gradient_is_right():
    config = replace(CONFIG, num_layers=1, vocab_size=7, d_model=6, d_ff=5)
    model = Transformer(config).double()
    src, tgt = torch.tensor([[3, 4, 2]]), torch.tensor([[1, 5]])
    names, values = zip(*model.named_parameters(), strict=True)

    def run(*parameters):
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(model, state, (src, tgt))

    assert torch.autograd.gradcheck(run, values, fast_mode=True)


def test_defaults_are_the_papers_base_model():
    row = (BASE.d_model, BASE.num_heads, BASE.d_ff, BASE.num_layers, BASE.dropout)
    assert row == (512, 8, 2048, 6, 0.1)
    assert set(PRESETS) == {"tiny", "small", "base", "big"}


def test_a_source_beyond_max_len_is_refused():
    with pytest.raises(ValueError, match="a sequence of 18 tokens is longer than max_len=17"):
        Transformer(CONFIG)(torch.ones(1, 18, dtype=torch.long), TGT[:1])
